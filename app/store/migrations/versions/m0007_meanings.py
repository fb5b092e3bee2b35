"""What deliveries mean, so that a replay under a fresh id is known."""

from __future__ import annotations

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_table = sa.table(
    "deliveries",
    sa.column("seq", sa.Integer),
    sa.column("event", sa.Text),
    sa.column("payload", sa.LargeBinary),
    sa.column("meaning", sa.Text),
)


def upgrade() -> None:
    """Add the column; comments that were worked before keep their meaning too."""
    op.add_column("deliveries", sa.Column("meaning", sa.Text))
    op.create_index("ix_deliveries_meaning", "deliveries", ["meaning"])
    connection = op.get_bind()
    comments = sa.select(_table.c.seq).where(_table.c.event == "issue_comment")
    for seq in list(connection.execute(comments).scalars()):
        is_it = _table.c.seq == seq
        payload = connection.scalar(sa.select(_table.c.payload).where(is_it))
        change = sa.update(_table).where(is_it).values(meaning=_meaning(payload))
        connection.execute(change)


def _meaning(body: bytes | None) -> str | None:
    try:
        payload = json.loads(body or b"")
        comment = payload["comment"]
        parts = [payload["repository"]["id"], payload["action"], comment["id"], comment["body"]]
    except (ValueError, KeyError, TypeError):
        return None
    text = json.dumps(["issue_comment", *parts], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def downgrade() -> None:
    """Take it away again."""
    op.drop_index("ix_deliveries_meaning", "deliveries")
    op.drop_column("deliveries", "meaning")
