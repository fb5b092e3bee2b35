"""The inbox of decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "decisions",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("delivery", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("step", sa.Text),
        sa.PrimaryKeyConstraint("seq", name="pk_decisions"),
        sa.UniqueConstraint("run", "task", "delivery", name="uq_decisions_run_task_delivery"),
        sqlite_autoincrement=True,
    )
