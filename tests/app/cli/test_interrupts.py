"""Ctrl-C ends a command at once with all that it started, and what is said then is true."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.app.cli.test_preflight import CALC
from tests.model_server import Held
from tests.scenarios.projects import answer

LIMIT = 2.0
"""Seconds; half a second more for a busy machine."""


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("command", "path", "content", "says"),
    [
        ("run", ".github/cairn.yml", "sandbox:\n  setup:\n    - cat {}\n", "nothing to resume"),
        ("run", "conftest.py", "open('{}').read()\n", "nothing to resume"),
        ("init", "conftest.py", "open('{}').read()\n", "Nothing was written"),
        ("doctor", "conftest.py", "open('{}').read()\n", "Nothing was changed"),
    ],
    ids=["setup", "first look", "init", "doctor"],
)
async def test_ctrl_c_before_a_run_has_begun(
    tmp_path: Path, command: str, path: str, content: str, says: str
) -> None:
    """What runs in the sandbox ends too, and there is no run to resume."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    files = CALC | {path: content.format(pipe).encode()}
    async with checkout(tmp_path / "here", files) as here:
        process = await here.start(command)
        writer = await here.read_by(process, pipe)  # once somebody reads
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = await here.end(process)

        assert said.code == 130
        assert time.monotonic() - began < LIMIT + 0.5
        assert says in said.err + said.out
        assert "cairn resume" not in said.err
        with pytest.raises(BrokenPipeError):
            os.write(writer, b"x")
        os.close(writer)
        resumed = await here.cairn("resume")
        assert "There is no run to resume" in resumed.err
        assert here.model.requests == []


@pytest.mark.parametrize("module", ["typer", "app.local.report"])
async def test_ctrl_c_while_a_command_is_imported(tmp_path: Path, module: str) -> None:
    """One line, 130 and no traceback, however early it comes."""
    program = (
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == '{module}':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from app.__main__ import main\nmain()\n"
    )
    async with checkout(tmp_path / "here", CALC) as here:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", program, "status"),
            cwd=here.folder,
            env=here.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said = await here.end(process)

    assert (said.code, said.out, said.err) == (130, "", "Interrupted.\n")


async def test_ctrl_c_while_a_command_reads(tmp_path: Path) -> None:
    """A command without last words of its own says so all the same."""
    async with checkout(tmp_path / "here", CALC) as here:
        os.mkfifo(here.folder / "pipe")
        process = await here.start("roadmap", "show", "pipe")
        writer = await here.read_by(process, here.folder / "pipe")
        process.send_signal(signal.SIGINT)
        os.close(writer)  # Python may be about to read, and then hears of a signal after it
        said = await here.end(process)

    assert (said.code, said.out, said.err) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize(
    ("last_words", "stuck"),
    [
        ("def last_words(): raise OSError", "threading.Event().wait()"),
        ("def last_words(): threading.Event().wait()", "print('x' * 10_000_000)"),
    ],
    ids=["raises", "waits"],
)
async def test_nothing_holds_up_the_end(last_words: str, stuck: str) -> None:
    """The process ends although its last words fail, or nobody reads what it prints."""
    program = (
        "import os, signal, threading\nfrom app.interrupts import Interrupts\n"
        f"{last_words}\nasync def work():\n"
        f"    os.kill(os.getpid(), signal.SIGINT)\n    {stuck}\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "Interrupts(last_words).run(work())\n"
    )
    unread, output = os.pipe()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=output)
    os.close(output)

    assert await asyncio.wait_for(process.wait(), 20) == 130
    os.close(unread)


async def test_a_step_that_takes_long_is_not_waited_for(tmp_path: Path) -> None:
    """One Ctrl-C is enough; what is said of resuming is true."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    test = (
        "from pathlib import Path\n\nfrom calc.add import add\n\n\n"
        f"def test_add():\n    assert add(1, 2) == 3 and Path('{pipe}').read_text() == ''\n"
    )
    added = {"calc/add.py": "def add(a, b):\n    return a + b\n", "tests/test_add.py": test}
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(answer(added))
        process = await here.start("run", "--task", "1.1")
        writer = await here.read_by(process, pipe)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = await here.end(process)

        assert said.code == 130
        assert time.monotonic() - began < LIMIT + 0.5
        assert "Type `cairn resume` to continue" in said.err
        with pytest.raises(BrokenPipeError):
            os.write(writer, b"x")
        os.close(writer)
        assert "resume" in (await here.cairn("status")).out


async def test_what_is_typed_while_the_end_is_said_changes_nothing(tmp_path: Path) -> None:
    """Further Ctrl-C cut off nothing that is true, and leave no traceback."""
    program = (
        "import atexit, signal, sys\n"
        "def typed(event, args):\n"
        "    if event == 'open' and str(args[0]).endswith('run.json'):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "atexit.register(signal.raise_signal, signal.SIGINT)\n"
        "sys.addaudithook(typed)\n"
        "from app.__main__ import main\nmain()\n"
    )
    kept = Held(answer({"calc/add.py": "def add(a, b):\n    return a + b\n"}))
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(kept)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", program, "run", "--task", "1.1"),
            cwd=here.folder,
            env=here.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await kept.asked.wait()
        said = await here.interrupt(process)
        kept.go.set()

    assert said.code == 130
    assert "Type `cairn resume` to continue" in said.err
    assert "nothing to resume" not in said.err
    assert "Exception ignored" not in said.err
