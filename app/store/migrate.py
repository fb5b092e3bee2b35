"""Bring a database to this version (Alembic, from inside the package)."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

FOLDER = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Run the missing migrations inside the connection's transaction: all of them or none.

    Raises ``ValueError`` when the database was written by a newer Cairn.
    """
    if is_current(connection):
        return
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def is_current(connection: Connection) -> bool:
    """Say whether no migration is missing. Raises ``ValueError`` as ``upgrade`` does."""
    scripts = ScriptDirectory.from_config(_config())
    known = {script.revision for script in scripts.walk_revisions()}
    heads = set(MigrationContext.configure(connection).get_current_heads())
    if newer := heads - known:
        raise ValueError(
            f"It was written by a newer Cairn (schema {', '.join(sorted(newer))}). "
            "Start that version, or restore the backup made before the update."
        )
    return heads == set(scripts.get_heads())


def _config() -> Config:
    config = Config()
    # the file that is not there is an INI file to Alembic, where a percent sign must be doubled
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
