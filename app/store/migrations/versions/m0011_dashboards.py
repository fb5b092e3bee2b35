"""Dashboards that are to be written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "dashboards",
        sa.Column("repository_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("asked", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", name="pk_dashboards"),
    )


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("dashboards")
