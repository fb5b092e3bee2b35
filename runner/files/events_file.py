"""The events of runs for the operator's own systems, in a file: one JSON object a line."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from runner.errors import Outage
from runner.state.outward import OutwardEvent


class EventsFile:
    """The ``EventSink`` of a file that is only appended to, so that it can be rotated.

    Several processes may write it. It is opened anew each time and never waited for: what is not a
    regular file is refused. After a crash an event may be there twice, with the same id.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Append the events. Raises ``Outage``."""
        lines = "".join(json.dumps(each.fields) + "\n" for each in events).encode()
        await asyncio.to_thread(self._append, lines)

    def _append(self, lines: bytes) -> None:
        # a pipe without a reader would be waited for
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(self._path, flags, 0o600), "r+b", buffering=0) as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise Outage(
                        "file", f"{self._path} is not a file. Set CAIRN_EVENTS_FILE to one."
                    )
                # a line that a killed process left unfinished is ended first
                size = found.st_size
                torn = size and os.pread(file.fileno(), 1, size - 1) != b"\n"
                left = b"\n" + lines if torn else lines
                while left:
                    left = left[file.write(left) or 0 :]
        except OSError as error:
            raise Outage("file", f"{self._path} cannot be written: {error.strerror}") from error
