"""The formatters that a repository configures, and their result for the changed lines alone.

Each reads a file from its standard input and prints it formatted, so that nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from time import monotonic
from typing import Final

from runner.checks.blanks import added_lines, same_python
from runner.checks.validate import syntax_complaint
from runner.ports import Ran, SandboxSession, unheard
from runner.text.compared import Compared

SECONDS = 30.0
"""How long a formatter may take for one file."""

# A Node tool of the project lies in node_modules of a folder above; a Python tool may be there
# as a module only.
_START = """\
cd -P "$1" && pwd -P || exit 125
name=$2; shift 2; at=$PWD
while [ -n "$at" ]; do
    [ -x "$at/node_modules/.bin/$name" ] && exec "$at/node_modules/.bin/$name" "$@"
    at=${at%/*}
done
command -v "$name" >/dev/null && exec "$name" "$@"
exec python3 -m "$name" "$@"
"""

_ANYTHING = re.compile("")
"""The file exists: that is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatter:
    """A formatter that a repository may configure.

    ``settings`` are names of files, each with what in it configures it.
    """

    name: str
    suffixes: tuple[str, ...]
    settings: Mapping[str, re.Pattern[str]]
    command: tuple[str, ...]


_HOOKS = ".pre-commit-config.yaml"
_WORKFLOWS = ".github/workflows/*.y*ml"


def _table(name: str) -> re.Pattern[str]:
    """A table of a TOML or INI file, or one below it."""
    return re.compile(rf"^\s*\[{name}[\].]", re.MULTILINE)


def _hook(name: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*-?\s*id:\s*['\"]?{name}['\"]?\s*(?:#.*)?$", re.MULTILINE)


FORMATTERS: Final[tuple[Formatter, ...]] = (
    Formatter(
        name="ruff",
        suffixes=(".py", ".pyi"),
        settings={
            "pyproject.toml": _table(r"tool\.ruff\.format"),
            "ruff.toml": _table("format"),
            ".ruff.toml": _table("format"),
            _HOOKS: _hook("ruff-format"),
            _WORKFLOWS: re.compile(r"\bruff format\b"),
        },
        command=("ruff", "format", "--no-cache", "--force-exclude", "--stdin-filename", "{}", "-"),
    ),
    Formatter(
        name="black",
        suffixes=(".py", ".pyi"),
        settings={"pyproject.toml": _table(r"tool\.black"), _HOOKS: _hook("black")},
        command=("black", "-q", "--stdin-filename", "{}", "-"),
    ),
    Formatter(
        name="prettier",
        suffixes=(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".css", ".vue"),
        settings={
            ".prettierrc": _ANYTHING,
            ".prettierrc.*": _ANYTHING,
            "prettier.config.*": _ANYTHING,
            "package.json": re.compile(r'"prettier"\s*:\s*[{"](?!\^|~|\d|>)'),
            _HOOKS: _hook("prettier"),
        },
        command=("prettier", "--stdin-filepath", "{}"),
    ),
    Formatter(name="gofmt", suffixes=(".go",), settings={"go.mod": _ANYTHING}, command=("gofmt",)),
)
"""The first that is configured for a file formats it."""


def settings_files(changed: Iterable[str], paths: Collection[str]) -> list[str]:
    """Return the files of a tree that may configure a formatter for the changed ones."""
    names = {name for tool in FORMATTERS for name in tool.settings}
    folders = {folder for path in changed for folder in _above(path)}
    plain = [name for name in names if "*" not in name]
    found = {f"{folder}{name}" for folder in folders for name in plain} & set(paths)
    patterns = [f"{folder}{name}" for folder in folders for name in names if "*" in name]
    near = {pattern.rpartition("/")[0] for pattern in patterns}
    beside = (path for path in paths if path.rpartition("/")[0] in near)
    found |= {path for path in beside if any(fnmatchcase(path, each) for each in patterns)}
    return sorted(found)


def _above(path: str) -> list[str]:
    """The folders that contain a file, the nearest first, each with its slash; the root is ''."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) + "/" * (depth > 0) for depth in range(len(parts), -1, -1)]


def formatter_of(path: str, settings: Mapping[str, bytes]) -> tuple[Formatter, str] | None:
    """Return what formats a file, and the folder it is started in; None where nothing does."""
    texts = {each: content.decode("utf-8", "replace") for each, content in settings.items()}
    for tool in FORMATTERS:
        home = _home_of(tool, path, texts)
        if home is not None:
            return tool, home
    return None


def _home_of(tool: Formatter, path: str, texts: Mapping[str, str]) -> str | None:
    """The nearest folder above a file that configures a formatter for it; None where none does.

    A folder ends in its slash; the root is ''.
    """
    if not path.endswith(tool.suffixes):
        return None
    for folder in _above(path):
        if any(_configures(tool, folder, each, text) for each, text in texts.items()):
            return folder
    return None


def _configures(tool: Formatter, folder: str, path: str, text: str) -> bool:
    return any(
        fnmatchcase(path, f"{folder}{name}") and says.search(text) is not None
        for name, says in tool.settings.items()
    )


def _started_in(folder: str, command: Sequence[str]) -> tuple[str, ...]:
    """The command that starts a tool in a folder and prints, on a line before, where that is."""
    return ("sh", "-c", _START, "sh", folder or ".", *command)


async def formatted_text(
    session: SandboxSession,
    tool: Formatter,
    folder: str,
    path: str,
    text: str,
    ran: Ran = unheard,
) -> str | None:
    """Return a file's text as the tool would write it; None where it cannot.

    ``ran`` is told of the command.
    """
    began = monotonic()
    command = [word.replace("{}", path.removeprefix(folder)) for word in tool.command]
    result = await session.run(
        _started_in(folder.rstrip("/"), command), stdin=text.encode(), timeout=SECONDS
    )
    await ran(command, result, monotonic() - began)
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
