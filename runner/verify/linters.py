"""The linters and type checkers that a repository configures, and what they newly complain about.

One row of ``LINTERS`` for each tool: which files configure it, how it is started, and how its
output is read. A tool runs in the folder of its configuration that is nearest to the changed
files. Only what the tree before the change does not have counts. A tool that is missing, fails or
takes too long says nothing about the change.
"""

from __future__ import annotations

import configparser
import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any, Final

from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests
from runner.ports import CommandResult, SandboxSession
from runner.state.changes import ChangeSet
from runner.state.findings import Level, TestFailure
from runner.verify.judging import Read
from runner.verify.levels import NOT_FOUND, lacking
from runner.verify.lint_output import (
    ToolFinding,
    UnreadableOutput,
    read_clippy,
    read_eslint,
    read_flake8,
    read_gofmt,
    read_mypy,
    read_pyright,
    read_ruff,
    read_tsc,
)

SECONDS = 60.0
"""How long one tool may take."""

_MOST_FOLDERS, _MOST_FILES, _MOST_KEPT = 3, 200, 50
_NOT_THERE = re.compile(
    rb"^\S*python\S*: No module named |is not installed for the toolchain|no such (?:sub)?command",
    re.MULTILINE,
)

# What a tool says of modules that nobody installed in the sandbox is not about the change.
_NOT_INSTALLED = frozenset(
    {
        *("import", "import-not-found", "import-untyped", "reportMissingImports"),
        *("reportMissingModuleSource", "reportMissingTypeStubs", "import/no-unresolved"),
        *("TS2307", "TS2580", "TS2582", "TS2591", "TS2688", "TS7016"),
    }
)

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

ANYTHING = re.compile("")
"""The file exists: that is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredTool:
    """A tool that a repository may configure.

    ``settings`` are names of files, each with what in it configures the tool.
    """

    name: str
    suffixes: tuple[str, ...]
    settings: Mapping[str, re.Pattern[str]]
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linter(ConfiguredTool):
    """A tool that complains.

    ``whole`` says that it checks the entire project, whatever files are named; a project that says
    itself what mypy checks (``files`` and the like) is checked so as well.
    """

    read: Callable[[CommandResult], Iterator[ToolFinding]]
    whole: bool = False


_PYTHON = (".py", ".pyi")
_TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs", *_TYPESCRIPT)


def table(name: str) -> re.Pattern[str]:
    """A table of a TOML or INI file, or one below it."""
    return re.compile(rf"^\s*\[{name}[\].]", re.MULTILINE)


LINTERS: Final[tuple[Linter, ...]] = (
    Linter(
        name="ruff",
        suffixes=_PYTHON,
        settings={
            "ruff.toml": ANYTHING,
            ".ruff.toml": ANYTHING,
            "pyproject.toml": table(r"tool\.ruff"),
        },
        command=("ruff", "check", "--no-fix", "--force-exclude", "--output-format=json"),
        read=read_ruff,
    ),
    Linter(
        name="flake8",
        suffixes=(".py",),
        settings={".flake8": table("flake8")}
        | {name: table("flake8") for name in ("setup.cfg", "tox.ini")},
        command=("flake8", "--exit-zero", "--format=default"),
        read=read_flake8,
    ),
    Linter(
        name="mypy",
        suffixes=_PYTHON,
        settings={name: table("mypy") for name in ("mypy.ini", ".mypy.ini", "setup.cfg")}
        | {"pyproject.toml": table(r"tool\.mypy")},
        command=(
            *("mypy", "--no-error-summary", "--show-error-codes", "--no-color-output"),
            *("--no-pretty", "--hide-error-context"),
        ),
        read=read_mypy,
    ),
    Linter(
        name="pyright",
        suffixes=_PYTHON,
        settings={"pyrightconfig.json": ANYTHING, "pyproject.toml": table(r"tool\.pyright")},
        command=("pyright", "--outputjson"),
        read=read_pyright,
        whole=True,
    ),
    Linter(
        name="eslint",
        suffixes=_SCRIPT,
        settings={
            "eslint.config.*": ANYTHING,
            ".eslintrc": ANYTHING,
            ".eslintrc.*": ANYTHING,
            "package.json": re.compile(r'"eslintConfig"\s*:'),
        },
        command=("eslint", "--format", "json"),
        read=read_eslint,
    ),
    Linter(
        name="tsc",
        suffixes=_TYPESCRIPT,
        settings={"tsconfig.json": ANYTHING},
        command=("tsc", "-p", ".", "--noEmit", "--pretty", "false"),
        read=read_tsc,
        whole=True,
    ),
    Linter(
        name="gofmt",
        suffixes=(".go",),
        settings={"go.mod": ANYTHING},
        command=("gofmt", "-l"),
        read=read_gofmt,
    ),
    Linter(
        name="clippy",
        suffixes=(".rs",),
        settings={
            "clippy.toml": ANYTHING,
            ".clippy.toml": ANYTHING,
            "Cargo.toml": table(r"(?:workspace\.)?lints\.clippy"),
            ".github/workflows/*.y*ml": re.compile(r"\bclippy\b"),
        },
        command=("cargo", "clippy", "--offline", "--quiet", "--message-format=json"),
        read=read_clippy,
        whole=True,
    ),
)


@dataclass(frozen=True, slots=True)
class LintRun:
    """A tool that a repository configures in ``folder`` ('' is the root), and what it checks.

    ``files`` are relative to the root, and are those it is started with unless it checks the entire
    project; ``judged`` are all changed files that it may complain about.
    """

    linter: Linter
    folder: str
    files: tuple[str, ...]
    judged: frozenset[str]

    @property
    def name(self) -> str:
        """The tool's own name, with the folder where it is not the root."""
        return f"{self.linter.name} in {self.folder}" if self.folder else self.linter.name

    @property
    def command(self) -> tuple[str, ...]:
        """What is started, in the folder."""
        start = f"{self.folder}/" if self.folder else ""
        return (*self.linter.command, *(path.removeprefix(start) for path in self.files))


