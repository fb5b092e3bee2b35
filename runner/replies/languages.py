"""Which file a language word of a fence can stand for."""

from __future__ import annotations

_SHELL = {"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "output"}
_SUFFIXES: dict[str, tuple[str, ...]] = {
    "python": (".py", ".pyi"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "json": (".json",),
    "yaml": (".yaml", ".yml"),
    "toml": (".toml",),
    "markdown": (".md", ".mdx"),
    "html": (".html", ".htm"),
    "css": (".css", ".scss"),
    "sql": (".sql",),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "ruby": (".rb",),
    "php": (".php",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hpp", ".h"),
    "bash": (".sh", ".bash"),
}
_ALIASES = {
    "py": "python", "python3": "python", "js": "javascript", "node": "javascript",
    "jsx": "javascript", "ts": "typescript", "tsx": "typescript", "yml": "yaml",
    "md": "markdown", "rb": "ruby", "rs": "rust", "golang": "go", "c++": "cpp",
    "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash", "terminal": "bash",
}  # fmt: skip


def fits(info: str, path: str) -> bool:
    """Whether a block with this info string can be the file; an unknown word fits every file."""
    word = info.split(" ")[0].lower()
    suffixes = _SUFFIXES.get(_ALIASES.get(word, word))
    return suffixes is None or path.endswith(suffixes)


def is_shell(info: str) -> bool:
    """Whether a block is commands to type or what they print, not a file."""
    return info.split(" ")[0].lower() in _SHELL
