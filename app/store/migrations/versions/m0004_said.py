"""How a decision was said, about which proposal, and the tasks it brought."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what was decided before says nothing of them."""
    for name in ("channel", "at", "fingerprint"):
        column = sa.Column(name, sa.Text, nullable=False, server_default="")
        op.add_column("decisions", column)
    op.add_column("decisions", sa.Column("tasks", sa.JSON, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Take them away again."""
    for name in ("tasks", "fingerprint", "at", "channel"):
        op.drop_column("decisions", name)
