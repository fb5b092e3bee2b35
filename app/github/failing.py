"""Checks of others that fail on a commit (a repository's CI, say), and what they printed.

Some tools report check runs, others commit statuses, which are a line and a link.
https://docs.github.com/en/rest/checks/runs
https://docs.github.com/en/rest/commits/statuses
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from app.github.api import RepositoryApi
from runner.errors import Outage, TaskError
from runner.state.revising import Point
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import cut_middle, uncoloured

_LOG = logging.getLogger(__name__)

_FAILED = ("failure", "timed_out")
_RED = ("failure", "error")
_ACTIONS = "github-actions"
_LONGEST = 6_000
"""Characters of one check that are read; the end of a log says most."""

_STAMP = lazy_pattern(r"(?m)^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ")
"""The time that begins each line of a log of GitHub Actions."""

_MOST = 5
_MOST_ANNOTATIONS = 20


@dataclass(frozen=True, slots=True)
class SeenCheck:
    """A check run made by ``app``, or a commit status, that still ``runs`` or has ``failed``.

    A commit status has no ``id`` (0): its ``output`` is all it says.
    """

    id: int
    name: str
    app: str
    output: str
    runs: bool
    failed: bool

    @property
    def is_status(self) -> bool:
        """Whether it is a commit status."""
        return not self.id


@dataclass(frozen=True, slots=True)
class ChecksSeen:
    """The checks of others on a commit: the names of those that run, and those that ``failed``.

    What fails on its base too is not among these; ``below`` has the names. ``some`` says whether
    there are any at all.
    """

    running: tuple[str, ...] = ()
    failed: tuple[SeenCheck, ...] = ()
    below: tuple[str, ...] = ()
    some: bool = False


@dataclass(frozen=True, slots=True)
class ChecksRead:
    """What failing checks say: a point for each of them that says anything.

    ``silent`` names the others, ``unread`` those whose log could not be read, ``below`` those that
    fail on the base too and are left alone.
    """

    points: tuple[Point, ...]
    silent: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class FailingChecks:
    """The checks of others than our App (``bot_login``) in one repository.

    ``api`` may read check runs, ``statuses`` commit statuses, ``logs`` those of GitHub Actions;
    where an owner has not granted one of these, the rest is read.
    """

    def __init__(
        self,
        api: RepositoryApi,
        logs: RepositoryApi,
        statuses: RepositoryApi,
        *,
        bot_login: str,
    ) -> None:
        self._api, self._logs, self._statuses = api, logs, statuses
        self._bot_login = bot_login

    async def on(self, commit: str, base: str) -> tuple[SeenCheck, ...]:
        """Return those that fail on a commit; none as long as others have not ended.

        What fails on ``base`` (a branch or commit) too is not among them. Raises ``Outage``.
        """
        seen = await self.seen(commit, base)
        return () if seen.running else seen.failed

    async def new_since(self, failed: Sequence[SeenCheck], fork: str) -> tuple[SeenCheck, ...]:
        """Return those that did not fail on the commit where a branch left its base, say.

        The base may have been repaired since; the branch did not break them. Raises ``Outage``.
        """
        before = {
            (each.is_status, each.name)
            for status in {each.is_status for each in failed}
            for each in await self._reported(fork, status=status)
            if each.failed
        }
        return tuple(each for each in failed if (each.is_status, each.name) not in before)

    async def broken(self, commit: str, before: str) -> tuple[str, ...]:
        """Name those that fail on a commit, and not on the one ``before``. Raises ``Outage``."""
        failed = [each for each in await self._reports(commit) if each.failed]
        return tuple(each.name for each in await self.new_since(failed, before))

    async def ours(self, commit: str) -> tuple[str, ...]:
        """Return the names of our own check runs that fail on a commit. Raises ``Outage``."""
        runs = [run async for run in self._all_runs(commit) if self._is_ours(run)]
        return tuple(run["name"] for run in runs if run["conclusion"] in _FAILED)

    async def seen(self, commit: str, base: str, *, asked: bool = False) -> ChecksSeen:
        """Return how the checks on a commit are doing, next to those of ``base``.

        The base is looked at only where some fail and none runs. If a person ``asked``, pending
        statuses do not count where something fails: some end only when somebody approves. Raises
        ``Outage``.
        """
        here = await self._reports(commit)
        failed = [each for each in here if each.failed]
        waits = [each for each in here if each.runs and not (asked and failed and each.is_status)]
        if waits or not failed:
            return ChecksSeen(tuple(each.name for each in waits), some=bool(here))
        new = await self.new_since(failed, base)
        below = tuple(each.name for each in failed if each not in new)
        return ChecksSeen((), new[:_MOST], below, some=True)

    async def read(self, failed: Sequence[SeenCheck]) -> ChecksRead:
        """Return what each of them says, as material for a model. Raises ``Outage``."""
        said = [await self._said(each) for each in failed]
        names = [each.name for each in failed]
        return ChecksRead(
            tuple(point for point, _ in said if point),
            silent=tuple(name for name, (point, _) in zip(names, said, strict=True) if not point),
            unread=tuple(name for name, (_, read) in zip(names, said, strict=True) if not read),
        )

    async def _reports(self, commit: str) -> list[SeenCheck]:
        """All checks of a commit; where only one kind may be read, those of that kind.

        If nothing is seen because we may not read check runs, that is an ``Outage``.
        """
        statuses = await self._reported(commit, status=True)
        try:
            return [*await self._reported(commit, status=False), *statuses]
        except Outage as outage:
            if outage.kind != "permission" or not statuses:
                raise
            return statuses

    async def _reported(self, ref: str, *, status: bool) -> list[SeenCheck]:
        """The checks of others: the runs, or the newest status of each context; we set none."""
        if not status:
            return [_of_run(run) async for run in self._all_runs(ref) if not self._is_ours(run)]
        path = f"commits/{quote(ref, safe='')}/status?per_page=100"
        doing = f"list the statuses of {ref}"
        try:
            found = self._statuses.items(path, doing, key="statuses", refused=Outage)
            return [_of_status(each) async for each in found]
        except Outage as outage:
            if outage.kind != "permission":
                raise
            _LOG.info("Commit statuses are not read: %s", outage.message)
            return []

    async def _all_runs(self, ref: str) -> AsyncIterator[Any]:
        path = f"commits/{quote(ref, safe='')}/check-runs?per_page=100"
        doing = f"list the checks of {ref}"
        async for run in self._api.items(path, doing, key="check_runs", refused=Outage):
            yield run

    def _is_ours(self, run: Any) -> bool:
        return f"{(run['app'] or {}).get('slug')}[bot]" == self._bot_login

    async def _said(self, failed: SeenCheck) -> tuple[Point | None, bool]:
        """What a check says (None: nothing), and whether its log, if it has one, could be read."""
        notes = []
        if failed.id:
            path = f"check-runs/{failed.id}/annotations?per_page={_MOST_ANNOTATIONS}"
            notes = await self._api.get(path, f"read the check {failed.name}", refused=Outage)
        log = await self._log(failed) if failed.app == _ACTIONS else ""
        noted = [f"{each['path']}:{each['start_line']}: {each['message'] or ''}" for each in notes]
        parts = [part for part in (failed.output, *noted, log or "") if part]
        if not parts:
            return None, log is not None
        said = "\n\n".join([f"The check {failed.name} fails.", *parts])
        plain = _STAMP.sub("", uncoloured(said).replace("\r\n", "\n"))
        text = cut_middle(plain, _LONGEST)
        point = Point(text=text, by=failed.app, rest=text)
        if first := next((note for note in notes if note["path"] != ".github"), None):
            start, end = first["start_line"], first["end_line"]
            point = replace(point, path=first["path"], start=start, end=end)
        return point, log is not None

    async def _log(self, failed: SeenCheck) -> str | None:
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


def _of_run(run: Any) -> SeenCheck:
    output, app = run["output"], (run["app"] or {}).get("slug") or ""
    said = "\n\n".join(filter(None, [output["title"], output["summary"], output["text"]]))
    runs, failed = run["status"] != "completed", run["conclusion"] in _FAILED
    return SeenCheck(run["id"], run["name"], app, said, runs=runs, failed=failed)


def _of_status(status: Any) -> SeenCheck:
    said = status["description"] or ""
    output = f"{said}\n{status['target_url'] or ''}".strip() if said else ""
    runs, failed = status["state"] == "pending", status["state"] in _RED
    return SeenCheck(0, status["context"], "", output, runs=runs, failed=failed)
