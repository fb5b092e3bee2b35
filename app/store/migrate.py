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
    config = _config()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    newer = set(MigrationContext.configure(connection).get_current_heads()) - known
    if newer:
        raise ValueError(
            f"It was written by a newer Cairn (schema {', '.join(sorted(newer))}). "
            "Start that version, or restore the backup made before the update."
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    # the file that is not there is an INI file to Alembic, where a percent sign must be doubled
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
