"""Deliveries are worked in lines that are finer than a repository."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.store.schema import deliveries

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is missing; what waits of a repository stays one line."""
    here = op.get_bind()
    if "line" not in {column["name"] for column in sa.inspect(here).get_columns("deliveries")}:
        op.add_column("deliveries", sa.Column("line", sa.Text, nullable=False, server_default=""))
        line = sa.cast(deliveries.c.repository_id, sa.Text)
        waits = deliveries.c.repository_id.is_not(None) & (deliveries.c.status == "stored")
        op.execute(sa.update(deliveries).where(waits).values(line=line))
        op.create_index("ix_deliveries_status_line_seq", "deliveries", ["status", "line", "seq"])
        op.drop_index("ix_deliveries_status", "deliveries")
