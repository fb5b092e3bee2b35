"""The first levels of verification: changed files exist, they compile, their imports are found."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from time import monotonic

from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.counting import counted
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import cut_middle

OUTPUT_LIMIT = 8_000
NOT_FOUND = 127
_IMPORTS = files("runner.verify").joinpath("import_check.py").read_text()
_MISSING = 'for path; do [ -f "$path" ] && [ ! -L "$path" ] || printf "%s\\n" "$path"; done'
# compiled in memory: nothing is written, nothing is run; -I keeps a json.py of the workspace out
_COMPILE = """
import json, sys, warnings
warnings.simplefilter("ignore")
bad = 0
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        bad = 1
        said = "%s: %s" % (type(error).__name__, error.msg)
        print(json.dumps({"path": path, "line": error.lineno, "message": said}))
    except (ValueError, RecursionError, MemoryError) as error:
        bad = 1
        print(json.dumps({"path": path, "line": None, "message": repr(error)}))
sys.exit(bad)
"""


_LEADS_NOWHERE = "import cannot be resolved", "imports cannot be resolved"


async def files_level(session: SandboxSession, changed: Sequence[str], *, timeout: float) -> Level:
    """Check that every changed file is in the workspace as an ordinary file."""
    if not changed:
        return Level("files", "skipped", reason="no file was written")
    began = monotonic()
    result = await session.run(["sh", "-c", _MISSING, "sh", *changed], timeout=timeout)
    missing = result.stdout.decode("utf-8", "replace").split("\n")[:-1]
    failures = tuple(
        TestFailure(test=path, message="The file is not in the workspace.", file=path)
        for path in missing
    )
    failed = bool(failures) or result.exit_code != 0
    return Level(
        "files",
        "failed" if failed else "passed",
        command=("test", "-f", *changed),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=monotonic() - began,
        reason=counted(len(missing), "changed file is missing", "changed files are missing")
        if missing
        else "",
        failures=failures,
    )


def lacking(result: CommandResult) -> str:
    """Where a command did not find a program: what follows "x is"."""
    return "not in the sandbox image" if result.image else "not installed on this machine"


def to_install(result: CommandResult) -> str:
    """What to do where a program is not there."""
    if result.image:
        return "Name an image that has it (sandbox.image) or install it in sandbox.setup"
    return "Install it here, where the project or PATH has it, or in sandbox.setup"


async def syntax_level(
    session: SandboxSession, changed: Collection[str], *, timeout: float
) -> Level:
    """Compile the changed Python files with the sandbox's own Python."""
    python = [path for path in changed if path.endswith(".py")]
    if not python:
        return Level(
            "syntax", "skipped", reason="no changed file has a syntax check in the sandbox"
        )
    began = monotonic()
    result = await session.run(["python3", "-I", "-c", _COMPILE, *python], timeout=timeout)
    if result.exit_code == NOT_FOUND:
        return Level("syntax", "skipped", reason=f"python3 is {lacking(result)}")
    failures = tuple(_failures(result.stdout))
    return Level(
        "syntax",
        "failed" if result.exit_code else "passed",
        command=("python3", "-m", "py_compile", *python),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=monotonic() - began,
        reason=_why(result, failures),
        failures=failures,
    )


async def imports_level(
    session: SandboxSession, changed: Collection[str], *, timeout: float
) -> Level:
    """Look for names that the changed Python files import and that are nowhere."""
    python = [path for path in changed if path.endswith(".py")]
    if not python:
        return Level("imports", "skipped", reason="no changed file has imports that are checked")
    began = monotonic()
    result = await session.run(["python3", "-I", "-c", _IMPORTS, *python], timeout=timeout)
    if result.exit_code == NOT_FOUND:
        return Level("imports", "skipped", reason=f"python3 is {lacking(result)}")
    failures = tuple(_failures(result.stdout))
    if result.exit_code and not failures:  # our program's own trouble is nobody's fault
        return Level("imports", "skipped", reason=_NOT_CHECKED, output=shown(result))
    return Level(
        "imports",
        "failed" if failures else "passed",
        command=("python3", "-I", "-c", "…", *python),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=monotonic() - began,
        reason=counted(len(failures), *_LEADS_NOWHERE) if failures else "",
        failures=failures,
    )


