"""A database that a server has used before: made once, so that each conversation starts quickly.

A new file costs the migrations and the second in which the engine finds its queue.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from app.jobs.engine import Engine
from app.store.database import open_store


async def used_database(folder: Path) -> None:
    """Put a used, empty database into a data folder, unless it holds one."""
    template = _place() / "cairn.db"
    if not template.exists():
        await _make(template)
    _copy(template, folder / "cairn.db")


def _copy(template: Path, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        shutil.copy(template, file)


@cache
def _place() -> Path:
    place = Path(tempfile.mkdtemp(prefix="cairn-template-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


async def _make(template: Path) -> None:
    store = await open_store(f"sqlite:///{template}")
    engine = Engine(f"sqlite:///{template}")
    await engine.start(_nothing)
    await engine.stop()
    await store.close()


async def _nothing(wakeup: str) -> bool:
    raise AssertionError(f"nobody asked for {wakeup}")
