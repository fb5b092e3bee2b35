"""Many processes on one database: who is alive, and who works on what."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.store.schema import files, metadata, workers

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make what is missing: the first migration makes the tables as they are now."""
    here = op.get_bind()
    metadata.create_all(here, tables=[workers, files])
    for table in ("orders", "deliveries"):
        if "worker" not in {column["name"] for column in sa.inspect(here).get_columns(table)}:
            op.add_column(table, sa.Column("worker", sa.Text))
