"""One pull request for all tasks of a run: it grows by a commit and a row, each once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.state.publishing import Checkpoint, Published, ShownTasks, TaskRow
from tests.app.github.repository_bench import NAME, Bench, bench

BRANCH = "cairn/r1/tasks"
REPO = f"/repos/{NAME}"
EFFECTS = [
    ("POST", f"{REPO}/git/trees"),
    ("POST", f"{REPO}/git/commits"),
    ("POST", "/api/graphql"),
    ("PATCH", f"{REPO}/pulls/*"),
]


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def _row(task: str) -> TaskRow:
    return TaskRow(task, f"| {task} | | | |", f"About {task}.")


async def _task(github: Bench, *tasks: str, stands: Published | None = None) -> Checkpoint:
    """A checkpoint of the last of the tasks, on the commit of the ones before."""
    made = await github.checkpoint({tasks[-1]: b"x\n"}, task=tasks[-1], branch=BRANCH)
    if stands:
        base = await github.repository().snapshot(stands.commit)
        tree = made.changes.tree(base)
        made = replace(made, parent=stands.commit, below=stands.branch, tree=tree)
    return replace(made, shows=ShownTasks(tuple(_row(task) for task in tasks)))


async def _first(github: Bench) -> Published:
    return await github.repository().publish_checkpoint(await _task(github, "t1"))


def _bases(github: Bench) -> list[tuple[str, str]]:
    return [(i.pull.head, i.pull.base) for i in github.fake.repo(NAME).pulls if i.pull]


async def test_the_second_task_is_added(github: Bench) -> None:
    """The branch moves on by one commit, and the description has both rows and both keys."""
    first = await _first(github)
    second = await github.repository().publish_checkpoint(
        await _task(github, "t1", "t2", stands=first)
    )
    [issue] = github.fake.repo(NAME).pulls
    log = github.fake.repo(NAME).state.bare.text("rev-list", f"main..{BRANCH}").split()
    assert (second.number, log) == (first.number, [second.commit, first.commit])
    assert (issue.body or "").startswith("<!-- cairn:checkpoint:t1,t2 -->")
    assert "| t1 | | | |\n| t2 | | | |\n\nAbout t1.\n\nAbout t2." in (issue.body or "")


@pytest.mark.sample(3, "each call that may get lost")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect[1].rpartition("/")[2])
async def test_a_lost_effect_is_made_once(
    github: Bench, effect: tuple[str, str], after: bool
) -> None:
    """Each effect fails in turn, before or after it happened: one commit, one row."""
    made = await _task(github, "t1", "t2", stands=await _first(github))
    fault = github.fake.fail(*effect, after=after, times=4, status=502)
    with suppress(Outage):
        await github.repository().publish_checkpoint(made)
    assert fault.hits
    fault.times = 0
    published = await github.repository().publish_checkpoint(made)
    assert await github.repository().publish_checkpoint(made) == published
    [issue] = github.fake.repo(NAME).pulls
    assert github.fake.repo(NAME).branches[BRANCH] == published.commit
    assert github.fake.repo(NAME).state.bare.text("rev-parse", f"{BRANCH}~2") == made_on(github)
    assert (issue.body or "").count("| t2 |") == 1


def made_on(github: Bench) -> str:
    """Where the run began."""
    return github.fake.repo(NAME).branches["main"]


async def test_what_was_merged_meanwhile_is_left_alone(github: Bench) -> None:
    """The run goes on in a second pull request against the same branch, with the new row alone."""
    first = await _first(github)
    await github.fake.merge_pull(NAME, first.number or 0)
    await github.repository().publish_checkpoint(await _task(github, "t1", "t2", stands=first))
    assert _bases(github) == [(BRANCH, "main"), (f"{BRANCH}-2", "main")]
    body = github.fake.repo(NAME).pulls[1].body or ""
    assert ("| t1 |" in body, "| t2 |" in body) == (False, True)


async def test_a_persons_push_stays(github: Bench) -> None:
    """Their commit stays the head; the run goes on in a pull request against its own first one."""
    first = await _first(github)
    await github.fake.push(NAME, {"theirs": b"t\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    second = await _task(github, "t1", "t2", stands=first)
    published = await github.repository().publish_checkpoint(second)
    again = await github.repository().publish_checkpoint(second)
    assert (again, github.fake.repo(NAME).branches[BRANCH]) == (published, theirs)
    assert _bases(github) == [(BRANCH, "main"), (f"{BRANCH}-2", BRANCH)]
    third = await _task(github, "t1", "t2", "t3", stands=published)
    assert (await github.repository().publish_checkpoint(third)).number == published.number


async def test_a_closed_one_stops_the_run(github: Bench) -> None:
    """Nothing is put on top of what people declined."""
    first = await _first(github)
    await github.fake.close(NAME, first.number or 0)
    with pytest.raises(Outage, match="closed without a merge"):
        await github.repository().publish_checkpoint(await _task(github, "t1", "t2", stands=first))
    assert github.fake.repo(NAME).branches[BRANCH] == first.commit


async def test_a_branch_of_others_is_left_alone(github: Bench) -> None:
    """A branch of the same name with another tree is not taken over."""
    await github.fake.push(NAME, {"theirs": b"t\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    published = await _first(github)
    assert published.branch == f"{BRANCH}-2"
    assert github.fake.repo(NAME).branches[BRANCH] == theirs
