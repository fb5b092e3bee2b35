"""Where a new run starts on GitHub, across runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.errors import Outage
from tests.app.github.repository_bench import NAME, Bench, bench


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _publish(github: Bench, task: str) -> int:
    made = await github.checkpoint({task: b"x\n"}, task=task)
    published = await github.repository().publish_checkpoint(made)
    assert published.number is not None
    return published.number


async def test_an_empty_stack_ends_at_the_base_branch(github: Bench) -> None:
    """Without pull requests a run starts at the base branch's head."""
    stack = await github.repository().stack()
    assert (stack.tip, stack.branch) == (github.fake.repo(NAME).branches["main"], "main")


async def test_another_runs_checkpoints_are_built_on(github: Bench) -> None:
    """A new run starts on the topmost open checkpoint of any run and knows what is in review."""
    for task in ("t1", "t2"):
        await _publish(github, task)
    stack = await github.repository(run="r2").stack()
    assert (stack.branch, stack.in_review) == ("cairn/r1/t2-add-it", {"t1", "t2"})


async def test_a_merged_checkpoint_is_neither_open_nor_declined(github: Bench) -> None:
    """After a merge the task is done and the base branch is the tip again."""
    await github.fake.merge_pull(NAME, await _publish(github, "t1"), by="writer")
    stack = await github.repository().stack()
    assert (stack.branch, stack.in_review, stack.declined) == ("main", set(), set())


async def test_what_was_merged_meanwhile_is_nobodys_base(github: Bench) -> None:
    """A checkpoint made on one that people merged comes before them where that was merged into."""
    first = await _publish(github, "t1")
    made = await github.checkpoint({"t2": b"x\n"}, task="t2")
    github.fake.repo(NAME).state.delete_branch_on_merge = True
    await github.fake.merge_pull(NAME, first)
    published = await github.repository().publish_checkpoint(made)
    second = github.fake.repo(NAME).pulls[1]
    assert (second.number, second.pull and second.pull.base) == (published.number, "main")


async def test_a_closed_checkpoint_is_declined(github: Bench) -> None:
    """A checkpoint closed unmerged is a no."""
    await github.fake.close(NAME, await _publish(github, "t1"))
    stack = await github.repository().stack()
    assert (stack.branch, stack.declined) == ("main", {"t1"})


async def test_pull_requests_of_people_do_not_count(github: Bench) -> None:
    """A person's pull request from a branch like ours is no checkpoint."""
    await github.fake.push(NAME, {"theirs": b"t\n"}, branch="cairn/r9/t9-theirs")
    await github.fake.open_pull(NAME, "Theirs", head="cairn/r9/t9-theirs")
    github.fake.repo(NAME).pulls[
        0
    ].body = "<!-- cairn:checkpoint:t9 -->\n<!-- cairn:roadmap:ROADMAP.md -->"
    assert (await github.repository().stack()).in_review == set()


async def test_pull_requests_on_later_pages_count(github: Bench) -> None:
    """Every page of the list is read."""
    await _publish(github, "t1")
    there = f"{github.fake.api_url}/repos/{NAME}/pulls?state=all&per_page=100"
    link = {"link": f'<{there}>; rel="next"'}
    github.fake.fail("GET", f"/repos/{NAME}/pulls", status=200, body=[], headers=link)
    assert (await github.repository().stack()).in_review == {"t1"}


async def test_a_refused_list_is_an_outage(github: Bench) -> None:
    """A repository that cannot be read blames no task."""
    github.fake.fail("GET", f"/repos/{NAME}/pulls", status=403)
    with pytest.raises(Outage, match="refused to list pull requests"):
        await github.repository().stack()
