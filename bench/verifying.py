"""One verification beside the same test command by hand, each in a fresh session of each sandbox.

The start of a session and the writing of the tree are not counted: both need them.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from bench.finding import Finding, Line, Peer, Unmeasured
from bench.overhead import sandboxes
from bench.timing import medians_of
from runner.errors import Outage
from runner.loop.workspace import materialise
from runner.ports import Sandbox, SandboxSession, SandboxSpec
from runner.sandbox.process import ProcessSandbox
from runner.state.changes import FILE
from runner.verify import verify

_ROUNDS, _MOST_SECONDS = 5, 0.5
_BY_HAND = ("python3", "-m", "pytest", "-q")
_FILES = {
    "calc/__init__.py": b"",
    "calc/add.py": b"def add(a, b):\n    return a + b\n",
    "tests/test_add.py": b"from calc.add import add\n\n\n"
    b"def test_add():\n    assert add(2, 3) == 5\n",
}


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Every sandbox that works here: the seconds above those of the command alone."""
    path = os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin"))
    own = ProcessSandbox(owner="bench", path=path, prepared=folder / "prepared")
    for sandbox in (own, *sandboxes(folder)[1:]):
        what = f"one verification with {sandbox.name}, above the command by hand"
        try:
            await sandbox.check()
        except Outage as outage:
            yield Unmeasured(what, outage.message)
            continue
        asked: dict[str, Callable[[], Awaitable[float]]] = {
            "ours": partial(_seconds, sandbox, _verified),
            "by hand": partial(_seconds, sandbox, _by_hand),
        }
        found = await medians_of(_ROUNDS, asked)
        above = found["ours"] - found["by hand"]
        yield Finding(
            what=what,
            value=above,
            unit="s",
            peer=Peer(what=" ".join(_BY_HAND), value=found["by hand"]),
            goal=f"<= {_MOST_SECONDS} s",
            ok=above <= _MOST_SECONDS,
        )


async def _seconds(sandbox: Sandbox, judge: Callable[[SandboxSession], Awaitable[None]]) -> float:
    session = await sandbox.open(SandboxSpec(run=uuid.uuid4().hex, task="verifying"))
    try:
        await materialise(session, {path: (FILE, text) for path, text in _FILES.items()})
        began = perf_counter()
        await judge(session)
        return perf_counter() - began
    finally:
        await session.close()


async def _verified(session: SandboxSession) -> None:
    found = await verify(
        session, tree="tree", paths=sorted(_FILES), changed=["calc/add.py"], read=_FILES.get
    )
    assert found.verified, found


async def _by_hand(session: SandboxSession) -> None:
    result = await session.run(_BY_HAND, timeout=60)
    assert result.exit_code == 0, result