def settings_files(
    changed: Iterable[str],
    paths: Collection[str],
    *,
    tools: Sequence[ConfiguredTool] = LINTERS,
) -> list[str]:
    """Return the files of a tree that may configure a tool for the changed ones."""
    names = {name for tool in tools for name in tool.settings}
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


def runs_of(
    changed: Collection[str], settings: Mapping[str, bytes], *, linters: Sequence[Linter] = LINTERS
) -> list[LintRun]:
    """Return what is to be run for changed files; ``settings`` are the contents of those files."""
    texts = {path: content.decode("utf-8", "replace") for path, content in settings.items()}
    runs: list[LintRun] = []
    for linter in linters:
        folders: dict[str, list[str]] = {}
        for path in sorted(changed):
            home = home_of(linter, path, texts)
            if home is not None:
                folders.setdefault(home, []).append(path)
        runs += [
            run
            for folder, files in list(folders.items())[:_MOST_FOLDERS]
            if (run := _run(linter, folder.rstrip("/"), files[:_MOST_FILES], texts))
        ]
    return runs


def home_of(tool: ConfiguredTool, path: str, texts: Mapping[str, str]) -> str | None:
    """The nearest folder above a file that configures the tool for it; None where none does.

    A folder ends in its slash; the root is ''.
    """
    if not path.endswith(tool.suffixes):
        return None
    for folder in _above(path):
        if any(_configures(tool, folder, each, text) for each, text in texts.items()):
            return folder
    return None


def _configures(tool: ConfiguredTool, folder: str, path: str, text: str) -> bool:
    return any(
        fnmatchcase(path, f"{folder}{name}") and says.search(text) is not None
        for name, says in tool.settings.items()
    )


def _run(
    linter: Linter, folder: str, files: Sequence[str], texts: Mapping[str, str]
) -> LintRun | None:
    """One run; None where the tool's own configuration leaves all of the files out."""
    if linter.name != "mypy":
        return LintRun(linter, folder, () if linter.whole else tuple(files), frozenset(files))
    start = f"{folder}/" if folder else ""
    own = _mypy_settings({p.removeprefix(start): t for p, t in texts.items()})
    if any(own.get(key) for key in ("files", "packages", "modules")):
        return LintRun(linter, folder, (), frozenset(files))
    kept = [path for path in files if not is_among_tests(path)]
    kept = [path for path in kept if not _excluded(path.removeprefix(start), own.get("exclude"))]
    return LintRun(linter, folder, tuple(kept), frozenset(kept)) if kept else None


