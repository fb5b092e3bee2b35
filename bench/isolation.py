"""What isolation costs: a container until its first command has ended, and each further command.

And how long the worst comment of a stranger keeps the event loop from serving anybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from aiodocker import Docker

from bench.finding import Finding, Line, Peer, Unmeasured
from bench.overhead import IMAGE, sandboxes
from bench.timing import medians_of
from runner.errors import Outage
from runner.ports import Sandbox, SandboxSession, SandboxSpec
from runner.sandbox.docker_engine import engine
from tests.scenarios.bot import conversation
from tests.scenarios.projects import NOTES

_ROUNDS, _COMMANDS = 7, 10
_SPEC = SandboxSpec(run="bench", task="bench")
_WORST = {
    "a table": "/execute\n\n" + "|a" * 50 + "\n" + "|-" * 50 + "\n" + "b\n" * 32_000,
    "commands": "/execute\n" * 7_000,
    "quotes": "> " * 16_000 + "/execute",
    "brackets": "/execute " + "[" * 60_000,
    "emphasis": "/execute " + "*a_" * 20_000,
    "one word": "/execute" + "/" * 60_000,
    "no command": "a b " * 16_000,
}


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Each sandbox that works here, then the comments."""
    for sandbox in sandboxes(folder):
        try:
            await sandbox.check()
        except Outage as outage:
            yield Unmeasured(f"a command with {sandbox.name}", outage.message)
            continue
        own = _engines_own_command if sandbox.name == "docker" else _bare_command
        asked: dict[str, Callable[[], Awaitable[float]]] = {
            "first": partial(_first, sandbox),
            "next": partial(_next, sandbox),
            "own": own,
        }
        if sandbox.name == "docker":
            asked["run"] = _engines_own_run
        found = await medians_of(_ROUNDS, asked)
        peer = Peer(what="the engine's own", value=found["run"]) if "run" in found else None
        most = 1.3 * found.get("run", 0.0)
        yield Finding(
            what=f"{sandbox.name}: start to the end of a first command",
            value=found["first"],
            unit="s",
            peer=peer,
            goal="<= 1.3 times" if peer else "",
            ok=found["first"] <= most if peer else None,
        )
        above = found["next"] - found["own"]
        what = "the engine's own" if sandbox.name == "docker" else "a process"
        yield Finding(
            what=f"{sandbox.name}: a further command, above {what}",
            value=above,
            unit="s",
            peer=Peer(what=what, value=found["own"]),
            goal="< 0.1 s",
            ok=above < 0.1,
        )
    for name in _WORST:
        (folder / name).mkdir()
    held = {name: await _held(folder / name, text) for name, text in _WORST.items()}
    worst = max(held, key=lambda name: held[name])
    yield Finding(
        what=f"a stranger's worst comment on the event loop ({worst}), of a processor",
        value=held[worst],
        unit="s",
        goal="< 0.05 s",
        ok=held[worst] < 0.05,
    )


async def _first(sandbox: Sandbox) -> float:
    began = perf_counter()
    session = await sandbox.open(_SPEC)
    try:
        await session.run(["true"])
        return perf_counter() - began
    finally:
        await session.close()


async def _next(sandbox: Sandbox) -> float:
    session = await sandbox.open(_SPEC)
    try:
        await session.run(["true"])
        return await _each(session)
    finally:
        await session.close()


async def _each(session: SandboxSession) -> float:
    began = perf_counter()
    for _ in range(_COMMANDS):
        await session.run(["true"])
    return (perf_counter() - began) / _COMMANDS


async def _bare_command() -> float:
    began = perf_counter()
    for _ in range(_COMMANDS):
        await (await asyncio.create_subprocess_exec("true")).wait()
    return (perf_counter() - began) / _COMMANDS


async def _engines_own_run() -> float:
    """What ``docker run IMAGE true`` does: create, start, wait for the end."""
    async with engine() as (docker, _):
        host = {"NetworkMode": "none"}
        began = perf_counter()
        container = await docker.containers.create(
            {"Image": IMAGE, "Cmd": ["true"], "HostConfig": host}
        )
        try:
            await container.start()
            await container.wait()
            return perf_counter() - began
        finally:
            await container.delete(force=True, v=True)


async def _engines_own_command() -> float:
    """What ``docker exec`` does."""
    async with engine() as (docker, _):
        return await _execs(docker)


async def _execs(docker: Docker) -> float:
    host = {"NetworkMode": "none"}
    config: dict[str, Any] = {"Image": IMAGE, "Cmd": ["sleep", "infinity"], "HostConfig": host}
    container = await docker.containers.create(config)
    try:
        await container.start()
        began = perf_counter()
        for _ in range(_COMMANDS):
            command = await container.exec(["true"])
            async with command.start() as stream:
                while await stream.read_out() is not None:
                    pass
            await command.inspect()
        return (perf_counter() - began) / _COMMANDS
    finally:
        await container.delete(force=True, v=True)


async def _held(folder: Path, text: str) -> float:
    """Processor seconds of the loop's longest turn while a stranger's comment is worked.

    GitHub, which the tests imitate on the same loop, is part of it.
    """
    async with conversation(folder, NOTES) as bot, bot.started():
        await bot.comment("/execute help", by="outsider")
        turns: list[float] = []
        watching = asyncio.create_task(_watch(turns))
        await bot.comment(text, by="outsider")
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        bot.says()
        return max(turns)


async def _watch(turns: list[float]) -> None:
    while True:
        began = thread_time()
        await asyncio.sleep(0)
        turns.append(thread_time() - began)
