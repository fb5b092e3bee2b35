"""A person's word about a proposal: what it does, on which bytes, and when it comes too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.loop.deps import TaskWork
from runner.loop.schedule import open_tasks, settle
from runner.nodes.approve import apply_recovery, await_approval
from runner.nodes.run import generate_report
from runner.nodes.validate import validate_code
from runner.people.texts import recovery_texts
from runner.ports import Decision
from runner.roadmap.task import NewTask
from runner.state.changes import ChangeSet, Write
from runner.state.proposal import Proposal, ProposalPlace, original_of, sealed
from runner.state.run_state import Failure, RunState, Status, Step
from tests.runner.fields import with_attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import MemoryDecisions, deps
from tests.runner.states import ROADMAP, at, run_state

ONE = (NewTask("Write `a.py` with `add(a, b)`", id="1.1"),)
TWO = (NewTask("Write `a.py`", id="1.1.1"), NewTask("Test `a.py`", id="1.1.2"))


def waiting(strategy: str = "rewrite", **proposal: object) -> RunState:
    """A run whose first task has this proposal."""
    state = run_state()
    assert state.roadmap
    task = state.tasks[0]
    values: dict[str, object] = {
        "kind": "recovery",
        "reason": "unknown",
        "explanation": "It names no behaviour.",
        "original": original_of(state.roadmap, task),
        "replacements": {"rewrite": ONE, "decompose": TWO}.get(strategy, ()),
        "branch": "cairn/r1/recovery-1-1",
    }
    made = Proposal(task=task.key, strategy=strategy, **{**values, **proposal})  # type: ignore[arg-type]
    failure = Failure("test", "the tests fail", node="verify_task")
    return at("await_approval", state, proposal=sealed(made), failure=failure)


def repository(roadmap: str = ROADMAP) -> MemoryRepository:
    """A repository with the roadmap alone."""
    return MemoryRepository({"ROADMAP.md": roadmap})


async def told(
    state: RunState, decision: Decision, where: MemoryRepository | None = None
) -> tuple[Step, MemoryRepository]:
    """Let the person's word come."""
    where = where or repository()
    ports = deps(repository=where, decisions=MemoryDecisions(decision))
    return await await_approval(state, ports, TaskWork()), where


def yes(state: RunState, verdict: str = "approve", **more: object) -> Decision:
    """A decision about the proposal in hand."""
    proposal = state.attempt.proposal
    assert proposal
    values = {"by": "ada", "fingerprint": proposal.fingerprint, "channel": "reply"}
    return Decision(state.current, verdict, **{**values, **more})  # type: ignore[arg-type]


async def test_nobody_decided_yet() -> None:
    """Without a decision the task is parked."""
    step = await await_approval(waiting(), deps(repository=repository()), TaskWork())

    assert (step.outcome, step.state.attempt.status) == ("waiting", Status.AWAITING_APPROVAL)


async def test_approving() -> None:
    """An approval is kept with who, how and what, and the proposal is applied next."""
    state = waiting()
    step, _ = await told(state, yes(state))
    decision = step.state.attempt.agreed.decision

    assert step.outcome == "ok"
    assert decision
    assert (decision.verdict, decision.by, decision.channel) == ("approve", "ada", "reply")


async def test_rejecting_ends_the_proposal() -> None:
    """A rejected proposal leaves the task failed and its pull request closed, with the reason."""
    state = waiting()
    step, where = await told(state, yes(state, "reject", why="not now"))

    assert (step.outcome, step.state.attempt.status) == ("rejected", Status.FAILED)
    assert where.ended == {state.current: (False, "rejected by ada (reply): not now")}


async def test_a_no_is_why_a_change_is_not_made() -> None:
    """What kept it from being made before is over; what failed stays what failed."""
    state = with_attempt(waiting("escalate", kind="changes"), failure=Failure("approval", "", "x"))
    step, _ = await told(state, yes(state, "reject", why="not now"))
    failed, _ = await told(waiting(), yes(waiting(), "reject"))

    assert step.state.attempt.failure
    assert step.state.attempt.failure.message == "rejected by ada (reply): not now"
    assert failed.state.attempt.failure == waiting().attempt.failure


