"""What was begun is ended where the next step fails: a line for people, a sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from runner.loop.at_work import AtWork
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
