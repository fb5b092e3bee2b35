"""The durable engine's tables: journal, contents, answers and orders."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and their indexes."""
    op.create_table(
        "journal",
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("saved_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("run", "task", "seq", name="pk_journal"),
    )
    op.create_table(
        "contents",
        sa.Column("sha", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("sha", name="pk_contents"),
    )
    op.create_table(
        "answers",
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("answered_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("run", "question", name="pk_answers"),
    )
    _orders()


def _orders() -> None:
    op.create_table(
        "orders",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("roadmap", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("sent_at", sa.Double),
        sa.Column("done_at", sa.Double),
        sa.PrimaryKeyConstraint("seq", name="pk_orders"),
        sa.UniqueConstraint("id", name="uq_orders_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_orders_status", "orders", ["status"])
    op.create_index("ix_orders_run", "orders", ["run"])
    # at most one order of a run is open: a second wake-up is the first one
    op.create_index(
        "uq_orders_open",
        "orders",
        ["run"],
        unique=True,
        sqlite_where=sa.text("status <> 'done'"),
        postgresql_where=sa.text("status <> 'done'"),
    )
