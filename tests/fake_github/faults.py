"""Faults on demand: errors, lost answers, dropped and slow connections."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any


@dataclass
class Fault:
    """What goes wrong with the next ``times`` requests that match.

    ``path`` has no prefix and may hold ``*``. With ``after`` the effect happens first and only
    the answer is lost. ``drop`` closes the connection without an answer. ``hold`` keeps the
    request waiting until the event is set; with neither status nor drop it is then answered
    as usual. ``slow`` lets so many seconds of the fake's clock pass before the usual answer.
    ``reached`` is set when the fault strikes, ``hits`` counts it.
    """

    method: str
    path: str
    status: int | None = None
    times: int = 1
    after: bool = False
    drop: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    hold: asyncio.Event | None = None
    slow: float = 0
    skip: int = 0
    hits: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def strikes(self, method: str, path: str) -> bool:
        """True, and counted, when this request is one of those to go wrong."""
        if self.times <= 0 or self.method not in ("*", method) or not fnmatchcase(path, self.path):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        self.hits += 1
        self.reached.set()
        return True

    def release(self) -> None:
        """Let a held call have its effect, even if nobody waits for the answer any more."""
        assert self.hold is not None
        self.hold.set()

    @property
    def answers(self) -> bool:
        """True when the client does not get the usual answer."""
        return self.drop or self.status is not None
