"""Work that people pushed to a proposal's branch: found by the next run, closed when taken over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runner.state.publishing import HumanCommits
from tests.app.github.repository_bench import NAME, Bench, bench
from tests.app.github.test_proposals import BRANCH
from tests.fake_github.bare import Person
from tests.fake_github.git_shapes import SIGNED
from tests.fake_github.state import Issue


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub, with an escalation of task t1."""
    async with bench(tmp_path) as made:
        published = await made.repository().publish_proposal(
            await made.proposed({}, strategy="escalate")
        )
        assert published.number is not None
        made.fake.says(NAME, published.number)
        yield made


def _shown(github: Bench) -> Issue:
    (pull,) = github.fake.repo(NAME).pulls
    return pull


async def _handed(github: Bench, task: str = "t1") -> HumanCommits | None:
    repository = github.repository(run="r2")
    return await repository.human_commits(task, (await repository.stack()).tip)


async def test_nobody_pushed(github: Bench) -> None:
    """What our App committed is nobody's work."""
    assert await _handed(github) is None


async def test_what_a_person_pushed(github: Bench) -> None:
    """It is told with its branch, where that left the default branch, and who made it."""
    fork = github.fake.repo(NAME).branches["main"]
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    await github.fake.push(NAME, {"other": b"o\n"})

    found = await _handed(github)

    assert found == HumanCommits(
        BRANCH,
        github.fake.repo(NAME).branches[BRANCH],
        fork,
        ("writer <writer@users.noreply.github.com>",),
        found.url if found else "",
    )
    assert await _handed(github, "t2") is None


async def test_a_closed_proposal_and_a_deleted_branch(github: Bench) -> None:
    """Closing keeps the work; without the branch there is none."""
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    await github.fake.close(NAME, _shown(github).number)
    assert await _handed(github) is not None

    await github.fake.delete_branch(NAME, BRANCH)
    assert await _handed(github) is None


async def test_taken_over_once(github: Bench) -> None:
    """Where the work was the checkpoint is named; the same push is not taken again."""
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    human_commits = await _handed(github)
    made = replace(
        await github.checkpoint({"mine": b"m\n"}, task="t1"), human_commits=human_commits
    )

    published = await github.repository(run="r2").publish_checkpoint(made)
    await github.repository(run="r2").publish_checkpoint(made)

    (said,) = github.fake.says(NAME, _shown_first(github).number)
    assert f"now part of #{published.number}" in said
    assert _shown_first(github).state == "closed"
    assert BRANCH in github.fake.repo(NAME).branches
    assert await _handed(github) is None

    await github.fake.push(NAME, {"mine": b"more\n"}, branch=BRANCH)
    assert await _handed(github) is not None


def _shown_first(github: Bench) -> Issue:
    return github.fake.repo(NAME).pulls[0]


@pytest.mark.parametrize("signed", [True, False])
async def test_a_borrowed_name(github: Bench, signed: bool) -> None:
    """Whoever writes our names into a commit of theirs, and even signs it, has pushed."""
    repo = github.fake.repo(NAME)
    ours, bare = repo.branches[BRANCH], repo.state.bare
    raw = bare.text("cat-file", "commit", ours)
    author, committer = (_person(raw, role) for role in ("author", "committer"))
    forged = bare.commit(
        bare.text("rev-parse", f"{ours}^{{tree}}"),
        [ours],
        "Mine",
        author=author,
        committer=replace(committer, email="mine@example.org") if signed else committer,
        signature=SIGNED if signed else "",
    )
    assert await _handed(github) is None

    await github.fake.move_branch(NAME, BRANCH, forged)

    found = await _handed(github)
    assert found
    assert found.commit == forged


def _person(raw: str, role: str) -> Person:
    """Who is named in a commit."""
    line = next(line for line in raw.splitlines() if line.startswith(f"{role} "))
    name, rest = line.removeprefix(f"{role} ").split(" <")
    mail, seconds = rest.split("> ")
    return Person(name, mail, datetime.fromtimestamp(int(seconds.split()[0]), UTC))
