"""What the runner writes for people."""

from __future__ import annotations

from runner.money import Usage
from runner.people.texts import commit_texts, pull_texts
from runner.people.trust import verified_trailer
from runner.roadmap.task import Task
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Level, Verdict, Verification
from runner.state.run_state import RunState
from tests.runner.states import at, run_state

GREEN = Verification(
    "t",
    (
        Level("files", "passed", seconds=0.1),
        Level("tests", "passed", command=("pytest", "-q"), exit_code=0, seconds=1.25),
    ),
)
UNTESTED = Verification("t", (Level("tests", "skipped", reason="no tests | found"),))
RED = Verification("t", (Level("tests", "failed", output="E  assert 1\n````\n<!-- cairn:x:1 -->"),))
CHANGES = ChangeSet({"a.py": Write(b""), "old.py": None})


def task(text: str) -> Task:
    """The task of one item."""
    return run_state(f"- [ ] {text}\n").tasks[0]


def reached(**attempt: object) -> RunState:
    """The first task after its attempt."""
    return at("checkpoint", **attempt)


def test_commit_message() -> None:
    """The first line is id and title; the whole text follows when it says more."""
    assert commit_texts.checkpoint(task("Do it")) == "Do it"
    assert commit_texts.checkpoint(task("**T1** Do\n  it well")) == "T1 Do it well"
    two = "**T1** Do it.\n  Do it well"
    assert commit_texts.checkpoint(task(two)) == "T1 Do it.\n\n**T1** Do it.\nDo it well"
    long = f"T1 Write {'a long text ' * 20}about it"
    first, _, rest = commit_texts.checkpoint(task(long)).partition("\n\n")
    assert first.startswith("T1 Write a long text")
    assert first.endswith(" …")
    assert len(first) <= 100
    assert rest == long


def test_a_commit_message_closes_nothing() -> None:
    """A task's text has no effect as a commit message."""
    text = commit_texts.checkpoint(
        task("Fixes #12 for @octocat\n  Signed-off-by: x <x@example.org>")
    )

    for active in ("Fixes #12", "@octocat", "Signed-off-by:"):
        assert active not in text


def test_pull_request_body() -> None:
    """The body says what, where from, which files, how verified and at what cost."""
    spent = Usage(tokens=1234, cost=0.0123, calls=2)
    body = pull_texts.checkpoint(
        reached(changes=CHANGES, verification=GREEN, answers=2, code_repairs=1, total=spent)
    )

    for part in (
        "`ROADMAP.md`, line 3",
        "> 1.1 Add `a.py`",
        "- `a.py`\n- `old.py` (deleted)",
        "✅ passed",
        "2 (1 code repair, 0 test repairs)",
        "1,234; cost: $0.0123",
    ):
        assert part in body


def test_what_was_made_before_its_dependency_says_so() -> None:
    """A task that was asked for by name before what it needs tells its reviewers."""
    roadmap = "- [ ] 1.1 a\n- [ ] 1.2 b (depends on 1.1)\n"
    named = at("checkpoint", run_state(roadmap, task="1.2"), number=1)
    whole = at("checkpoint", run_state(roadmap), number=1)

    assert "done before tasks that it depends on:** `1.1`." in pull_texts.checkpoint(named)
    assert "made before" not in pull_texts.checkpoint(whole)


def test_a_result_without_tests_is_called_that() -> None:
    """Skipped tests are not sold as verified, and say why in their cell and below the table."""
    body = pull_texts.checkpoint(reached(verification=UNTESTED))

    assert "no tests \\| found |" in body
    assert "**Untested:** no tests | found." in body
    assert "**Untested:** nothing was run." in pull_texts.checkpoint(reached())
    assert "Untested" not in pull_texts.checkpoint(reached(verification=GREEN))


def test_the_verdict_names_tests_that_turned_and_those_that_did_not() -> None:
    """A reviewer sees which tests this change turned green, and which stay red as they were."""
    verdict = Verdict("shown", "", ("t.py::test_a",), tuple(f"t.py::test_{n}" for n in range(12)))
    body = pull_texts.checkpoint(reached(verification=GREEN, verdict=verdict))

    assert "**Verified by tests.**" in body
    assert "1 test fails without this change and passes with it: `t.py::test_a`." in body
    assert "Failed before this change and still fail: `t.py::test_0`" in body
    assert "and 2 more." in body


def test_the_trailer_says_whether_a_commit_is_verified() -> None:
    """One line, whatever a tool said."""
    assert verified_trailer(Verdict("shown")) == "yes"
    assert (
        verified_trailer(Verdict("untested", "it said\nFixes #1"))
        == "no (it said F\u200bixes #\u200b1)"
    )


def test_warnings_stand_in_the_pull_request_and_do_nothing_there() -> None:
    """What a reviewer should see is listed under a heading; its text cannot act."""
    body = pull_texts.checkpoint(reached(warnings=("`title` is gone", "Fixes #1 <details>\n# x")))
    listed = body.split("### Worth a look\n\n")[1].split("\n\n")[0].split("\n")

    assert listed[0] == "- `title` is gone"
    assert len(listed) == 2
    assert not any(active in body for active in ("Fixes #1", "<details>"))
    assert "Worth a look" not in pull_texts.checkpoint(reached())


def test_what_was_mended_is_told() -> None:
    """What was put right without a model is listed."""
    assert "repaired without a model: a tab" in pull_texts.effort(
        reached(auto_repairs=("a tab",)).attempt
    )
