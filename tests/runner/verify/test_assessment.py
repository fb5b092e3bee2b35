"""What failing tests say about a change, next to what they said before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from runner.state.findings import Level, TestFailure, Verification
from runner.verify.assessment import Assessment, Promise, assess, needs_base, results_of

TEST = "from kit.words import count\n\n\ndef test_count():\n    assert count('a b') == 2\n"
COUNT = "tests/test_words.py::test_count"
UPPER = "tests/test_case.py::test_upper"
OTHER = "tests/test_other.py::test_other"
USED = frozenset({"kit/case.py", "tests/test_case.py"})
TASK = Promise(
    words="Add `kit/case.py` with `upper(s)`",
    files=frozenset({"kit/case.py"}),
    written=frozenset({"kit/case.py"}),
    users=USED,
    tests=frozenset({"tests/test_case.py", "tests/test_words.py", "tests/test_other.py"}),
    sources={COUNT: TEST, "tests/test_words.py": TEST},
)
LATER = replace(TASK, others="Add `kit/words.py` with `count(s)`")


def ran(*failures: TestFailure, green: Sequence[str] = (), **more: Any) -> Verification:
    """A run of pytest in which a test of each of ``green`` passed."""
    result = "failed" if failures else "passed"
    level = Level("tests", result, tool="pytest", failures=failures)  # type: ignore[arg-type]
    level = replace(level, green=tuple(green), passed=len(green))
    return Verification("t", (replace(level, **more),))


def broken(why: str) -> Verification:
    """A run in which the tool failed, not a test."""
    return ran(result="failed", broken=why, reason=why)


def failing(test: str, message: str = "assert 1 == 2", file: str = "") -> TestFailure:
    return TestFailure(test, message, file or test.split("::")[0])


@pytest.mark.parametrize(
    ("after", "before", "promise", "outcome"),
    [
        # the same test with the same error, and nothing it uses was changed
        (failing(OTHER), failing(OTHER), TASK, "green"),
        (failing(OTHER, "in 0x1 at 0.2s"), failing(OTHER, "in 0x2 at 0.1s"), TASK, "green"),
        # it passed before, or failed with another error
        (failing(OTHER), None, TASK, "red"),
        (failing(OTHER), failing(OTHER, "assert 1 == 3"), TASK, "red"),
        # it uses what changed, and another test shows that to work
        (failing(UPPER), failing(UPPER), replace(TASK, users=USED | {"tests/test_a.py"}), "green"),
        (failing(UPPER), failing(UPPER), TASK, "red"),
        # the task names it
        (failing(OTHER), failing(OTHER), replace(TASK, words="Make `test_other` pass"), "red"),
        (failing(OTHER), failing(OTHER), replace(TASK, files=frozenset({OTHER[:19]})), "red"),
        # a test of the change's own
        (failing(OTHER), failing(OTHER), replace(TASK, written=frozenset({OTHER[:19]})), "red"),
    ],
)
def test_only_the_bases_own_result_excuses_a_failure(
    after: TestFailure, before: TestFailure | None, promise: Promise, outcome: str
) -> None:
    """It must have failed there, with the same error, and not be what the task is about."""
    found = assess(
        ran(after, green=["tests/test_a.py"]), ran(*([before] if before else [])), promise
    )

    assert found.outcome == outcome
    assert found.verdict.unchanged == ((after.test,) if outcome == "green" else ())


@pytest.mark.parametrize(
    ("message", "promise", "outcome"),
    [
        ("No module named 'kit.words'", LATER, "green"),
        ("cannot import name 'count' from 'kit.words'", LATER, "green"),
        ("module 'kit.words' has no attribute 'count'", LATER, "green"),
        ("No module named 'kit.words'", TASK, "red"),
        ("No module named 'yaml'", LATER, "red"),
        ("assert 1 == 2", LATER, "red"),
        ("name 'count' is not defined", replace(LATER, words="Add `count(s)`"), "red"),
    ],
)
def test_tests_written_first_wait_for_their_task(
    message: str, promise: Promise, outcome: str
) -> None:
    """The error differs, for one module is there now: what is missing is left to an open task."""
    before = ran(failing(COUNT, "No module named 'kit'"), failing(UPPER, "No module named 'kit'"))
    after = ran(failing(COUNT, message), green=["tests/test_case.py"])
    found = assess(after, before, promise)

    assert found.outcome == outcome
    if outcome == "green":
        assert found.verdict.verified
        assert (found.verdict.turned, found.verdict.unchanged) == ((UPPER,), (COUNT,))
        (level,) = found.verification.tests
        assert level.result == "passed"
        assert level.reason == "1 passed; 1 fails as before this change"


def test_what_the_code_misses_is_not_left_to_another_task() -> None:
    """The test has the name, too, but it is the code that was just written that lacks it."""
    lacking = failing(COUNT, "NameError: name 'count' is not defined", file="kit/words.py")
    before = ran(failing(COUNT, "No module named 'kit'"))

    assert assess(ran(lacking, green=["a.py"]), before, LATER).outcome == "red"


def test_part_of_a_files_tests_is_not_enough_where_no_task_is_left() -> None:
    """Some tests turn green, one of the same file stays as it was: the task is not done."""
    stubs = [failing(UPPER, "NotImplementedError"), failing(UPPER + "_b", "NotImplementedError")]
    after = ran(stubs[1], green=["tests/test_case.py"])

    assert assess(after, ran(*stubs), TASK).outcome == "red"


def test_a_failing_name_of_another_task_in_the_same_file_is_unchanged() -> None:
    """What an open task promises may stay red beside what this one turned."""
    other = "tests/test_case.py::test_count"
    stubs = [failing(UPPER, "NotImplementedError"), failing(other, "NotImplementedError")]
    promise = replace(LATER, sources={other: "assert count('a') == 1"})
    found = assess(ran(stubs[1], green=["tests/test_case.py"]), ran(*stubs), promise)

    assert (found.outcome, found.verdict.verified) == ("green", True)
    assert found.verdict.unchanged == (other,)


def test_a_file_that_another_task_names_is_left_to_it() -> None:
    """Its tests were red before; how they fail now is not this task's business."""
    promise = replace(LATER, other_files=frozenset({"tests/test_words.py"}))
    before = ran(failing("tests/test_words.py", "No module named 'kit'"))
    after = ran(failing(COUNT, "assert 0 == 2"), green=["tests/test_case.py"])

    assert assess(after, before, promise).outcome == "green"


