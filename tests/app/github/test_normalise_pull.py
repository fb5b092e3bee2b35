"""The pull request that proposes checkboxes: one a roadmap, whatever happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.github.one_pull import OfferedPulls, branch_of
from runner.errors import Outage, TaskError
from runner.state.publishing import Checkpoint
from tests.app.github.repository_bench import NAME, Bench, bench

BRANCH = branch_of("ROADMAP.md")
NEW, NEWER = b"- [ ] add it\n", b"- [ ] add it\n- [ ] more\n"


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def pulls(github: Bench) -> OfferedPulls:
    """The proposals as a run publishes them."""
    return OfferedPulls(github.repository(), "normalise")


async def shown(github: Bench, content: bytes = NEW) -> Checkpoint:
    """A proposal on the newest commit."""
    return await github.checkpoint({"ROADMAP.md": content}, task="ROADMAP.md", branch=BRANCH)


def test_the_branch_is_named_after_the_file() -> None:
    """Ours by its beginning, and nothing of the path in it that a ref cannot hold."""
    assert BRANCH == "cairn/normalise/roadmap-md"
    assert branch_of("docs/../~^:?*.md").startswith("cairn/normalise/docs-md")


async def test_it_is_opened_once_and_is_no_member_of_the_stack(github: Bench) -> None:
    """The same proposal again finds it; runs build on nothing that nobody merged."""
    made = await pulls(github).offer(await shown(github), "s1")
    again = await pulls(github).offer(await shown(github), "s1")

    (pull,) = github.fake.repo(NAME).pulls
    assert made == again == await pulls(github).known(BRANCH)
    assert (made.number, made.state) == (pull.number, "open")
    assert github.fake.repo(NAME).file(BRANCH, "ROADMAP.md") == NEW
    stack = await github.repository().stack()
    assert (stack.branch, stack.in_review, stack.proposed) == ("main", frozenset(), frozenset())


async def test_a_newer_proposal_replaces_it(github: Bench) -> None:
    """The roadmap has changed since: the same pull request, another commit and text."""
    first = await pulls(github).offer(await shown(github), "s1")
    await github.fake.push(NAME, {"other.md": b"x"})

    second = await pulls(github).offer(await shown(github, NEWER), "s2")

    assert (second.number, second.state) == (first.number, "open")
    assert github.fake.repo(NAME).file(BRANCH, "ROADMAP.md") == NEWER
    assert github.fake.repo(NAME).file(BRANCH, "other.md") == b"x"
    assert await pulls(github).known(BRANCH) == second


async def test_what_a_person_pushed_stays(github: Bench) -> None:
    """A branch that somebody else worked on is not moved; the answer says so."""
    first = await pulls(github).offer(await shown(github), "s1")
    await github.fake.push(NAME, {"ROADMAP.md": b"- [ ] mine\n"}, branch=BRANCH)

    second = await pulls(github).offer(await shown(github, NEWER), "s2")

    assert (second.number, second.state) == (first.number, "pushed")
    assert github.fake.repo(NAME).file(BRANCH, "ROADMAP.md") == b"- [ ] mine\n"


async def test_a_closed_one_is_a_no_to_its_content(github: Bench) -> None:
    """Whoever asks learns which content that was; another one opens another pull request."""
    first = await pulls(github).offer(await shown(github), "s1")
    await github.fake.close(NAME, first.number)

    known = await pulls(github).known(BRANCH)
    second = await pulls(github).offer(await shown(github, NEWER), "s2")

    assert known is not None
    assert (known.number, known.state, known.source) == (first.number, "declined", "s1")
    assert second.number != first.number
    assert second.state == "open"


async def test_a_merged_one_makes_place_for_another(github: Bench) -> None:
    """A roadmap that lost its boxes again is proposed anew, though the branch is still there."""
    first = await pulls(github).offer(await shown(github), "s1")
    await github.fake.merge_pull(NAME, first.number)
    await github.fake.push(NAME, {"ROADMAP.md": b"add it\n"})

    assert await pulls(github).known(BRANCH) is None
    second = await pulls(github).offer(await shown(github), "s1")

    assert second.number != first.number
    assert second.state == "open"


async def test_a_branch_of_somebody_else_is_left_alone(github: Bench) -> None:
    """Nothing is taken over: the refusal names the branch."""
    await github.fake.push(NAME, {"mine.md": b"x"}, branch=BRANCH)

    with pytest.raises(TaskError, match="cairn/normalise/roadmap-md"):
        await pulls(github).offer(await shown(github), "s1")
    assert github.fake.repo(NAME).pulls == []


async def test_a_pull_request_of_somebody_else_is_left_alone(github: Bench) -> None:
    """A person's pull request of our branch is not ours, whatever it says."""
    first = await pulls(github).offer(await shown(github), "s1")
    body = github.fake.repo(NAME).issues[first.number].body
    await github.fake.close(NAME, first.number)
    theirs = await github.fake.open_pull(NAME, "Mine", head=BRANCH)
    theirs.body = body

    with pytest.raises(TaskError, match="another pull request"):
        await pulls(github).offer(await shown(github), "s2")


OPENING = [("POST", path) for path in ("git/trees", "git/commits", "git/refs", "pulls")]
CHANGING = [("POST", "git/trees"), ("POST", "git/commits"), ("PATCH", "pulls/*")]


@pytest.mark.sample(8, "each call that may get lost")
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("before", "method", "effect"),
    [(False, *each) for each in OPENING] + [(True, *each) for each in CHANGING],
)
async def test_a_lost_effect_is_made_once(
    github: Bench, before: bool, method: str, effect: str, after: bool, drop: bool
) -> None:
    """Each effect fails in turn, before or after it happened: one branch, one pull request."""
    if before:
        await pulls(github).offer(await shown(github), "s1")
    status = {} if drop else {"status": 502}
    github.fake.fail(method, f"/repos/{NAME}/{effect}", after=after, drop=drop, **status)

    with suppress(Outage):
        await pulls(github).offer(await shown(github, NEWER), "s2")
    made = await pulls(github).offer(await shown(github, NEWER), "s2")

    (pull,) = github.fake.repo(NAME).pulls
    assert (made.number, made.state) == (pull.number, "open")
    assert set(github.fake.repo(NAME).branches) == {"main", BRANCH}
    assert github.fake.repo(NAME).file(BRANCH, "ROADMAP.md") == NEWER
    assert await pulls(github).known(BRANCH) == made
