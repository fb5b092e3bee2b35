"""Who was refused something on which issue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "refusals",
        sa.Column("repository_id", sa.BigInteger, nullable=False),
        sa.Column("issue", sa.Integer, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("delivery", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "issue", "user_id", name="pk_refusals"),
    )


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("refusals")
