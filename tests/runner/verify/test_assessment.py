"""What failing tests say about a change, next to what they said before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.state.findings import Level, TestFailure, Verdict, Verification
from runner.verify.assessment import Assessment, assess, concluded, needs_base, results_of
from runner.verify.evidence import Row
from runner.verify.rows import JudgedChange

COUNT = "tests/test_words.py::test_count"
UPPER = "tests/test_case.py::test_upper"
OTHER = "tests/test_other.py::test_other"
USED = frozenset({"kit/case.py", "tests/test_case.py"})
TASK = JudgedChange(
    words="Add `kit/case.py` with `upper(s)`",
    written=frozenset({"kit/case.py"}),
    users=USED,
    tests=frozenset({"tests/test_case.py", "tests/test_words.py", "tests/test_other.py"}),
    same=frozenset({COUNT, UPPER, OTHER, "tests/test_words.py", "tests/test_other.py"}),
)
LATER = replace(
    TASK, users=USED | {"tests/test_words.py"}, others="Add `kit/words.py` with `count(s)`"
)


def ran(*failures: TestFailure, green: Sequence[str] = (), **more: Any) -> Verification:
    """A run of pytest in which a test of each of ``green`` passed."""
    result = "failed" if failures else "passed"
    level = Level("tests", result, tool="pytest", failures=failures)  # type: ignore[arg-type]
    names = [test if "::" in test else f"{test}::test_green" for test in green]
    files = dict.fromkeys(test.partition("::")[0] for test in green)
    level = replace(level, green=tuple(files), passed=len(green), found=tuple(names))
    return Verification("t", (replace(level, **more),))


def broken(why: str) -> Verification:
    """A run in which the tool failed, not a test."""
    return ran(result="failed", broken=why, reason=why)


def failing(test: str, message: str = "assert 1 == 2", file: str = "") -> TestFailure:
    return TestFailure(test, message, file or test.split("::")[0])


@pytest.mark.parametrize(
    ("after", "before", "change", "outcome"),
    [
        # the same test with the same error, and nothing it uses was changed
        (failing(OTHER), failing(OTHER), TASK, "green"),
        (failing(OTHER, "in 0x1 at 0.2s"), failing(OTHER, "in 0x2 at 0.1s"), TASK, "green"),
        # nothing it uses was changed: how it fails says nothing
        (failing(OTHER), failing(OTHER, "assert 1 == 3"), TASK, "green"),
        # it did not fail before
        (failing(OTHER), None, TASK, "red"),
        # it uses what changed, and the author has not seen this failure yet
        (failing(UPPER), failing(UPPER), TASK, "red"),
        (failing(UPPER), failing(UPPER, "assert 1 == 3"), TASK, "red"),
        # it was seen to run no changed line
        (failing(UPPER), failing(UPPER), replace(TASK, apart=frozenset({UPPER})), "green"),
        # the task names it, or its file
        (failing(OTHER), failing(OTHER), replace(TASK, words="Make `test_other` pass"), "red"),
        (failing(OTHER), failing(OTHER), replace(TASK, words=f"See {OTHER[:19]}"), "red"),
        (failing(OTHER), failing(OTHER), replace(TASK, words=f"Add `a` to {OTHER[6:19]}"), "green"),
        # a test of the change's own
        (
            *(failing(OTHER), failing(OTHER)),
            *(replace(TASK, written=frozenset({OTHER[:19], "a.py"}), same=frozenset()), "red"),
        ),
    ],
)
def test_only_the_bases_own_result_excuses_a_failure(
    after: TestFailure, before: TestFailure | None, change: JudgedChange, outcome: str
) -> None:
    """It must have failed there, and not be what the task is about."""
    found = assess(
        ran(after, green=["tests/test_a.py"]), ran(*([before] if before else [])), change
    )

    assert found.outcome == outcome
    assert found.verdict.unchanged == ((after.test,) if outcome == "green" else ())


def test_an_old_failure_that_stayed_after_a_repair_is_excused_by_what_is_shown() -> None:
    """Nothing less than a test that failed before and passes now does that."""
    change = replace(TASK, repaired=frozenset({UPPER}))
    before = ran(failing(UPPER), failing(UPPER + "_b"))
    found = assess(ran(failing(UPPER), green=[UPPER + "_b"]), before, change)

    assert (found.outcome, found.verdict.kind, found.otherwise) == ("green", "shown", None)
    nothing = assess(ran(failing(UPPER), green=[OTHER]), ran(failing(UPPER)), change)
    assert nothing.otherwise
    assert (nothing.otherwise.outcome, nothing.verdict.kind) == ("red", "unbroken")
    assert nothing.otherwise.stays == (UPPER,)
    command, red = (Verification(t, (RED,)) for t in ("t", "b"))
    unnamed = assess(command, red, replace(TASK, repaired=frozenset({"make check"})))
    assert unnamed.otherwise
    assert unnamed.otherwise.stays == ("make check",)
    assert (found.verdict.turned, found.verdict.unchanged) == ((UPPER + "_b",), (UPPER,))


@pytest.mark.parametrize(
    ("message", "change", "outcome"),
    [
        ("No module named 'kit.words'", LATER, "green"),
        ("cannot import name 'count' from 'kit.words'", LATER, "green"),
        ("module 'kit.words' has no attribute 'count'", LATER, "green"),
        ("No module named 'kit.words'", replace(LATER, others=""), "red"),
        ("No module named 'kit.words'", TASK, "green"),
        ("No module named 'yaml'", LATER, "red"),
        ("assert 1 == 2", LATER, "red"),
        ("name 'count' is not defined", replace(LATER, words="Add `count(s)`"), "red"),
    ],
)
def test_tests_written_first_wait_for_their_task(
    message: str, change: JudgedChange, outcome: str
) -> None:
    """The error differs, for one module is there now: what is missing is left to an open task."""
    before = ran(failing(COUNT, "No module named 'kit'"), failing(UPPER, "No module named 'kit'"))
    after = ran(failing(COUNT, message), green=[UPPER])
    found = assess(after, before, change)

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


def test_a_file_that_another_task_names_is_left_to_it() -> None:
    """Its tests were red before; how they fail now is not this task's business."""
    change = replace(LATER, others="Make tests/test_words.py pass")
    before = ran(failing("tests/test_words.py", "No module named 'kit'"))
    after = ran(failing(COUNT, "assert 0 == 2"), green=["tests/test_case.py"])

    assert assess(after, before, change).outcome == "green"


