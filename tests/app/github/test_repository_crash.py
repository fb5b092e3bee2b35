"""Whatever breaks while something is published, doing it again leaves exactly one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.state.publishing import Checkpoint, Published
from tests.app.github.repository_bench import NAME, Bench, bench

BRANCH = "cairn/r1/t1-add-it"
EFFECTS = ("git/blobs", "git/trees", "git/commits", "git/refs", "pulls")


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _until_done(github: Bench, checkpoint: Checkpoint) -> Published:
    """Publish, and once more from the beginning if GitHub was away."""
    with suppress(Outage):
        return await github.repository().publish_checkpoint(checkpoint)
    return await github.repository().publish_checkpoint(checkpoint)


def _left(github: Bench) -> tuple[set[str], list[int], str | None]:
    repo = github.fake.repo(NAME)
    return set(repo.branches), [issue.number for issue in repo.pulls], repo.tree(BRANCH)


@pytest.mark.sample(7, "each call that may get lost")
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("effect", EFFECTS)
async def test_a_lost_effect_is_made_once(
    github: Bench, effect: str, after: bool, drop: bool
) -> None:
    """Each effect fails in turn, before or after it happened: one branch, one pull request."""
    made = await github.checkpoint({"new": b"\xff\n", "text": b"n\n", "dos.txt": None})
    status = {} if drop else {"status": 502}
    github.fake.fail("POST", f"/repos/{NAME}/{effect}", after=after, drop=drop, **status)
    published = await _until_done(github, made)
    assert _left(github) == ({"main", BRANCH}, [published.number], made.tree)


async def test_a_second_content_that_fails_leaves_no_branch(github: Bench) -> None:
    """A publication that broke off half-way has shown nothing yet, and is made whole later."""
    made = await github.checkpoint({"a": b"\xff\n", "b": b"\xfe\n"})
    fault = github.fake.fail("POST", f"/repos/{NAME}/git/blobs", status=502, times=4, skip=1)

    with pytest.raises(Outage):
        await github.repository().publish_checkpoint(made)

    assert (fault.hits, set(github.fake.repo(NAME).branches)) == (4, {"main"})
    await github.repository().publish_checkpoint(made)
    assert github.fake.repo(NAME).tree(BRANCH) == made.tree


@pytest.mark.parametrize("effect", ["git/refs", "pulls"])
async def test_an_outage_is_not_hidden(github: Bench, effect: str) -> None:
    """While GitHub is away the run pauses; no task is blamed."""
    made = await github.checkpoint({"new": b"n\n"})
    github.fake.fail("POST", f"/repos/{NAME}/{effect}", status=502)
    with pytest.raises(Outage):
        await github.repository().publish_checkpoint(made)


async def test_a_repeat_creates_nothing(github: Bench) -> None:
    """Publishing again finds branch and pull request and asks for no effect at all."""
    made = await github.checkpoint({"new": b"n\n"})
    first = await github.repository().publish_checkpoint(made)
    before = [r.method for r in github.fake.requests].count("POST")
    again = await github.repository().publish_checkpoint(made)
    posts = [r.path for r in github.fake.requests if r.method == "POST"][before:]
    assert (again, [p for p in posts if "access_tokens" not in p]) == (first, [])


async def test_a_branch_made_meanwhile_is_found(github: Bench) -> None:
    """When another worker was faster after we looked, its branch (ours by content) is used."""
    made = await github.checkpoint({"new": b"n\n"})
    first = await github.repository().publish_checkpoint(made)
    github.fake.fail("GET", f"/repos/{NAME}/git/ref/heads/{BRANCH}", status=404)
    assert await github.repository().publish_checkpoint(made) == first


async def test_a_pull_request_made_meanwhile_is_found(github: Bench) -> None:
    """When another worker was faster after we looked, its pull request is used."""
    made = await github.checkpoint({"new": b"n\n"})
    first = await github.repository().publish_checkpoint(made)
    github.fake.fail("GET", f"/repos/{NAME}/pulls", status=200, body=[])
    assert await github.repository().publish_checkpoint(made) == first
