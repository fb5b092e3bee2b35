"""Keep the bottom of a terminal showing a run at work; what is logged goes above it."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from rich.console import Console, RenderableType
from rich.live import Live

from app.show.screen import Look, screen
from app.show.standing import Standing, standing
from app.show.view import View, advanced
from runner.events import Event
from runner.state import RunState

_A_SECOND = 4
"""How often it is drawn: events only change what is known, so that they cost nothing."""


class LiveRun:
    """The ``Events`` port of whoever watches; draws while used with ``with``.

    Both of Ctrl-C and a question find the terminal as it was before.
    """

    def __init__(
        self,
        console: Console,
        *,
        plain: bool = False,
        safe: Callable[[str], str] = str,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._plain = plain
        self._safe = safe
        self._now = now
        self._view = View(began=now())
        self._counted: tuple[object, Standing] = ((), Standing((), 0))
        self._live = Live(
            console=console,
            get_renderable=self.picture,
            refresh_per_second=_A_SECOND,
            transient=True,
            redirect_stdout=False,
        )

    async def emit(self, event: Event) -> None:
        """Take an event in; the next drawing shows it."""
        self._view = advanced(self._view, event, at=self._now())

    def __enter__(self) -> LiveRun:
        self._live.start()
        _log_to(sys.stderr)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        _log_to(sys.stderr)

    def picture(self) -> RenderableType:
        """What is to be seen now."""
        view, size = self._view, self._console.size
        look = Look(size.width, size.height, self._plain, self._safe)
        stands = self._standing(view.state, view) if view.state else Standing((), 0)
        return screen(view, stands, look, now=self._now())

    def _standing(self, state: RunState, view: View) -> Standing:
        """Count anew only when a task has come to another status."""
        statuses = tuple((key, attempt.status) for key, attempt in state.attempts.items())
        known = (state.roadmap and state.roadmap.content, state.statuses, statuses, *view.in_hand)
        if known != self._counted[0]:
            self._counted = (known, standing(state, frozenset(view.in_hand)))
        return self._counted[1]


def _log_to(stream: TextIO) -> None:
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(stream)
