"""GraphQL is checked against GitHub's schema and answers what is built."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client, Listener

ASK = """query($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on IssueComment {
  body isMinimized reactions(first: 10) { totalCount pageInfo { hasNextPage endCursor }
  nodes { content createdAt user { login databaseId } } } } } }"""


async def ask(client: Client, query: str, **variables: Any) -> Any:
    """One GraphQL request."""
    body = {"query": query, "variables": variables}
    return (await client.ask("POST", client.fake.graphql_url, body)).body


async def test_reactions_of_comments_are_read_at_once(client: Client, fake: FakeGitHub) -> None:
    """nodes(ids:) gives reactions with time and user."""
    fake.open_issue(NAME, "Please")
    await fake.comment(NAME, 1, "hello")
    comment = fake.repo(NAME).comments(1)[0]
    fake.react(comment, "+1", by="writer")

    (node,) = (await ask(client, ASK, ids=[f"IC_{comment.id}"]))["data"]["nodes"]

    (reaction,) = node["reactions"]["nodes"]
    assert reaction["content"] == "THUMBS_UP"
    assert reaction["user"] == {"login": "writer", "databaseId": fake.add_user("writer").id}
    fake.verify()


async def test_an_unknown_field_is_found(client: Client, fake: FakeGitHub) -> None:
    """A field that GitHub's schema has not is an error and a violation."""
    assert "errors" in await ask(client, "{ viewer { logn } }")

    fake.forgive("Cannot query field 'logn'")
    fake.verify()


async def test_what_is_not_built_is_found(client: Client, fake: FakeGitHub) -> None:
    """A field of the schema the fake does not know is a violation."""
    await ask(client, "{ viewer { name } }")

    with pytest.raises(AssertionError, match=r"User\.name is not built"):
        fake.verify()


async def test_comments_are_minimized(client: Client, fake: FakeGitHub) -> None:
    """minimizeComment hides a comment, and REST shows it."""
    fake.open_issue(NAME, "Please")
    path = f"/repos/{NAME}/issues/1/comments"
    made = (await client.ask("POST", path, {"body": "old"})).body
    query = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED})
      { minimizedComment { isMinimized minimizedReason } } }"""

    done = await ask(client, query, id=made["node_id"])

    assert done["data"]["minimizeComment"]["minimizedComment"]["minimizedReason"] == "outdated"
    assert (await client.ask("GET", path)).body[0]["minimized"] == {"reason": "outdated"}
    assert fake.says(NAME, 1) == ["old"]
    fake.verify()


async def test_drafts_become_ready(client: Client, fake: FakeGitHub) -> None:
    """markPullRequestReadyForReview and back."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    body = {"title": "T", "head": "topic", "base": "main", "draft": True}
    node = (await client.ask("POST", f"/repos/{NAME}/pulls", body)).body["node_id"]
    for name, draft in (
        ("markPullRequestReadyForReview", False),
        ("convertPullRequestToDraft", True),
    ):
        asked = f"{name}(input: {{pullRequestId: $id}}) {{ pullRequest {{ isDraft }} }}"
        query = f"mutation($id: ID!) {{ {asked} }}"
        done = await ask(client, query, id=node)
        assert done["data"][name]["pullRequest"]["isDraft"] is draft
    fake.verify()


async def test_becoming_ready_is_told_once(
    client: Client, fake: FakeGitHub, listener: Listener
) -> None:
    """The mutation sends ready_for_review, and nothing when the pull request is ready already."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    body = {"title": "T", "head": "topic", "base": "main", "draft": True}
    node = (await client.ask("POST", f"/repos/{NAME}/pulls", body)).body["node_id"]
    change = "markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId }"
    for _ in range(2):
        await ask(client, f"mutation($id: ID!) {{ {change} }}", id=node)
    await fake.settle()

    told = [f"{d.event}.{d.action}" for d in fake.deliveries]
    assert told.count("pull_request.ready_for_review") == 1
    fake.verify()


async def test_a_draft_needs_permissions(client: Client, fake: FakeGitHub) -> None:
    """Contents and pull requests must be writable, or it is FORBIDDEN and a violation."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    client.token = fake.token(NAME, pull_requests="write")
    change = f'convertPullRequestToDraft(input: {{pullRequestId: "PR_{pull.id}"}})'

    done = await ask(client, f"mutation {{ {change} {{ clientMutationId }} }}")

    assert done["errors"][0]["type"] == "FORBIDDEN"
    fake.forgive("permission missing for drafts")
    fake.verify()


MOVE = """mutation($repo: ID!, $moves: [RefUpdate!]!) {
  updateRefs(input: {repositoryId: $repo, refUpdates: $moves}) { clientMutationId } }"""


async def _move(client: Client, *moves: dict[str, object]) -> str:
    """Ask for changes of refs; the error's kind, or ""."""
    repo = f"R_{client.fake.repo(NAME).id}"
    done = await ask(client, MOVE, repo=repo, moves=list(moves))
    return done["errors"][0]["type"] if "errors" in done else ""


