"""A push to the branch of a change set that asks: theirs is validated, asked about, written."""

from __future__ import annotations

import pytest

from runner.loop.deps import Deps, TaskWork
from runner.nodes.approve import await_approval
from runner.nodes.checkpoint import checkpoint
from runner.nodes.recover import propose_recovery
from runner.nodes.validate import validate_code
from runner.nodes.verify import verify_task, write_files
from runner.ports import Decision
from runner.state.changes import FILE, SYMLINK, ChangeSet, Write
from runner.state.proposal import Proposal
from runner.state.publishing import HumanCommits
from runner.state.run_state import Failure, RunState, Status, Step
from tests.runner.fields import with_attempt, with_stack
from tests.runner.memory_repository import START, MemoryRepository, Tree
from tests.runner.scripted import MemoryDecisions, deps
from tests.runner.states import ROADMAP, at, run_state

BASE: Tree = {"ROADMAP.md": (FILE, ROADMAP.encode()), "old.sh": (FILE, b"echo\n")}
OURS = {"a.py": (FILE, b"a = 1\n"), "clean.sh": (FILE, b"rm -rf build\n")}
THEIRS: Tree = {**BASE, "a.py": (FILE, b"a = 2\n"), "clean.sh": (FILE, b"rm -rf build dist\n")}
PUSH = ChangeSet({p: Write(THEIRS[p][1], FILE) for p in OURS})


def repository() -> MemoryRepository:
    """The tree the task builds on."""
    return MemoryRepository({path: entry for path, entry in BASE.items()})


async def asked(where: MemoryRepository) -> RunState:
    """A run whose change set waits for a person, shown."""
    changes = ChangeSet({p: Write(content) for p, (_, content) in OURS.items()})
    state = at("validate_code", run_state(pause_destructive=True), changes=changes, answers=1)
    step = await validate_code(state, deps(repository=where), TaskWork())
    return (await await_approval(step.state, deps(repository=where), TaskWork())).state


def pushed(
    where: MemoryRepository, state: RunState, tree: Tree | None, name: str = "theirs"
) -> None:
    """Let people push a tree to the proposal's branch; None takes the push back."""
    if tree is None:
        where.pushed.clear()
        return
    where.commits[name] = tree
    branch = proposal_of(state).branch
    people = ("Ada <ada@x.org>",)
    where.pushed[state.current] = HumanCommits(branch, name, START, people, "https://x/7")


def proposal_of(state: RunState) -> Proposal:
    """What is proposed about the task in hand."""
    assert state.attempt.proposal
    return state.attempt.proposal


def saying(state: RunState, verdict: str = "approve", channel: str = "reply") -> Decision:
    """A person's word about what is proposed now."""
    name = proposal_of(state).fingerprint
    return Decision(state.current, verdict, by="bob", channel=channel, fingerprint=name)  # type: ignore[arg-type]


async def told(state: RunState, where: MemoryRepository, decision: Decision) -> Step:
    """Let a word come."""
    return await await_approval(state, ports(where, decision), TaskWork())


def ports(where: MemoryRepository, *decisions: Decision) -> Deps:
    """The ports with a person's words waiting."""
    return deps(repository=where, decisions=MemoryDecisions(*decisions))


