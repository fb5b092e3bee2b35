"""``/execute setup``: what a repository lacks is proposed, also where nobody asked for it.

That is a configuration with which its tests can start, and a first roadmap from labelled issues.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from app.features.setup.config_offer import NO_APP
from app.features.setup.offer import SetUp
from app.features.setup.welcome import welcome
from app.jobs.worker import Outcome
from app.runs.begun import Begun
from app.runs.feature import Feature
from handlers.conversation import Conversation
from handlers.grammar import Command, CommandReply, CommandRow, ExecuteCommand
from handlers.pushes import InstallationChanged
from runner.config.model import CONFIG_PATH
from runner.errors import TaskError
from runner.loop.deps import TaskWork
from runner.nodes.preflight import CannotStart
from runner.nodes.run import parse_roadmap
from runner.state.run_state import RunState
from runner.text.sanitize import plain_line


@dataclass(frozen=True, slots=True)
class SetupCommand(Command):
    """Propose a configuration where the repository's tests need one."""


async def _asked(conversation: Conversation, command: SetupCommand) -> CommandReply:
    """Look whether the tests can start; that takes a sandbox, so a run does it and answers."""
    await conversation.runs.start(conversation.request(ExecuteCommand()), {"setup": True})
    return CommandReply("")


async def _set_up(begun: Begun) -> Outcome:
    """Propose what the repository lacks, if it was asked for or is welcome."""
    reply, deps, asked = NO_APP, begun.ports.deps, not begun.run.request.get("unasked")
    if begun.proposes:
        set_up = SetUp(begun.ports.repository)
        state = (await parse_roadmap(RunState(begun.request), deps, TaskWork())).state
        try:
            if not asked and not await set_up.is_welcome(state, begun.config):
                return Outcome("ended", "there is nothing to propose unasked")
            reply = await set_up.answer(state, deps, begun.started, begun.config, asked=asked)
        except TaskError as error:
            reply = f"Cairn could not look at everything: {plain_line(error.message)}"
    await begun.ports.progress.finish("ended", reply)
    return Outcome("ended", "it only checked what the repository lacks")


async def _looked(begun: Begun, state: RunState, found: CannotStart | None) -> str:
    """Offer the configuration that the tests need; close an offer that is not needed any more."""
    if not begun.proposes:
        return ""
    at, base = begun.ports.repository, state.stack.base
    if found:
        return await SetUp(at).offered(state, found)
    with suppress(TaskError):  # a refusal is not worth a run
        # '' where the run ended before its roadmap was read
        if base and CONFIG_PATH in (await at.snapshot(base)).entries:
            await SetUp(at).close_outdated()
    return ""


def register() -> Feature:
    """Return what the feature adds."""
    row = CommandRow(
        name="setup",
        makes=SetupCommand,
        handler=_asked,
        needs="write",
        description="check whether the tests can start; if they need a `.github/cairn.yml`, "
        "propose one as a pull request; if there is no roadmap, propose a first one from labelled "
        "issues; show the dashboard; no model is asked",
        example="/execute setup",
    )
    return Feature(
        commands=(row,),
        kinds={"setup": _set_up},
        looked=_looked,
        events={InstallationChanged: welcome},
    )