@pytest.mark.parametrize(
    ("uses", "outcome"), [("upper('a') == 'A'", "red"), ("lower('A') == 'a'", "green")]
)
def test_the_changes_own_tests_excuse_nothing_that_the_task_promises(
    uses: str, outcome: str
) -> None:
    """A new test that passes says little while an old one of the promised function fails."""
    new = "tests/test_new.py"
    promise = replace(
        TASK,
        written=TASK.written | {new},
        users=USED | {new},
        tests=TASK.tests | {new},
        sources={UPPER: f"def test_upper():\n    assert {uses}\n"},
    )
    found = assess(ran(failing(UPPER), green=[new]), ran(failing(UPPER)), promise)

    assert found.outcome == outcome


def test_what_breaks_the_runner_is_never_excused() -> None:
    """With the change only: its fault. Without it as well: nothing can be verified."""
    why = "pytest had an internal error: ValueError"

    assert assess(broken(why), ran(green=["a.py"]), TASK).outcome == "red"
    assert assess(broken(why), broken("pytest could not start"), TASK).outcome == "red"
    found = assess(broken(why), broken(why), TASK)
    assert found.outcome == "unverifiable"
    assert found.verdict.reason == f"{why}. The same happens without this change"


def test_a_runner_that_lacks_what_the_task_brings_asks_for_another_answer() -> None:
    """What tests load at the start is what this task makes: the next answer may bring it."""
    why = "pytest could not start: conftest.py cannot be loaded: No module named 'kit.case'"

    assert assess(broken(why), broken(why), replace(TASK, words="Add `kit/case.py`")).outcome == (
        "red"
    )


