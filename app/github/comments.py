"""Comments of ours that are made once, found again by what their text begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.github.markers import marker, with_markers
from app.github.repository_api import RepositoryApi


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of ours; ``node`` is the id GraphQL wants."""

    id: int
    node: str
    url: str


class Comments:
    """What our App (``bot_login``) says on issues and pull requests of one repository."""

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self, number: int, kind: str, name: str) -> Comment | None:
        """Return our comment with this marker, unless nobody made it or somebody deleted it."""
        mark = marker(kind, name)
        path = f"issues/{number}/comments?per_page=100"
        async for each in self._api.items(path, f"list the comments of #{number}"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and (each["body"] or "").startswith(mark):
                return _read(each)
        return None

    async def ensure(self, number: int, kind: str, name: str, text: str) -> Comment:
        """Return our comment with this marker; it is made when there is none."""
        found = await self.find(number, kind, name)
        if found:
            return found
        data = {"body": with_markers([marker(kind, name)], text)}
        return _read(
            await self._api.post(f"issues/{number}/comments", data, f"comment on #{number}")
        )


def _read(found: Any) -> Comment:
    return Comment(found["id"], found["node_id"], found["html_url"])
