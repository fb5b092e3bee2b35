"""Who reacted to comments, how and when: up to 100 comments a request.

GitHub sends no event for reactions, and only GraphQL tells the time and user of each of many
(https://docs.github.com/en/graphql/reference/objects#reaction).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from gidgethub import GraphQLException, QueryError

from app.github.client import GitHubClient
from app.github.refusals import is_closed
from handlers.reactions import Reacted, Reaction
from runner.errors import Outage

MOST = 100
"""Comments of one request."""

_MOST_PAGES = 10
_FIELDS = """id createdAt lastEditedAt reactions(first: 100, after: $after) {
  pageInfo { hasNextPage endCursor }
  nodes { databaseId content createdAt user { login databaseId } }
}"""
_QUERY = f"""query($ids: [ID!]!, $after: String) {{
  nodes(ids: $ids) {{ ... on IssueComment {{ {_FIELDS} }} }}
}}"""


async def read_reactions(
    client: GitHubClient, nodes: Sequence[str]
) -> tuple[dict[str, Reacted | None], int]:
    """Return what is on each comment (None: it is gone), and how many requests that took.

    Of a comment with very many reactions the first thousand are read. Raises ``Outage``, of the
    kind ``permission`` where asking again would not help: GraphQL is not there, or is forbidden.
    """
    found = await _ask(client, nodes)
    requests = 1
    read = {node: _read(each) for node, each in found.items()}
    for node, each in found.items():
        page, pages = each, 1
        while (after := _next(page)) and pages < _MOST_PAGES:
            page = (await _ask(client, [node], after)).get(node)
            pages, requests = pages + 1, requests + 1
            read[node] = _joined(read[node], _read(page))
    return read, requests


async def _ask(client: GitHubClient, nodes: Sequence[str], after: str | None = None) -> Any:
    try:
        data = await client.graphql(_QUERY, ids=list(nodes), after=after)
    except QueryError as error:
        data = _partial(client, error)
    except GraphQLException as error:
        kind = "permission" if is_closed(error) else "github"
        raise Outage(kind, f"GitHub did not tell the reactions: {error}") from error
    return dict(zip(nodes, data["nodes"], strict=True))


def _partial(client: GitHubClient, error: QueryError) -> Any:
    """What is left where some comments are gone; any other error is an outage."""
    response = error.response
    kinds = {str(each.get("type")) for each in response["errors"]}
    if kinds <= {"NOT_FOUND"} and response.get("data"):
        return response["data"]
    limit = client.rate_limit
    until = limit.reset_datetime if limit and "RATE_LIMITED" in kinds else None
    said = f"GitHub did not tell the reactions: {error}"
    raise Outage("permission" if "FORBIDDEN" in kinds else "github", said, until=until) from error


def _read(found: Any) -> Reacted | None:
    if not found or "reactions" not in found:
        return None
    edited = found["lastEditedAt"]
    reactions = (_reaction(each) for each in found["reactions"]["nodes"] if each)
    return Reacted(
        made_at=datetime.fromisoformat(found["createdAt"]),
        edited_at=datetime.fromisoformat(edited) if edited else None,
        reactions=tuple(each for each in reactions if each),
    )


def _reaction(found: Any) -> Reaction | None:
    """A reaction of an account; those of deleted accounts, and of Apps, have none."""
    user = found["user"]
    if not user or user.get("databaseId") is None:
        return None
    at = datetime.fromisoformat(found["createdAt"])
    return Reaction(found["databaseId"], found["content"], at, user["databaseId"], user["login"])


def _joined(first: Reacted | None, more: Reacted | None) -> Reacted | None:
    if first is None or more is None:
        return first
    both = (*first.reactions, *more.reactions)
    return Reacted(made_at=first.made_at, edited_at=first.edited_at, reactions=both)


def _next(found: Any) -> str | None:
    page = (found or {}).get("reactions", {}).get("pageInfo", {})
    return page.get("endCursor") if page.get("hasNextPage") else None