def test_a_run_of_nothing_is_not_green() -> None:
    """Tests ran before; or none can be loaded, for a reason that no task is about."""
    nothing = ran(result="skipped", reason="pytest found no tests")
    lost = assess(nothing, ran(green=["a.py"]), TASK)
    assert lost.outcome == "red"
    assert "no test runs with this change" in lost.verification.tests[0].reason

    unloaded = failing("tests/test_other.py", "No module named 'yaml'")
    found = assess(ran(unloaded), ran(unloaded), TASK)
    assert found.outcome == "unverifiable"
    assert "No module named 'yaml'" in found.verdict.reason


def test_where_nothing_can_be_loaded_yet_the_result_is_not_verified() -> None:
    """Every test waits for later tasks: the change stands, and is not called verified."""
    waiting = failing("tests/test_words.py", "No module named 'kit.words'")
    found = assess(
        ran(waiting), ran(failing("tests/test_words.py", "No module named 'kit'")), LATER
    )

    assert (found.outcome, found.verdict.verified) == ("green", False)
    assert found.verdict.reason == "no test passes; 1 fails as before this change"


@pytest.mark.parametrize(
    ("users", "green", "reason"),
    [
        (USED, ["tests/test_case.py"], ""),
        (None, ["tests/test_other.py"], ""),
        (USED - {"tests/test_case.py"}, ["tests/test_case.py"], "no test uses what changed"),
        (USED, ["tests/test_other.py"], "no test uses what changed"),
    ],
)
def test_passing_tests_verify_what_they_use(
    users: frozenset[str] | None, green: list[str], reason: str
) -> None:
    """A test that does not use the change shows nothing of it; where nobody knows, it counts."""
    verdict = assess(ran(green=green), ran(), replace(TASK, users=users)).verdict

    assert (verdict.verified, verdict.reason) == (not reason, reason)


@pytest.mark.parametrize("why", ["verification is off", "the project has no tests"])
def test_what_was_not_run_is_not_verified(why: str) -> None:
    """The reason is the level's."""
    skipped = Verification("t", (Level("tests", "skipped", reason=why),))

    assert assess(skipped, ran(), TASK) == Assessment(
        "green", skipped, replace(assess(skipped, ran(), TASK).verdict, verified=False, reason=why)
    )


@pytest.mark.parametrize(
    ("after", "tools"),
    [
        (ran(failing(OTHER)), ("pytest",)),
        (broken("x"), ("pytest",)),
        (ran(result="skipped"), ("pytest",)),
        (ran(result="failed"), ()),
        (ran(green=["a.py"]), ()),
        (ran(failing(OTHER), tool="go"), ()),
    ],
)
def test_the_base_is_asked_where_it_counts(after: Verification, tools: tuple[str, ...]) -> None:
    """A red run that names tests, a broken one, and one that ran nothing are compared."""
    assert needs_base(after, {"pytest"}) == tools
    assert needs_base(after, {"pytest"}, {OTHER[:19]}) == (() if after.failures else tools)


@pytest.mark.parametrize(
    ("loading", "outcome"),
    [
        ({"kit/case.py": USED}, "green"),
        ({"kit/case.py": frozenset({"kit/case.py"})}, "red"),
        (None, "red"),
    ],
)
def test_an_import_that_seems_to_lead_nowhere_does_no_harm_where_tests_load_the_file(
    loading: dict[str, frozenset[str]] | None, outcome: str
) -> None:
    """Then it is a hint; else nothing shows that the file can be loaded at all."""
    complaint = TestFailure("kit/case.py", "No module named 'host'", "kit/case.py", 3)
    imports = Level(
        "imports", "failed", failures=(complaint,), reason="1 import cannot be resolved"
    )
    after = Verification("t", (imports, *ran(green=["tests/test_case.py"]).levels))
    found = assess(after, ran(), replace(TASK, loading=loading))

    assert found.outcome == outcome
    if outcome == "green":
        assert found.verification.passed
        assert found.hints[0].startswith("kit/case.py, line 3: No module named 'host'")


