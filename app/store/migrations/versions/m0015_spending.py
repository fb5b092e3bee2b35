"""What calls of models cost by day and installation."""

from __future__ import annotations

from alembic import op

from app.store.schema import metadata, spending

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    metadata.create_all(op.get_bind(), tables=[spending])