async def test_refs_move_only_from_where_they_are_expected(
    client: Client, fake: FakeGitHub
) -> None:
    """beforeOid is a compare-and-swap; of several changes all are made or none."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    view = fake.repo(NAME)
    topic, main = view.branches["topic"], view.branches["main"]
    ref = {"name": "refs/heads/topic", "afterOid": main, "force": True}
    made = {"name": "refs/heads/new", "afterOid": main}

    assert await _move(client, made, ref | {"beforeOid": "1" * 40}) == "UNPROCESSABLE"
    assert view.branches == {"main": main, "topic": topic}
    assert await _move(client, ref | {"beforeOid": topic, "force": False}) == "UNPROCESSABLE"
    assert await _move(client, made, ref | {"beforeOid": topic}) == ""
    assert view.branches == {"main": main, "topic": main, "new": main}
    fake.verify()


async def test_a_ref_is_deleted_by_zeros(client: Client, fake: FakeGitHub) -> None:
    """afterOid of zeros deletes, once."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    gone = {"name": "refs/heads/topic", "afterOid": "0" * 40}

    assert await _move(client, gone | {"beforeOid": fake.repo(NAME).branches["topic"]}) == ""
    assert await _move(client, gone) == "UNPROCESSABLE"
    assert set(fake.repo(NAME).branches) == {"main"}
    fake.verify()


HOME = """query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment {
  body pullRequest { number state merged isDraft } } } }"""


async def test_a_comment_knows_its_pull_request(client: Client, fake: FakeGitHub) -> None:
    """One question tells a comment and how its pull request stands; a deleted one is null."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    for text in ("first", "second"):
        await fake.comment(NAME, pull.number, text)
    one, two = fake.repo(NAME).comments(pull.number)
    await fake.delete_comment(two)
    await fake.close(NAME, pull.number)

    answer = await ask(client, HOME, ids=[f"IC_{one.id}", f"IC_{two.id}"])

    first, second = answer["data"]["nodes"]
    state = {"number": pull.number, "state": "CLOSED", "merged": False, "isDraft": False}
    assert (first, second) == ({"body": "first", "pullRequest": state}, None)
    assert answer["errors"][0]["type"] == "NOT_FOUND"
    fake.verify()


THREADS = """query($id: ID!) { node(id: $id) { ... on PullRequest {
  reviewThreads(first: 5) { nodes {
    id isResolved path line comments(first: 5) { nodes { databaseId body } } } } } } }"""


async def test_a_thread_is_read_answered_and_resolved(client: Client, fake: FakeGitHub) -> None:
    """A reply goes to the first comment; a comment moves with its lines until they change."""
    await fake.push(NAME, {"x": b"a\nb\n"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    await fake.review(NAME, pull.number, "COMMENTED", on=[("x", 2, 2, "Why?")])
    path = f"/repos/{NAME}/pulls/{pull.number}/comments/{pull.threads[0].comments[0].id}/replies"

    reply = await client.ask("POST", path, {"body": "Because."})
    await fake.push(NAME, {"x": b"new\na\nb\n"}, branch="topic")
    moved = (await ask(client, THREADS, id=f"PR_{pull.id}"))["data"]["node"]["reviewThreads"]
    await fake.push(NAME, {"x": b"new\na\nc\n"}, branch="topic")
    gone = (await ask(client, THREADS, id=f"PR_{pull.id}"))["data"]["node"]["reviewThreads"]
    thread = moved["nodes"][0]["id"]
    done = f'resolveReviewThread(input: {{threadId: "{thread}"}}) {{ clientMutationId }}'
    await ask(client, f"mutation {{ {done} }}")

    assert reply.body["in_reply_to_id"] == pull.threads[0].comments[0].id
    assert [each["body"] for each in moved["nodes"][0]["comments"]["nodes"]] == ["Why?", "Because."]
    assert (moved["nodes"][0]["line"], gone["nodes"][0]["line"]) == (3, None)
    assert pull.threads[0].resolved
    assert fake.says_in_threads(NAME, pull.number) == [("Why?", "Because.")]
    fake.verify()


async def test_resolving_a_thread_needs_permissions(client: Client, fake: FakeGitHub) -> None:
    """Without them it is FORBIDDEN and a violation."""
    await fake.push(NAME, {"x": b"x"}, branch="topic")
    pull = await fake.open_pull(NAME, "T", head="topic")
    await fake.review(NAME, pull.number, "COMMENTED", on=[("x", 1, 1, "Why?")])
    client.token = fake.token(NAME, pull_requests="read")
    done = f'resolveReviewThread(input: {{threadId: "PRRT_{pull.threads[0].id}"}})'

    answer = await ask(client, f"mutation {{ {done} {{ clientMutationId }} }}")

    assert answer["errors"][0]["type"] == "FORBIDDEN"
    assert not pull.threads[0].resolved
    fake.forgive("permission missing for resolveReviewThread")
    fake.verify()
