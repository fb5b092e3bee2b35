"""Events that wait for the operator's webhook."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and its index."""
    op.create_table(
        "outbox",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("next_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_outbox"),
        sa.UniqueConstraint("id", name="uq_outbox_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_status_run_seq", "outbox", ["status", "run", "seq"])


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("outbox")
