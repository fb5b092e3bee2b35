"""The formatters that a repository configures, and their result for the changed lines alone.

Each reads a file from its standard input and prints it formatted, so that nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from runner.checks.blanks import added_lines, same_python
from runner.checks.validate import syntax_complaint
from runner.ports import SandboxSession
from runner.text.compared import Compared
from runner.verify.linters import ANYTHING, ConfiguredTool, home_of, started_in, table

SECONDS = 30.0
"""How long a formatter may take for one file."""

_HOOKS = ".pre-commit-config.yaml"
_WORKFLOWS = ".github/workflows/*.y*ml"


def _hook(name: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*-?\s*id:\s*['\"]?{name}['\"]?\s*(?:#.*)?$", re.MULTILINE)


FORMATTERS: Final[tuple[ConfiguredTool, ...]] = (
    ConfiguredTool(
        name="ruff",
        suffixes=(".py", ".pyi"),
        settings={
            "pyproject.toml": table(r"tool\.ruff\.format"),
            "ruff.toml": table("format"),
            ".ruff.toml": table("format"),
            _HOOKS: _hook("ruff-format"),
            _WORKFLOWS: re.compile(r"\bruff format\b"),
        },
        command=("ruff", "format", "--no-cache", "--force-exclude", "--stdin-filename", "{}", "-"),
    ),
    ConfiguredTool(
        name="black",
        suffixes=(".py", ".pyi"),
        settings={"pyproject.toml": table(r"tool\.black"), _HOOKS: _hook("black")},
        command=("black", "-q", "--stdin-filename", "{}", "-"),
    ),
    ConfiguredTool(
        name="prettier",
        suffixes=(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".css", ".vue"),
        settings={
            ".prettierrc": ANYTHING,
            ".prettierrc.*": ANYTHING,
            "prettier.config.*": ANYTHING,
            "package.json": re.compile(r'"prettier"\s*:\s*[{"](?!\^|~|\d|>)'),
            _HOOKS: _hook("prettier"),
        },
        command=("prettier", "--stdin-filepath", "{}"),
    ),
    ConfiguredTool(
        name="gofmt", suffixes=(".go",), settings={"go.mod": ANYTHING}, command=("gofmt",)
    ),
)
"""The first that is configured for a file formats it."""


def formatter_of(path: str, settings: Mapping[str, bytes]) -> tuple[ConfiguredTool, str] | None:
    """Return what formats a file, and the folder it is started in; None where nothing does."""
    texts = {each: content.decode("utf-8", "replace") for each, content in settings.items()}
    for tool in FORMATTERS:
        home = home_of(tool, path, texts)
        if home is not None:
            return tool, home
    return None


async def formatted_text(
    session: SandboxSession,
    tool: ConfiguredTool,
    folder: str,
    path: str,
    text: str,
) -> str | None:
    """Return a file's text as the tool would write it; None where it cannot."""
    command = [word.replace("{}", path.removeprefix(folder)) for word in tool.command]
    result = await session.run(
        started_in(folder.rstrip("/"), command), stdin=text.encode(), timeout=SECONDS
    )
    if result.exit_code or result.timed_out or result.truncated:
        return None
    try:
        output = result.stdout.partition(b"\n")[2].decode()
    except UnicodeDecodeError:
        return None
    return output or None


def only_changed_lines(
    path: str, new: str, formatted: str, *, old: str, was_formatted: bool
) -> str:
    """Return the new text with what a formatter does to its changed lines.

    ``old`` is the text before the change. If that was formatted, everything the formatter does is
    due to the change, also in lines beside it; if not, only lines of the change are touched. What
    would no longer be the same code stays.
    """
    mine = added_lines(new, old)
    before, after = new.split("\n"), formatted.split("\n")
    lines: list[str] = []
    for tag, start, end, first, last in Compared(before, after).get_opcodes():
        touched = _touches(range(start + 1, end + 1), start, mine, whole=not was_formatted)
        lines += after[first:last] if tag != "equal" and touched else before[start:end]
    text = "\n".join(lines)
    return text if text == formatted or _same_code(path, new, text) else new


def _touches(hunk: range, start: int, mine: Collection[int], *, whole: bool) -> bool:
    """Whether a hunk has changed lines; ``whole``: no others."""
    if not hunk:  # lines are put in: beside a changed one
        return start in mine or start + 1 in mine
    return all(n in mine for n in hunk) if whole else any(n in mine for n in hunk)


def _same_code(path: str, old: str, new: str) -> bool:
    if syntax_complaint(path, new.encode()) is not None:
        return False
    return same_python(old, new) if path.endswith((".py", ".pyi")) else True
