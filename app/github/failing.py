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


@dataclass(frozen=True, slots=True)
class ChecksSeen:
    """The checks of others on a commit: the names of those that run, and those that ``failed``.

    What fails on its base too is not among these; ``below`` has the names. ``some`` says whether
    there are any at all.
    """

    running: tuple[str, ...] = ()
    failed: tuple[FailedCheck, ...] = ()
    below: tuple[str, ...] = ()
    some: bool = False


@dataclass(frozen=True, slots=True)
class ChecksRead:
    """What failing checks say: a point for each of them that says anything.

    ``silent`` names the others, ``unread`` those whose log could not be read.
    """

    points: tuple[Point, ...]
    silent: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


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
        seen = await self.seen(commit, base)
        return () if seen.running else seen.failed

    async def seen(self, commit: str, base: str) -> ChecksSeen:
        """Return how the checks on a commit are doing, next to those of ``base``.

        The base is looked at only where some fail and none runs. Raises ``Outage``.
        """
        runs = [run async for run in self._runs(commit)]
        running = tuple(run["name"] for run in runs if run["status"] != "completed")
        failed = [run for run in runs if run["conclusion"] in _FAILED]
        if running or not failed:
            return ChecksSeen(running, some=bool(runs))
        before = {run["name"] async for run in self._runs(base) if run["conclusion"] in _FAILED}
        new = tuple(_failed(run) for run in failed if run["name"] not in before)[:_MOST]
        below = tuple(run["name"] for run in failed if run["name"] in before)
        return ChecksSeen((), new, below, some=True)

    async def read(self, failed: Sequence[FailedCheck]) -> ChecksRead:
        """Return what each of them says, as material for a model. Raises ``Outage``."""
        said = [await self._said(each) for each in failed]
        names = [each.name for each in failed]
        return ChecksRead(
            tuple(point for point, _ in said if point),
            silent=tuple(name for name, (point, _) in zip(names, said, strict=True) if not point),
            unread=tuple(name for name, (_, read) in zip(names, said, strict=True) if not read),
        )

    async def _runs(self, ref: str) -> AsyncIterator[Any]:
        path = f"commits/{quote(ref, safe='')}/check-runs?per_page=100"
        found = await self._api.get(path, f"list the checks of {ref}", refused=Outage)
        for run in found["check_runs"]:
            if f"{(run['app'] or {}).get('slug')}[bot]" != self._bot_login:
                yield run

    async def _said(self, failed: FailedCheck) -> tuple[Point | None, bool]:
        """What a check says (None: nothing), and whether its log, if it has one, could be read."""
        notes = await self._annotations(failed)
        log = await self._log(failed) if failed.app == _ACTIONS else ""
        parts = [part for part in (failed.output, *map(_note_line, notes), log or "") if part]
        if not parts:
            return None, log is not None
        said = "\n\n".join([f"The check {failed.name} fails.", *parts])
        text = cut_middle(said, _LONGEST)
        first = next((note for note in notes if note["path"] != ".github"), None)
        point = Point(text=text, by=failed.app, rest=text)
        return (_at(point, first) if first else point), log is not None

    async def _annotations(self, failed: FailedCheck) -> list[Any]:
        path = f"check-runs/{failed.id}/annotations?per_page={_MOST_ANNOTATIONS}"
        found = await self._api.get(path, f"read the check {failed.name}", refused=Outage)
        return list(found)

    async def _log(self, failed: FailedCheck) -> str | None:
        """The log of a job of GitHub Actions, whose number is that of its check run.

        None where it cannot be read.
        """
        doing = f"read the log of {failed.name}"
        try:
            return str(await self._logs.get(f"actions/jobs/{failed.id}/logs", doing))
        except (TaskError, Outage) as refused:
            if isinstance(refused, Outage) and refused.kind != "permission":
                raise
            _LOG.info("The log of the check %s is not read: %s", failed.name, refused.message)
            return None


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
