"""Find records of another version without reading those of this one."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_OLD = (["repository_id", "day", "version"], ["day", "version"])
_NEW = (["repository_id", "version", "day"], ["version", "day"])


def upgrade() -> None:
    """Exchange the indexes."""
    _exchange(_OLD, _NEW)


def downgrade() -> None:
    """Exchange them back."""
    _exchange(_NEW, _OLD)


def _exchange(old: tuple[list[str], ...], new: tuple[list[str], ...]) -> None:
    for columns in old:
        op.drop_index(f"ix_executions_{'_'.join(columns)}", "executions")
    for columns in new:
        op.create_index(f"ix_executions_{'_'.join(columns)}", "executions", columns)
