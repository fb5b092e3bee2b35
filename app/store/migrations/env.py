"""Run by Alembic for every command: hands it our connection and our tables."""

from __future__ import annotations

from alembic import context

from app.store.schema import metadata

# SQLite cannot alter most things in place: ``batch`` copies the table instead.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
