"""Who did what."""

from __future__ import annotations

from alembic import op

from app.store.schema import audit, metadata

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    metadata.create_all(op.get_bind(), tables=[audit])
