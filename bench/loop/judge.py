"""Which tests of a task a tree passes, told without the product and remembered."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from pathlib import Path

from bench.loop.corpus import Files, Task
from bench.loop.forks import PROCESSOR, Zygote

_SECONDS = 120.0
"""Tests that wait for nothing take this long on no machine, however busy it is."""

# the tests are plain functions, so that no test runner is needed to see whether they pass
_RUN = """
import sys
sys.path.insert(0, '')
scope = {'__name__': 'kept'}
exec(compile(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1], 'exec'), scope)
for name in sorted(scope):
    if name.startswith('test_'):
        scope[name]()
"""


class Judge:
    """Runs the tests of tasks on trees; the same question is answered once."""

    def __init__(self, warm: Zygote) -> None:
        self._warm = warm
        self._known: dict[str, bool] = {}

    async def passes(self, task: Task, tree: Files, *, kept: bool) -> bool:
        """Tell whether a tree passes a task's tests: the seen ones, or with ``kept`` all.

        They are the bench's own, whatever the tree has in their place.
        """
        tests = [task.seen, task.kept] if kept else [task.seen]
        tree = {**tree, **dict(tests)}
        name = hashlib.sha256(repr((sorted(tree.items()), tests)).encode()).hexdigest()
        if name not in self._known:
            self._known[name] = await self._ran(task, tree, [path for path, _ in tests])
        return self._known[name]

    async def _ran(self, task: Task, tree: Files, tests: list[str]) -> bool:
        with tempfile.TemporaryDirectory(prefix="judge-") as place:
            folder = Path(place)
            _fill(folder, tree)
            run = self._node if task.language == "javascript" else self._python
            for path in tests:
                if not await run(folder, path):
                    return False
            return True

    async def _python(self, folder: Path, path: str) -> bool:
        argv = ["-c", _RUN, path]
        found = await self._warm.run(argv, folder=folder, environment={}, seconds=_SECONDS)
        return found.exit_code == 0

    async def _node(self, folder: Path, path: str) -> bool:
        null = asyncio.subprocess.DEVNULL
        limited = f'ulimit -t {PROCESSOR}; exec node "$0"'
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", limited, path), cwd=folder, stdin=null, stdout=null, stderr=null
        )
        try:
            async with asyncio.timeout(_SECONDS):
                return await process.wait() == 0
        except TimeoutError:
            process.kill()
            await process.wait()
            return False


def _fill(folder: Path, tree: Files) -> None:
    for path, content in tree.items():
        if ".." not in Path(path).parts and not path.startswith("/"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