@pytest.mark.parametrize("verdict", ["pushed", "approve"])
async def test_a_push_is_the_change_set_that_is_asked_about(verdict: str) -> None:
    """Told of or found when ours is approved: theirs is shown under a name of its own."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    step = await told(state, where, saying(state, verdict))
    fresh, shown = proposal_of(step.state), where.proposals[state.current]

    assert (step.outcome, step.state.attempt.status) == ("waiting", Status.AWAITING_APPROVAL)
    assert (step.state.attempt.agreed.approved, step.state.attempt.agreed.decision) == ("", None)
    assert (fresh.changes, fresh.pushes.head, fresh.pushes.held) == (PUSH, "theirs", "")
    assert fresh.fingerprint != proposal_of(state).fingerprint == saying(state).fingerprint
    assert shown.fingerprint == fresh.fingerprint
    assert "is what Ada pushed" in shown.comment
    assert "rm -rf (filesystem)" in shown.comment


async def test_what_was_pushed_is_written_when_it_is_agreed_to() -> None:
    """It goes through the tests, and its checkpoint names who made it and takes it over."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    state = (await told(state, where, saying(state, "pushed"))).state
    step = await told(state, where, saying(state))
    with_tests = ports(where)
    work = TaskWork()
    written = await write_files(step.state, with_tests, work)
    verified = await verify_task(written.state, with_tests, work)
    done = await checkpoint(verified.state, with_tests, work)
    [made] = where.checkpoints.values()

    assert step.outcome == "proceed"
    assert step.state.attempt.agreed.approved == PUSH.digest
    assert made.changes.files["a.py"] == PUSH.files["a.py"]
    assert made.human_commits
    assert ("Co-authored-by", "Ada <ada@x.org>") in made.text.trailers
    assert done.outcome == "ok"
    assert where.ended == {}  # its pull request is closed where it is taken over


HELD: dict[str, tuple[Tree, str]] = {
    "syntax": ({**THEIRS, "a.py": (FILE, b"a = (\n")}, "a.py, line 1: "),
    "protected": ({**THEIRS, ".github/workflows/x.yml": (FILE, b"on: push\n")}, "is protected"),
    "roadmap": ({**THEIRS, "ROADMAP.md": (FILE, b"- [x] 1.1 Add `a.py`\n")}, "is protected"),
    "link": ({**THEIRS, "a.py": (SYMLINK, b"old.sh")}, "is a link or a submodule"),
    "nothing": (BASE, "it changes nothing"),
}


@pytest.mark.parametrize(("tree", "why"), HELD.values(), ids=HELD)
async def test_what_may_not_be_written_cannot_be_approved(tree: Tree, why: str) -> None:
    """It is said why; an approval is refused until the branch is put right or as it was."""
    where = repository()
    state = await asked(where)
    ours = state.attempt.answered.changes
    pushed(where, state, tree)
    held = (await told(state, where, saying(state))).state
    again = await told(held, where, saying(held))

    assert why in where.proposals[state.current].comment
    assert "cannot approve this now" in where.proposals[state.current].comment
    assert (again.outcome, again.state.attempt.agreed.approved) == ("waiting", "")
    assert again.state.attempt.answered.changes == ours

    pushed(where, state, None)
    back = await told(again.state, where, saying(again.state))
    assert back.outcome == "waiting"
    assert (proposal_of(back.state).changes, proposal_of(back.state).pushes.held) == (ours, "")
    assert (await told(back.state, where, saying(back.state))).outcome == "proceed"


async def test_a_file_that_both_changed() -> None:
    """What the task builds on changed since the branch was made: nothing of either is lost."""
    where = repository()
    state = await asked(where)
    where.commits["newer"] = {**BASE, "old.sh": (FILE, b"echo new\n")}
    state = with_attempt(state, base="newer")
    pushed(where, state, {**THEIRS, "old.sh": (FILE, b"echo mine\n")})
    held = (await told(state, where, saying(state, "pushed"))).state

    assert (
        proposal_of(held).pushes.held == "old.sh changed both there and in what the task builds on"
    )


