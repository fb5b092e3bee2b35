"""Runs, skipped tasks, journals and model answers in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from cachetools import LRUCache

from app.store.database import Store, columns_of, insert_into
from app.store.schema import answers, contents, journal, workers
from app.store.schema import runs as table
from app.store.schema import skips as skips_table
from handlers.events import InstalledRepository
from runner.errors import Outage, Stopped, StopRequest
from runner.ports import Clock, JournalRow
from runner.prompts.questions import Answer
from runner.state.changes import blob_sha

Status = Literal[
    "queued",
    "running",
    "pausing",
    "paused",
    "waiting",
    "cancelling",
    "cancelled",
    "timed_out",
    "ended",
]

UNFINISHED: tuple[Status, ...] = (
    "queued",
    "running",
    "pausing",
    "paused",
    "waiting",
    "cancelling",
)
"""A run in one of these works or may continue."""

OVER: tuple[Status, ...] = ("ended", "cancelled", "timed_out")
"""A run in one of these does nothing more by itself."""

TIMED_OUT = "timed_out"
"""The cause why a run stops that waited too long for its first turn."""

PERSON = "person"
"""The cause of a pause that a person asked for; only a person ends it."""

PULL_ENDED = "pull_ended"
"""Noted of a run at work when a pull request ends: what it knows of them may be old."""

REMOVED = "removed"
"""The cause of a pause because the App's installation no longer covers the repository."""

