"""A run that waits for people is ``waiting``; it was called ``resting``."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give such runs the newer word."""
    op.execute("UPDATE runs SET status = 'waiting' WHERE status = 'resting'")
