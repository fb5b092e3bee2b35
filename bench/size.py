"""What a run of 100 tasks leaves in the journal: the real nodes, answers of usual size."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from app.store.database import Store, open_store
from app.store.runs import StoredJournal
from app.store.schema import contents, journal
from bench.finding import Finding, Line
from bench.validation import PYTHON
from runner.loop.deps import Deps
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.ports import Fanout, SystemClock
from runner.state.changes import blob_sha
from runner.state.options import Options, Request, Scope
from runner.state.run_state import Status
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import ScriptedModel, deps
from tests.scenarios.projects import answer

_TASKS = 100
_TEST = "from src.m{0} import area_{0}\n\n\ndef test_area():\n    assert area_{0}(1, 2) == 2\n"


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Drive the run, then weigh the newest rows (the state) and all rows with their contents."""
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    ports = _deps(StoredJournal(store, SystemClock()))
    ended = await drive(Request("r1", options=Options(scope=Scope(max_tasks=_TASKS))), NODES, ports)
    done = [ended.state.status(task) for task in ended.state.tasks]
    assert done == [Status.COMPLETED] * _TASKS, (ended.reason, done)
    state = sum(len(json.dumps(row.data)) for row in await ports.journal.recall("r1"))
    rows, number = await _weighed(store, journal.c.data)
    held, _ = await _weighed(store, contents.c.content)
    await store.close()
    yield _finding("state after 100 tasks", state, 1)
    yield _finding(f"its journal ({number} rows, contents {held / 1e6:.1f} MB)", rows + held, 20)


class _Repository(MemoryRepository):
    """Looks at each commit once: the plain one hashes all of them at every question."""

    def __init__(self, files: dict[str, str]) -> None:
        super().__init__(files)
        self._known: dict[str, bytes] = {}
        self._seen = 0

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        for tree in list(self.commits.values())[self._seen :]:
            self._known |= {blob_sha(content): content for _, content in tree.values()}
        self._seen = len(self.commits)
        return {sha: self._known[sha] for sha in shas}


def _finding(what: str, size: int, most: float) -> Finding:
    mega = size / 1e6
    return Finding(what=what, value=mega, unit="MB", goal=f"< {most} MB", ok=mega < most)


async def _weighed(store: Store, column: sa.Column[object]) -> tuple[int, int]:
    """Bytes in a column, and how many rows there are."""
    size = sa.func.sum(sa.func.length(sa.cast(column, sa.LargeBinary)))
    ((total, rows),) = await store.rows(sa.select(size, sa.func.count()))
    return int(total), int(rows)


def _deps(journal: StoredJournal) -> Deps:
    answers = [
        answer({f"src/m{n}.py": _module(n), f"tests/test_m{n}.py": _TEST.format(n)})
        for n in range(_TASKS)
    ]
    roadmap = "".join(f"- [ ] 1.{n} Add `src/m{n}.py` and its test\n" for n in range(_TASKS))
    files = {"ROADMAP.md": roadmap, "README.md": "# Areas\n", "src/__init__.py": ""}
    return replace(
        deps(),
        model=ScriptedModel(*answers),
        sandbox=RecordingSandbox(),
        repository=_Repository(files | {"tests/test_all.py": "def test_all(): pass\n"}),
        journal=journal,
        events=Fanout(),
        clock=SystemClock(),
    )


def _module(n: int) -> str:
    """About a hundred lines that differ from those of every other task."""
    return PYTHON.decode().replace("area_0", f"area_{n}").replace("rectangle", f"rectangle {n}")