@pytest.mark.parametrize(("kind", "type"), [("merged", "merged"), ("", "withdrawn")])
async def test_a_run_that_ends_asks_nothing_any_more(kind: str, type: str) -> None:
    """Its pull request has ended, or there is nothing to do: nobody could apply the answer."""
    state = waiting("escalate", kind="changes", place=ProposalPlace(3))
    state = with_attempt(state, status=Status.AWAITING_APPROVAL)
    state, where = replace(state, problem="It ended", problem_kind=kind), repository()
    step = await generate_report(state, deps(repository=where), TaskWork())

    assert where.ended == {state.current: (False, "It ended")}
    assert step.state.attempt.status is Status.FAILED
    assert step.state.attempt.failure == Failure(type, "It ended", node="await_approval")


async def test_a_begun_task_that_asks_nothing_stays_open() -> None:
    """The end of its run is no failure of it."""
    state = with_attempt(waiting(), status=Status.PENDING, proposal=None, failure=None)
    step = await generate_report(
        replace(state, problem="It ended"), deps(repository=repository()), TaskWork()
    )

    assert step.state.attempt == state.attempt


async def test_an_approval_of_an_older_proposal_does_nothing() -> None:
    """What was approved is not what is proposed now: the task stays parked."""
    state = waiting()
    step, _ = await told(state, yes(state, fingerprint="0" * 64))

    assert (step.outcome, step.state.attempt.status) == ("waiting", Status.AWAITING_APPROVAL)
    assert "older proposal" in step.state.attempt.spent.reasons[-1]


async def test_a_task_that_changed_since_is_proposed_anew() -> None:
    """The approval was of the task as it stood: now a fresh proposal says what stands there."""
    state = waiting()
    changed = ROADMAP.replace("- [ ] 1.1 Add `a.py`\n", "- [ ] 1.1 Add `a.py`\n  - with care\n")
    step, where = await told(state, yes(state), repository(changed))
    old, new = state.attempt.proposal, step.state.attempt.proposal

    assert (step.outcome, step.state.attempt.status) == ("waiting", Status.AWAITING_APPROVAL)
    assert old
    assert new
    assert new.fingerprint != old.fingerprint
    assert new.original.endswith("with care")
    assert where.proposals[state.current].fingerprint == new.fingerprint
    assert "changed since" in where.proposals[state.current].comment


async def test_a_task_that_is_gone_cannot_be_recovered() -> None:
    """When people took the task out of the roadmap its proposal is closed, and says why."""
    state = waiting()
    step, where = await told(state, yes(state), repository("- [ ] 1.2 Add b\n"))

    assert (step.outcome, step.state.attempt.status) == ("rejected", Status.FAILED)
    assert "no longer has this task" in where.ended[state.current][1]


async def test_a_change_set_that_was_agreed_to_is_written() -> None:
    """Approval is bound to the very change set that was shown."""
    changes = ChangeSet({"clean.sh": Write(b"rm -rf build\n")})
    state = waiting("escalate", kind="changes", changes=changes)
    step, _ = await told(state, yes(state))

    assert step.outcome == "proceed"
    assert step.state.attempt.agreed.approved == changes.digest


@pytest.mark.parametrize("channel", ["reply", "merge"])
@pytest.mark.parametrize(("node", "outcome"), [("checkpoint", "publish"), ("x", "proceed")])
async def test_what_may_be_pushed_is_not_run_again(node: str, outcome: str, channel: str) -> None:
    """What was verified goes on to its checkpoint; a merge of the empty question is a yes."""
    changes = ChangeSet({"a.py": Write(b"a = 1\n")})
    state = waiting("escalate", kind="changes", changes=changes)
    state = with_attempt(state, failure=Failure("approval", "nobody agreed yet", node=node))
    options = replace(state.request.options, push="approved")
    state = replace(state, request=replace(state.request, options=options))
    step, _ = await told(state, yes(state, channel=channel))

    assert (step.outcome, step.state.attempt.agreed.approved) == (outcome, changes.digest)


@pytest.mark.parametrize(("tasks", "strategy"), [(ONE, "rewrite"), (TWO, "decompose")])
async def test_editing_approves_other_tasks(tasks: tuple[NewTask, ...], strategy: str) -> None:
    """/edit puts a person's tasks in the place of ours, for any proposal."""
    state = waiting("escalate")
    step, _ = await told(state, yes(state, "edit", tasks=tasks))
    proposal = step.state.attempt.proposal

    assert step.outcome == "ok"
    assert proposal
    assert (proposal.strategy, proposal.replacements) == (strategy, tasks)


