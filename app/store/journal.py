"""The journal and the model's answers in the database, for runs that outlive their process."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from cachetools import LRUCache

from app.store.database import Store
from app.store.schema import answers, contents, journal
from app.store.upsert import insert_into
from runner.errors import Outage
from runner.ports import Answer, Clock, Row
from runner.snapshot import blob_sha

_MOST_KNOWN = 10_000


class StoredJournal:
    """The ``Journal`` port. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        # contents are saved with every row that names them; those that are there are not sent again
        self._known: LRUCache[str, bool] = LRUCache(_MOST_KNOWN)

    async def save(self, row: Row, contents_: dict[str, bytes]) -> Row:
        """Store contents and row in one transaction; the first writer of a key wins."""
        new = {sha: content for sha, content in contents_.items() if sha not in self._known}
        for sha, content in new.items():
            if blob_sha(content) != sha:
                raise ValueError(f"{sha} is not the blob sha of the content given with it")
        values = asdict(row) | {"saved_at": self._clock.now()}
        async with self._store.writing() as connection:
            if new:
                rows = [{"sha": sha, "content": content} for sha, content in new.items()]
                await connection.execute(_once(connection.dialect.name, contents, rows))
            await connection.execute(_once(connection.dialect.name, journal, [values]))
            key = (journal.c.run == row.run, journal.c.task == row.task, journal.c.seq == row.seq)
            stored = (await connection.execute(_ROWS.where(*key))).one()
        self._known.update(dict.fromkeys(new, True))
        return Row(*stored)

    async def recall(self, run: str) -> list[Row]:
        """Return the newest row of every cursor of the run."""
        newest = (
            sa.select(journal.c.task, sa.func.max(journal.c.seq).label("seq"))
            .where(journal.c.run == run)
            .group_by(journal.c.task)
            .subquery()
        )
        same = (journal.c.task == newest.c.task) & (journal.c.seq == newest.c.seq)
        async with self._store.reading() as connection:
            found = await connection.execute(_ROWS.join(newest, same).where(journal.c.run == run))
            return [Row(*each) for each in found]

    async def content(self, sha: str) -> bytes:
        """Return a content that was saved with a row."""
        async with self._store.reading() as connection:
            query = sa.select(contents.c.content).where(contents.c.sha == sha)
            found: bytes | None = await connection.scalar(query)
        if found is None:
            raise Outage("journal", f"The database has no content {sha}; restore its backup.")
        return found


class StoredAnswers:
    """The ``Answers`` port: an answer that was paid for is not asked for again."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer to a question of the run, if there was one."""
        query = sa.select(answers.c.answer).where(
            answers.c.run == run, answers.c.question == question
        )
        async with self._store.reading() as connection:
            found = await connection.scalar(query)
        return Answer(**found) if found else None

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store an answer, once."""
        row = {"run": run, "question": question, "answer": asdict(answer)}
        async with self._store.writing() as connection:
            values = [row | {"answered_at": self._clock.now()}]
            await connection.execute(_once(connection.dialect.name, answers, values))


_ROWS = sa.select(
    journal.c.run, journal.c.task, journal.c.seq, journal.c.node, journal.c.data
).select_from(journal)


def _once(dialect: str, table: sa.Table, rows: list[dict[str, Any]]) -> sa.Insert:
    return insert_into(dialect, table).values(rows).on_conflict_do_nothing()
