"""What each tool puts into a JUnit report: the id of a test, its place, its message.

An id begins with the test's file where the report names it: ``file::name``.
"""

from __future__ import annotations

import re

from runner.findings import TestFailure
from runner.verifiers.frames import frames, inside
from runner.verifiers.junit import BadCase

_FRAME = re.compile(r"^(?!E {3})(?P<file>[^\s:][^:\n]*):(?P<line>\d+): ", re.MULTILINE)
_SAID = re.compile(r"^E {3}(.*)$", re.MULTILINE)


def pytest(case: BadCase) -> TestFailure:
    """Pytest's own ids; the deepest frame; the E lines, which show expected and actual in full."""
    own = (case.file, int(case.line) + 1 if case.line.isdecimal() else None)  # counted from 0
    found = [(f["file"], int(f["line"])) for f in _FRAME.finditer(case.trace)]
    within = [frame for frame in found if not frame[0].startswith(("/", "..", "<"))]
    said = "\n".join(_SAID.findall(case.trace)).strip()
    message = said or case.message.strip() or case.trace.strip()
    return TestFailure(_pytest_id(case), message, *(within[-1] if within else own))


def _pytest_id(case: BadCase) -> str:
    """Return pytest's own id of the test; a module that was not collected goes by its file."""
    name, dotted, file = case.name, case.classname, case.file
    if not dotted:
        return file or (name.replace(".", "/") + ".py" if name else "?")
    module = file.removesuffix(".py").replace("/", ".")
    inner = dotted.removeprefix(module).strip(".") if file else ""
    start = file or dotted.replace(".", "/") + ".py"
    return "::".join([start, *(inner.split(".") if inner else []), name])


def vitest(case: BadCase) -> TestFailure:
    """Vitest: the class is the file, a file that was not loaded is its own test."""
    file, line = next(inside(frames(case.trace)), (case.classname, None))
    test = case.name if case.name == case.classname else f"{case.classname}::{case.name}"
    said = case.trace.split("\n \u276f ", 1)[0].strip()
    return TestFailure(test, said or case.message, file, line)


def surefire(case: BadCase) -> TestFailure:
    """Maven and Gradle: a class, whose file is named in its own frame of the stack."""
    top = case.classname.split("$", 1)[0]
    path = top.replace(".", "/")
    name = path.rpartition("/")[2]
    own = [line for file, line in frames(case.trace) if file.rpartition(".")[0] == name]
    end = next((f for f, _ in frames(case.trace) if f.rpartition(".")[0] == name), f"{name}.java")
    file = f"{path.rpartition('/')[0]}/{end}".lstrip("/")
    said = case.trace.strip().split("\n", 1)[0] or case.message
    return TestFailure(f"{file}::{case.name}", said, file, own[0] if own else None)


def plain(case: BadCase) -> TestFailure:
    """PHPUnit, and any tool that names the file: its own words, the first frame inside."""
    own = (case.file, int(case.line) if case.line.isdecimal() else None)
    found = list(inside(frames(case.trace)))
    name = f"{case.classname}::{case.name}" if case.classname else case.name
    test = f"{case.file}::{case.name}" if case.file else name
    said = case.trace.strip().removeprefix(f"{case.classname}::{case.name}\n")
    return TestFailure(test, said or case.message, *(found[0] if found else own))
