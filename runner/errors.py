"""What can go wrong outside our own code.

PortError                   something outside failed; carries what a person can act on
├── TaskError               this task cannot go on: the node's ``error`` edge
│   └── BranchMoved         somebody pushed to the branch that a task adds to
└── Outage                  nobody's task is to blame: the driver stops at the node, the run pauses
Stopped                     a person asked the run to pause or to be cancelled

A red test, an unparsable answer or a refused path is no exception but an outcome.

"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

StopRequest = Literal["pause", "cancel"]
"""What a person can ask of a run that works."""

STOP_REQUEST = "stop_request"
"""Why a run was paused when a person asked for it; an outage has its own kind."""

DATABASE = "database"
"""The kind of an outage of our own database: it is tried again every few seconds."""

REVIEWS = "reviews"
"""Why a run rests that has reached ``limits.open_pull_requests``."""


class PortError(Exception):
    """Something outside our code failed.

    ``kind`` is one word for records (``model``, ``sandbox``, ``github``, ``git``, ``rate_limit``,
    ``budget``, ``credential``, ``permission``, ``file`` ...); ``message`` says what happened and
    what a person can do. It never contains a secret.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class TaskError(PortError):
    """This task cannot go on; others can (a file GitHub refuses, a prompt the model refuses)."""


class BranchMoved(TaskError):
    """Somebody pushed to the branch that a commit was made for, so that it is not added."""


class Outage(PortError):
    """Nothing can go on for now; ``until`` is when it may heal by itself (None: not by time).

    ``advised`` says that the message says what to type to continue.
    """

    def __init__(
        self, kind: str, message: str, *, until: datetime | None = None, advised: bool = False
    ) -> None:
        super().__init__(kind, message)
        self.until = until
        self.advised = advised


class Stopped(Exception):
    """A person asked to pause or cancel; raised between nodes and before model calls."""

    def __init__(self, request: StopRequest) -> None:
        super().__init__(request)
        self.request = request