def test_what_breaks_the_runner_is_never_excused() -> None:
    """With the change only: its fault. Without it as well: nothing can be verified."""
    why = "pytest had an internal error: ValueError"

    assert assess(broken(why), ran(green=["a.py"]), TASK).outcome == "red"
    assert assess(broken(why), broken("pytest could not start"), TASK).outcome == "red"
    assert assess(ran(green=[UPPER]), broken(why), TASK).verdict.kind == "shown"
    found = assess(broken(why), broken(why), TASK)
    assert found.outcome == "unverifiable"
    assert found.verdict.reason == f"{why}. The same happens without this change"


def test_a_runner_that_lacks_what_the_task_brings_asks_for_another_answer() -> None:
    """What tests load at the start is what this task makes: the next answer may bring it."""
    why = "pytest could not start: conftest.py cannot be loaded: No module named 'kit.case'"

    assert assess(broken(why), broken(why), replace(TASK, words="Add `kit/case.py`")).outcome == (
        "red"
    )


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("AssertionError: no compiled part", "unverifiable"),
        ("ModuleNotFoundError: No module named 'kit.case'", "red"),  # the task brings it
        ("assert False", "red"),
        ("thread 'main' panicked: not yet implemented", "red"),
    ],
)
def test_where_no_test_passes_for_one_reason_no_answer_is_to_blame(said: str, outcome: str) -> None:
    """Another answer could not help: those of the change say the same as those that stood there."""
    before = [failing(UPPER, said), failing(OTHER, said)]
    after = ran(*before, failing("tests/test_new.py::test_it", said))
    change = replace(TASK, written=TASK.written | {"tests/test_new.py"})

    assert assess(after, ran(*before), change).outcome == outcome
    assert assess(after, ran(*before, green=["tests/test_x.py"]), change).outcome == "red"


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


