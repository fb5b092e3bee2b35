"""The history of a server, in its database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from json import dumps
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.store.database import Store
from runner.history.sql import KeptHistory, Rows, Tables, Upsert

T = TypeVar("T")


class StoredHistory(KeptHistory):
    """The ``History`` port on the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def _do(self, work: Callable[[Tables], T], *, write: bool = False) -> T:
        lend = self._store.write if write else self._store.read
        return await lend(lambda connection: work(_Tables(connection)))


class _Tables:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        # a driver may refuse values that the statement does not name
        used = {name: value for name, value in values.items() if f":{name}" in statement}
        return self._connection.execute(_text(statement), used)

    def put(self, upsert: Upsert, rows: Rows) -> None:
        """On PostgreSQL one statement for all rows takes a fraction of the time."""
        plain = [dict(row) for row in rows]
        if self._connection.dialect.name == "postgresql" and len(rows) > 1:
            together = dumps(plain, ensure_ascii=False)
            self._connection.execute(_text(upsert.rows), {"rows": together})
        else:
            self._connection.execute(_text(upsert.row), plain)


@cache
def _text(statement: str) -> sa.TextClause:
    return sa.text(statement)
