"""``cairn run --json``, and a reader that goes away."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from tests.app.checkout import Checkout, Said, interruptible
from tests.model_server import Held
from tests.scenarios.projects import note

ONE, TWO = note("one.md"), note("two.md")


async def left_alone(here: Checkout, *arguments: str) -> tuple[bytes, Said]:
    """Run a command whose reader goes away while the first answer is awaited."""
    kept = Held(ONE)
    here.model.says(kept, TWO)
    reads, writes = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", *arguments),
        cwd=here.folder,
        env=here.environment,
        stdout=writes,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=interruptible,
    )
    os.close(writes)
    await kept.asked.wait()
    os.set_blocking(reads, False)
    heard = os.read(reads, 1 << 16) if "--json" in arguments else b""
    os.close(reads)
    kept.go.set()
    _, err = await process.communicate()
    assert process.returncode is not None
    return heard, Said(process.returncode, "", err.decode())


@pytest.mark.parametrize(
    "arguments",
    [("run",), pytest.param(("run", "--json"), marks=pytest.mark.long("once more, as JSON"))],
)
async def test_a_reader_that_goes_away(here: Checkout, arguments: tuple[str, ...]) -> None:
    """The work comes to its end and says how by its exit code, without a word about the pipe."""
    heard, said = await left_alone(here, *arguments)

    assert said.code == 0
    assert bool(heard) == ("--json" in arguments)
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]
    assert not {"Traceback", "BrokenPipe", "Broken pipe"} & set(said.err.split())


@pytest.mark.parametrize("words", ["status", "roadmap show", "doctor"])
async def test_a_reader_that_is_gone(here: Checkout, words: str) -> None:
    """Every command ends as it does with a reader: ``| head`` makes no failure of it."""
    reads, writes = os.pipe()
    os.close(reads)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", *words.split()),
        cwd=here.folder,
        env=here.environment,
        stdout=writes,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writes)
    _, err = await process.communicate()

    assert (process.returncode, err) == ((await here.cairn(*words.split())).code, b"")


async def test_an_interrupt(here: Checkout) -> None:
    """The report is the last line of an interrupted run as well; 130."""
    kept = Held(ONE)
    here.model.says(kept)
    process = await here.start("run", "--json")
    await kept.asked.wait()

    said = await here.interrupt(process, kept.go.set)

    assert said.code == 130
    assert said.events[-1]["event"] == "report"
    assert said.events[-1]["report"]["tasks"]["in_progress"] == 1
