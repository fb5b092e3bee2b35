"""What is said about proposals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.history.inquiry import HistoryQuery, Totals
from runner.history.statistics import NamedTally, statistics_of
from runner.history.totals import Tally
from runner.people.texts import recovery_texts
from runner.roadmap.task import NewTask
from runner.state.findings import Level, Verification
from runner.state.proposal import Proposal, sealed
from runner.state.run_state import Decided, Failure, RunState
from tests.runner.states import at, run_state

RED = Verification("t", (Level("tests", "failed", output="E  assert 1\n````\n<!-- cairn:x:1 -->"),))


def proposing(**attempt: object) -> RunState:
    """A failed task with a proposal to split it."""
    proposal = Proposal(
        task=run_state().tasks[0].key,
        kind="recovery",
        strategy="decompose",
        reason="task_too_complex",
        explanation="It changes two files.",
        original="- [ ] 1.1 Add `a.py`",
        evidence=("t::x: 1 | 2",),
        replacements=(NewTask("Write `a.py` @ada", id="1.1.1", acceptance=("it adds",)),),
    )
    failure = Failure("test", "tests | fail", node="verify_task")
    values = {"proposal": sealed(proposal), "failure": failure, "answers": 5, **attempt}
    return at("await_approval", **values)


def test_a_proposal_says_why_what_and_how_to_decide() -> None:
    """Reason, evidence, effort, new tasks, every way to answer, and what approval is bound to."""
    state = proposing()
    proposal = state.attempt.proposal
    assert proposal
    comment = recovery_texts.proposal_comment(state)

    for part in (
        f"Proposal {proposal.id}: DECOMPOSE",
        "the task is too large for one attempt; tests | fail (`task_too_complex`)",
        "It changes two files.",
        "- **1.1.1** Write `a.py`",
        "  - it adds",
        "- t::x: 1 | 2",
        "model answers: 5",
        f"/approve {proposal.id}",
        f"/reject {proposal.id} why",
        proposal.fingerprint,
    ):
        assert part in comment
    assert "@ada" not in comment


def test_a_stale_proposal_says_so_first() -> None:
    """Whoever approved the older text reads why it did not count."""
    assert recovery_texts.proposal_comment(proposing(), stale=True).startswith(
        "The task has changed since"
    )


@pytest.mark.parametrize(
    ("patch", "whole"),
    [("+a\n" * 1_000, True), ("+a\n" * 20_000, False), ("+a\n… 1 more line", False)],
)
def test_a_patch_that_is_not_shown_whole_says_so(patch: str, whole: bool) -> None:
    """Nobody approves what they could not read without being told."""
    comment = recovery_texts.proposal_comment(proposing(), patch=patch)

    assert ("too long to be shown whole" not in comment) == whole


def test_output_cannot_leave_its_fence() -> None:
    """What a test printed neither ends the block it is shown in nor looks like our own mark."""
    body = recovery_texts.proposal_comment(proposing(verification=RED))
    inner = body.split("````\n", 1)[1].split("\n````", 1)[0]

    assert "E  assert 1" in inner
    assert "</details>" in body.split("\n````", 1)[1]
    assert "<!-- cairn:" not in body


def test_each_thing_that_was_seen_is_said_once() -> None:
    """Not what the reason says already, nor the beginning of a longer line."""
    seen = ("t::x: 1", "t::x: 1 where", "it ran")
    proposal = proposing().attempt.proposal
    assert proposal
    state = proposing(
        proposal=sealed(replace(proposal, evidence=seen)),
        failure=Failure("test", "tests fail: t::x: 1", node="x"),
    )

    for text in (recovery_texts.proposal_comment(state), recovery_texts.applied_body(state)):
        assert "**Evidence:**\n\n- t::x: 1 where\n- it ran\n\n" in text


def test_the_evidence_repeats_neither_explanation_nor_reason() -> None:
    """Nor a line that only adds whose test it is, nor how Cairn chose its next question."""
    old = "t::old: Failed: DID NOT RAISE <class 'ZeroDivisionError'>"
    both = "an existing test and the task contradict each other; a person must decide"
    next_try = "asked again (3 of 4), for a repair"
    proposal = proposing().attempt.proposal
    assert proposal
    seen = (both, f"an existing test: {old}", f"a new test: t::new: {'x' * 300}", next_try)
    failure = Failure("test", f"the tests still fail: {old}", node="x", evidence=seen)
    explanation = recovery_texts.explained("escalate", replace(failure, found_by="pattern"), 0, "")
    state = proposing(
        proposal=sealed(
            replace(proposal, reason="unknown", explanation=explanation, evidence=seen)
        ),
        failure=failure,
        reasons=(next_try,),
    )

    for text in (recovery_texts.proposal_comment(state), recovery_texts.applied_body(state)):
        assert text.count(both) == text.count("DID NOT RAISE") == 1
        assert "**Evidence:**\n\n- a new test: t::new: xxx" in text
        assert next_try not in text
        assert "(`unknown`)" not in text


def test_a_model_cannot_fold_away_how_to_decide() -> None:
    """Its explanation, its new tasks and what failed are words, whatever tags they hold."""
    proposal = proposing().attempt.proposal
    assert proposal
    hostile = replace(
        proposal,
        explanation="Easy.<details><summary>x",
        evidence=("</details>",),
        replacements=(NewTask("Write `a.py` <details>", acceptance=("<details>",)),),
    )
    state = proposing(proposal=sealed(hostile), failure=Failure("test", "<details>", node="x"))

    for text in (recovery_texts.proposal_comment(state), recovery_texts.applied_body(state)):
        assert "Easy.<" in text
        assert text.count("<details>") == text.count("</details>") <= 1


def test_an_applied_recovery_names_who_agreed() -> None:
    """The pull request says who approved, or that nobody was asked."""
    assert "Approved by ada." in recovery_texts.applied_body(
        proposing(decision=Decided("approve", "ada"))
    )
    assert "Applied without asking" in recovery_texts.applied_body(proposing())


def test_replacements_are_sanitized() -> None:
    """Text of a model mentions nobody and closes nothing."""
    text = recovery_texts.replacement_list(
        (NewTask("Fixes #1 for @octo", details=("see <!-- x -->",)),)
    )

    assert "@octo" not in text
    assert "<!--" not in text


def test_a_proposal_says_how_its_strategy_did_here() -> None:
    """Only where it was applied before; without a history it says nothing."""
    state = proposing()
    strategy = state.attempt.proposal.strategy
    tally = NamedTally(strategy, Tally(10, 9, 7))
    past = replace(statistics_of(Totals(), HistoryQuery(until=0.0)), strategies=(tally,))

    assert (
        f"In this repository so far, {strategy}: 7 of 9 finished."
        in recovery_texts.proposal_comment(state, past=past)
    )
    assert "In this repository so far" not in recovery_texts.proposal_comment(
        state, past=replace(past, strategies=())
    )
    assert "In this repository so far" not in recovery_texts.proposal_comment(state)


def test_html_in_a_task_cannot_fold_or_hide_how_to_decide() -> None:
    """A roadmap is anybody's text; in its code fences HTML is shown as it is."""
    original = "- [ ] 1.1 Add `a.py` <details><summary>x\n\n```html\n<b>\n```\n"
    proposal = replace(proposing().attempt.proposal or Proposal(""), original=original)
    text = recovery_texts.proposal_comment(proposing(proposal=sealed(proposal)))

    assert "Add `a.py`" in text
    assert "<details><summary>x" not in text
    assert "> <b>" in text
