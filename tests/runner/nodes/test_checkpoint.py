"""Publishing exactly the change set and one tick."""

from __future__ import annotations

import pytest

from runner.errors import Outage, TaskError
from runner.loop.deps import TaskWork
from runner.nodes.checkpoint import checkpoint
from runner.state.changes import EXECUTABLE, ChangeSet, Write
from runner.state.run_state import RunState
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state

CHANGES = ChangeSet({"a.py": Write(b"A = 1\n"), "old.py": None, "same.py": Write(b"S = 1\n")})
BASE = {
    "ROADMAP.md": ROADMAP,
    "old.py": "O = 1\n",
    "same.py": "S = 1\n",
    "run.sh": (EXECUTABLE, b"true\n"),
}


def done(roadmap: str = ROADMAP, **attempt: object) -> RunState:
    """A task whose change set is verified."""
    return at("checkpoint", run_state(roadmap), changes=CHANGES, **attempt)


async def publish(state: RunState, repository: MemoryRepository | None = None):
    """Publish and return (step, the checkpoint)."""
    repository = repository or MemoryRepository(BASE)
    step = await checkpoint(state, deps(repository=repository), TaskWork())
    return step, repository.checkpoints[step.state.attempt.published.branch], repository


async def test_the_commit_is_the_change_and_one_byte() -> None:
    """The commit changes what the change set changes and ticks the one box, nothing else."""
    step, made, repository = await publish(done())
    before, after = (
        repository.commits[START],
        repository.commits[step.state.attempt.published.commit],
    )

    assert step.outcome == "ok"
    assert set(made.changes.files) == {"a.py", "old.py", "ROADMAP.md"}
    assert after == {p: e for p, e in before.items() if p != "old.py"} | {
        "a.py": ("100644", b"A = 1\n"),
        "ROADMAP.md": ("100644", ROADMAP.replace("[ ] 1.1", "[x] 1.1").encode()),
    }


@pytest.mark.parametrize(
    ("push", "changes", "approved", "outcome"),
    [
        ("at_once", CHANGES, "", "ok"),
        ("approved", CHANGES, "", "approve"),
        ("approved", CHANGES, "another change", "approve"),
        ("approved", CHANGES, CHANGES.digest, "ok"),
        ("approved", ChangeSet(), "", "ok"),  # only the tick, which is Cairn's own
    ],
)
async def test_what_is_pushed_unasked(
    push: str, changes: ChangeSet, approved: str, outcome: str
) -> None:
    """Where people want to be asked first, nothing is committed before they agreed to this."""
    repository = MemoryRepository(BASE)
    state = at("checkpoint", run_state(push=push), changes=changes, approved=approved)
    step = await checkpoint(state, deps(repository=repository), TaskWork())
    proposal = step.state.attempt.proposal

    assert step.outcome == outcome
    assert bool(repository.checkpoints) == (outcome == "ok")
    assert (proposal.changes if proposal else None) == (CHANGES if outcome == "approve" else None)


async def test_names() -> None:
    """Branch, base, title and trailers are those of the run and the task."""
    step, made, _ = await publish(done())
    key = step.state.current

    assert (made.branch, made.below, made.parent) == ("cairn/r1/1-1-add-a-py", "main", START)
    assert made.text.title == "1.1 Add a.py"
    verdict, verified = ("Cairn-Verdict", "untested"), ("Cairn-Verified", "no (nothing was run)")
    trust = ("Cairn-Trust", "untested; nobody verified `a.py`, `old.py`, `same.py`")
    assert made.text.trailers == (
        ("Cairn-Run", "r1"),
        ("Cairn-Task", key),
        ("Cairn-Attempt", "1"),
        verdict,
        verified,
        trust,
    )
    assert step.state.attempt.published.url == "https://forge.test/pull/1"


async def test_tasks_with_the_same_words_get_different_branches() -> None:
    """An id and title that are written twice do not make two tasks share a branch."""
    roadmap = "# P\n- [ ] 1.1 Write tests\n# Q\n- [ ] 1.1 Write tests\n"
    repository = MemoryRepository(BASE | {"ROADMAP.md": roadmap})
    for number in (0, 1):
        state = at("checkpoint", run_state(roadmap), number=number, changes=CHANGES)
        await publish(state, repository)

    assert len(repository.checkpoints) == 2


async def test_twice_is_once() -> None:
    """Publishing again, as after a crash, leaves one checkpoint."""
    first, _, repository = await publish(done())
    second, _, _ = await publish(done(), repository)

    assert first == second
    assert len(repository.checkpoints) == 1


async def test_mentions_are_sanitized() -> None:
    """What a roadmap says notifies nobody and closes nothing, not even in a code fence."""
    roadmap = "- [ ] Ask @octocat, fixes #1\n  ```\n  @octocat\n"
    _, made, _ = await publish(done(roadmap), MemoryRepository(BASE | {"ROADMAP.md": roadmap}))

    for text in (made.text.title, made.text.message, made.text.body):
        assert "@octocat" not in text
        assert "fixes #1" not in text


async def test_a_roadmap_that_is_gone() -> None:
    """Without its roadmap in the tree the task cannot be ticked: an error that says so."""
    repository = MemoryRepository({"x": ""})
    with pytest.raises(TaskError, match=r"ROADMAP\.md no longer exists"):
        await checkpoint(done(), deps(repository=repository), TaskWork())


async def test_a_task_that_is_gone() -> None:
    """A task that was edited away meanwhile is an error of the task."""
    repository = MemoryRepository({"ROADMAP.md": "- [ ] other\n"})
    with pytest.raises(TaskError, match="it may have been edited"):
        await checkpoint(done(), deps(repository=repository), TaskWork())


async def test_an_outage_goes_through() -> None:
    """When GitHub is down nothing is published and the driver waits."""
    repository = MemoryRepository(BASE)
    repository.trouble["publish_checkpoint"] = [Outage("github", "502")]
    with pytest.raises(Outage):
        await checkpoint(done(), deps(repository=repository), TaskWork())

    assert repository.checkpoints == {}
