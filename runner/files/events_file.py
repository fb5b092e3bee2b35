"""The events of runs for the operator's own systems, in a file: one JSON object a line."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from runner.errors import Outage
from runner.state.outward import OutwardEvent

_TAIL: Final = 8 << 20
"""Bytes of the file's end that are searched for events an earlier process wrote."""

_MOST_KNOWN: Final = 50_000


class EventsFile:
    """The ``EventSink`` of a file that is only appended to, so that it can be rotated.

    Several processes may write it. It is opened anew each time and never waited for: what is not a
    regular file is refused.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, None] | None = None

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Append the events that are not there. Raises ``Outage``."""
        await asyncio.to_thread(self._put, list(events))

    def _put(self, events: list[OutwardEvent]) -> None:
        try:
            with self._opened() as file:
                known = self._known = self._ids(file) if self._known is None else self._known
                new = {each.id: each for each in events if each.id not in known}
                lines = "".join(json.dumps(each.fields) + "\n" for each in new.values())
                _append(file, lines.encode())
        except OSError as error:
            raise Outage("file", f"{self._path} cannot be written: {error.strerror}") from error
        known |= dict.fromkeys(new)
        for id in list(known)[:-_MOST_KNOWN]:
            del known[id]

    @contextmanager
    def _opened(self) -> Iterator[int]:
        # a pipe without a reader would be waited for
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(self._path, flags, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise Outage("file", f"{self._path} is not a file. Set CAIRN_EVENTS_FILE to one.")
            yield file
        finally:
            os.close(file)

    @staticmethod
    def _ids(file: int) -> dict[str, None]:
        """The ids of the events at the end of the file."""
        size = os.fstat(file).st_size
        tail = os.pread(file, _TAIL, max(0, size - _TAIL))
        found: dict[str, None] = {}
        for line in tail.splitlines():
            with suppress(ValueError, TypeError, KeyError):  # not one of ours
                found[str(json.loads(line)["id"])] = None
        return found


def _append(file: int, lines: bytes) -> None:
    """Write whole lines; a line that a killed process left unfinished is ended first."""
    size = os.fstat(file).st_size
    if lines and size and os.pread(file, 1, size - 1) != b"\n":
        lines = b"\n" + lines
    while lines:
        lines = lines[os.write(file, lines) :]
