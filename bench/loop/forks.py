"""The process sandbox with its Python commands forked from a Python that is warm already.

Its pytest has no plugins, as in an image that has nothing but pytest.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from runner.ports import CommandResult, SandboxSpec
from runner.sandbox.process import ProcessSandbox, ProcessSession

PROCESSOR = 8
"""Seconds of processor a command may use: the bench's tests need none, endless loops use them up.

So a busy machine does not make a right answer late, nor an endless one long.
"""


class Zygote:
    """The other end of ``zygote.py``."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[str, asyncio.Future[tuple[int, bool]]] = {}
        self._asked = 0
        self._listening = asyncio.create_task(self._listen())

    async def run(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        seconds: float,
    ) -> CommandResult:
        """Run ``-c CODE ...`` in a folder, for ``seconds`` at most, and ``PROCESSOR`` of work."""
        self._asked += 1
        name = str(self._asked)
        with tempfile.TemporaryDirectory(prefix="fork-") as place:
            out, err = Path(place, "out"), Path(place, "err")
            question = {
                "id": name,
                "argv": list(argv),
                "folder": str(folder),
                "environment": dict(environment),
                "out": str(out),
                "err": str(err),
                "seconds": seconds,
                "processor": PROCESSOR,
            }
            self._waiting[name] = asyncio.get_running_loop().create_future()
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            code, late = await self._waiting[name]
            return _result(code, out, err, late=late)

    async def close(self) -> None:
        """End it."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            data = json.loads(line)
            self._waiting.pop(data["id"]).set_result((data["code"], data["timed_out"]))


def _result(code: int, out: Path, err: Path, *, late: bool) -> CommandResult:
    return CommandResult(code, out.read_bytes(), err.read_bytes(), timed_out=late)


@asynccontextmanager
async def zygote() -> AsyncIterator[Zygote]:
    """Run a zygote while the block runs."""
    script = str(Path(__file__).with_name("zygote.py"))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", script, stdin=pipe, stdout=pipe, limit=1 << 20
    )
    warm = Zygote(process)
    try:
        yield warm
    finally:
        await warm.close()


class ForkSandbox(ProcessSandbox):
    """``process``, but for ``python3 ... -c``, which is forked."""

    def __init__(self, warm: Zygote, *, owner: str, parent: Path) -> None:
        super().__init__(owner=owner, path=_path(), parent=parent)
        self._warm = warm

    def _open(
        self,
        spec: SandboxSpec,
        extra: dict[str, str],
        kept: Path | None = None,
        *,
        modules: Path | None = None,
    ) -> ProcessSession:
        own = {"PATH": _path(), **extra, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return _ForkBox(partial(self._make_folder, modules), spec, own, warm=self._warm)


class _ForkBox(ProcessSession):
    def __init__(
        self,
        make: Callable[[], Path],
        spec: SandboxSpec,
        variables: Mapping[str, str],
        *,
        warm: Zygote,
    ) -> None:
        super().__init__(make, spec, variables)
        self._warm = warm

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        if argv[0] != "python3" or "-c" not in argv or stdin:
            return await super().run(argv, stdin=stdin, timeout=timeout)
        return await self._warm.run(
            argv[1:],
            folder=self._folder / "workspace",
            environment=self._environment,
            seconds=self._spec.timeout if timeout is None else timeout,
        )


def _path() -> str:
    return f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