@pytest.mark.parametrize("verdict", ["reject", "skip"])
async def test_what_writes_nothing_counts_all_the_same(verdict: str) -> None:
    """Whoever wants none of it needs no fresh proposal."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    step = await told(state, where, saying(state, verdict))

    assert step.outcome == ("rejected" if verdict == "reject" else "ok")
    assert proposal_of(step.state).pushes.revision == 0


async def test_a_push_that_is_taken_back() -> None:
    """What Cairn proposed is proposed again, under a name that nobody has approved yet."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    theirs = (await told(state, where, saying(state, "pushed"))).state
    pushed(where, state, None)
    back = (await told(theirs, where, saying(theirs, "pushed"))).state
    names = {proposal_of(each).fingerprint for each in (state, theirs, back)}

    assert (proposal_of(back).changes, back.attempt.answered.changes) == (
        state.attempt.answered.changes,
    ) * 2
    assert (back.attempt.planned.human_commits, len(names)) == (None, 3)
    assert back.attempt.failure
    assert back.attempt.failure.message == "what somebody pushed was taken back"


async def test_what_is_asked_after_a_push_is_shown_on_top_of_it() -> None:
    """Else people would decide about what the branch does not show, and their push come back."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    state = (await told(state, where, saying(state, "pushed"))).state
    approved = (await told(state, where, saying(state))).state
    repaired = PUSH.merged(ChangeSet({"clean.sh": Write(b"rm -rf out\n")}))
    step = await validate_code(with_attempt(approved, changes=repaired), ports(where), TaskWork())
    await await_approval(step.state, ports(where), TaskWork())

    assert step.outcome == "approve"
    assert where.proposals[state.current].shown.onto == "theirs"
    assert "shows Cairn's own proposal again" in where.proposals[state.current].comment


async def test_an_escalation_leaves_the_push_for_a_retry() -> None:
    """Where the tests stay red the task is handed over with what people pushed at the head."""
    where = repository()
    state = await asked(where)
    pushed(where, state, THEIRS)
    state = (await told(state, where, saying(state, "pushed"))).state
    failed = Failure("test", "the tests fail", node="verify_task")
    step = await propose_recovery(with_attempt(state, failure=failed), ports(where), TaskWork())

    assert proposal_of(step.state).strategy == "escalate"
    assert where.proposals[state.current].shown.onto == ""


async def test_the_approved_is_asked_about_no_more() -> None:
    """Its pull request is closed when the checkpoint is there."""
    where = repository()
    state = await asked(where)
    step = await told(state, where, saying(state))
    verified = await verify_task(step.state, ports(where), TaskWork())
    await checkpoint(verified.state, ports(where), TaskWork())

    [(ready, why)] = where.ended.values()
    assert not ready
    assert "is now part of https://forge.test/pull/1" in why


@pytest.mark.parametrize("merged", [True, False])
async def test_a_merge_is_what_was_merged(merged: bool) -> None:
    """What is there as proposed is verified and ticked; something else is left to people."""
    where = repository()
    state = await asked(where)
    where.commits["tip"] = {**BASE, **OURS} if merged else THEIRS
    state = with_stack(state, tip="tip")
    step = await told(state, where, saying(state, channel="merge"))

    if merged:
        assert step.outcome == "proceed"
        assert (step.state.attempt.base, step.state.attempt.answered.changes) == (
            "tip",
            ChangeSet(),
        )
        verified = await verify_task(step.state, ports(where), TaskWork())
        await checkpoint(verified.state, ports(where), TaskWork())
        [made] = where.checkpoints.values()
        assert set(made.changes.files) == {"ROADMAP.md"}
    else:
        assert (step.outcome, step.state.attempt.status) == ("rejected", Status.FAILED)
        assert step.state.attempt.failure
        assert "does not contain the proposed change" in step.state.attempt.failure.message


async def test_a_task_that_changed_since_is_asked_about_anew() -> None:
    """An agreement is about the task as it stood, for code as for recoveries."""
    where = repository()
    state = await asked(where)
    stack = where.commits[START]
    stack["ROADMAP.md"] = (FILE, ROADMAP.replace("`a.py`", "`a.py`\n  - with care").encode())
    step = await told(state, where, saying(state))

    assert step.outcome == "waiting"
    assert proposal_of(step.state).original.endswith("with care")
    assert proposal_of(step.state).fingerprint != proposal_of(state).fingerprint
    assert not step.state.attempt.agreed.approved
