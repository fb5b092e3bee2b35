"""Let an agent write the code: a program in the sandbox, in the place of Cairn's own question.

What it changed in its copy of the tree becomes a change set, which is validated, verified and
repaired like any other answer. What it says about its work is not believed. Every question that it
asks the model is one of the attempt: paid, recorded, and answered again after a crash.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from runner.agents.adapters import AgentRequest, adapter_of
from runner.errors import Outage, PortError, Stopped, TaskError
from runner.loop.asking import ask
from runner.loop.deps import Deps, TaskSandbox
from runner.loop.reading import base_of, contents
from runner.loop.strategy import model_for
from runner.loop.workspace import listing, take
from runner.nodes.generate import still_hidden
from runner.nodes.revise import change_so_far
from runner.nodes.work import work_on
from runner.people.sentences import in_log
from runner.ports import CommandResult, SandboxSession, led
from runner.prompts import render_text
from runner.prompts.questions import Call, Message
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.findings import Complaint
from runner.state.run_state import RunState
from runner.text.mask import masked_json
from runner.text.sanitize import cut_middle

log = logging.getLogger(__name__)

_LEFT_BEHIND = (
    *(".git/", "__pycache__/", "*.pyc", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/"),
    *("node_modules/", ".venv/", ".aider*", ".coverage"),
)
"""What agents and the tools they run leave in a folder without anybody wanting it."""

_LONGEST_WORD = 600
_MOST_TEXTS = 10_000
_MOST_PATTERNS = 10_000
"""Lines of the ``.gitignore`` that an agent leaves which are looked at."""


class _Asking:
    """Answers the agent's questions one after another; ``state`` has what they cost.

    ``failure`` is why there are no more answers; ``failed`` is set with it.
    """

    def __init__(self, state: RunState, deps: Deps) -> None:
        self.state = state
        self.failure: PortError | Stopped | None = None
        self.failed = asyncio.Event()
        self._deps = deps
        self._turn = asyncio.Lock()
        # each question repeats those before
        self._hide = lru_cache(_MOST_TEXTS)(deps.mask)

    async def __call__(
        self,
        messages: tuple[Message, ...],
        *,
        temperature: float,
        max_tokens: int | None,
        call: Call | None = None,
    ) -> tuple[str, str]:
        async with self._turn:
            hide = partial(masked_json, mask=self._hide) if call else self._hide
            shown = [
                Message(each.role, await asyncio.to_thread(hide, each.content)) for each in messages
            ]
            try:
                if self.failure:
                    raise self.failure
                self.state, reply = await ask(
                    self.state,
                    self._deps,
                    tuple(shown),
                    temperature=temperature,
                    max_tokens=max_tokens,
                    call=call,
                )
            except (PortError, Stopped) as failure:
                self.failure = failure
                self.failed.set()
                raise TaskError("model", "There are no more answers in this run.") from failure
        ends = "content_filter" if reply.refused else "length" if reply.truncated else "stop"
        return reply.text, ends


async def by_agent(state: RunState, deps: Deps) -> RunState:
    """Let the configured agent work on the newest tree of the attempt, and take what it changed.

    A repair goes on from the last change, and is told what is wrong with it; a fresh start is not.
    Raises what a question of Cairn's own raises, and ``Outage`` where the agent is not there.
    """
    attempt, fresh = state.attempt, state.node == "execute_task"
    base, before = await base_of(state, deps), attempt.answered.changes
    if fresh:
        before = await change_so_far(state, deps) if attempt.planned.revision else ChangeSet()
    verification, plan = attempt.tested.verification, attempt.planned.plan
    text = render_text(
        "agent",
        context=attempt.planned.context.decode(),
        avoid=attempt.answered.avoid if fresh else (),
        complaints=attempt.checked.complaints if state.node == "repair_code" else (),
        failures=verification.failures if verification and state.node == "repair_test" else (),
        roadmap=state.request.roadmap,
    )
    named = dict.fromkeys((*state.task.files, *(plan.likely_files if plan else ())))
    files = [path for path in named if path in base.entries]
    box = TaskSandbox({}, network=True)
    try:
        session = await (await work_on(state, deps, box, base)).session(before)
        there = await listing(session)
        state, result = await _worked(state, deps, session, text, files)
        made = await _made(session, there, apart=state.request.roadmap)
    finally:
        await box.close()
    changes = before.merged(made).effective(base)
    return await _answered(state, deps, base, changes, made=made, result=result)


async def _worked(
    state: RunState, deps: Deps, session: SandboxSession, text: str, files: Sequence[str]
) -> tuple[RunState, CommandResult]:
    """Start the agent in a session that holds the tree, and wait for its end."""
    options = state.request.options.agents
    adapter, model = adapter_of(options), model_for(state) or deps.search.model
    log.info("Task %s: the agent %s works on it", in_log(state.task), adapter.name)
    if missing := await adapter.missing(session):
        raise Outage("environment", missing)  # no task can be worked on without it
    asking = _Asking(state, deps)
    async with deps.chat_server(model, asking) as serve, led(session, serve) as address:
        request = AgentRequest(text, model, address, options.agent_seconds, files)
        result = await _unless_failed(adapter.execute(request, session), asking)
    return asking.state, result


async def _unless_failed(
    working: Coroutine[object, object, CommandResult], asking: _Asking
) -> CommandResult:
    """Wait for the agent; end it once there are no more answers. Raises why there are none."""
    agent, failed = asyncio.ensure_future(working), asyncio.ensure_future(asking.failed.wait())
    try:
        await asyncio.wait((agent, failed), return_when=asyncio.FIRST_COMPLETED)
    finally:
        failed.cancel()
        if not agent.done():
            agent.cancel()
            await asyncio.gather(agent, return_exceptions=True)
    if asking.failure:
        raise asking.failure
    return agent.result()


async def _made(
    session: SandboxSession, there: Mapping[str, tuple[bytes, ...]], *, apart: str
) -> ChangeSet:
    """What is not as it was ``there``: without the roadmap, which Cairn ticks itself."""
    from runner.text.gitignore import ignoring

    now = await listing(session)
    differs = {path for path in {*there, *now} if there.get(path) != now.get(path)} - {apart}
    ignored = (await take(session, {".gitignore"} & now.keys())).get(".gitignore", ("", b""))[1]
    patterns = (*_LEFT_BEHIND, *ignored.decode("utf-8", "replace").splitlines())
    spec, new = ignoring(patterns[:_MOST_PATTERNS]), differs - there.keys()
    dropped = set(await asyncio.to_thread(lambda: list(spec.match_files(new))))
    differs -= dropped | {path for path in differs if path.startswith(".git/")}
    taken = await take(session, {path for path in differs if len(now.get(path, ())) > 1})
    return ChangeSet(
        {
            path: Write(taken[path][1], taken[path][0]) if path in taken else None
            for path in differs
            if path in taken or path not in now
        }
    )


async def _answered(
    state: RunState,
    deps: Deps,
    base: Snapshot,
    changes: ChangeSet,
    *,
    made: ChangeSet,
    result: CommandResult,
) -> RunState:
    """Take the changes as an answer; good work counts also if the agent then failed."""
    complaints = still_hidden(changes, await contents(deps, base, changes.files), deps.mask)
    if not made:
        complaints = (Complaint("", "EmptyAnswer", _nothing(result, deps)),)
    answered = replace(
        state.attempt.answered,
        answers=state.attempt.answered.answers + 1,
        changes=changes,
        explanation="",
        form="files",
    )
    checked = replace(state.attempt.checked, complaints=complaints, warnings=())
    return state.put(replace(state.attempt, failure=None, answered=answered, checked=checked))


def _nothing(result: CommandResult, deps: Deps) -> str:
    """Say how an agent ended that changed nothing, with the end of what it printed."""
    how = "took too long" if result.timed_out else f"ended with code {result.exit_code}"
    output = (result.stdout + b"\n" + result.stderr).decode("utf-8", "replace").strip()
    said = cut_middle(deps.mask(output), _LONGEST_WORD)
    return f"The agent changed nothing and {how}." + (f" It printed: {said}" if said else "")
