"""Which strategy is still possible: the bounds of docs/design.md, "Recovery"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

import runner.prompts
from runner.people.texts import recovery_texts
from runner.recovery.choose import ASKED_IN, choose, room
from runner.recovery.reading import read_reason
from runner.roadmap.task import NewTask
from runner.state.proposal import (
    MAX_REPLACEMENTS,
    REPLACED_BY,
    STRATEGY_OF,
    Proposal,
    Reason,
    Strategy,
)
from runner.state.recoveries import APPLIED
from runner.state.run_state import Failure, ReplacedTasks, RunState, Status
from tests.runner.fields import with_attempt
from tests.runner.states import at, run_state, with_status

ROADMAP = "# Plan\n\n- [ ] 1.1 Use `b`\n- [ ] 1.2 Add `b`\n- [ ] 1.3 More\n"


def failed(reason: Reason, *, waits_for: str = "", **attempt: object) -> RunState:
    """A run whose first task failed for a reason."""
    failure = Failure("test", "red", node="verify_task", reason=reason, waits_for=waits_for)
    return at("propose_recovery", run_state(ROADMAP), failure=failure, **attempt)


TABLES: dict[str, tuple[Mapping[str, object], set[str]]] = {
    "ASKED_IN in runner/recovery/choose.py": (ASKED_IN, set()),
    "APPLIED in runner/state/recoveries.py": (APPLIED, {"escalate"}),
}
"""Each table with a row for every strategy, and the strategies that need none there."""


@pytest.mark.parametrize("place", TABLES)
def test_every_strategy_has_its_row(place: str) -> None:
    """A new strategy is at home everywhere."""
    table, without = TABLES[place]
    missing = set(get_args(Strategy)) - without - table.keys()

    assert not missing, f"{place} has no row for {', '.join(sorted(missing))}"


def test_every_strategy_is_told() -> None:
    """What follows, and what approval does, is said of each strategy in recovery.md.j2."""
    failure = Failure("test", "red", node="verify_task", reason="task_too_vague")
    strategies = [each for each in get_args(Strategy) if each != "escalate"]
    alone = recovery_texts.explained("escalate", failure, 2, "")

    follows = {recovery_texts.explained(each, failure, 2, "") for each in strategies}
    assert len(follows - {alone}) == len(strategies)
    does = {
        recovery_texts.approval_does(
            Proposal("1.1", "recovery", each, "unknown", "", ""), merged=True
        )
        for each in get_args(Strategy)
    }
    assert len(does) == len(strategies) + 1


@pytest.mark.parametrize("strategy", REPLACED_BY)
def test_a_model_can_be_asked_for_what_replaces_a_task(strategy: Strategy) -> None:
    """Each strategy that replaces a task has a template."""
    templates = Path(runner.prompts.__file__).parent / "templates"

    template = templates / f"propose_{strategy}.md.j2"
    assert template.is_file(), f"there is no runner/prompts/templates/{template.name}"
    assert APPLIED[strategy] is Status.REPLACED, "APPLIED in runner/state/recoveries.py"


def test_every_reason_has_its_rows() -> None:
    """A reason leads to a strategy, is told to people, and a model or code can find it."""
    found_by_code = {"already_done"}
    reasons = set(get_args(Reason))

    assert reasons - STRATEGY_OF.keys() == set(), "STRATEGY_OF in runner/state/proposal.py"
    for reason in reasons - {"unknown"}:  # each is told in two forms in recovery.md.j2
        state = failed(reason, proposal=Proposal("1.1", "recovery", "rewrite", reason, "why", ""))
        assert recovery_texts.explained("rewrite", state.attempt.failure, 1, "")
        assert recovery_texts.proposal_comment(state)
    readable = {reason for reason in reasons if read_reason(reason).reason == reason}
    assert reasons - found_by_code - readable == set(), "_REASON in runner/recovery/reading.py"


@pytest.mark.parametrize(
    ("reason", "strategy"),
    [
        ("task_too_vague", "rewrite"),
        ("task_too_complex", "decompose"),
        ("missing_dependency", "defer"),
        ("environment_issue", "skip"),
        ("unknown", "escalate"),
    ],
)
def test_each_reason_has_its_strategy(reason: Reason, strategy: str) -> None:
    """The table of docs/design.md, "Recovery"."""
    choice = choose(failed(reason))

    assert (choice.strategy, choice.instead) == (strategy, "")


def test_a_task_is_put_off_once() -> None:
    """A second attempt that misses something is for people."""
    choice = choose(with_attempt(failed("missing_dependency"), number=2))

    assert choice.strategy == "escalate"
    assert "already deferred once" in choice.instead


@pytest.mark.parametrize(
    ("status", "strategy"),
    [
        (Status.PENDING, "defer"),
        (Status.DEFERRED, "defer"),
        (Status.IN_PROGRESS, "defer"),
        (Status.FAILED, "escalate"),
        (Status.SKIPPED, "escalate"),
    ],
)
def test_waiting_needs_somebody_to_wait_for(status: Status, strategy: str) -> None:
    """Putting off helps only while the other task is still to come."""
    state = failed("missing_dependency", waits_for=run_state(ROADMAP).tasks[1].key)
    if status is not Status.PENDING:
        state = with_status(state, status, number=1)
    choice = choose(state)

    assert choice.strategy == strategy
    assert ("task 1.2" in choice.instead) == (strategy == "escalate")


@pytest.mark.parametrize(("depth", "strategy"), [(0, "rewrite"), (1, "rewrite"), (2, "escalate")])
def test_depth(depth: int, strategy: str) -> None:
    """A task that comes from two recoveries is not written anew once more."""
    state = failed("task_too_vague")
    names = [state.current, *(f"old{n}" for n in range(depth))]
    state = replace(state, replaced=ReplacedTasks(origins=dict(pairwise(names))))

    assert choose(state).strategy == strategy


@pytest.mark.parametrize(
    ("reason", "made", "strategy"),
    [
        ("task_too_complex", MAX_REPLACEMENTS - 2, "decompose"),
        ("task_too_complex", MAX_REPLACEMENTS - 1, "escalate"),
        ("task_too_vague", MAX_REPLACEMENTS - 1, "rewrite"),
        ("task_too_vague", MAX_REPLACEMENTS, "escalate"),
    ],
)
def test_replacements_of_a_run(reason: Reason, made: int, strategy: str) -> None:
    """Recoveries of one run make so many tasks and no more."""
    state = replace(
        failed(reason),
        replaced=ReplacedTasks(origins={f"new{n}": "old" for n in range(made)}),
    )

    assert choose(state).strategy == strategy


def test_open_proposals_count() -> None:
    """What waits for a person may be applied, so it takes room."""
    tasks = tuple(NewTask(f"part {n}") for n in range(5))
    waiting = Proposal("x", "recovery", "decompose", "unknown", "", "", replacements=tasks)
    state = with_status(failed("unknown"), Status.AWAITING_APPROVAL, number=1, proposal=waiting)

    assert room(state) == MAX_REPLACEMENTS - 5
