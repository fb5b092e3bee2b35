"""Pull requests live with their branches."""

from __future__ import annotations

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client, Reply

PULLS = f"/repos/{NAME}/pulls"


@pytest.fixture
async def topic(fake: FakeGitHub) -> None:
    """A branch with one more commit than main."""
    await fake.push(NAME, {"x.txt": b"x\n"}, branch="topic")


async def open_pull(client: Client, **more: object) -> Reply:
    """Ask for a pull request of topic."""
    body = {"title": "T", "head": "topic", "base": "main", "body": "B"}
    return await client.ask("POST", PULLS, body | more)


@pytest.mark.usefixtures("topic")
async def test_a_pull_request_is_made_once(client: Client, fake: FakeGitHub) -> None:
    """The second one of the same head is 422 with GitHub's words."""
    made = await open_pull(client)
    again = await open_pull(client)

    assert (made.status, made.body["changed_files"], made.body["mergeable"]) == (201, 1, True)
    assert again.body["errors"][0]["message"] == "A pull request already exists for octo:topic."
    fake.verify()


async def test_a_pull_request_needs_commits(client: Client, fake: FakeGitHub) -> None:
    """Without a commit between the branches it is 422."""
    await fake.move_branch(NAME, "topic", fake.repo(NAME).branches["main"])

    reply = await open_pull(client)

    assert reply.body["errors"][0]["message"] == "No commits between main and topic"
    lost = await open_pull(client, head="zzz")
    assert lost.body["errors"][0]["field"] == "head"
    fake.verify()


@pytest.mark.usefixtures("topic")
async def test_pulls_are_found_by_head(client: Client, fake: FakeGitHub) -> None:
    """owner:branch finds them; a bare branch name is no filter, as on GitHub."""
    await open_pull(client)

    hit = await client.ask("GET", PULLS, head="octo:topic", state="all")
    miss = await client.ask("GET", PULLS, head="octo:other")
    trap = await client.ask("GET", PULLS, head="other")

    assert (len(hit.body), len(miss.body), len(trap.body)) == (1, 0, 1)
    assert (await client.ask("GET", f"{PULLS}/1/files")).body[0]["filename"] == "x.txt"
    assert len((await client.ask("GET", f"{PULLS}/1/commits")).body) == 1
    fake.verify()


@pytest.mark.parametrize("method", ["merge", "squash"])
@pytest.mark.usefixtures("topic")
async def test_a_merge_moves_the_base(client: Client, fake: FakeGitHub, method: str) -> None:
    """Merging puts the files on main and closes the pull request as merged."""
    made = await open_pull(client)
    wrong = await client.ask("PUT", f"{PULLS}/1/merge", {"sha": "1" * 40})
    good = {"sha": made.body["head"]["sha"], "merge_method": method}

    done = await client.ask("PUT", f"{PULLS}/1/merge", good)

    assert (wrong.status, done.status) == (409, 200)
    assert fake.repo(NAME).file("main", "x.txt") == b"x\n"
    shown = (await client.ask("GET", f"{PULLS}/1")).body
    assert (shown["merged"], shown["state"]) == (True, "closed")
    assert shown["merge_commit_sha"] == fake.repo(NAME).branches["main"]
    fake.verify()


@pytest.mark.usefixtures("topic")
async def test_a_draft_is_not_merged(client: Client, fake: FakeGitHub) -> None:
    """A draft is 405, and where drafts do not exist asking for one is 422."""
    await open_pull(client, draft=True)

    assert (await client.ask("PUT", f"{PULLS}/1/merge", {})).status == 405
    fake.repo(NAME).state.drafts = False
    await fake.close(NAME, 1)
    assert (await open_pull(client, draft=True)).status == 422
    fake.verify()


@pytest.mark.usefixtures("topic")
async def test_a_deleted_base_closes_the_pull_request(client: Client, fake: FakeGitHub) -> None:
    """GitHub closes what is based on a deleted branch."""
    await fake.move_branch(NAME, "below", fake.repo(NAME).branches["main"])
    await open_pull(client, base="below")

    await client.ask("DELETE", f"/repos/{NAME}/git/refs/heads/below")

    assert fake.repo(NAME).pulls[0].state == "closed"
    reopened = await client.ask("PATCH", f"{PULLS}/1", {"state": "open"})
    assert reopened.status == 422
    fake.verify()


@pytest.mark.usefixtures("topic")
async def test_a_pull_request_can_be_retargeted(client: Client, fake: FakeGitHub) -> None:
    """PATCH changes title, body and base."""
    await fake.move_branch(NAME, "below", fake.repo(NAME).branches["main"])
    await open_pull(client, base="below")

    body = {"base": "main", "title": "New", "body": "Text"}
    changed = (await client.ask("PATCH", f"{PULLS}/1", body)).body

    assert (changed["base"]["ref"], changed["title"]) == ("main", "New")
    fake.verify()


@pytest.mark.usefixtures("topic")
async def test_a_conflict_is_not_mergeable(client: Client, fake: FakeGitHub) -> None:
    """Both sides changed the same file: mergeable is false and a merge is 405."""
    await open_pull(client)
    await fake.push(NAME, {"x.txt": b"other\n"})

    assert (await client.ask("GET", f"{PULLS}/1")).body["mergeable"] is False
    assert (await client.ask("PUT", f"{PULLS}/1/merge", {})).status == 405
    fake.verify()
