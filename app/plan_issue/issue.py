"""The one issue of a repository that shows its plan: how it is found, made and edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.github.api import RepositoryApi
from app.github.comments import marked, marker, section, with_markers
from handlers.ticks import Tick, ticked, with_ticks
from runner.state.changes import blob_sha

TITLE = "Cairn: plan of the roadmap"
MARK = marker("plan", "roadmap")
_NOTE = "note"


@dataclass(frozen=True, slots=True)
class ShownIssue:
    """The issue as it is on GitHub."""

    number: int
    body: str
    open: bool

    @property
    def planned(self) -> str | None:
        """The name of the roadmap it shows; None without a note."""
        return marked(self.body, "planned")

    @property
    def note(self) -> str:
        """What it says about the last push."""
        return section(self.body, _NOTE)


class PlanIssue:
    """One a repository, by our App (``bot_login``).

    People may give it another title. A closed one stays closed, and no other one is made.
    """

    def __init__(self, api: RepositoryApi, *, bot_login: str) -> None:
        self._api = api
        self._bot_login = bot_login

    async def find(self) -> ShownIssue | None:
        """Return it as it is now. Raises ``Outage`` or ``TaskError``."""
        # the oldest first: it was made before most pull requests of ours
        query = {
            "state": "all",
            "creator": self._bot_login,
            "sort": "created",
            "direction": "asc",
            "per_page": "100",
        }
        async for each in self._api.items(f"issues?{urlencode(query)}", "list our issues"):
            author = (each["user"] or {}).get("login")
            if author == self._bot_login and (each["body"] or "").startswith(MARK):
                return _read(each)
        return None

    async def show(self, title: str, text: str, *, planned: str = "", rest: str = "") -> int:
        """Give it a text and return its number; it is made where there is none.

        ``planned`` names the roadmap the text is about, ``rest`` says where to read on (Markdown).
        """
        found = await self.find()
        if found is not None:
            return await self.write(found, text, planned=planned, rest=rest)
        data = {"title": title, "body": _body(text, planned, rest)}
        return int((await self._api.post("issues", data, "open the plan"))["number"])

    async def write(
        self,
        found: ShownIssue,
        text: str,
        *,
        planned: str = "",
        rest: str = "",
        handled: frozenset[Tick] = frozenset(),
    ) -> int:
        """Give it a text, unless it has that already; return its number.

        It is read again first. A checkbox that somebody ticked in the meantime stays ticked, until
        the event about it is worked; those that were ``handled`` are empty again.
        """
        now = _read(await self._api.get(f"issues/{found.number}", f"show #{found.number}"))
        body = with_ticks(_body(text, planned, rest), ticked(now.body) - handled)
        if now.body.replace("\r\n", "\n") != body:
            doing = f"edit #{found.number}"
            await self._api.change(f"issues/{found.number}", {"body": body}, doing)
        return found.number

    async def reopen(self, found: ShownIssue) -> None:
        """Open a closed one again: somebody asked for it."""
        if not found.open:
            doing = f"open #{found.number} again"
            await self._api.change(f"issues/{found.number}", {"state": "open"}, doing)


def is_plan(body: str) -> bool:
    """Say whether the text of an issue that our App wrote is that of the plan."""
    return body.startswith(MARK)


def planned_name(*contents: bytes) -> str:
    """Name a version of the plans, by which it is known what an issue shows."""
    names = [blob_sha(each) for each in contents] or ["none"]
    return names[0] if len(names) == 1 else blob_sha(" ".join(names).encode())


def noted(note: str) -> str:
    """Mark what is said about the last push, so that it is found and kept."""
    return f"{marker(_NOTE, 'begin')}\n{note}\n{marker(_NOTE, 'end')}" if note else ""


def _body(text: str, planned: str, rest: str) -> str:
    return with_markers([MARK, marker("planned", planned)], text, rest=rest)


def _read(found: Any) -> ShownIssue:
    return ShownIssue(int(found["number"]), found["body"] or "", found["state"] == "open")
