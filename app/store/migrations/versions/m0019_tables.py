"""Every table, as ``schema.py`` has them.

Nothing was released with the eighteen migrations before this one, so it stands for all of them.
From the first release on it never changes again: then it gets the columns written out.
"""

from __future__ import annotations

from alembic import op

from app.store.schema import metadata

revision = "0019"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and their indexes."""
    metadata.create_all(op.get_bind())