def test_tests_come_first_although_their_own_task_names_what_they_await() -> None:
    """They wait for the task that makes it, also where importing them already fails."""
    words = "Write `tests/test_winner.py` for the winner, whom 1.2 finds"
    missing = failing("tests/test_winner.py", "No module named 'game.winner'")
    first = JudgedChange(
        words=words, others="`game/winner.py`", written=frozenset({"tests/test_winner.py"})
    )
    run = ran(missing, green=["tests/test_board.py"])
    imports = Level("imports", "failed", failures=(missing,), reason="1 import leads nowhere")
    after = replace(run, levels=(imports, *run.levels))

    found = assess(after, ran(green=["tests/test_board.py"]), first)
    assert (found.outcome, found.verdict.kind) == ("green", "unbroken")

    wrong = replace(missing, message="No module named 'gamer'")
    assert assess(ran(wrong), ran(), first).outcome == "red"


def test_what_failed_and_passed_on_one_tree_shows_nothing() -> None:
    """However it ended without the change."""
    found = assess(ran(green=[OTHER, UPPER], flaky=(OTHER,)), ran(failing(OTHER)), TASK)
    assert (found.outcome, found.verdict.turned) == ("green", ())
    assert {row.test: row.before for row in found.rows}[OTHER] == "not run"


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
        ("tests/samples/case.py", {"tests/samples/case.py", "tests/samples/more.py"}, "green"),
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


def test_what_a_test_says_in_several_runs() -> None:
    """Times and addresses are no difference; a run in which it did not run says nothing."""
    same = [ran(failing(OTHER, "at 0x1")), ran(failing(OTHER, "at 0x2")), ran()]

    assert results_of([OTHER], same) == {OTHER: frozenset({"at *"})}
    assert results_of([OTHER], [*same, ran(green=["a.py"])]) == {OTHER: frozenset({"at *", ""})}


@pytest.mark.parametrize(
    ("users", "green", "reason"),
    [
        (USED, ["tests/test_case.py"], "nothing broke; nothing shows that the task is done"),
        (None, ["tests/test_other.py"], "nothing broke; nothing shows that the task is done"),
        (USED, ["tests/test_other.py"], "no test uses what changed"),
    ],
)
def test_tests_that_passed_before_show_nothing(
    users: frozenset[str] | None, green: list[str], reason: str
) -> None:
    """Whether they use what changed or not: nothing broke, and that is all."""
    verdict = assess(ran(green=green), ran(green=green), replace(TASK, users=users)).verdict

    assert (verdict.kind, verdict.reason) == ("unbroken", reason)


@pytest.mark.parametrize("why", ["verification is off", "the project has no tests"])
def test_what_was_not_run_is_untested(why: str) -> None:
    """The reason is the level's."""
    skipped = Verification("t", (Level("tests", "skipped", reason=why),))
    verdict = assess(skipped, ran(), TASK).verdict

    assert (verdict.kind, verdict.reason) == ("untested", why)


CHECK = Level("tests", "passed", command=("make", "check"), tool="command", exit_code=0)
RED = replace(CHECK, result="failed", exit_code=2, cause="exit_code", output="Error: 3 is not 4")


