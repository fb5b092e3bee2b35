"""What runs did: a row for each attempt, its nodes and commands, and what they add up to."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TEXT, _LARGE, _AMOUNT = sa.Text, sa.BigInteger, sa.Double


def _columns(*names: str, kind: type[TypeEngine[Any]]) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _key(*more: sa.Column[Any]) -> list[sa.Column[Any]]:
    attempt: sa.Column[Any] = sa.Column("attempt", sa.Integer, primary_key=True)
    return [
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("task", sa.Text, primary_key=True),
        attempt,
        *more,
    ]


def upgrade() -> None:
    """Make the tables and their indexes."""
    _executions()
    _details()
    _totals()


def _executions() -> None:
    op.create_table(
        "executions",
        *_key(),
        *_columns("repository_id", kind=_LARGE),
        *_columns("repository", kind=_TEXT),
        *_columns("installation_id", kind=_LARGE),
        *_columns("name", "title", "started_by", "how", kind=_TEXT),
        *_columns("at", kind=_AMOUNT),
        *_columns("day", kind=sa.Integer),
        *_columns("route", "complexity", "kind", "loop", "model", "status", kind=_TEXT),
        *_columns("failed", kind=sa.Integer),
        *_columns("error", "severity", "strategy", kind=_TEXT),
        *_columns("tokens", kind=_LARGE),
        *_columns("cost", kind=_AMOUNT),
        *_columns("unpriced", "calls", kind=sa.Integer),
        *_columns("seconds", kind=_AMOUNT),
        *_columns("version", kind=sa.Integer),
        *_columns("data", "counted", kind=_TEXT),
    )
    for columns in (
        ["at"],
        ["repository_id", "at"],
        ["failed", "at"],
        ["repository_id", "failed", "at"],
        ["repository_id", "day", "version"],
        ["day", "version"],
    ):
        op.create_index(f"ix_executions_{'_'.join(columns)}", "executions", columns)


def _details() -> None:
    op.create_table(
        "execution_nodes",
        *_key(sa.Column("node", sa.Text, primary_key=True)),
        *_columns("visits", kind=sa.Integer),
        *_columns("seconds", kind=_AMOUNT),
        *_columns("tokens", kind=_LARGE),
        *_columns("cost", kind=_AMOUNT),
        *_columns("calls", "unpriced", kind=sa.Integer),
    )
    op.create_table(
        "execution_tools",
        *_key(
            sa.Column("step", sa.Integer, primary_key=True),
            sa.Column("number", sa.Integer, primary_key=True),
        ),
        *_columns("level", "tool", kind=_TEXT),
        sa.Column("exit_code", sa.Integer),
        *_columns("seconds", kind=_AMOUNT),
        *_columns("result", kind=_TEXT),
        *_columns("passed", "failed", kind=sa.Integer),
    )


def _totals() -> None:
    op.create_table(
        "execution_totals",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("dimension", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        *_columns("seen", "finished", "good", kind=_LARGE),
        *_columns("seconds", kind=_AMOUNT),
        *_columns("tokens", kind=_LARGE),
        *_columns("cost", kind=_AMOUNT),
        *_columns("calls", "unpriced", kind=_LARGE),
    )


def downgrade() -> None:
    """Forget everything."""
    for table in ("execution_totals", "execution_tools", "execution_nodes", "executions"):
        op.drop_table(table)
