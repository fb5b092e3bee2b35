"""Tell people what takes a while before or between the steps of tasks, and how long it takes."""

from __future__ import annotations

import asyncio
import logging
import time
from types import TracebackType

from runner.loop.deps import Deps
from runner.state.events import Busy
from runner.state.run_state import RunState

log = logging.getLogger(__name__)

_FIRST, _AGAIN = 2.0, 15.0
"""Seconds after which a line is logged: what is done by then needs none."""


class AtWork:
    """Used with ``async with`` around the work; ``what`` is a phrase for people (a heading).

    Who draws it hears of it at once by ``Busy``. Else there are lines: while it takes long, and
    when that ended.
    """

    def __init__(self, state: RunState, deps: Deps, what: str) -> None:
        self._run, self._task, self._deps = state.request.id, state.current, deps
        self._what = what
        self._began = time.monotonic()
        self._told = False
        self._telling: asyncio.Task[None] | None = None

    async def now(self, what: str) -> None:
        """The next part of the work begins."""
        self._what = what
        await self._emit(what)

    async def __aenter__(self) -> AtWork:
        await self._emit(self._what)  # if this fails, nobody would end the task
        self._telling = asyncio.create_task(self._tell())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._telling:
            self._telling.cancel()
        if self._told and error is None:
            log.info("%s: done after %.0f s", self._what, time.monotonic() - self._began)
        await self._emit("")

    async def _emit(self, what: str) -> None:
        await self._deps.events.emit(Busy(self._run, self._task, what))

    async def _tell(self) -> None:
        wait = _FIRST
        while True:
            await asyncio.sleep(wait)
            self._told = True
            log.info("%s (%.0f s)", self._what, time.monotonic() - self._began)
            wait = _AGAIN
