"""An approved proposal becomes a member of the stack: its pull request, rebuilt on the tip."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.state.publishing import Published
from tests.app.github.repository_bench import NAME, Bench, bench
from tests.app.github.test_proposals import BRANCH, EDIT
from tests.fake_github.state import Issue

APPROVED: dict[str, bytes | None] = {
    "ROADMAP.md": b"- [ ] one\n  <!-- Approved-by: ada -->\n- [ ] test it\n"
}


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _proposed(github: Bench) -> Issue:
    published = await github.repository().publish_proposal(await github.proposed(EDIT))
    assert published.number is not None
    github.fake.says(NAME, published.number)
    return github.fake.repo(NAME).issues[published.number]


async def _applied(github: Bench) -> Published:
    made = await github.recovery(APPROVED, body="Approved by ada.")
    return await github.repository().publish_checkpoint(made)


async def _member(github: Bench, task: str) -> Published:
    made = await github.checkpoint({task: b"x\n"}, task=task)
    return await github.repository().publish_checkpoint(made)


async def _stack(github: Bench) -> tuple[str, set[str], set[str], set[str]]:
    stack = await github.repository(run="r2").stack()
    return stack.branch, set(stack.in_review), set(stack.declined), set(stack.proposed)


async def test_its_pull_request_becomes_the_member(github: Bench) -> None:
    """The same pull request is ready for review and says who approved."""
    issue = await _proposed(github)
    published = await _applied(github)
    assert issue.pull is not None
    assert (published.number, issue.pull.draft, issue.pull.sha) == (
        issue.number,
        False,
        published.commit,
    )
    assert (issue.body or "").endswith("<!-- cairn:state:applied -->\n\nApproved by ada.")
    assert github.fake.repo(NAME).file(BRANCH, "ROADMAP.md") == APPROVED["ROADMAP.md"]


async def test_it_is_rebuilt_on_the_newest_commit(github: Bench) -> None:
    """What was published since is below it, and its pull request is made against that."""
    issue = await _proposed(github)
    below = await _member(github, "t2")
    published = await _applied(github)
    assert issue.pull is not None
    assert (issue.pull.base, published.branch) == (below.branch, BRANCH)
    parents = github.fake.repo(NAME).state.bare.text("log", "-1", "--format=%P", published.commit)
    assert parents == below.commit


async def test_what_follows_builds_on_it(github: Bench) -> None:
    """It carries what is above it, and its task is neither proposed nor in review."""
    await _proposed(github)
    await _applied(github)
    assert await _stack(github) == (BRANCH, set(), set(), set())
    await _member(github, "t2")
    assert await _stack(github) == ("cairn/r1/t2-add-it", {"t2"}, set(), set())


async def test_without_a_proposal_it_is_an_ordinary_pull_request(github: Bench) -> None:
    """Where nobody is asked it is opened ready for review, with the label."""
    published = await _applied(github)
    (issue,) = github.fake.repo(NAME).pulls
    assert issue.pull is not None
    assert (issue.number, issue.pull.draft) == (published.number, False)
    assert [label.name for label in issue.labels] == ["cairn:recovery"]
    assert await _stack(github) == (BRANCH, set(), set(), set())


async def test_a_repeat_changes_nothing(github: Bench) -> None:
    """Applying again finds everything in its place."""
    await _proposed(github)
    made = await github.recovery(APPROVED)
    first = await github.repository().publish_checkpoint(made)
    before = len(github.fake.requests)
    assert await github.repository().publish_checkpoint(made) == first
    methods = {r.method for r in github.fake.requests[before:] if "access_tokens" not in r.path}
    assert methods == {"GET"}


async def test_a_persons_push_is_not_overwritten(github: Bench) -> None:
    """The error says what to click, and the branch stays as the person left it."""
    issue = await _proposed(github)
    await github.fake.push(NAME, {"ROADMAP.md": b"- [ ] mine\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    with pytest.raises(TaskError, match=rf"pull/{issue.number}.*Merge that pull request yourself"):
        await _applied(github)
    assert github.fake.repo(NAME).branches[BRANCH] == theirs


async def test_an_amended_commit_is_a_persons(github: Bench) -> None:
    """Our commit rewritten by a person keeps its author and is theirs nonetheless."""
    await _proposed(github)
    bare = github.fake.repo(NAME).state.bare
    raw = bare.text("cat-file", "commit", BRANCH)
    theirs = raw.replace("committer GitHub <noreply@github.com>", "committer ada <ada@example.com>")
    sha = bare.text("hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{theirs}\n".encode())
    await github.fake.move_branch(NAME, BRANCH, sha)
    with pytest.raises(TaskError, match="Somebody pushed"):
        await _applied(github)


async def test_a_merge_by_a_person_is_built_upon(github: Bench) -> None:
    """What was merged is there already: the run goes on from what it was merged into."""
    issue = await _proposed(github)
    made = await github.recovery(APPROVED)
    await github.fake.ready(NAME, issue.number)
    await github.fake.merge_pull(NAME, issue.number)
    published = await github.repository().publish_checkpoint(made)
    repo = github.fake.repo(NAME)
    assert (published.commit, published.branch) == (repo.branches["main"], "main")
    assert [pull.number for pull in repo.pulls] == [issue.number]


async def test_a_pull_request_closed_after_approval_is_opened_anew(github: Bench) -> None:
    """The approval came first: what it approved is published, on a pull request of its own."""
    issue = await _proposed(github)
    await github.fake.close(NAME, issue.number)
    published = await _applied(github)
    assert published.number is not None
    assert published.number > issue.number
    assert await _stack(github) == (BRANCH, set(), set(), set())


async def test_a_closed_member_is_declined(github: Bench) -> None:
    """Closing an applied recovery is a no to its task, which stands in the roadmap again."""
    issue = await _proposed(github)
    made = await github.recovery(APPROVED)
    await github.repository().publish_checkpoint(made)
    await github.fake.close(NAME, issue.number)
    assert await _stack(github) == ("main", set(), {"t1"}, set())
    again = await github.repository().publish_checkpoint(made)
    assert (again.number, issue.state) == (issue.number, "closed")


async def test_a_merged_member_hands_down(github: Bench) -> None:
    """Merged, it is done: what stands on it stands on what it was merged into."""
    issue = await _proposed(github)
    await _applied(github)
    above = await _member(github, "t2")
    await github.fake.merge_pull(NAME, issue.number)
    assert await _stack(github) == (above.branch, {"t2"}, set(), set())


async def test_a_draft_that_cannot_be_made_ready_is_published(github: Bench) -> None:
    """People can click that themselves."""
    await _proposed(github)
    body = {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible"}]}
    made = await github.recovery(APPROVED)
    base = "/api/graphql"
    github.fake.fail("POST", base, status=200, body=body, skip=1)
    published = await github.repository().publish_checkpoint(made)
    (issue,) = github.fake.repo(NAME).pulls
    assert issue.pull is not None
    assert (issue.pull.sha, issue.pull.draft) == (published.commit, True)
