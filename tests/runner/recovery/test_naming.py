"""The type, the message and the evidence of a failure, from what was seen last."""

from __future__ import annotations

from typing import Literal

import pytest

from runner.recovery.facts import MOST_EVIDENCE, failure_of
from runner.state.findings import Complaint, Level, TestFailure, Verification, headline
from runner.state.run_state import Attempt, Failure
from tests.runner.fields import changed


def attempt(**changes: object) -> Attempt:
    """An attempt after five answers."""
    return changed(Attempt("t", "0" * 40, "main"), answers=5, path=("verify_task",), **changes)


def red(
    message: str, *, name: str = "tests", reason: str = "", output: str = "", cause: str = ""
) -> Verification:
    """A verification with one failing test, or only a failed level."""
    failures = (TestFailure("tests/test_a.py::test_a", message),) if message else ()
    level = Level(name, "failed", failures=failures, reason=reason, output=output, cause=cause)  # type: ignore[arg-type]
    return Verification("t", (level,))


@pytest.mark.parametrize(
    ("verification", "kind"),
    [
        (red("assert 1 == 2"), "test"),
        (red("ModuleNotFoundError: No module named 'yaml'"), "import"),
        (red("ImportError: cannot import name 'A' from 'b'"), "import"),
        (red("FileNotFoundError: [Errno 2] No such file or directory: 'a'"), "missing_file"),
        (red("PermissionError: [Errno 13] Permission denied: '/etc/a'"), "permission"),
        (red("ConnectionRefusedError: [Errno 111] Connection refused"), "environment"),
        (red("TimeoutError: no answer"), "timeout"),
        (red("", reason="the tests timed out after 300 s", cause="timeout"), "timeout"),
        (red("SyntaxError: invalid syntax"), "syntax"),
        (red("bad", name="syntax"), "syntax"),
        (red("", output="Error: Cannot find module './a'\n"), "import"),
        (red("AssertionError: assert 'x' == \"No module named 'y'\""), "test"),
    ],
)
def test_types_of_red_tests(verification: Verification, kind: str) -> None:
    """The type is chosen from what the tests said."""
    assert failure_of(attempt(verification=verification)).type == kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("SyntaxError", "syntax"),
        ("JSONDecodeError", "syntax"),
        ("MissingFile", "missing_file"),
        ("NearMissPath", "missing_file"),
        ("ProtectedPath", "permission"),
        ("UnsafePath", "permission"),
        ("Secret", "permission"),
        ("TooLarge", "budget"),
        ("WeakenedTest", "test"),
        ("UnreadableAnswer", "model"),
        ("TruncatedAnswer", "model"),
        ("Refusal", "model"),
    ],
)
def test_types_of_complaints(error: str, kind: str) -> None:
    """What an answer was refused for decides, also where older tests were red."""
    complaints = (Complaint("a.py", error, "bad", 3),)
    failure = failure_of(attempt(complaints=complaints, verification=red("assert 0")))

    assert failure.type == kind
    assert failure.message == (
        f"none of the model's 5 answers could be accepted: a.py, line 3: {error}: bad"
    )


def test_the_same_answer_again_failed_for_what_it_failed_before() -> None:
    """An answer that brings nothing new says nothing about why; the red test does."""
    same = (Complaint("", "SameAnswer", "this answer was tried before and did not work"),)
    failure = failure_of(attempt(complaints=same, verification=red("assert 1 == 2")))

    assert failure.type == "test"
    assert failure.message == (
        "the tests still fail after 5 answers: tests/test_a.py::test_a: assert 1 == 2"
    )


@pytest.mark.parametrize(
    ("kind", "recoverable"), [("permission", False), ("git", False), ("conflict", True)]
)
def test_a_nodes_failure_stays(kind: str, recoverable: bool) -> None:
    """Kind and message of a node's own failure are kept; some cannot be recovered from."""
    failure = failure_of(attempt(failure=Failure(kind, "it is so", node="checkpoint")))

    assert (failure.type, failure.message, failure.node) == (kind, "it is so", "checkpoint")
    assert failure.recoverable is recoverable


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("a.py:1: in <module>\n    import b\nModuleNotFoundError: No module named 'b'", "Module"),
        ("AssertionError: assert 1 == 2\n  At index 0", "AssertionError: assert 1 == 2"),
        ("node:internal\n  throw err;\n\nError: Cannot find module 'x'\n    at y", "Error: Cannot"),
        (
            "mkdir -p build\nt: t.c:7: main: Assertion `f(5) == 1' failed.\nmake: *** [t]",
            "t: t.c:7",
        ),
        ("fixture 's' not found\navailable: t", "fixture 's' not found"),
        ("ERROR: usage: -c [options]\n-c: error: unrecognized arguments: --x", "-c: error: unrec"),
        ("..F.                         [ 50%]\n....    [100%]\nboom", "boom"),
        ("", ""),
    ],
)
def test_headlines(message: str, line: str) -> None:
    """The line that says most stands for the message."""
    assert headline(message).startswith(line)


@pytest.mark.parametrize(
    ("reason", "output", "said"),
    [
        ("the tests did not end within 300 seconds", "....   [  1%]\n", "did not end within 300 s"),
        ("the test process was killed by signal 9", "", "killed by signal 9"),
        ("make ended with exit code 2", "make: *** [Makefile:3: t] Error 2", "make: *** [Makefile"),
        (
            "pytest ended with exit code 4",
            "ERROR: usage: -c\n-c: error: no such x",
            "error: no such",
        ),
        ("pytest ended with exit code 4", "ERROR: usage: -c [options]\n", "ended with exit code 4"),
    ],
)
def test_what_happened_stands_in_the_place_of_noise(reason: str, output: str, said: str) -> None:
    """A progress bar or a usage line is no reason; a time-out, a signal or an error is one."""
    cause: Literal["", "exit_code"] = "exit_code" if "exit code" in reason else ""
    level = Level("tests", "failed", reason=reason, output=output, exit_code=4, cause=cause)
    failure = failure_of(attempt(verification=Verification("t", (level,))))

    assert said in failure.message
    assert "%]" not in failure.message
    assert "usage:" not in failure.message


def test_evidence_is_short_and_said_once() -> None:
    """Red tests first, then what was refused, each line once, a bounded number of them."""
    failure = failure_of(
        attempt(
            verification=red("assert 1 == 2"),
            avoid=("tests/test_a.py::test_a: assert 1 == 2", *(f"a: {n}" for n in range(30))),
            reasons=("r1", "r2", "r3"),
        )
    )

    assert failure.evidence[0] == "tests/test_a.py::test_a: assert 1 == 2"
    assert len(set(failure.evidence)) == len(failure.evidence) <= MOST_EVIDENCE
    assert failure.evidence[-1] == "r3"
