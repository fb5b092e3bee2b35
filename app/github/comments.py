"""Our own comments, hidden markers (``<!-- cairn:<kind>:<name> -->``), and people's reactions.

A marker counts only in text that our App wrote. Ours come before all other text, and the first of
a kind counts, so text from a model cannot pass for one. GitHub sends no event for reactions, and
only GraphQL gives the time and user of many at once
(https://docs.github.com/en/graphql/reference/objects#reaction).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from gidgethub import GraphQLException, QueryError

from app.github.api import RepositoryApi, is_closed
from app.github.client import GitHubClient
from handlers.decisions import Reacted, Reaction
from runner.errors import Outage
from runner.text.fit import MOST_STORED, fit

_STORED = 65_000
"""Characters with all markers, of which there may be a thousand (GitHub's limit is 65,536)."""


def marker(kind: str, name: str) -> str:
    """Make a marker. What would end an HTML comment is percent-encoded."""
    safe = name.replace("%", "%25").replace("--", "-%2D").replace("\n", "%0A")
    return f"<!-- cairn:{kind}:{safe} -->"


def marked(body: str | None, kind: str) -> str | None:
    """Return the name in the first marker of a kind, or None."""
    found = re.search(rf"<!-- cairn:{re.escape(kind)}:(.*?) -->", body or "")
    return unquote(found[1]) if found else None


def first_kind(body: str | None) -> str | None:
    """Return the kind of the first marker, which says what an object of ours is."""
    found = re.search(r"<!-- cairn:([a-z]+):.*? -->", body or "")
    return found[1] if found else None


def with_section(body: str, name: str, text: str) -> str:
    """Return our text with one part, found by its name, inserted or replaced.

    It comes after the markers at the top; an empty one is removed.
    """
    begin, end = marker(name, "begin"), marker(name, "end")
    part = f"{begin}\n{text}\n{end}\n\n" if text else ""
    whole = rf"{re.escape(begin)}.*?{re.escape(end)}(?:\r?\n){{0,2}}"
    if found := re.search(whole, body, re.DOTALL):
        return body[: found.start()] + part + body[found.end() :]
    above = re.match(r"(?:<!-- cairn:[a-z]+:.*? -->\r?\n)*(?:\r?\n)?", body)
    at = above.end() if above else 0
    return body[:at] + part + body[at:]


def section(body: str, name: str) -> str:
    """Return what is in a part of our text, or ''."""
    begin, end = marker(name, "begin"), marker(name, "end")
    found = re.search(rf"{re.escape(begin)}(.*?){re.escape(end)}", body, re.DOTALL)
    return found[1].replace("\r\n", "\n").strip("\n") if found else ""


def with_markers(markers: Iterable[str], text: str, *, rest: str = "") -> str:
    """Put markers before a text that is cut at what GitHub takes; ``rest`` says where all is."""
    above = "\n".join([*markers, "", ""])
    return above + fit(text, min(MOST_STORED, max(200, _STORED - len(above))), rest=rest)


@dataclass(frozen=True, slots=True)
class OwnComment:
    """A comment of ours; ``node`` is the id GraphQL wants."""

    id: int
    node: str
    url: str


class Comments:
    """What our App (``bot_login``) says on issues and pull requests of one repository."""

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self, number: int, kind: str, name: str) -> OwnComment | None:
        """Return our comment with this marker, unless nobody made it or somebody deleted it."""
        mark = marker(kind, name)
        path = f"issues/{number}/comments?per_page=100"
        async for each in self._api.items(path, f"list the comments of #{number}"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and (each["body"] or "").startswith(mark):
                return _read(each)
        return None

    async def ensure(
        self, number: int, kind: str, name: str, text: str, *, new: bool = False
    ) -> OwnComment:
        """Return our comment with this marker; create it if there is none.

        What is ``new`` cannot have been told yet.
        """
        found = None if new else await self.find(number, kind, name)
        if found:
            return found
        data = {"body": with_markers([marker(kind, name)], text)}
        return _read(
            await self._api.post(f"issues/{number}/comments", data, f"comment on #{number}")
        )


def _read(found: Any) -> OwnComment:
    return OwnComment(found["id"], found["node_id"], found["html_url"])


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
    read = {node: _reactions_in(each) for node, each in found.items()}
    for node, each in found.items():
        page, pages = each, 1
        while (after := _next(page)) and pages < _MOST_PAGES:
            page = (await _ask(client, [node], after)).get(node)
            pages, requests = pages + 1, requests + 1
            first, more = read[node], _reactions_in(page)
            if first and more:
                read[node] = replace(first, reactions=(*first.reactions, *more.reactions))
    return read, requests


async def _ask(client: GitHubClient, nodes: Sequence[str], after: str | None = None) -> Any:
    try:
        data = await client.graphql(_QUERY, ids=list(nodes), after=after)
    except QueryError as error:
        data = _partial(client, error)
    except GraphQLException as error:
        kind = "permission" if is_closed(error) else "github"
        raise Outage(kind, f"GitHub did not show the reactions: {error}") from error
    return dict(zip(nodes, data["nodes"], strict=True))


def _partial(client: GitHubClient, error: QueryError) -> Any:
    """What is left where some comments are gone; any other error is an outage."""
    response = error.response
    kinds = {str(each.get("type")) for each in response["errors"]}
    if kinds <= {"NOT_FOUND"} and response.get("data"):
        return response["data"]
    limit = client.rate_limit
    until = limit.reset_datetime if limit and "RATE_LIMITED" in kinds else None
    problem = f"GitHub did not show the reactions: {error}"
    raise Outage(
        "permission" if "FORBIDDEN" in kinds else "github", problem, until=until
    ) from error


def _reactions_in(found: Any) -> Reacted | None:
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


def _next(found: Any) -> str | None:
    page = (found or {}).get("reactions", {}).get("pageInfo", {})
    return page.get("endCursor") if page.get("hasNextPage") else None
