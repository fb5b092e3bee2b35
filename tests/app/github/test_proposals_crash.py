"""Whatever breaks while a proposal is published, applied or ended, doing it again leaves one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from app.github.api import RepositoryApi
from app.github.checks import RECOVERY
from app.github.commits import Commits
from app.github.repository import GitHubRepository
from app.github.token_identity import PUBLISH
from runner.errors import Outage
from tests.app.github.repository_bench import NAME, Bench, bench, installed
from tests.app.github.test_proposals import BRANCH, EDIT, FIRST, SECOND
from tests.app.github.test_proposals_applied import APPROVED
from tests.fake_github.state import Issue

REPO = f"/repos/{NAME}"
GRAPHQL = "/api/graphql"
CREATING = [
    ("POST", f"{REPO}/{path}")
    for path in (
        "git/trees",
        "git/commits",
        "git/refs",
        "pulls",
        "issues/*/comments",
        "labels",
        "issues/*/labels",
        "check-runs",
    )
]
REPLACING = [
    ("POST", GRAPHQL),
    ("PATCH", f"{REPO}/pulls/*"),
    ("POST", f"{REPO}/issues/*/comments"),
    ("POST", f"{REPO}/check-runs"),
]
APPLYING = [("POST", GRAPHQL), ("PATCH", f"{REPO}/pulls/*")]
ENDING = [
    ("POST", f"{REPO}/issues/*/comments"),
    ("PATCH", f"{REPO}/pulls/*"),
    ("PATCH", f"{REPO}/check-runs/*"),
    ("POST", GRAPHQL),
]
HOW = [(False, False), (True, False), (True, True)]
"""(after, drop): refused before, answer broken after, connection lost after the effect."""

Work = Callable[[GitHubRepository], Awaitable[object]]


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub; it does not matter here who reads what is said."""
    async with bench(tmp_path) as made:
        made.fake.must_read = False
        yield made


async def _broken(
    github: Bench, effect: tuple[str, str], how: tuple[bool, bool], work: Work, *, skip: int = 0
) -> None:
    """Do something while one call fails, until GitHub has not been away; then once more."""
    after, drop = how
    status = {} if drop else {"status": 502}
    fault = github.fake.fail(*effect, after=after, drop=drop, times=4, skip=skip, **status)
    if effect[0] == "POST" and not effect[1].endswith(("blobs", "trees")):
        fault.times = 1  # the client repeats only what it may
    with suppress(Outage):
        await work(github.repository())
    assert fault.hits, f"nothing asked for {effect}"
    fault.times = 0
    for _ in range(2):
        await work(github.repository())


def _left(github: Bench) -> dict[str, object]:
    """What there is: branches, pull requests, comments, labels, checks."""
    repo = github.fake.repo(NAME)
    return {
        "branches": sorted(repo.branches),
        "pulls": [issue.number for issue in repo.pulls],
        "comments": [comment.body[:40] for pull in repo.pulls for comment in pull.comments],
        "labels": [label.name for pull in repo.pulls for label in pull.labels],
        "checks": [
            (c["external_id"], c["conclusion"]) for c in repo.checks if c["name"] == RECOVERY
        ],
    }


def _one(**other: object) -> dict[str, object]:
    whole = {
        "branches": [BRANCH, "main"],
        "pulls": [1],
        "comments": [f"<!-- cairn:proposal:{FIRST}"[:40]],
        "labels": ["cairn:recovery"],
        "checks": [(FIRST, "action_required")],
    }
    return whole | other


@pytest.mark.sample(7, "each call that may get lost")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("effect", CREATING, ids=lambda effect: str(effect[1]))
async def test_a_proposal_is_put_once(
    github: Bench, effect: tuple[str, str], how: tuple[bool, bool]
) -> None:
    """Each effect fails in turn, before or after it happened: one of each is left."""
    proposed = await github.proposed(EDIT)
    await _broken(github, effect, how, lambda repository: repository.publish_proposal(proposed))
    assert _left(github) == _one()
    assert github.fake.repo(NAME).labels == ["cairn:recovery"]


@pytest.mark.sample(3, "each call that may get lost")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("effect", REPLACING, ids=lambda effect: " ".join(effect))
async def test_a_fresh_proposal_is_put_once(
    github: Bench, effect: tuple[str, str], how: tuple[bool, bool]
) -> None:
    """One more comment, one more check on the rebuilt commit, the same pull request."""
    await github.repository().publish_proposal(await github.proposed(EDIT))
    fresh = await github.proposed({"ROADMAP.md": b"- [ ] other\n"}, fingerprint=SECOND)
    await _broken(github, effect, how, lambda repository: repository.publish_proposal(fresh))
    both = [f"<!-- cairn:proposal:{name}"[:40] for name in (FIRST, SECOND)]
    checks = [(FIRST, "action_required"), (SECOND, "action_required")]
    assert _left(github) == _one(comments=both, checks=checks)
    assert github.fake.repo(NAME).tree(BRANCH) == fresh.shown.tree


