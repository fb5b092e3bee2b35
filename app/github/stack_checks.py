"""The check run ``cairn/stack``: whether a pull request of ours is next to be merged.

A merge rule can require it: it is pending while another one is to be merged first, and fails while
a branch has what must not be merged with it. Here is also what a process remembers of the stacks of
a repository, so that it asks GitHub less.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from cachetools import LRUCache

from app.github.api import BestEffort
from app.github.checks import STACK, CheckRuns
from handlers.ports import StackPlace
from handlers.texts import stack_replies
from runner.errors import Outage

_log = logging.getLogger(__name__)

_NEXT = "Nothing has to be merged first"
_NEXT_SUMMARY = "This pull request does not build on another one that is still open."
_WAITS = (
    "This pull request builds on #{lower}. {verb} #{lower} first{why}. The description has the "
    "whole order, and Cairn updates this check when one of them is merged or closed."
)
_NEEDLESS = ": its task is done without it"
_ALONG = "Merging it also merges {along}"
_ALONG_SUMMARY = (
    "This pull request is in a stack of GitHub, which merges it together with {along} below it."
)
_HELD = {
    "you": "This branch needs you before it can be merged",
    "cairn": "Cairn is working on a conflict with the base branch",
    "github": "GitHub is rebasing this branch",
}


def _remembered() -> LRUCache[str, str]:
    return LRUCache(maxsize=1_000)


@dataclass
class StackMemory:
    """What a process knows of the stacks of one repository; losing it costs only requests.

    ``turn`` lets one change them at a time. ``settled`` names the state in which nothing was left
    to do. ``shown`` is what ``cairn/stack`` says on a commit, ``verified`` holds the commits that
    have a check ``cairn/trust`` or will have one.
    """

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    settled: object = None
    shown: LRUCache[str, str] = field(default_factory=_remembered)
    verified: LRUCache[str, str] = field(default_factory=_remembered)


@dataclass(frozen=True, slots=True)
class Held:
    """What keeps people from merging a pull request (Markdown), and who is to end that."""

    text: str
    by: Literal["you", "cairn", "github"] = "you"


@dataclass(frozen=True, slots=True)
class StackLinks:
    """Pages of a repository at ``url`` on GitHub; ``bot_login`` opens our pull requests there."""

    url: str
    bot_login: str

    def of(self, place: StackPlace) -> str:
        """The pull request to merge first, or the list of all of ours that are open."""
        if lower := place.waits_for:
            return f"{self.url}/pull/{lower}"
        author = f"app/{self.bot_login.removesuffix('[bot]')}"
        return f"{self.url}/pulls?{urlencode({'q': f'is:pr is:open author:{author}'})}"


class StackChecks:
    """The places of pull requests as check runs; nothing is shown without ``runs``.

    ``links`` are where the details of a check lead.
    """

    def __init__(
        self, runs: CheckRuns | None, effort: BestEffort, memory: StackMemory, links: StackLinks
    ) -> None:
        self._runs, self._effort, self._memory = runs, effort, memory
        self._links = links

    async def show(
        self, commit: str, place: StackPlace, *, held: Held | None = None, new: bool = False
    ) -> None:
        """Show the place of a pull request on its head; doing it twice leaves one.

        ``held`` is what has to end first. A ``new`` commit has no check yet.
        """
        data = stack_check(place, held) | {"details_url": self._links.of(place)}
        said = "\n".join(_said(data))
        if self._runs is None or self._memory.shown.get(commit) == said:
            return
        with self._effort():
            try:
                await self._show(self._runs, commit, data, new=new)
            except Outage as outage:
                if outage.kind != "permission":
                    raise
                self._runs = None
                _log.info("The check %s is not shown: %s", STACK, outage.message)
            else:
                self._memory.shown[commit] = said

    async def _show(self, runs: CheckRuns, commit: str, data: dict[str, Any], *, new: bool) -> None:
        there = None if new else await runs.find(STACK, commit)
        waits = "conclusion" not in data
        if there is None or (waits and there["status"] == "completed"):  # it cannot begin again
            await runs.make(commit, data)
        elif _said(there) != _said(data):
            await runs.change(there, data)


def _said(check: Any) -> tuple[str, str]:
    """What people read of a check run."""
    output = check["output"]
    return output["title"] or "", output["summary"] or ""


def stack_check(place: StackPlace, held: Held | None = None) -> dict[str, Any]:
    """The check run: pending while another one is to be merged first, or somebody is at work."""
    if held:
        output = {"title": _HELD[held.by], "summary": held.text}
        ended = {"conclusion": "failure"} if held.by == "you" else {"status": "in_progress"}
        return {"name": STACK, **ended, "output": output}
    if lower := place.waits_for:
        verb, why = ("Close", _NEEDLESS) if lower in place.needless else ("Merge", "")
        summary = _WAITS.format(lower=lower, verb=verb, why=why)
        output = {"title": f"Waits for #{lower}", "summary": summary}
        return {"name": STACK, "status": "queued", "output": output}
    output = {"title": _NEXT, "summary": _NEXT_SUMMARY}
    if place.along:
        along = stack_replies.numbers(place.along)
        output = {
            "title": _ALONG.format(along=along),
            "summary": _ALONG_SUMMARY.format(along=along),
        }
    return {"name": STACK, "conclusion": "success", "output": output}
