"""The check run ``cairn/stack``: whether a pull request of ours is next to be merged.

A merge rule can require it: it is pending while another one is to be merged first, and fails while
a branch has what must not be merged with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from app.github.checks import STACK
from app.github.place import Place
from handlers.ports import StackPlace
from handlers.texts import stack_replies

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


@dataclass(frozen=True, slots=True)
class Held:
    """What keeps people from merging a pull request (Markdown), and who is to end that."""

    text: str
    by: Literal["you", "cairn", "github"] = "you"


async def show_place(
    at: Place, commit: str, place: StackPlace, *, held: Held | None = None, new: bool = False
) -> None:
    """Show the place of a pull request on its head; doing it twice leaves one.

    ``held`` is what has to end first. A ``new`` commit has no check yet. The details lead to the
    pull request to merge first, or to the list of all of ours that are open.
    """
    data = stack_check(place, held)
    author = f"app/{at.bot_login.removesuffix('[bot]')}"
    every = f"{at.url}/pulls?{urlencode({'q': f'is:pr is:open author:{author}'})}"
    data["details_url"] = f"{at.url}/pull/{place.waits_for}" if place.waits_for else every
    said = "\n".join(_said(data))

    async def show() -> None:
        there = None if new else await at.checks.find(STACK, commit)
        waits = "conclusion" not in data
        if there is None or (waits and there["status"] == "completed"):  # it cannot begin again
            await at.checks.make(commit, data)
        elif _said(there) != _said(data):
            await at.checks.change(there, data)
        at.memory.shown[commit] = said

    if at.memory.shown.get(commit) != said:
        await at.checks.tried(show)


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
