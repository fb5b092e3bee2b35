"""GraphQL is checked against GitHub's schema and answers what is built."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client

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