@pytest.mark.parametrize(
    ("after", "before", "written", "outcome", "row"),
    [
        (CHECK, RED, "kit/case.py", "green", ("failed", "passed")),
        (CHECK, CHECK, "kit/case.py", "green", ("passed", "passed")),
        # with a test of its own, the base is asked again with that test laid over it
        (CHECK, CHECK, "tests/test_new.py", "green", ("not run", "passed")),
        (CHECK, RED, "tests/test_new.py", "green", ("not run", "passed")),
        (RED, CHECK, "kit/case.py", "red", ("passed", "failed")),
        (RED, RED, "kit/case.py", "red", ("failed", "failed")),
    ],
)
def test_a_command_that_names_no_tests_is_one_test(
    after: Level, before: Level, written: str, outcome: str, row: tuple[str, str]
) -> None:
    """It is named by its line, and the same rows hold for it."""
    change = replace(TASK, written=frozenset({written, "kit/case.py"}))
    found = assess(Verification("t", (after,)), Verification("b", (before,)), change)

    assert found.outcome == outcome
    assert [(each.test, each.before, each.after) for each in found.rows] == [("make check", *row)]
    assert found.verdict.verified == (row == ("failed", "passed"))


@pytest.mark.parametrize("ended", [{"cause": "timeout"}, {"exit_code": 137}, {"exit_code": 127}])
def test_a_base_that_was_stopped_shows_nothing(ended: dict[str, Any]) -> None:
    """Neither of a command that names no tests nor of one that does."""
    command = Level("tests", "passed", command=("make", "check"))
    stopped = Verification("b", (replace(command, result="failed", **ended),))
    assert assess(Verification("t", (command,)), stopped, TASK).verdict.kind == "unbroken"

    suite = ran(result="failed", broken="it was stopped", **ended)
    assert assess(ran(green=[UPPER]), suite, TASK).verdict.kind == "unbroken"


def test_a_tool_that_breaks_on_the_base_says_nothing_about_the_tests_of_another() -> None:
    """Nor about what passed before it broke."""
    other = Level("tests", "failed", tool="jest", broken="jest could not start")
    before, after = ran(green=[UPPER]), ran(green=[UPPER])
    jest = replace(other, result="passed", broken="", passed=1, found=("a.test.js::adds",))
    both = Verification("t", (*after.levels, jest))
    found = assess(both, Verification("b", (*before.levels, other)), TASK)
    assert (found.verdict.kind, found.verdict.turned) == ("shown", ("a.test.js::adds",))

    partly = ran(green=[UPPER], result="failed", broken="pytest ended early")
    assert assess(after, partly, TASK).verdict.kind == "unbroken"


def test_a_name_that_is_another_one_each_time_is_not_missed() -> None:
    """A title with a time or a folder in it; a test that is gone without another one is missed."""
    before = ran(green=[UPPER, f"{OTHER}/tmp/a1", f"{OTHER}_b"])
    after = ran(green=[UPPER, f"{OTHER}/tmp/a2", f"{OTHER}_b"])

    assert assess(after, before, TASK).outcome == "green"
    assert assess(ran(green=[UPPER, f"{OTHER}/tmp/a2"]), before, TASK).outcome == "red"


@pytest.mark.parametrize(
    ("written", "outcome"), [("kit/case.py", "red"), ("tests/test_other.py", "green")]
)
def test_a_test_that_does_not_run_any_more_is_missed(written: str, outcome: str) -> None:
    """Unless the change takes it away itself, which is judged by what the file loses."""
    change = replace(TASK, written=frozenset({written}))
    found = assess(ran(green=[UPPER]), ran(green=[UPPER, f"{OTHER}[a/b:c]"]), change)

    assert found.outcome == outcome
    if outcome == "red":
        assert found.verification.failures[0].test == OTHER
    assert assess(ran(green=[f"{OTHER}[2]"]), ran(green=[f"{OTHER}[1]"]), TASK).outcome == "green"
    some = replace(TASK, selected=True)
    assert assess(ran(green=[UPPER]), ran(green=[UPPER, OTHER]), some).outcome == "green"