_NOT_CHECKED = "Cairn's check of the imports did not end as it should"


def without(level: Level, old: Level) -> Level:
    """The level without the complaints that ``old`` has of the same file."""
    known = {(f.file, _first(f)) for f in old.failures}
    left = tuple(f for f in level.failures if (f.file, _first(f)) not in known)
    if left:
        return replace(level, failures=left, reason=counted(len(left), *_LEADS_NOWHERE))
    return replace(level, result="passed", failures=(), reason="as before this change")


def _first(failure: TestFailure) -> str:
    """What is wrong, without the hints below it."""
    return failure.message.split("\n", 1)[0]


def shown(result: CommandResult) -> str:
    """Return both streams as text, cut in the middle."""
    text = (result.stdout + result.stderr).decode("utf-8", "replace")
    return cut_middle(text, OUTPUT_LIMIT)


def _why(result: CommandResult, failures: tuple[TestFailure, ...]) -> str:
    if result.timed_out:
        return "the syntax check did not end in time"
    if failures:
        return counted(len(failures), "file has a syntax error", "files have a syntax error")
    return f"the syntax check ended with {result.exit_code}" if result.exit_code else ""


def _failures(stdout: bytes) -> list[TestFailure]:
    found = []
    for line in stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("{"):
            data = json.loads(line)
            path, message = str(data["path"]), str(data["message"])
            found.append(TestFailure(path, message, path, data["line"]))
    return found


_PYTHON = lazy_pattern(r"No module named '([\w.]{1,300})'")
_SCRIPT = lazy_pattern(r"Cannot find module '([^'\n]{1,300})'")
_FROM = lazy_pattern(r"(?: imported)? from '?([^\s']{1,300})|^- (\S{1,300})$", re.MULTILINE)
_SCRIPT_END = lazy_pattern(r"(/index)?\.[cm]?[jt]sx?$")
_MOST = 3


def with_places(level: Level, paths: Collection[str]) -> Level:
    """Return the level with what the tree knows better than the tool.

    A module that is elsewhere is named with its place, and a file that a tool names only by its end
    (a Java class) gets its full path.
    """
    return replace(level, failures=tuple(_with_place(each, paths) for each in level.failures))


def _with_place(failure: TestFailure, paths: Collection[str]) -> TestFailure:
    hints = list(dict.fromkeys((*_of_python(failure, paths), *_of_script(failure, paths))))
    message = "\n".join([failure.message, *hints])
    return replace(failure, message=message, file=_whole(failure.file, paths))


def _whole(file: str, paths: Collection[str]) -> str:
    if not file or file in paths:
        return file
    found = [path for path in paths if path.endswith(f"/{file}")]
    return found[0] if len(found) == 1 else file


def _of_python(failure: TestFailure, paths: Collection[str]) -> Iterator[str]:
    for missing in dict.fromkeys(_PYTHON.findall(failure.message)):
        last = missing.rpartition(".")[2]
        found = sorted(path for path in paths if _module(path).rpartition(".")[2] == last)
        for path in found[:_MOST]:
            if _module(path) != missing:
                yield f"{path} exists: from the repository's root it is {_module(path)}."


def _of_script(failure: TestFailure, paths: Collection[str]) -> Iterator[str]:
    """JavaScript names what it looked for; from where is in the message, or is the file."""
    for missing in dict.fromkeys(_SCRIPT.findall(failure.message)):
        asked = _FROM.search(failure.message)
        asking = (asked[1] or asked[2]) if asked else failure.file
        last = posixpath.basename(_stem(missing))
        found = sorted(path for path in paths if _is_script(path, last) and path != asking)
        for path in found[:_MOST]:
            there = posixpath.relpath(path, posixpath.dirname(asking) or ".")
            there = there if there.startswith(".") else f"./{there}"
            yield f"{path} exists: from {asking} it is {there}."


def _is_script(path: str, name: str) -> bool:
    return _SCRIPT_END.search(path) is not None and posixpath.basename(_stem(path)) == name


def _stem(path: str) -> str:
    return _SCRIPT_END.sub("", path)


def _module(path: str) -> str:
    """The dotted name of a Python file, as seen from the root ('' for other files)."""
    if not path.endswith(".py"):
        return ""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
