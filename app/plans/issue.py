"""The issue that shows a repository's plan: made once, found by its marker, edited in place."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from app.github.markers import marked, marker, with_markers
from app.github.repository_api import RepositoryApi

_MARK = marker("plan", "roadmap")


class PlanIssue:
    """One a repository, by our App (``bot_login``); a closed one stays closed and is kept true."""

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self) -> int | None:
        """Return its number, None when there is none. Raises ``Outage`` or ``TaskError``."""
        found = await self._find()
        return int(found["number"]) if found else None

    async def shows(self) -> str | None:
        """Return the name of what it shows; None when there is no issue or nobody noted it."""
        found = await self._find()
        return marked(found["body"], "planned") if found else None

    async def show(self, title: str, text: str, *, create: bool, planned: str = "") -> int | None:
        """Give it a text and return its number; None when there is none and none is wanted.

        ``planned`` names the roadmap the text is about. People may give it another title.
        """
        body = with_markers([_MARK, marker("planned", planned)], text)
        found = await self._find()
        if found is None:
            return await self._make(title, body) if create else None
        number = int(found["number"])
        if found["body"] != body:
            await self._api.change(f"issues/{number}", {"body": body}, f"edit #{number}")
        return number

    async def _make(self, title: str, body: str) -> int:
        made = await self._api.post("issues", {"title": title, "body": body}, "open the plan")
        return int(made["number"])

    async def _find(self) -> Any:
        # the oldest first: it was made with the first push, before most pull requests of ours
        query = {
            "state": "all",
            "creator": self._bot_login,
            "sort": "created",
            "direction": "asc",
            "per_page": "100",
        }
        async for each in self._api.items(f"issues?{urlencode(query)}", "list our issues"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and (each["body"] or "").startswith(_MARK):
                return each
        return None
