"""Draw what is at work at the bottom of a terminal, where there is one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.terminal import is_live, is_plain
from runner.ports import Events, Fanout


@contextmanager
def watching(safe: Callable[[str], str]) -> Iterator[Events]:
    """Yield a listener that draws, or one that does nothing; ``safe`` masks secrets."""
    if not is_live():
        yield Fanout()
        return
    from rich.console import Console

    from app.show.live import LiveRun

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    with LiveRun(console, plain=is_plain(sys.stderr), safe=safe) as live:
        yield live