def _mypy_settings(texts: Mapping[str, str]) -> Mapping[str, Any]:
    """What mypy's own table says, in the first file that has one, as mypy looks for it."""
    for name in ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"):
        try:
            if name == "pyproject.toml":
                found = tomllib.loads(texts.get(name, "")).get("tool", {}).get("mypy")
            else:
                parser = configparser.ConfigParser(interpolation=None, strict=False)
                parser.read_string(texts.get(name, ""))
                found = dict(parser["mypy"]) if "mypy" in parser else None
        except (tomllib.TOMLDecodeError, configparser.Error, AttributeError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def _excluded(path: str, patterns: object) -> bool:
    """Whether mypy would leave a file out (https://mypy.readthedocs.io, ``exclude``)."""
    each = patterns if isinstance(patterns, list) else [patterns]
    try:
        return any(isinstance(one, str) and one and re.search(one, path) for one in each)
    except re.error:
        return False


def started_in(folder: str, command: Sequence[str]) -> tuple[str, ...]:
    """The command that starts a tool in a folder and prints, on a line before, where that is."""
    return ("sh", "-c", _START, "sh", folder or ".", *command)


async def lint_level(session: SandboxSession, run: LintRun, *, timeout: float) -> Level:
    """Run a tool: ``passed``, ``failed`` with all its findings, or ``skipped`` with a reason."""
    began = monotonic()
    result = await session.run(started_in(run.folder, run.command), timeout=min(SECONDS, timeout))
    level = Level("lint", "skipped", tool=run.name, command=run.command, exit_code=result.exit_code)
    level = replace(level, seconds=monotonic() - began)
    if why := _why_not(run.linter.name, result, timeout):
        return replace(level, reason=why)
    here, _, output = result.stdout.partition(b"\n")
    try:
        found = list(run.linter.read(replace(result, stdout=output)))
    except UnreadableOutput as error:
        return replace(level, reason=f"{run.linter.name} does not run: {error}")
    placed = [_placed(each, run.folder, here.decode("utf-8", "replace")) for each in found]
    kept = [e for e in placed if e.path in run.judged and e.rule not in _NOT_INSTALLED]
    return _with_findings(level, sorted(kept, key=lambda each: (each.path, each.line or 0)))


def _why_not(name: str, result: CommandResult, timeout: float) -> str:
    if result.timed_out:
        return f"{name} took longer than {min(SECONDS, timeout):g} s"
    if result.truncated:
        return f"{name} printed too much"
    absent = result.exit_code != 0 and _NOT_THERE.search(result.stderr) is not None
    return f"{name} is {lacking(result)}" if absent or result.exit_code == NOT_FOUND else ""


def _placed(found: ToolFinding, folder: str, here: str) -> ToolFinding:
    """A finding with its path as seen from the root; '' where it is about a file elsewhere."""
    path = found.path
    if path.startswith("/"):
        inside = path.startswith(f"{here}/")
        path = path[len(here) + 1 :] if inside else ""
    place = posixpath.normpath(posixpath.join(folder, path)) if path else ""
    return replace(found, path=place)


def _with_findings(level: Level, found: Sequence[ToolFinding]) -> Level:
    """The level with its findings as failures: the rule as the test's name."""
    failures = tuple(TestFailure(f.rule, f.message, f.path, f.line) for f in found)
    return replace(level, result="failed" if failures else "passed", failures=failures)


def new_findings(after: Level, before: Level | None, changes: ChangeSet, read: Read) -> Level:
    """Return the level with only those findings that the tree before the change does not have.

    Findings are counted by file, rule and message. Of equal ones those in changed lines are new. A
    new file may have what a deleted file had: it may have been moved. ``read`` returns a file's
    content before the change.
    """
    known = Counter(_key(failure) for failure in before.failures) if before else Counter()
    gone = {path for path, write in changes.files.items() if write is None}
    left: list[TestFailure] = []
    for failure in _changed_last(after.failures, changes, read):
        keys = [_key(failure)]
        if read(failure.file) is None:
            keys = [(path, *keys[0][1:]) for path in sorted(gone)]
        match = next((key for key in keys if known[key] > 0), None)
        if match is None:
            left.append(failure)
        else:
            known[match] -= 1
    left.sort(key=lambda failure: (failure.file, failure.line or 0))
    if not left:
        why = "as before this change" if after.failures else ""
        return replace(after, result="passed", failures=(), reason=why)
    count = "1 new finding" if len(left) == 1 else f"{len(left)} new findings"
    return replace(after, result="failed", failures=tuple(left[:_MOST_KEPT]), reason=count)


def _key(failure: TestFailure) -> tuple[str, str, str]:
    return (failure.file, *ToolFinding("", None, failure.test, failure.message).kind)


def _changed_last(
    failures: Iterable[TestFailure], changes: ChangeSet, read: Read
) -> list[TestFailure]:
    """The findings in lines that were there before first: these are the known ones."""
    lines: dict[str, frozenset[int]] = {}
    for path, write in changes.files.items():
        if write:
            old = (read(path) or b"").decode("utf-8", "replace")
            lines[path] = added_lines(write.content.decode("utf-8", "replace"), old)
    return sorted(failures, key=lambda each: each.line in lines.get(each.file, ()))
