"""Draw ``docs/images/run.svg`` from a real run: ``python -m tools.docs.picture``.

Cairn works on a checkout of its own with a scripted model; the picture is what a terminal shows
while it tests the second task, and what it shows in the end.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.file_proxy import FileProxy
from rich.text import Text

from app.interrupts import Interrupts
from app.local.options import LocalRun
from app.local.work import run_locally
from app.logs import PLAIN, set_up_logging
from app.settings import load_run_settings
from app.show.ending import ending
from app.show.live import LiveRun, Look
from runner.state.events import Event, NodeStarted
from tests.app.checkout import checkout
from tests.scenarios.projects import ADD, ADD_OPEN_BRACKET, CALC, DOUBLE

FILE = Path(__file__).parents[2] / "docs" / "images" / "run.svg"
_WIDTH = 100
_PRICES = {"scripted": {"input": 0.25, "output": 2.0}}
_ROADMAP = b"""\
# Roadmap

## Phase 1: Sums

- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`

## Phase 2: Products

- [ ] 2.1 Add `calc/double.py` with `double(a)` that uses `add`, and `tests/test_double.py`
"""


class Camera:
    """The ``Events`` port of one who watches a terminal and takes a picture of it once."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = LiveRun(console)
        self._tested = 0

    async def emit(self, event: Event) -> None:
        """Show the event, and draw what is to be seen when the second task is tested."""
        await self._live.emit(event)
        if isinstance(event, NodeStarted) and event.node == "verify_task":
            self._tested += 1
            if self._tested == 2:
                self._console.print(
                    Text(), self._live.picture(), Text("…\n", style="dim"), sep="\n"
                )


async def taken(folder: Path) -> str:
    """Run Cairn in a folder and return the picture."""
    console = Console(
        file=io.StringIO(), width=_WIDTH, record=True, force_terminal=True, highlight=False
    )
    files = {path: bytes(content) for path, content in CALC.items() if isinstance(content, bytes)}
    console.print(Text("$ cairn run --sandbox process", style="bold"))
    async with checkout(folder / "here", {**files, "ROADMAP.md": _ROADMAP}) as here:
        here.model.says(ADD_OPEN_BRACKET, ADD, DOUBLE)
        prices = folder / "prices.json"
        prices.write_text(json.dumps(_PRICES))
        os.environ.update(here.environment, CAIRN_PRICES=str(prices))
        set_up_logging("info", stream=FileProxy(console, io.StringIO()), form=PLAIN)  # type: ignore[arg-type]
        asked, control = LocalRun(here.folder), Interrupts(str)
        ended = await run_locally(asked, load_run_settings(), Camera(console), control)
    for part in ending(ended.state, Look(_WIDTH, 40)):
        console.print(part)
    svg = console.export_svg(title="cairn run", unique_id="cairn-run")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def main() -> None:
    """Take it and keep it."""
    with tempfile.TemporaryDirectory() as folder:
        svg = asyncio.run(taken(Path(folder)))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(svg)


if __name__ == "__main__":
    main()
