"""An index that says when a repository was served last, for it is asked of all that wait."""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index; a new database has it already."""
    name, columns = "ix_orders_repository_id_sent_at", ["repository_id", "sent_at"]
    op.create_index(name, "orders", columns, if_not_exists=True)