@pytest.mark.parametrize(
    ("after", "tools"),
    [
        (ran(failing(OTHER)), ("pytest",)),
        (broken("x"), ("pytest",)),
        (ran(result="skipped"), ("pytest",)),
        (ran(result="failed"), ()),
        (ran(green=["a.py"]), ("pytest",)),
        (ran(failing(OTHER), tool="go"), ()),
    ],
)
def test_the_base_is_asked_where_it_counts(after: Verification, tools: tuple[str, ...]) -> None:
    """Whatever names its tests is compared, but for what fails in a test of the change itself."""
    own = replace(TASK, written=frozenset({OTHER[:19]}), same=frozenset())

    assert needs_base(after, {"pytest"}, TASK) == tools
    assert needs_base(after, {"pytest"}, own) == (() if after.failures else tools)


def test_what_else_fails_is_compared_beside_a_failure_of_the_change() -> None:
    """An old failure is never told to the author as one of this change."""
    own = replace(TASK, written=frozenset({OTHER[:19]}), same=frozenset())

    assert needs_base(ran(failing(OTHER), failing(UPPER)), {"pytest"}, own) == ("pytest",)


def test_a_test_that_is_unsteady_on_the_base_fails_as_before_whatever_it_says() -> None:
    """It uses what changed: one repair is asked for it, and then it is listed beside what shows."""
    before = ran(failing(UPPER, "assert 1 == 3"), failing(OTHER))
    after = ran(failing(UPPER), green=[OTHER])
    change = replace(TASK, unsteady=frozenset({UPPER}))

    assert assess(after, before, change).in_the_way == (UPPER,)
    found = assess(after, before, replace(change, repaired=frozenset({UPPER})))
    assert found.outcome == "green"
    assert found.hints == (
        f"{UPPER} fails with another message each time, also without this change.",
    )


@pytest.mark.parametrize(
    ("stands", "outcome", "taken"),
    [
        ([], "green", [True]),  # told
        (["tests/test_case.py::test_other"], "green", []),
        (["tests/test_case.py::Old::test_upper"], "red", [False]),
        ([UPPER], "red", [False]),
    ],
)
def test_a_test_that_the_change_takes_away(
    stands: list[str], outcome: str, taken: list[bool]
) -> None:
    """Its code may run under another name; where it stands and does not run, it was silenced."""
    change = replace(
        TASK,
        written=frozenset({"tests/test_case.py"}),
        standing={UPPER: frozenset(stands)} if stands else {},
    )
    other = "tests/test_case.py::test_other"
    found = assess(ran(green=[other]), ran(green=[UPPER]), change)

    gone = [row.taken for row in found.rows if row.after == "gone"]
    assert (found.outcome, gone) == (outcome, taken)


C, PYTHON, HELP = "kit/_fast.c", "kit/case.py", "tests/test_case.py"


@pytest.mark.parametrize(
    ("written", "unbuilt", "turned", "kind"),
    [
        ({C}, {C}, False, "untested"),
        ({C}, set(), False, "unbroken"),
        # nothing else was changed, so the test turned by a version that somebody built
        ({C, HELP, "CHANGES.md"}, {C}, True, "shown"),
        ({C, PYTHON}, {C}, True, "unbroken"),
        ({C, PYTHON}, set(), True, "shown"),
    ],
)
def test_a_compiled_part_counts_if_it_was_built(
    written: set[str], unbuilt: set[str], turned: bool, kind: str
) -> None:
    """Tests that turn by a fallback, or pass with it, say nothing about what was not built."""
    change = replace(TASK, written=frozenset(written), unbuilt=frozenset(unbuilt))
    before = ran(failing(UPPER), green=[COUNT]) if turned else ran(green=[UPPER, COUNT])
    verdict = assess(ran(green=[UPPER, COUNT]), before, change).verdict

    assert verdict.kind == kind
    assert ("the compiled part was not built (kit/_fast.c)" in verdict.reason) == (
        bool(unbuilt) and kind != "shown"
    )


