"""What was begun is ended where the next step fails: a line for people, a sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from runner.errors import TaskError
from runner.loop.at_work import AtWork
from runner.loop.deps import TaskWork
from runner.ports import CommandResult, SandboxSpec
from runner.state.events import Event
from tests.runner.scripted import deps
from tests.runner.states import run_state


class _Deaf:
    async def emit(self, event: Event) -> None:
        raise RuntimeError("nobody listens")


async def test_nothing_is_told_of_work_that_never_began() -> None:
    ports = replace(deps(), events=_Deaf())

    with pytest.raises(RuntimeError, match="nobody listens"):
        async with AtWork(run_state(), ports, "Checking"):
            pytest.fail("began")

    assert asyncio.all_tasks() == {asyncio.current_task()}


class _Host:
    """A session on this machine that cannot take over another's files."""

    prepared = False

    def __init__(self, opened: set[object]) -> None:
        self._opened = opened
        opened.add(self)

    async def run(
        self, argv: object, *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        return CommandResult(0, b"", b"")

    async def fill(self, files: object) -> None:
        pass

    async def take_over(self, other: object) -> None:
        raise TaskError("environment", "the disk is full")

    async def close(self) -> None:
        self._opened.discard(self)


class _Hosts:
    def __init__(self) -> None:
        self.opened: set[object] = set()

    async def open(self, spec: SandboxSpec) -> _Host:
        return _Host(self.opened)


async def test_a_session_that_cannot_take_over_is_closed() -> None:
    work, state = TaskWork(), run_state()
    hosts: Any = _Hosts()
    first = await work.sandbox.session(state, hosts)

    with pytest.raises(TaskError, match="the disk is full"):
        await work.sandbox.session(state, hosts)
    assert hosts.opened == {first}

    await work.sandbox.close()
    assert not hosts.opened
