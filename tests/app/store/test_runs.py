"""Runs as they stand: by id, by issue, by status (what moves them is the queue's)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.github.pulls import Pull
from app.runs.verifying import about_pull
from app.store.runs import RunRequest, StoredRuns
from handlers.events import InstalledRepository
from tests.app.store.rows import put_run, set_run
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH

REQUEST = RunRequest(
    id="r1",
    delivery="d1",
    repository=InstalledRepository(42, "octocat/hello", 7, "main"),
    issue=3,
    roadmap="ROADMAP.md",
    request={"max_tasks": 10},
)


def asked(id, *, repository_id=42, repository="octocat/hello", **changes):
    """The request of a run, in a repository by its id and name."""
    place = replace(REQUEST.repository, id=repository_id, full_name=repository)
    return replace(REQUEST, id=id, repository=place, **changes)


@pytest.fixture
def runs(store, clock):
    return StoredRuns(store, clock)


@pytest.fixture
def queue(store, clock):
    """Put runs into the table."""

    async def put(*ids, **changes):
        for id in ids:
            await put_run(store, clock, asked(id, **changes))

    return put


async def test_a_run_is_stored_as_it_was_asked_for(runs, queue, clock):
    """A queued run has all its request, its times, and no result yet."""
    await queue("r1")

    run = await runs.get("r1")

    assert {name: getattr(run, name) for name in vars(REQUEST)} == vars(REQUEST)
    assert (run.status, run.reason, run.until, run.result) == ("queued", "", None, None)
    assert (run.created_at, run.updated_at) == (clock.now(), clock.now())


@pytest.mark.parametrize("private", [True, False])
async def test_a_run_about_a_pull_request_is_as_private_as_its_repository(
    runs, store, clock, private
):
    """Also a verification, which nobody asked for: what it starts goes by that."""
    place = replace(REQUEST, repository=replace(REQUEST.repository, private=private))
    pull = Pull(number=7, url="", state="open", head="cairn/r1/t", sha="a", base="main",
                tasks=("t",), roadmap="ROADMAP.md")  # fmt: skip
    row = about_pull(place, pull, "verify", verify=True)
    await put_run(store, clock, row)

    assert (await runs.get(row.id)).repository == place.repository


async def test_an_unknown_run_is_none(runs):
    """Asking for an id nobody queued is answered with None."""
    assert await runs.get("nope") is None


async def test_the_progress_comment_is_remembered(runs, queue):
    """The comment's id is stored with the run (it does not fit 32 bits)."""
    await queue("r1")

    assert await runs.set_progress_comment("r1", 5_000_000_001)
    assert (await runs.get("r1")).progress_comment_id == 5_000_000_001


async def test_the_runs_of_an_issue_come_newest_first(runs, queue):
    """The runs of an issue are those of this repository and number only."""
    await queue("a", "b")
    await queue("c", issue=4)
    await queue("d", repository_id=43)

    assert [run.id for run in await runs.by_issue(42, 3)] == ["b", "a"]


async def test_runs_are_listed_by_status(runs, queue, store):
    """Only runs in one of the asked states are listed, oldest first."""
    await queue("a", "b", "c")
    await set_run(store, "b", "cancelled")

    assert [run.id for run in await runs.by_status("queued")] == ["a", "c"]
    assert [run.id for run in await runs.by_status("queued", "cancelled")] == ["a", "b", "c"]
