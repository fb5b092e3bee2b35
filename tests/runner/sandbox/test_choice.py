"""Which sandbox is taken, and what people are told about it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from runner.errors import Outage
from runner.ports import Fill, Ran, SandboxSession, SandboxSpec, Setup, unheard
from runner.sandbox.choose import choose_sandbox


@dataclass(frozen=True)
class PlannedSandbox:
    """A sandbox that works or does not."""

    name: str
    works: bool = True
    installed: bool = False

    async def check(self) -> None:
        """Fail as planned."""
        if not self.works:
            raise Outage("sandbox", f"{self.name} is broken.")

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Nobody opens while choosing."""
        raise AssertionError(spec)

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Nobody prepares while choosing."""
        raise AssertionError(setup)

    async def sweep(self) -> int:
        """Nobody sweeps while choosing."""
        raise AssertionError


DOCKER, DEAD_DOCKER = PlannedSandbox("docker"), PlannedSandbox("docker", works=False)
PROCESS = PlannedSandbox("process")


async def test_auto_takes_the_first_that_works() -> None:
    """With a working engine ``auto`` is docker."""
    choice = await choose_sandbox("auto", candidates=[DOCKER, PROCESS])

    assert choice.sandbox is DOCKER
    assert choice.reason == "The sandbox is docker (the first that works)."


async def test_auto_says_why_it_took_the_next_and_warns() -> None:
    """Without an engine ``auto`` is process: one line says what that means and what to install."""
    choice = await choose_sandbox("auto", candidates=[DEAD_DOCKER, PROCESS])

    assert choice.sandbox is PROCESS
    assert choice.refusals == ("docker: docker is broken.",)
    assert choice.reason == (
        "The sandbox is process: what runs in it has your rights on this machine. Install "
        "bubblewrap or Docker to isolate it."
    )


async def test_a_named_sandbox_is_never_replaced() -> None:
    """Who asks for docker gets no unisolated process instead."""
    with pytest.raises(Outage, match=r"docker is broken\."):
        await choose_sandbox("docker", candidates=[DEAD_DOCKER, PROCESS])


async def test_a_sandbox_that_is_not_allowed_cannot_be_named() -> None:
    """A server that does not offer ``process`` says what is possible."""
    with pytest.raises(Outage, match=r"process cannot be used here \(possible: docker\)"):
        await choose_sandbox("process", candidates=[DOCKER])
