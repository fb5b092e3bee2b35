"""INSERT with an ON CONFLICT clause, which SQLite and PostgreSQL share but SQLAlchemy parts."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert_into(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Begin the INSERT of a dialect, by its name; ``on_conflict_do_...`` goes on."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
