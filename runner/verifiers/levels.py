"""The first levels: the changed files are there, their language reads them, imports lead on."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib.resources import files
from time import monotonic

from runner.findings import Level, TestFailure
from runner.ports import Box, CommandResult
from runner.text import cut_middle

OUTPUT_LIMIT = 8_000
NOT_FOUND = 127
_IMPORTS = files("runner.verifiers").joinpath("import_check.py").read_text()
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


async def files_level(box: Box, changed: Sequence[str], *, timeout: float) -> Level:
    """Check that every changed file stands in the workspace as an ordinary file."""
    if not changed:
        return Level("files", "skipped", reason="no file was written")
    began = monotonic()
    result = await box.run(["sh", "-c", _MISSING, "sh", *changed], timeout=timeout)
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
        reason=f"{len(missing)} changed files are missing" if missing else "",
        failures=failures,
    )


async def syntax_level(box: Box, changed: Collection[str], *, timeout: float) -> Level:
    """Compile the changed Python files with the sandbox's own Python."""
    python = [path for path in changed if path.endswith(".py")]
    if not python:
        return Level(
            "syntax", "skipped", reason="no changed file has a syntax check in the sandbox"
        )
    began = monotonic()
    result = await box.run(["python3", "-I", "-c", _COMPILE, *python], timeout=timeout)
    if result.exit_code == NOT_FOUND:
        return Level("syntax", "skipped", reason="python3 is not in the sandbox image")
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


async def imports_level(box: Box, changed: Collection[str], *, timeout: float) -> Level:
    """Look for names that the changed Python files import and that are nowhere."""
    python = [path for path in changed if path.endswith(".py")]
    if not python:
        return Level("imports", "skipped", reason="no changed file has imports that are checked")
    began = monotonic()
    result = await box.run(["python3", "-I", "-c", _IMPORTS, *python], timeout=timeout)
    if result.exit_code == NOT_FOUND:
        return Level("imports", "skipped", reason="python3 is not in the sandbox image")
    failures = tuple(_failures(result.stdout))
    return Level(
        "imports",
        "failed" if failures else "passed",  # our program's own trouble is nobody's fault
        command=("cairn", "check-imports", *python),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=monotonic() - began,
        reason=_leading_nowhere(len(failures)) if failures else "",
        failures=failures,
    )


def without(level: Level, old: Level) -> Level:
    """The level without the complaints that ``old`` has of the same file."""
    known = {(f.file, _first(f)) for f in old.failures}
    left = tuple(f for f in level.failures if (f.file, _first(f)) not in known)
    if left:
        return replace(level, failures=left, reason=_leading_nowhere(len(left)))
    return replace(level, result="passed", failures=(), reason="as before this change")


def _first(failure: TestFailure) -> str:
    """What is wrong, without the hints below it."""
    return failure.message.split("\n", 1)[0]


def _leading_nowhere(count: int) -> str:
    return "1 import leads nowhere" if count == 1 else f"{count} imports lead nowhere"


def shown(result: CommandResult) -> str:
    """Return both streams as text, cut in the middle."""
    text = (result.stdout + result.stderr).decode("utf-8", "replace")
    return cut_middle(text, OUTPUT_LIMIT)


def _why(result: CommandResult, failures: tuple[TestFailure, ...]) -> str:
    if result.timed_out:
        return "the syntax check did not end in time"
    if failures:
        return f"{len(failures)} files have a syntax error"
    return f"the syntax check ended with {result.exit_code}" if result.exit_code else ""


def _failures(stdout: bytes) -> list[TestFailure]:
    found = []
    for line in stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith("{"):
            said = json.loads(line)
            path, message = str(said["path"]), str(said["message"])
            found.append(TestFailure(path, message, path, said["line"]))
    return found
