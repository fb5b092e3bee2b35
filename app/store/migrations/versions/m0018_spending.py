"""What calls of models cost is known by repository, too."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.store.schema import metadata, spending

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table anew; what was spent before is no repository's."""
    here = op.get_bind()
    if "repository_id" in {column["name"] for column in sa.inspect(here).get_columns("spending")}:
        return
    rows = here.execute(sa.text("SELECT day, installation_id, cost FROM spending")).all()
    op.drop_table("spending")
    metadata.create_all(here, tables=[spending])
    for row in rows:
        here.execute(sa.insert(spending).values(**row._mapping, repository_id=0))
