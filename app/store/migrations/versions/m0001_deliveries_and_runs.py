"""The first tables: deliveries and runs.

The columns are written out, not taken from the schema: a migration never changes again.

"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and their indexes."""
    op.create_table(
        "deliveries",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("repository_id", sa.BigInteger),
        sa.Column("headers", sa.JSON, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("received_at", sa.Double, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("finished_at", sa.Double),
        sa.Column("error", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_deliveries"),
        sa.UniqueConstraint("id", name="uq_deliveries_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_status", "deliveries", ["status"])
    _runs()


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("seq", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("delivery", sa.Text),
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("issue", sa.Integer),
        sa.Column("roadmap", sa.Text, nullable=False),
        sa.Column("base_branch", sa.Text, nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("until", sa.Double),
        sa.Column("progress_comment_id", sa.BigInteger),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("result", sa.JSON),
        sa.PrimaryKeyConstraint("seq", name="pk_runs"),
        sa.UniqueConstraint("id", name="uq_runs_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    op.create_index("ix_runs_repository_id_issue", "runs", ["repository_id", "issue"])
