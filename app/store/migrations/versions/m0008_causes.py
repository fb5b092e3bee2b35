"""What kind of thing paused a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; until now a reason that began so said that a person paused the run."""
    op.add_column("runs", sa.Column("cause", sa.Text, nullable=False, server_default=""))
    runs = sa.table("runs", sa.column("reason", sa.Text), sa.column("cause", sa.Text))
    by_a_person = runs.c.reason.startswith("paused by ")
    op.execute(sa.update(runs).where(by_a_person).values(cause="person"))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("runs", "cause")
