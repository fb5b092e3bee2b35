"""The place in the line that people were told."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is missing."""
    here = op.get_bind()
    if "place" not in {column["name"] for column in sa.inspect(here).get_columns("orders")}:
        op.add_column("orders", sa.Column("place", sa.Integer))