async def test_why_a_change_was_asked_about_is_no_reason_for_other_tasks() -> None:
    """Who gives other tasks instead of a change gave the reason."""
    state = waiting("escalate", kind="changes", explanation=recovery_texts.held_back())
    state = with_attempt(state, failure=Failure("approval", recovery_texts.not_pushed(), "x"))
    step, _ = await told(state, yes(state, "edit", tasks=ONE))

    body = recovery_texts.applied_body(step.state)
    assert "**Why:** ada replaced the task with others." in body
    assert "The change is ready" not in body


async def test_skipping() -> None:
    """A person may leave the task out whatever was proposed; its pull request is closed."""
    state = waiting("decompose")
    step, where = await told(state, yes(state, "skip"))
    done = await apply_recovery(step.state, deps(repository=where), TaskWork())

    assert done.state.attempt.status is Status.SKIPPED
    assert where.ended[state.current][0] is False


async def test_decomposing_rewrites_the_roadmap_on_the_tip() -> None:
    """The edit becomes a commit of the stack; the new tasks are next, one recovery deeper."""
    where = repository()
    state = waiting("decompose")
    approved, _ = await told(state, yes(state), where)
    step = await apply_recovery(approved.state, deps(repository=where), TaskWork())
    after = settle(step.state)
    [checkpoint] = where.checkpoints.values()

    assert step.outcome == "ok"
    assert checkpoint.kind == "recovery"
    assert checkpoint.branch == "cairn/r1/recovery-1-1"
    assert ("Approved-by", "ada") in checkpoint.text.trailers
    text = where.text(after.stack.tip, "ROADMAP.md")
    assert "<!-- RECOVERY: DECOMPOSE at 1970-01-01T00:00:00Z -->" in text
    assert "Approved-by: ada" in text
    assert after.status(state.task) is Status.REPLACED
    assert [task.id for task in open_tasks(after)] == ["1.1.1", "1.1.2", "1.2"]
    assert [after.depths.get(task.key, 0) for task in open_tasks(after)] == [1, 1, 0]


async def test_applying_twice_is_applying_once() -> None:
    """A crash after the commit repeats the node; the same commit comes of it."""
    where = repository()
    state = waiting("rewrite")
    first = await apply_recovery(state, deps(repository=where), TaskWork())
    again = await apply_recovery(state, deps(repository=where), TaskWork())

    assert first == again
    assert settle(replace(settle(first.state), current=state.current)) == settle(first.state)


async def test_deferring() -> None:
    """A deferred task is tried again at the end, and nothing is written."""
    where = repository()
    step = await apply_recovery(waiting("defer", branch=""), deps(repository=where), TaskWork())

    assert step.state.attempt.status is Status.DEFERRED
    assert (where.checkpoints, where.ended) == ({}, {})


async def test_an_escalation_is_handed_over() -> None:
    """Approving an escalation makes it ready for people; the task stays failed and open."""
    state = waiting("escalate")
    approved, where = await told(state, yes(state))
    step = await apply_recovery(approved.state, deps(repository=where), TaskWork())

    assert step.state.attempt.status is Status.FAILED
    assert where.ended[state.current][0] is True


async def test_a_change_set_that_destroys_waits_for_a_person() -> None:
    """It is shown where people decide, before a byte of it is written, and only once."""
    where = repository()
    changes = ChangeSet({"a.py": Write(b"a = 1\n"), "clean.sh": Write(b"rm -rf build\n")})
    state = at("validate_code", run_state(pause_destructive=True), changes=changes)
    step = await validate_code(state, deps(repository=where), TaskWork())
    parked = await await_approval(step.state, deps(repository=where), TaskWork())
    again = await await_approval(parked.state, deps(repository=where), TaskWork())
    shown = where.proposals[state.current]

    assert (step.outcome, parked.outcome, again.outcome) == ("approve", "waiting", "waiting")
    assert shown.shown.changes == changes
    assert "rm -rf (filesystem)" in shown.comment
    assert again.state.attempt.proposal == parked.state.attempt.proposal


@pytest.mark.parametrize("options", [{}, {"pause_destructive": True, "agreed": True}])
async def test_what_is_agreed_to_is_written(options: dict[str, bool]) -> None:
    """Where nobody wants to be asked, or a person agreed to this very change set, it goes on."""
    changes = ChangeSet({"a.py": Write(b"a = 1\n"), "clean.sh": Write(b"rm -rf build\n")})
    approved = changes.digest if options.pop("agreed", False) else ""
    state = at("validate_code", run_state(**options), changes=changes, approved=approved)

    assert (await validate_code(state, deps(repository=repository()), TaskWork())).outcome == "ok"
