"""Saves of the Action's state that go wrong while another workflow run saves, too."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from app.action.compose import entered
from app.action.job import STATE_BRANCH
from app.runs.parts import Surroundings
from runner.errors import Outage, TaskError
from tests.action.job_kit import REPOSITORY, Workflows
from tests.action.test_state import MAKES, MOVES, before, kept, settings
from tests.fake_github import Fault
from tests.marks import OUTSIDE

pytestmark = OUTSIDE

CALLS = pytest.mark.parametrize("call", [MAKES, MOVES], ids=["first save", "later save"])
COLLISION = "Another workflow run changed the branch"


def entry(ci: Workflows) -> AbstractAsyncContextManager[Any]:
    """A workflow run that uses the branch."""
    return entered(REPOSITORY, settings(ci), Surroundings(ci.github.clock), branch=STATE_BRANCH)


def memory(folder: Path) -> str:
    """What was kept in a folder."""
    return (folder / "executor/1/memory.json").read_text()


async def cut_off(ci: Workflows, state: Any, data: Path, call: tuple[str, str]) -> Fault:
    """Begin a save that nobody waits for any more; what lets it reach GitHub after all."""
    fault = ci.github.fail(*call, hold=asyncio.Event())
    save = asyncio.create_task(state.save(data))
    await fault.reached.wait()
    save.cancel()
    await asyncio.gather(save, return_exceptions=True)
    return fault


@CALLS
async def test_lost_answer_and_another_run_builds_on_it(
    ci: Workflows, tmp_path: Path, call: tuple[str, str]
) -> None:
    """The branch has our save and theirs above it: the next one would undo theirs, so it stops."""
    async with before(call, ci, tmp_path) as ours, entry(ci) as theirs:
        ci.github.fail(*call, drop=True, after=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "one", "1"))
        assert await theirs.state.restore(tmp_path / "seen")
        assert memory(tmp_path / "seen") == "1"
        await theirs.state.save(kept(tmp_path / "theirs", "theirs"))

        with pytest.raises(TaskError, match=COLLISION):
            await ours.state.save(kept(tmp_path / "two", "2"))

        assert await theirs.state.restore(tmp_path / "after")
    assert memory(tmp_path / "after") == "theirs"


@CALLS
async def test_cut_off_before_it_reached_github_and_another_run_saves(
    ci: Workflows, tmp_path: Path, call: tuple[str, str]
) -> None:
    """Ours comes too late: it changes nothing, and the next save says who was faster."""
    async with before(call, ci, tmp_path) as ours, entry(ci) as theirs:
        await theirs.state.restore(tmp_path / "seen")
        fault = await cut_off(ci, ours.state, kept(tmp_path / "one", "1"), call)
        await theirs.state.save(kept(tmp_path / "theirs", "theirs"))
        fault.release()

        with pytest.raises(TaskError, match=COLLISION):
            await ours.state.save(kept(tmp_path / "two", "2"))

        assert await theirs.state.restore(tmp_path / "after")
    assert memory(tmp_path / "after") == "theirs"


@CALLS
async def test_it_goes_wrong_again_and_again(
    ci: Workflows, tmp_path: Path, call: tuple[str, str]
) -> None:
    """Two lost answers and a save that is cut off, one after another: the last save stays."""
    async with before(call, ci, tmp_path) as ours:
        ci.github.fail(*call, drop=True, after=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "one", "1"))
        ci.github.fail(*MOVES, drop=True, after=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "two", "2"))
        fault = await cut_off(ci, ours.state, kept(tmp_path / "three", "3"), MOVES)
        fault.release()

        await ours.state.save(kept(tmp_path / "four", "4"))

        assert await ours.state.restore(tmp_path / "after")
    assert memory(tmp_path / "after") == "4"
    assert len(ci.view.state.bare.text("rev-list", "cairn/state").split()) == 1


@CALLS
async def test_refused_and_tried_again(
    ci: Workflows, tmp_path: Path, call: tuple[str, str]
) -> None:
    """GitHub is down and nothing was saved: the next save is an ordinary one."""
    async with before(call, ci, tmp_path) as ours:
        ci.github.fail(*call, drop=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "one", "1"))

        await ours.state.save(kept(tmp_path / "two", "2"))

        assert await ours.state.restore(tmp_path / "after")
    assert memory(tmp_path / "after") == "2"


@CALLS
async def test_the_same_after_a_restore(
    ci: Workflows, tmp_path: Path, call: tuple[str, str]
) -> None:
    """The next workflow run restores what a lost answer saved, and goes on from there."""
    async with before(call, ci, tmp_path) as ours:
        ci.github.fail(*call, drop=True, after=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "one", "1"))
    async with entry(ci) as later:
        assert await later.state.restore(tmp_path / "seen")
        await later.state.save(kept(tmp_path / "two", "2"))
        assert await later.state.restore(tmp_path / "after")

    assert (memory(tmp_path / "seen"), memory(tmp_path / "after")) == ("1", "2")


async def test_another_run_saves_the_same(ci: Workflows, tmp_path: Path) -> None:
    """The same files in the same second: still two workflow runs, and the next save stops."""
    async with entry(ci) as ours, entry(ci) as theirs:
        ci.github.fail(*MAKES, drop=True)
        with pytest.raises(Outage):
            await ours.state.save(kept(tmp_path / "one", "1"))
        await theirs.state.save(kept(tmp_path / "same", "1"))
        await theirs.state.save(kept(tmp_path / "theirs", "theirs"))

        with pytest.raises(TaskError, match=COLLISION):
            await ours.state.save(kept(tmp_path / "two", "2"))


async def test_deleted_between_two_saves(ci: Workflows, tmp_path: Path) -> None:
    """Somebody tidies branches up while a job runs: what the job saves next is kept."""
    async with entry(ci) as ours:
        await ours.state.save(kept(tmp_path / "one", "1"))
        await ci.github.delete_branch(REPOSITORY, STATE_BRANCH)

        await ours.state.save(kept(tmp_path / "two", "2"))

        assert await ours.state.restore(tmp_path / "after")
    assert memory(tmp_path / "after") == "2"