@pytest.mark.sample(2, "each call that may get lost")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("skip", [0, 1], ids=["move", "ready"])
async def test_a_lost_change_of_a_draft_is_made(
    github: Bench, skip: int, how: tuple[bool, bool]
) -> None:
    """The branch is moved and the draft made ready, whichever of the two got lost."""
    await github.repository().publish_proposal(await github.proposed(EDIT))
    made = await github.recovery(APPROVED)
    await _broken(
        github, APPLYING[0], how, lambda repository: repository.publish_checkpoint(made), skip=skip
    )
    check_applied(github, made.tree)


@pytest.mark.parametrize("how", HOW)
async def test_a_lost_description_is_written(github: Bench, how: tuple[bool, bool]) -> None:
    """Base, title and state of the member are changed in one call, which may get lost."""
    await github.repository().publish_proposal(await github.proposed(EDIT))
    made = await github.recovery(APPROVED)
    await _broken(github, APPLYING[1], how, lambda repository: repository.publish_checkpoint(made))
    check_applied(github, made.tree)


def check_applied(github: Bench, tree: str) -> None:
    (issue,) = github.fake.repo(NAME).pulls
    assert issue.pull is not None
    assert _left(github) == _one()
    assert (issue.pull.draft, github.fake.repo(NAME).tree(BRANCH)) == (False, tree)
    assert "cairn:state:applied" in (issue.body or "")


@pytest.mark.sample(3, "each call that may get lost")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("effect", ENDING, ids=lambda effect: " ".join(effect))
async def test_a_proposal_is_ended_once(
    github: Bench, effect: tuple[str, str], how: tuple[bool, bool]
) -> None:
    """One word about it, then it is closed, its branch deleted, its buttons gone."""
    issue = await _published(github)
    await _broken(
        github,
        effect,
        how,
        lambda each: each.end_proposal("t1", ready=False, why="rejected by ada"),
    )
    both = [f"<!-- cairn:{kind}:{FIRST}"[:40] for kind in ("proposal", "ended")]
    left = _one(branches=["main"], comments=both, checks=[(FIRST, "neutral")])
    assert (_left(github), issue.state) == (left, "closed")


async def _published(github: Bench) -> Issue:
    await github.repository().publish_proposal(await github.proposed(EDIT))
    (issue,) = github.fake.repo(NAME).pulls
    return issue


async def test_a_tip_that_moved_meanwhile_is_built_on(github: Bench) -> None:
    """After a crash the branch of before may stand on an older commit: it makes place."""
    proposed = await github.proposed(EDIT)
    github.fake.fail("POST", f"{REPO}/pulls", status=502)
    with pytest.raises(Outage):
        await github.repository().publish_proposal(proposed)
    await github.fake.push(NAME, {"new": b"n\n"})
    moved = await github.proposed(EDIT)
    published = await github.repository().publish_proposal(moved)
    repo = github.fake.repo(NAME)
    parents = repo.state.bare.text("log", "-1", "--format=%P", published.commit)
    assert (parents, repo.tree(BRANCH)) == (repo.branches["main"], moved.shown.tree)


async def test_a_label_made_meanwhile_is_used(github: Bench) -> None:
    """When another run made the label after we looked, it is put on all the same."""
    github.fake.repo(NAME).state.labels.clear()
    await github.repository().publish_proposal(await github.proposed(EDIT))
    github.fake.fail("GET", f"{REPO}/labels/*", status=404)
    await github.repository().publish_proposal(await github.proposed(EDIT, task="t2"))
    pulls = github.fake.repo(NAME).pulls
    assert [[label.name for label in pull.labels] for pull in pulls] == [["cairn:recovery"]] * 2


async def test_a_push_between_look_and_move_wins(github: Bench) -> None:
    """The branch is moved only from where it was seen; a person's push in between stays."""
    await _published(github)
    seen = github.fake.repo(NAME).branches[BRANCH]
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    client = github.identity.client(installed(github.fake, NAME), PUBLISH)
    commits = Commits(RepositoryApi(client, NAME))
    moved = await commits.move(BRANCH, old=seen, new=github.fake.repo(NAME).branches["main"])
    deleted = await commits.move(BRANCH, old=seen, new=None)
    assert (moved, deleted, github.fake.repo(NAME).branches[BRANCH]) == (False, False, theirs)