UNINSTALLED = "uninstalled"
"""The cause of a cancellation because the App was uninstalled: nobody can be told."""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What a person or something else asked for; ``request`` is the command's own options (JSON).

    A higher ``priority`` goes first.
    """

    id: str
    delivery: str | None
    repository: InstalledRepository
    issue: int | None
    roadmap: str
    request: Mapping[str, Any]
    priority: int = 0

    @property
    def columns(self) -> dict[str, Any]:
        """It as columns of the table."""
        here = self.repository
        return asdict(self) | columns_of(here) | {"base_branch": here.default_branch}


@dataclass(frozen=True, kw_only=True)
class Run(RunRequest):
    """A run as it is now; ``reason`` and ``until`` say why and how long it is paused.

    ``cause`` is the kind of outage behind a pause, or ``PERSON``, ``REMOVED`` or ``UNINSTALLED``;
    of a run that works again, ``PERSON`` says that somebody resumed it.
    """

    status: Status
    reason: str
    until: datetime | None
    progress_comment_id: int | None
    created_at: datetime
    updated_at: datetime
    result: Mapping[str, Any] | None
    cause: str = ""


_OWN = tuple(field.name for field in fields(Run) if field.name != "repository")
_PLACE = ("repository_id", "repository", "installation_id", "base_branch")
COLUMNS = tuple(table.c[name] for name in (*_OWN, *_PLACE))
_SELECT = sa.select(*COLUMNS)


def run_of(row: sa.Row[Any]) -> Run:
    """The run of a row that has all ``COLUMNS``."""
    place = InstalledRepository(
        id=row.repository_id,
        full_name=row.repository,
        installation_id=row.installation_id,
        default_branch=row.base_branch,
        private=bool(row.request.get("private", True)),
    )
    return Run(repository=place, **{name: row._mapping[name] for name in _OWN})


PLACES = sa.select(sa.func.sum(workers.c.slots)).where(~workers.c.dead)
"""How many runs all processes on a PostgreSQL work on at the same time."""


@dataclass(frozen=True)
class StoredRuns:
    """The runs table. Every method raises ``Outage`` when the database fails."""

    _store: Store
    _clock: Clock

    async def get(self, id: str) -> Run | None:
        """Return the run of this id."""
        found = await self._find(_SELECT.where(table.c.id == id))
        return found[0] if found else None

    async def named(self, beginning: str, *, most: int) -> list[Run]:
        """Return the runs whose id begins so, newest first."""
        begins = table.c.id.startswith(beginning, autoescape=True)
        return await self._find(_SELECT.where(begins).order_by(table.c.seq.desc()).limit(most))

    async def places(self) -> int:
        """Return how many runs all processes on a PostgreSQL work on at the same time."""
        return int(await self._store.value(PLACES) or 0)

    async def by_issue(self, repository_id: int, issue: int) -> list[Run]:
        """Return the runs that were asked for on an issue or pull request, newest first."""
        here = (table.c.repository_id == repository_id) & (table.c.issue == issue)
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()))

    async def newest(self, repository_id: int, roadmap: str, *, most: int) -> list[Run]:
        """Return the runs of a roadmap, newest first."""
        here = (table.c.repository_id == repository_id) & (table.c.roadmap == roadmap)
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()).limit(most))

    async def of_issues(self, repository_id: int, *, most: int) -> list[Run]:
        """Return the newest runs whose task is an issue, newest first."""
        issue = table.c.roadmap.startswith("#")
        here = (table.c.repository_id == repository_id) & issue
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()).limit(most))

    async def any_asked(self, repository_id: int) -> bool:
        """Say whether somebody ever asked for a run of a repository."""
        asked = _SELECT.where(table.c.repository_id == repository_id, table.c.issue.is_not(None))
        return bool(await self._find(asked.limit(1)))

    async def repositories(self, installation_id: int, *, most: int) -> dict[int, str]:
        """Return the repositories of an installation with the newest runs: id and name."""
        last = sa.func.max(table.c.seq)
        query = (
            sa.select(table.c.repository_id, sa.func.max(table.c.repository))
            .where(table.c.installation_id == installation_id)
            .group_by(table.c.repository_id)
            .order_by(last.desc())
            .limit(most)
        )
        return {id: name for id, name in await self._store.rows(query)}

    async def is_private(self, *, run: str = "", repository: str = "") -> bool:
        """Say whether the repository of a run, or one by its full name, is known to be private."""
        here = table.c.id == run if run else table.c.repository == repository
        found = await self._find(_SELECT.where(here).order_by(table.c.seq.desc()).limit(1))
        return bool(found and found[0].request.get("private"))

    async def by_status(self, *statuses: Status) -> list[Run]:
        """Return the runs in one of these states, oldest first."""
        return await self._find(_SELECT.where(table.c.status.in_(statuses)).order_by(table.c.seq))

    async def set_progress_comment(self, id: str, comment: int) -> bool:
        """Remember the comment of this run; False if the run is unknown."""
        values = {"progress_comment_id": comment, "updated_at": self._clock.now()}
        return await self._store.change(sa.update(table).filter_by(id=id).values(values)) == 1

    async def check(self, run: str) -> None:
        """Raise ``Stopped`` when the run is to be cancelled or paused (the ``Control`` port)."""
        row = await self.get(run)
        if row is not None and row.status in _STOP_REQUESTS:
            raise Stopped(_STOP_REQUESTS[row.status])

    async def _find(self, query: sa.Select[Any]) -> list[Run]:
        return [run_of(row) for row in await self._store.rows(query)]


_STOP_REQUESTS: dict[str, StopRequest] = {"cancelling": "cancel", "pausing": "pause"}


@dataclass(frozen=True)
class StoredSkips:
    """The skips table, by repository and roadmap. Raises ``Outage`` when the database fails."""

    _store: Store
    _clock: Clock

    async def add(self, repository_id: int, roadmap: str, task: str, *, by: str) -> bool:
        """Leave a task (by its key) out; False when it is left out already."""
        row = {"repository_id": repository_id, "roadmap": roadmap, "task": task}

        def added(connection: sa.Connection) -> bool:
            if connection.scalar(sa.select(skips_table.c.task).filter_by(**row)):
                return False
            new = row | {"by": by, "made_at": self._clock.now()}
            connection.execute(sa.insert(skips_table).values(new))
            return True

        return await self._store.write(added)

    async def remove(self, repository_id: int, roadmap: str, task: str) -> None:
        """Let a task be worked on again."""
        here = (skips_table.c.repository_id == repository_id) & (skips_table.c.roadmap == roadmap)
        await self._store.change(sa.delete(skips_table).where(here, skips_table.c.task == task))

    async def of(self, repository_id: int, roadmap: str) -> frozenset[str]:
        """Return the keys of the tasks to leave out."""
        here = (skips_table.c.repository_id == repository_id) & (skips_table.c.roadmap == roadmap)
        found = await self._store.rows(sa.select(skips_table.c.task).where(here))
        return frozenset(task for (task,) in found)


@dataclass(frozen=True, slots=True)
class SavedStep:
    """A row of the journal without its record: the node its cursor goes to, and when it was saved.

    ``seconds`` is what each node took so far; ``task`` is '' for the run's own cursor.
    """

    task: str
    node: str
    at: datetime
    seconds: Mapping[str, float]


_MOST_KNOWN = 10_000


class StoredJournal:
    """The ``Journal`` port. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        # contents are saved with every row that names them; those that are there are not sent again
        self._known: LRUCache[str, bool] = LRUCache(_MOST_KNOWN)

    async def save(self, row: JournalRow, contents_: dict[str, bytes]) -> JournalRow:
        """Store contents and row in one transaction; the first writer of a key wins."""
        new = {sha: content for sha, content in contents_.items() if sha not in self._known}
        for sha, content in new.items():
            if blob_sha(content) != sha:
                raise ValueError(f"{sha} is not the blob sha of the content given with it")
        values = asdict(row) | {"saved_at": self._clock.now()}

        def saved(connection: sa.Connection) -> JournalRow:
            if new:
                rows = [{"sha": sha, "content": content} for sha, content in new.items()]
                connection.execute(_once(connection.dialect.name, contents, rows))
            connection.execute(_once(connection.dialect.name, journal, [values]))
            key = (journal.c.run == row.run, journal.c.task == row.task, journal.c.seq == row.seq)
            return JournalRow(*connection.execute(_ROWS.where(*key)).one())

        stored = await self._store.write(saved)
        self._known.update(dict.fromkeys(new, True))
        return stored

    async def recall(self, run: str) -> list[JournalRow]:
        """Return the newest row of every cursor of the run."""
        newest = (
            sa.select(journal.c.task, sa.func.max(journal.c.seq).label("seq"))
            .where(journal.c.run == run)
            .group_by(journal.c.task)
            .subquery()
        )
        same = (journal.c.task == newest.c.task) & (journal.c.seq == newest.c.seq)
        found = await self._store.rows(_ROWS.join(newest, same).where(journal.c.run == run))
        return [JournalRow(*each) for each in found]

    async def every(self, run: str) -> list[JournalRow]:
        """Return all rows of the run, as they were saved one after another."""
        order = (journal.c.saved_at, journal.c.seq, journal.c.task)
        found = await self._store.rows(_ROWS.where(journal.c.run == run).order_by(*order))
        return [JournalRow(*each) for each in found]

    async def steps(self, run: str, most: int) -> list[SavedStep]:
        """Return the newest steps of a run's tasks, oldest first."""
        wanted = (journal.c.run == run) & (journal.c.task != "")
        # rows of older versions have all fields of an attempt side by side
        used = (journal.c.data["spent"]["usage"], journal.c.data["usage"])
        newest = sa.select(journal.c.task, journal.c.node, journal.c.saved_at, *used)
        order = (journal.c.saved_at.desc(), journal.c.seq.desc())
        rows = await self._store.rows(newest.where(wanted).order_by(*order).limit(most))
        return [
            SavedStep(row[0], row[1], row[2], _seconds(row[3] or row[4])) for row in reversed(rows)
        ]

    async def content(self, sha: str) -> bytes:
        """Return a content that was saved with a row."""
        query = sa.select(contents.c.content).where(contents.c.sha == sha)
        found: bytes | None = await self._store.value(query)
        if found is None:
            raise Outage("journal", f"The database has no content {sha}; restore its backup.")
        return found


