"""What of a day's spending is held for calls that are under way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is missing; a new database has it already."""
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("spending")}
    if "held" not in known:
        op.add_column("spending", sa.Column("held", sa.Double, nullable=False, server_default="0"))
