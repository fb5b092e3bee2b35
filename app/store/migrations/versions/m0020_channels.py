"""Events of several channels, and an index that says when a repository was served last.

A new database has both already: ``m0019`` makes the tables as they are today.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is missing."""
    served, columns = "ix_orders_repository_id_sent_at", ["repository_id", "sent_at"]
    op.create_index(served, "orders", columns, if_not_exists=True)
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("outbox")}
    if "channel" not in known:
        op.add_column("outbox", sa.Column("channel", sa.Text, nullable=False, server_default=""))
        op.drop_index("ix_outbox_status_run_seq", "outbox")
        order = ["status", "channel", "run", "seq"]
        op.create_index("ix_outbox_status_channel_run_seq", "outbox", order)