@pytest.mark.parametrize(
    ("path", "users", "outcome"),
    [
        ("tests/samples/case.py", {"tests/samples/case.py"}, "green"),
        ("tests/samples/case.py", {"tests/samples/case.py", "tests/help.py"}, "red"),
        ("tests/samples/case.py", set(), "red"),
        ("tests/test_case.py", {"tests/test_case.py"}, "red"),
        ("kit/samples/case.py", {"kit/samples/case.py"}, "red"),
    ],
)
def test_a_sample_that_tests_only_read_may_import_what_is_not_there(
    path: str, users: set[str], outcome: str
) -> None:
    """Where it is known that nothing imports it."""
    complaint = TestFailure(path, "No module named 'nowhere'", path, 3)
    imports = Level("imports", "failed", failures=(complaint,), reason="1 import")
    after = Verification("t", (imports, *ran(green=["tests/test_other.py"]).levels))
    found = assess(after, ran(), replace(TASK, loading={path: frozenset(users)}))

    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("test", "before", "promise", "outcome"),
    [
        # it fails on the base with another message each time, and uses nothing that was changed
        (OTHER, "assert 1 == 3", TASK, "green"),
        # it uses what changed, or that is not known
        (OTHER, "assert 1 == 3", replace(TASK, users=USED | {"tests/test_other.py"}), "red"),
        (OTHER, "assert 1 == 3", replace(TASK, users=None), "red"),
        (UPPER, "assert 1 == 3", TASK, "red"),
        # it passed when all tests of the base were run
        (OTHER, None, TASK, "red"),
        # the task asks for it, or the change wrote its file
        (OTHER, "assert 1 == 3", replace(TASK, words="Make `test_other` pass"), "red"),
        (OTHER, "assert 1 == 3", replace(TASK, files=frozenset({OTHER[:19]})), "red"),
        (OTHER, "assert 1 == 3", replace(TASK, written=frozenset({OTHER[:19]})), "red"),
    ],
)
def test_a_test_that_is_unsteady_on_the_base_is_compared_by_its_outcome(
    test: str, before: str | None, promise: Promise, outcome: str
) -> None:
    """Only where nothing that it is about was changed."""
    promise = replace(promise, unsteady=frozenset({test}))
    was = [failing(test, before)] if before else []

    found = assess(ran(failing(test), green=["tests/test_case.py"]), ran(*was), promise)

    assert found.outcome == outcome
    if outcome == "green":
        (hint,) = found.hints
        assert hint == f"{OTHER} fails with another message each time, also without this change."


@pytest.mark.parametrize(
    ("failures", "promise", "flaky", "doubtful"),
    [
        ([failing(OTHER)], TASK, (), True),
        ([failing(UPPER)], TASK, (), False),
        ([failing(UPPER)], TASK, ("tests/test_case.py::test_lower",), True),
        ([failing(OTHER), failing(UPPER)], TASK, (), False),
        ([failing(OTHER)], replace(TASK, words="Make `test_other` pass"), ("t",), False),
        ([failing(OTHER)], replace(TASK, written=frozenset({OTHER[:19]})), ("t",), False),
        ([failing("tests/test_other.py")], TASK, (), False),
    ],
)
def test_only_what_may_be_no_fault_of_the_change_is_run_on_the_base_again(
    failures: list[TestFailure], promise: Promise, flaky: tuple[str, ...], doubtful: bool
) -> None:
    """An ordinary red round costs no further run."""
    after = ran(*failures, green=["tests/test_a.py"], flaky=flaky)

    found = assess(after, ran(), promise)

    assert (found.outcome, found.doubtful) == ("red", tuple(failures) if doubtful else ())


def test_what_a_test_says_in_several_runs() -> None:
    """Times and addresses are no difference; a run in which it did not run says nothing."""
    same = [ran(failing(OTHER, "at 0x1")), ran(failing(OTHER, "at 0x2")), ran()]

    assert results_of([OTHER], same) == {OTHER: frozenset({"at *"})}
    assert results_of([OTHER], [*same, ran(green=["a.py"])]) == {OTHER: frozenset({"at *", ""})}
