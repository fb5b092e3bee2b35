"""What the client tells of requests that may have changed something on GitHub."""

from __future__ import annotations

import pytest
from gidgethub import BadRequest

from app.github.client import GitHubClient
from tests.app.github.kit import Answer, Script

FOUND = Answer(200, {"data": {}})


async def test_only_what_may_change_something_is_told(
    client: GitHubClient, script: Script, written: list[tuple[str, int]]
) -> None:
    """With GitHub's answer, also where that is a refusal; what only reads is not told."""
    script.says(Answer(200, {}), Answer(201, {}), FOUND, FOUND, FOUND, Answer(422, {"message": ""}))
    await client.getitem("/x")
    await client.post("/pulls?draft=1", data={"title": "One"})
    await client.graphql("query { viewer { login } }")
    await client.graphql("mutation($pull: ID!) { markReady(input: {id: $pull}) { id } }", pull="1")
    await client.graphql("mutation { a: addStar(input: {}) { id } }")
    with pytest.raises(BadRequest):
        await client.patch("/refs", data={})

    assert written == [
        ("POST /api/v3/pulls", 201),
        ("GraphQL markReady", 200),
        ("GraphQL addStar", 200),
        ("PATCH /api/v3/refs", 422),
    ]