@dataclass(frozen=True)
class StoredAnswers:
    """The ``Answers`` port: an answer that was paid for is not asked for again."""

    _store: Store
    _clock: Clock

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer to a question of the run, if there was one."""
        query = sa.select(answers.c.answer).where(
            answers.c.run == run, answers.c.question == question
        )
        found = await self._store.value(query)
        return Answer(**found) if found else None

    async def paid(self, run: str) -> list[Answer]:
        """Return every answer of the run."""
        return [*(await self.every(run)).values()]

    async def every(self, run: str) -> dict[str, Answer]:
        """Return the answers of the run by question."""
        query = sa.select(answers.c.question, answers.c.answer).where(answers.c.run == run)
        return {question: Answer(**answer) for question, answer in await self._store.rows(query)}

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store an answer, once."""
        row = {"run": run, "question": question, "answer": asdict(answer)}
        values = [row | {"answered_at": self._clock.now()}]
        await self._store.change(_once(self._store.dialect, answers, values))


def _seconds(usage: Mapping[str, Mapping[str, Any]] | None) -> dict[str, float]:
    return {node: float(used.get("seconds", 0.0)) for node, used in (usage or {}).items()}


_ROWS = sa.select(
    journal.c.run, journal.c.task, journal.c.seq, journal.c.node, journal.c.data
).select_from(journal)


def _once(dialect: str, table: sa.Table, rows: list[dict[str, Any]]) -> sa.Insert:
    return insert_into(dialect, table).values(rows).on_conflict_do_nothing()
