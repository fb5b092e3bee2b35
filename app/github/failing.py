"""Checks of others that fail on a commit (a repository's CI, say), and what they printed.

https://docs.github.com/en/rest/checks/runs
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from app.github.api import RepositoryApi
from runner.errors import Outage, TaskError
from runner.state.revising import Point
from runner.text.sanitize import cut_middle

_LOG = logging.getLogger(__name__)

_FAILED = ("failure", "timed_out")
_ACTIONS = "github-actions"
_LONGEST = 6_000
"""Characters of one check that are read; the end of a log says most."""

_MOST = 5
_MOST_ANNOTATIONS = 20


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check run that fails on a commit and not on what that builds on; ``app`` made it."""

    id: int
    name: str
    app: str
    output: str


class FailingChecks:
    """The checks of others than our App (``bot_login``) in one repository.

    ``api`` may read check runs, ``logs`` those of GitHub Actions; where an owner has not granted
    that, their annotations are all that is read.
    """

    def __init__(self, api: RepositoryApi, logs: RepositoryApi, *, bot_login: str) -> None:
        self._api, self._logs, self._bot_login = api, logs, bot_login

    async def on(self, commit: str, base: str) -> tuple[FailedCheck, ...]:
        """Return those that fail on a commit; none as long as others have not ended.

        What fails on ``base`` (a branch or commit) too is not among them. Raises ``Outage``.
        """
        runs = [run async for run in self._runs(commit)]
        if any(run["status"] != "completed" for run in runs):
            return ()
        failed = [run for run in runs if run["conclusion"] in _FAILED]
        if not failed:
            return ()
        before = {run["name"] async for run in self._runs(base) if run["conclusion"] in _FAILED}
        return tuple(_failed(run) for run in failed if run["name"] not in before)[:_MOST]

    async def points(self, failed: Sequence[FailedCheck]) -> list[Point]:
        """Return what each of them says, as material for a model. Raises ``Outage``."""
        return [await self._point(each) for each in failed]

    async def _runs(self, ref: str) -> AsyncIterator[Any]:
        path = f"commits/{quote(ref, safe='')}/check-runs?per_page=100"
        found = await self._api.get(path, f"list the checks of {ref}", refused=Outage)
        for run in found["check_runs"]:
            if f"{(run['app'] or {}).get('slug')}[bot]" != self._bot_login:
                yield run

    async def _point(self, failed: FailedCheck) -> Point:
        notes = await self._annotations(failed)
        log = await self._log(failed) if failed.app == _ACTIONS else ""
        parts = [f"The check {failed.name} fails.", failed.output, *map(_note_line, notes), log]
        text = cut_middle("\n\n".join(filter(None, parts)), _LONGEST)
        first = next((note for note in notes if note["path"] != ".github"), None)
        point = Point(text=text, by=failed.app, rest=text)
        return _at(point, first) if first else point

    async def _annotations(self, failed: FailedCheck) -> list[Any]:
        path = f"check-runs/{failed.id}/annotations?per_page={_MOST_ANNOTATIONS}"
        found = await self._api.get(path, f"read the check {failed.name}", refused=Outage)
        return list(found)

    async def _log(self, failed: FailedCheck) -> str:
        """The log of a job of GitHub Actions, whose number is that of its check run."""
        doing = f"read the log of {failed.name}"
        try:
            return str(await self._logs.get(f"actions/jobs/{failed.id}/logs", doing))
        except (TaskError, Outage) as refused:
            if isinstance(refused, Outage) and refused.kind != "permission":
                raise
            _LOG.info("The log of the check %s is not read: %s", failed.name, refused.message)
            return ""


def _failed(run: Any) -> FailedCheck:
    output = run["output"]
    parts = [output["title"], output["summary"], output["text"]]
    app = (run["app"] or {}).get("slug") or ""
    return FailedCheck(run["id"], run["name"], app, "\n\n".join(filter(None, parts)))


def _note_line(note: Any) -> str:
    return f"{note['path']}:{note['start_line']}: {note['message'] or ''}"


def _at(point: Point, note: Any) -> Point:
    return Point(
        text=point.text,
        by=point.by,
        rest=point.rest,
        path=note["path"],
        start=note["start_line"],
        end=note["end_line"],
    )
