"""A developer's checkout and a scripted model, with ``cairn`` run on it as a process."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.app.warm import PROJECT, WarmProcess, start
from tests.model_server import ScriptedModel, serve
from tests.plain_python import plain_path
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit
from tests.scenarios.left_behind import files_with

KEY = "sk-very-secret"
"""The model's key: it belongs into the header of a request and nowhere else."""

Process = asyncio.subprocess.Process | WarmProcess


@dataclass(frozen=True)
class Said:
    """What ``cairn`` left when it ended."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of ``--json``."""
        return [json.loads(line) for line in self.out.splitlines()]


def interruptible() -> None:
    """Let Ctrl-C reach the command, also where the tests themselves run in the background.

    A shell starts its background jobs with SIGINT ignored, and children inherit that.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Checkout:
    """A git repository in a folder; ``environment`` is what ``cairn`` sees."""

    git: ScratchGit
    model: ScriptedModel
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The top of the checkout."""
        return self.git.root

    async def cairn(self, *arguments: str) -> Said:
        """Run a command to its end."""
        return await self.end(await self.start(*arguments))

    async def start(self, *arguments: str) -> WarmProcess:
        """Start a command."""
        return await start(arguments, self.folder, self.environment)

    async def end(self, process: Process) -> Said:
        """Wait for a command's end."""
        out, err = await process.communicate()
        assert process.returncode is not None
        said = Said(process.returncode, out.decode(), err.decode())
        assert "Traceback" not in said.err, said.err
        assert KEY not in said.out + said.err
        return said

    async def read_by(self, process: Process, pipe: Path) -> int:
        """Open a named pipe for writing once somebody reads it; fail where the command ends first.

        An open that nobody answers blocks its thread, which would hold up the end of the tests.
        """
        opening = asyncio.create_task(asyncio.to_thread(os.open, pipe, os.O_WRONLY))
        ending = asyncio.create_task(process.wait())
        await asyncio.wait({opening, ending}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        if not opening.done():
            os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
            os.close(await opening)
            process.kill()
            pytest.fail(f"nobody read {pipe.name}: {await self.end(process)}")
        ending.cancel()
        return opening.result()

    async def interrupt(
        self, process: Process, meanwhile: Callable[[], None] | None = None
    ) -> Said:
        """Type Ctrl-C; when it was heard let something happen, else type it again. Then wait."""
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        heard = (await process.stderr.readuntil(b"Press Ctrl-C again ")).decode()
        if meanwhile is None:
            process.send_signal(signal.SIGINT)
        else:
            meanwhile()
        said = await self.end(process)
        return replace(said, err=heard + said.err)

    def log(self) -> list[str]:
        """Subjects of the commits, the newest first."""
        return self.git("log", "--format=%s").splitlines()

    def left(self, name: str) -> Any:
        """A JSON file below ``.executor``."""
        (path,) = (self.folder / ".executor").glob(name)
        return json.loads(path.read_text())


async def once(here: Checkout, *answers: str, run: Sequence[str] = ("run",)) -> None:
    """Let a run with these answers end well: really the first time, later by a copy of its folder.

    For tests of what comes after it. A run of the same answers on the same files is the same.
    """
    kept = _kept() / sha256(repr((_files(here.folder), answers, run)).encode()).hexdigest()
    if kept.exists():
        shutil.rmtree(here.folder)
        shutil.copytree(kept, here.folder, symlinks=True)
        return
    here.model.says(*answers)
    said = await here.cairn(*run)
    assert said.code == 0, said.err
    shutil.copytree(here.folder, kept, symlinks=True)


def _files(folder: Path) -> list[tuple[str, bytes]]:
    """What a folder holds; of git only that it is there, for its commits have times."""
    top = [(path.name, b"") for path in folder.iterdir()]
    inner = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return sorted(top + [(str(path.relative_to(folder)), path.read_bytes()) for path in inner])


@cache
def _kept() -> Path:
    place = Path(tempfile.mkdtemp(prefix="cairn-runs-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


@asynccontextmanager
async def checkout(folder: Path, files: Mapping[str, bytes]) -> AsyncIterator[Checkout]:
    """Commit the files on ``main`` and serve the model, which must be asked as scripted."""
    model = ScriptedModel()
    git = ScratchGit(folder)
    if files:
        git.commit(files)
    async with serve(model) as url:
        path = plain_path(Path(sys.executable).parent)
        own = {"PYTHONPATH": str(PROJECT), "PATH": path, "HOME": str(folder.parent)}
        asked = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}
        more = {"CAIRN_MODEL": "scripted", "CAIRN_SANDBOX": "process"}
        yield Checkout(git, model, {**ENVIRONMENT, **own, **asked, **more})
        model.verify()
        assert not [asked.body for asked in model.requests if KEY in str(asked.body)]
        assert files_with(folder, [KEY]) == []
