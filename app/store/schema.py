"""The tables as this version of Cairn knows them; ``migrations/`` brings a database here.

Times are UTC seconds since 1970 as a double, so they sort and compare the same in every engine;
in Python they are aware datetimes.

"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine


class Moment(TypeDecorator[datetime]):
    """An aware datetime, stored as UTC seconds since 1970."""

    impl = sa.Double
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> float | None:
        """Turn a datetime into seconds."""
        return None if value is None else value.timestamp()

    def process_result_value(self, value: float | None, dialect: Dialect) -> datetime | None:
        """Turn seconds into a datetime in UTC."""
        return None if value is None else datetime.fromtimestamp(value, UTC)


# Constraints need names that later migrations can refer to:
# https://alembic.sqlalchemy.org/en/latest/naming.html
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# ``seq`` is the order of arrival: GUIDs have none, and a clock may go backwards. ``meaning`` is the
# same for deliveries that say the same (``handlers/events.py``). Those of one ``line`` are worked
# in order. ``worker`` is the process that works on it.
deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("repository_id", sa.BigInteger),
    sa.Column("headers", sa.JSON, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Column("received_at", Moment, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("finished_at", Moment),
    sa.Column("error", sa.Text, nullable=False, default=""),
    sa.Column("meaning", sa.Text, index=True),
    sa.Column("worker", sa.Text),
    sa.Column("line", sa.Text, nullable=False, server_default=""),
    sa.Index(None, "status", "line", "seq"),
    sqlite_autoincrement=True,
)

# ``delivery`` is not a foreign key: old deliveries may be removed while the run they caused stays.
# ``cause`` is what kind of thing paused a run (``reason`` says it to people).
runs = sa.Table(
    "runs",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("delivery", sa.Text),
    sa.Column("repository_id", sa.BigInteger, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False),
    sa.Column("issue", sa.Integer),
    sa.Column("roadmap", sa.Text, nullable=False),
    sa.Column("base_branch", sa.Text, nullable=False),
    sa.Column("request", sa.JSON, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("reason", sa.Text, nullable=False, default=""),
    sa.Column("until", Moment),
    sa.Column("progress_comment_id", sa.BigInteger),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("result", sa.JSON(none_as_null=True)),
    sa.Column("cause", sa.Text, nullable=False, server_default=""),
    sa.Index(None, "repository_id", "issue"),
    sqlite_autoincrement=True,
)

# What happened, row by row; ``data`` refers to ``contents`` by sha.
journal = sa.Table(
    "journal",
    metadata,
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("node", sa.Text, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("saved_at", Moment, nullable=False),
)

contents = sa.Table(
    "contents",
    metadata,
    sa.Column("sha", sa.Text, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

# An answer is kept when it arrives: a crash before its step is saved must not pay for it twice.
answers = sa.Table(
    "answers",
    metadata,
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("question", sa.Text, primary_key=True),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("answered_at", Moment, nullable=False),
)

# The queue: each row wakes a run; ``waiting``, ``sent`` to the engine, or ``done``. ``worker`` is
# the process that works on it: no other may settle it. ``place`` is the lowest one in the line that
# people were told. The table has the name it got when wakeups were called orders.
wakeups = sa.Table(
    "orders",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("run", sa.Text, nullable=False, index=True),
    sa.Column("repository_id", sa.BigInteger, nullable=False),
    sa.Column("roadmap", sa.Text, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("sent_at", Moment),
    sa.Column("done_at", Moment),
    sa.Column("worker", sa.Text),
    sa.Column("place", sa.Integer),
    sa.Index(None, "repository_id", "sent_at"),
    sqlite_autoincrement=True,
)
sa.Index(
    "uq_orders_open",
    wakeups.c.run,
    unique=True,
    sqlite_where=wakeups.c.status != "done",
    postgresql_where=wakeups.c.status != "done",
)

# The inbox: ``seq`` says which decision was stored first, for a delivery's GUID has no order.
# ``step`` is the step of the task that applied it, NULL as long as none has.
decisions = sa.Table(
    "decisions",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("delivery", sa.Text, nullable=False),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False, server_default=""),
    sa.Column("at", sa.Text, nullable=False, server_default=""),
    sa.Column("fingerprint", sa.Text, nullable=False, server_default=""),
    sa.Column("tasks", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("step", sa.Text),
    sa.UniqueConstraint("run", "task", "delivery", name="uq_decisions_run_task_delivery"),
    sqlite_autoincrement=True,
)

# What people can decide about. ``state`` is open, approved, rejected, superseded, closed or
# expired; ``delivery`` names what decided it. ``next_poll_at`` is when its reactions are asked for.
proposals = sa.Table(
    "proposals",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("repository_id", sa.BigInteger, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False),
    sa.Column("roadmap", sa.Text, nullable=False),
    sa.Column("number", sa.Integer),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("comment_id", sa.BigInteger),
    sa.Column("comment_node_id", sa.Text, nullable=False),
    sa.Column("strategy", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("next_poll_at", Moment),
    sa.Column("decided_by", sa.Text, nullable=False, server_default=""),
    sa.Column("decided_at", Moment),
    sa.Column("channel", sa.Text, nullable=False, server_default=""),
    sa.Column("delivery", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("run", "task", "fingerprint", name="uq_proposals_run_task_fingerprint"),
    sa.Index(None, "state", "installation_id", "next_poll_at"),
    sa.Index(None, "repository_id", "number"),
    sqlite_autoincrement=True,
)

# Who was refused something on which issue, in answer to what: each refusal is written once.
refusals = sa.Table(
    "refusals",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("delivery", sa.Text, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
)

# Dashboards that are to be written (``StoredBoards``); ``version`` counts how often one was marked.
dashboards = sa.Table(
    "dashboards",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("branch", sa.Text, nullable=False),
    sa.Column("asked", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
)


# Events for the operator's webhook, and for each address of CAIRN_NOTIFY (a ``channel``):
# ``waiting`` until they are ``sent`` or ``dropped``. Those of one run are sent in the order of
# ``seq``; one that is not taken is tried again at ``next_at``.
outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False, server_default=""),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("next_at", Moment, nullable=False),
    sa.Index(None, "status", "channel", "run", "seq"),
    sqlite_autoincrement=True,
)

# Tasks people want left out, by the name they said; ``/execute retry`` takes the row away.
skips = sa.Table(
    "skips",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("roadmap", sa.Text, primary_key=True),
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
)

# What runs left behind, where processes have data folders of their own: by run, '' for what is
# about none in particular.
files = sa.Table(
    "files",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("sha", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

# What calls of models cost (USD) by day, UTC, and repository: at most, while one is under way, for
# which so much is ``held``.
spending = sa.Table(
    "spending",
    metadata,
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("cost", sa.Double, nullable=False),
    sa.Column("held", sa.Double, nullable=False, server_default="0"),
)

# Who did what: runs that were started, decisions, merges, changes of the configuration, and every
# request to GitHub that may have changed something. ``key`` is the same for what is told twice.
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.Text, unique=True),
    sa.Column("at", Moment, nullable=False, index=True),
    sa.Column("repository_id", sa.BigInteger),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("run", sa.Text, nullable=False),
    sa.Index(None, "repository_id", "seq"),
    sqlite_autoincrement=True,
)

# The processes on a PostgreSQL. ``slots`` is how many runs one works on at the same time, ``beat``
# when it was last alive (by the database's clock). One that is ``dead`` must not go on.
workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("beat", Moment, nullable=False),
    sa.Column("dead", sa.Boolean, nullable=False),
)


def _history_table(name: str, keys: str, columns: Mapping[str, type[TypeEngine[Any]]]) -> sa.Table:
    """A table that ``runner/history/sql.py`` writes, with the key of an execution and more."""
    kinds = {"attempt": sa.Integer, "step": sa.Integer, "number": sa.Integer, "day": sa.Integer}
    return sa.Table(
        name,
        metadata,
        *(sa.Column(key, kinds.get(key, sa.Text), primary_key=True) for key in keys.split()),
        *(sa.Column(n, kind, nullable=n == "exit_code") for n, kind in columns.items()),
    )


def _each(kind: type[TypeEngine[Any]], names: str) -> dict[str, type[TypeEngine[Any]]]:
    return dict.fromkeys(names.split(), kind)


# What runs did: a row for each attempt, its nodes and its commands, and what they add up to by day.
executions = _history_table(
    "executions",
    "run task attempt",
    _each(sa.Text, "repository name title started_by how route complexity kind loop model status")
    | _each(sa.Text, "error severity strategy data counted")
    | _each(sa.BigInteger, "repository_id installation_id tokens")
    | _each(sa.Integer, "day failed unpriced calls version")
    | _each(sa.Double, "at cost seconds"),
)
sa.Index(None, executions.c.at)
sa.Index(None, executions.c.repository_id, executions.c.at)
sa.Index(None, executions.c.failed, executions.c.at)
sa.Index(None, executions.c.repository_id, executions.c.failed, executions.c.at)
sa.Index(None, executions.c.repository_id, executions.c.version, executions.c.day)
sa.Index(None, executions.c.version, executions.c.day)
_history_table(
    "execution_nodes",
    "run task attempt node",
    _each(sa.Integer, "visits calls unpriced")
    | _each(sa.Double, "seconds cost")
    | _each(sa.BigInteger, "tokens"),
)
_history_table(
    "execution_totals",
    "scope day dimension value",
    _each(sa.BigInteger, "seen finished good tokens calls unpriced")
    | _each(sa.Double, "seconds cost"),
)
