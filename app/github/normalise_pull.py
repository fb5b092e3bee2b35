"""The pull request that proposes checkboxes for a roadmap: one a roadmap, found by its marker.

It is no member of the stack: nothing is built on it before a person merged it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from app.github.branches import Branches
from app.github.markers import first_kind, marked, marker, with_markers
from app.github.pull import PREFIX
from app.github.repository_api import RepositoryApi
from runner.errors import TaskError
from runner.naming import slug
from runner.ports import Checkpoint

_KIND = "normalise"
State = Literal["open", "declined", "pushed"]


@dataclass(frozen=True, slots=True)
class Offered:
    """The pull request: ``open`` shows the proposal, ``declined`` was closed by a person unmerged.

    ``pushed`` is open too, but keeps what a person pushed to it instead of the newest proposal.
    """

    number: int
    url: str
    state: State


@dataclass(frozen=True, slots=True)
class _Pull:
    number: int
    url: str
    open: bool
    merged: bool
    source: str
    base: str


def branch_of(path: str) -> str:
    """Name the branch of a roadmap's proposal."""
    return f"{PREFIX}normalise/{slug(path)}"


class NormalisePull:
    """The proposals of our App (``bot_login``) in one repository."""

    def __init__(self, api: RepositoryApi, *, branches: Branches, bot_login: str) -> None:
        self._api = api
        self._branches = branches
        self._bot_login = bot_login

    async def known(self, branch: str, source: str) -> Offered | None:
        """Return what was offered for exactly this content (``source`` names it) and not merged."""
        found = await self._newest(branch)
        if found is None or found.merged or found.source != source:
            return None
        return Offered(found.number, found.url, "open" if found.open else "declined")

    async def offer(self, shown: Checkpoint, source: str) -> Offered:
        """Put a proposal before people; doing it twice leaves one, a newer one replaces it.

        Raises ``TaskError`` when its branch or pull request is somebody else's, ``Outage``.
        """
        found = await self._newest(shown.branch)
        commit = await self._branches.rebuilt(shown)
        if found is not None and found.open:
            if commit is None:
                return Offered(found.number, found.url, "pushed")
            await self._rewrite(found, shown, source)
            return Offered(found.number, found.url, "open")
        if commit is None:
            raise TaskError("github", _taken(f"branch {shown.branch} holds somebody's commits"))
        return await self._open(shown, source)

    async def _rewrite(self, pull: _Pull, shown: Checkpoint, source: str) -> None:
        if (pull.source, pull.base) != (source, shown.below):
            data = {"title": shown.title, "body": _body(shown, source), "base": shown.below}
            doing = f"rewrite pull request #{pull.number}"
            await self._api.change(f"pulls/{pull.number}", data, doing)

    async def _open(self, shown: Checkpoint, source: str) -> Offered:
        data = {
            "title": shown.title,
            "head": shown.branch,
            "base": shown.below,
            "body": _body(shown, source),
        }
        made = await self._api.create("pulls", data, f"open the pull request of {shown.branch}")
        # somebody was faster: another try of ours, or a person
        ours = _read(made, self._bot_login) if made else await self._newest(shown.branch)
        if ours is None or not ours.open:
            raise TaskError("github", _taken(f"branch {shown.branch} has another pull request"))
        return Offered(ours.number, ours.url, "open")

    async def _newest(self, branch: str) -> _Pull | None:
        owner = self._api.full_name.partition("/")[0]
        query = {"state": "all", "head": f"{owner}:{branch}", "per_page": "100"}
        async for each in self._api.items(f"pulls?{urlencode(query)}", "list pull requests"):
            ours = _read(each, self._bot_login)
            if ours and each["head"]["ref"] == branch:
                return ours
        return None


def _read(found: Any, bot_login: str) -> _Pull | None:
    """Read GitHub's form; None for what is not ours."""
    body = found["body"]
    if (found["user"] or {}).get("login") != bot_login or first_kind(body) != _KIND:
        return None
    return _Pull(
        number=found["number"],
        url=found["html_url"],
        open=found["state"] == "open",
        merged=found["merged_at"] is not None,
        source=marked(body, "source") or "",
        base=found["base"]["ref"],
    )


def _body(shown: Checkpoint, source: str) -> str:
    return with_markers([marker(_KIND, shown.task), marker("source", source)], shown.body)


def _taken(what: str) -> str:
    return f"The proposal is not published: {what}. Delete or rename it, then ask again."