def test_the_failure_that_is_named_first_is_the_tasks_own() -> None:
    """Before what it broke elsewhere, and before old failures that stand in its way."""
    change = replace(LATER, words=f"Make {UPPER} pass", same=frozenset({COUNT, OTHER, UPPER}))
    before = ran(failing(COUNT), failing(UPPER), green=[OTHER])
    after = ran(failing(COUNT), failing(OTHER, "lost"), failing(UPPER), green=["tests/test_new.py"])
    found = assess(after, before, replace(change, others=""))

    assert found.outcome == "red"
    assert [f.test for f in found.verification.failures] == [UPPER, OTHER, COUNT]


RESULTS = st.dictionaries(st.sampled_from([COUNT, UPPER, OTHER]), st.sampled_from(["", "a", "b"]))


def run_of(results: dict[str, str]) -> Verification:
    """A run of these tests: '' for one that passed, else what it said."""
    red = [failing(test, said) for test, said in results.items() if said]
    return ran(*red, green=[test for test, said in results.items() if not said])


@given(
    before=RESULTS,
    after=RESULTS.filter(bool),
    written=st.sets(st.sampled_from(["kit/case.py", COUNT[:19], OTHER[:19]]), min_size=1),
    repaired=st.sets(st.sampled_from([COUNT, UPPER, OTHER])),
    words=st.sampled_from([TASK.words, f"Make {OTHER} pass", "Add `count` to `kit/words.py`"]),
)
def test_whatever_two_runs_say_a_verdict_has_its_reason(
    before: dict[str, str],
    after: dict[str, str],
    written: set[str],
    repaired: set[str],
    words: str,
) -> None:
    """Shown: one turned green. Red: one fails, or one that passed is not there any more."""
    change = replace(
        TASK,
        words=words,
        written=frozenset(written),
        repaired=frozenset(repaired),
        same=frozenset(),
    )
    found = assess(run_of(after), run_of(before), change)
    turned = {test for test, said in after.items() if not said and before.get(test)}
    lost = {test for test, said in before.items() if not said and test not in after}

    if found.verdict.kind == "shown" and found.outcome == "green":
        assert turned
    assert set(found.verdict.turned) <= turned
    if found.outcome == "red":
        assert lost or any(after.values())
    if all(said == before.get(test) for test, said in after.items() if said) and not lost:
        own = {test for test in after if after[test] and test.partition("::")[0] in written}
        asked = {test for test in after if after[test] and test in words}
        reached = {UPPER} if after.get(UPPER) else set()
        assert found.outcome != "red" or own | asked | reached


@pytest.mark.parametrize(("edited", "verdict"), [(True, "unbroken"), (False, "shown")])
def test_what_old_rows_notice_does_not_outweigh_a_new_one_that_fails(
    edited: bool, verdict: str
) -> None:
    notices = Row(
        test="a_test.go::TestA/old", before="passed", after="passed", edited=True, notices=True
    )
    fails = Row(
        test="a_test.go::TestA/new", before="failed", after="failed", edited=edited, repaired=True
    )
    ran = Level("tests", "failed", passed=1)
    green = Assessment("green", Verification("a" * 40, (ran,)), Verdict("shown"))
    change = JudgedChange(words="a_test.go", written=frozenset({"a_test.go"}))
    found = concluded(green, (notices, fails), change)
    assert found.verdict.kind == verdict


def test_what_makes_tests_pass_shows_nothing():
    """A test turned green by code that acts on tests is no evidence."""
    change = replace(TASK, deceiving=("kit/case.py",))
    after, before = ran(green=[UPPER, COUNT]), ran(failing(UPPER), green=[COUNT])

    assert assess(after, before, TASK).verdict.kind == "shown"
    verdict = assess(after, before, change).verdict
    assert (verdict.kind, verdict.reason) == (
        *("unbroken", "kit/case.py makes tests pass that would not"),
    )
