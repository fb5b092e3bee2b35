"""The check runs ``cairn/trust`` and ``cairn/stack`` of our pull requests.

https://docs.github.com/en/rest/checks/runs
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from app.github.checks import STACK, TRUST
from app.github.place import Place
from handlers.ports import StackPlace
from handlers.texts import stack_replies
from runner.people.texts import trust_texts
from runner.people.trust import trust_json
from runner.state.publishing import ShownTasks

_LONGEST = 60_000
"""Characters of a text in a check run; GitHub stores 65,535."""

_AT_ONCE = 50
"""Annotations that GitHub takes with one request."""

VERIFYING = "Cairn verifies this commit again"
NOT_KNOWN = "Cairn could not verify this commit again"
_NOTHING = "There is no summary for programs."
_TOO_LONG = "The summary for programs is too long for GitHub. It is in `report.json`."


@dataclass(frozen=True)
class TrustChecks:
    """How far pull requests are verified, as the check run ``cairn/trust`` on their commits.

    Where nothing can be shown, the pull request itself says the same.
    """

    at: Place

    async def show(
        self, commit: str, shown: ShownTasks, *, red: bool = False, new: bool = False
    ) -> None:
        """Show how far tasks are verified on a commit; doing it twice leaves one.

        ``red`` says that tests fail there because of the change. A ``new`` commit has none yet.
        """
        if not shown.trust:
            return
        data = _check(shown) | ({"conclusion": "failure"} if red else {})
        tasks = [each.task for each in shown.details]
        if page := self.at.page(tasks[0] if len(tasks) == 1 else ""):
            data["details_url"] = page
        notes = [
            {
                "path": note.path,
                "start_line": note.start,
                "end_line": note.end,
                "annotation_level": note.level,
                "title": note.title,
                "message": note.text,
            }
            for each in shown.details
            for note in each.notes
        ]
        await self._shown(commit, data, notes, new=new)

    async def begin(self, commit: str) -> None:
        """Show that a commit is verified again, as a new check run: notes cannot be taken back."""
        output = {"title": VERIFYING, "summary": f"{VERIFYING}.", "text": _NOTHING}
        data = {"name": TRUST, "status": "in_progress", "output": output}

        async def begin() -> None:
            there = await self.at.checks.find(TRUST, commit)
            if there is None or there["status"] == "completed":
                await self.at.checks.make(commit, data)

        await self.at.checks.tried(begin)

    async def explain(self, commit: str, why: str) -> None:
        """Show why nobody knows how far a commit is verified (Markdown); that blocks no merge."""
        output = {"title": NOT_KNOWN, "summary": why, "text": _NOTHING}
        data = {"name": TRUST, "conclusion": "neutral", "output": output}
        await self._shown(commit, data)

    async def is_on(self, commit: str) -> bool:
        """Say whether the check is on a commit, or nothing can be shown there."""
        runs, verified = self.at.checks, self.at.memory.verified
        if commit not in verified and await runs.tried(lambda: runs.find(TRUST, commit)):
            verified[commit] = TRUST
        return commit in verified or not runs.shown

    async def carry(self, old: str, new: str) -> bool:
        """Show on a new commit what is shown on another one of the same files.

        False where nothing is shown there.
        """
        runs = self.at.checks

        async def carry() -> bool:
            there = await runs.find(TRUST, old)
            if there is None or there["status"] != "completed":
                return False
            output = {key: there["output"][key] for key in ("title", "summary", "text")}
            kept = {key: there[key] for key in ("conclusion", "details_url") if there[key]}
            data = {"name": TRUST, **kept, "output": output}
            notes = await runs.annotations(there)
            await self._annotate(await runs.make(new, data), data, notes)
            self.at.memory.verified[new] = TRUST
            return True

        return bool(await runs.tried(carry))

    async def _shown(
        self,
        commit: str,
        data: dict[str, Any],
        notes: Sequence[dict[str, Any]] = (),
        *,
        new: bool = False,
    ) -> None:
        """Make or change the check run, and add the notes that it does not have yet."""
        runs = self.at.checks

        async def show() -> None:
            there = None if new else await runs.find(TRUST, commit)
            if there is None:
                there = await runs.make(commit, data)
            elif there["output"]["summary"] != data["output"]["summary"]:
                there = await runs.change(there, data)
            await self._annotate(there, data, notes)
            self.at.memory.verified[commit] = TRUST

        await runs.tried(show)

    async def _annotate(
        self, there: Any, data: dict[str, Any], notes: Sequence[dict[str, Any]]
    ) -> None:
        for start in range(there["output"]["annotations_count"], len(notes), _AT_ONCE):
            output = data["output"] | {"annotations": notes[start : start + _AT_ONCE]}
            await self.at.checks.change(there, {"output": output})


def _check(shown: ShownTasks) -> dict[str, Any]:
    """The check run: neutral where anything is in doubt, so that it blocks no merge."""
    every = [trust for _, trust in shown.trust]
    sure = all(trust.result == "verified" for trust in every)
    as_json = json.dumps([trust_json(trust) for trust in every], indent=2, ensure_ascii=False)
    summary, title = trust_texts.summaries(shown.trust), trust_texts.title(every)
    return {
        "name": TRUST,
        "conclusion": "success" if sure else "neutral",
        "output": {
            "title": title,
            "summary": summary if len(summary) <= _LONGEST else title,
            "text": _text(f"```json\n{as_json}\n```", _details(shown)),
        },
    }


def _text(as_json: str, details: str) -> str:
    """The JSON for programs, then the details for people, as far as there is room."""
    whole = f"{as_json}\n\n{details}".rstrip()
    fits = (text for text in (whole, as_json, details) if len(text) <= _LONGEST)
    return next(fits, _TOO_LONG)


def _details(shown: ShownTasks) -> str:
    titles = {trust.task: title for title, trust in shown.trust}
    several = len(shown.details) > 1
    return "\n\n".join(
        f"### {titles.get(each.task, each.task)}\n\n{each.text}" if several else each.text
        for each in shown.details
    )


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
