"""The proposals that people can decide about, and the tasks they want left out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "proposals",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("roadmap", sa.Text, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("comment_id", sa.BigInteger),
        sa.Column("comment_node_id", sa.Text, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("next_poll_at", sa.Double),
        sa.Column("decided_by", sa.Text, nullable=False, server_default=""),
        sa.Column("decided_at", sa.Double),
        sa.Column("channel", sa.Text, nullable=False, server_default=""),
        sa.Column("delivery", sa.Text, nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("seq", name="pk_proposals"),
        sa.UniqueConstraint("run", "task", "fingerprint", name="uq_proposals_run_task_fingerprint"),
        sqlite_autoincrement=True,
    )
    polled = ["state", "installation_id", "next_poll_at"]
    op.create_index(f"ix_proposals_{'_'.join(polled)}", "proposals", polled)
    op.create_index("ix_proposals_repository_id_number", "proposals", ["repository_id", "number"])
    op.create_table(
        "skips",
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("roadmap", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "roadmap", "task", name="pk_skips"),
    )


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("skips")
    op.drop_table("proposals")
