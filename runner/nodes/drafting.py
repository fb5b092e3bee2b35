"""Find tasks that can take a failed task's place: two questions at most, then its own structure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from runner.asking import ask
from runner.deps import Deps
from runner.errors import TaskError
from runner.nodes.gathering import SHORT, gathered, lines, told
from runner.nodes.sharing import ground
from runner.ports import Message
from runner.prompts import render_text
from runner.prompts.forms import form
from runner.reading import contents
from runner.recovery.checks import Ground, fault
from runner.recovery.choose import MOST_PARTS, room
from runner.recovery.decompose import parts_of
from runner.recovery.facts import Facts
from runner.recovery.propose import proposal_of
from runner.recovery.reading_tasks import read_tasks
from runner.recovery.values import Strategy
from runner.roadmap.new_task import NewTask
from runner.state import RunState

MAX_QUESTIONS = 2
"""Model calls for one proposal."""

_MOST_PATHS = 40


@dataclass(frozen=True, slots=True)
class Draft:
    """Tasks that were checked, or why there are none."""

    tasks: tuple[NewTask, ...] = ()
    why_none: str = ""


async def drafted(state: RunState, deps: Deps, strategy: Strategy) -> tuple[RunState, Draft]:
    """Return tasks for the place of the one in hand, which the newest roadmap can take.

    Raises ``Outage``, ``Stopped``; a question that is refused ends the asking.
    """
    facts, ground = await gathered(state, deps), await _ground(state, deps)
    why = ""
    for _ in range(MAX_QUESTIONS):
        try:
            text = _question(state, facts, strategy, why)
            messages = (Message("user", text),)
            state, said = await ask(
                state, deps, messages, temperature=0.2, max_tokens=SHORT, form=form(strategy)
            )
        except TaskError as error:
            why = error.message
            break
        tasks = await asyncio.to_thread(read_tasks, said.text)
        why = await _fault(state, ground, strategy, tasks)
        if not why:
            return state, Draft(tasks)
    parts = parts_of(state.task, state.attempt.plan) if strategy == "decompose" else ()
    if parts and not await _fault(state, ground, strategy, parts):
        return state, Draft(parts)
    return state, Draft(why_none=f"no usable {strategy} was proposed ({why.rstrip('.')})")


async def _ground(state: RunState, deps: Deps) -> Ground:
    """The newest roadmap: other tasks may have changed it since this one was begun."""
    tip = ground(state, deps).commit
    path = state.request.roadmap
    try:
        base = await deps.repository.snapshot(tip)
        found = await contents(deps, base, [path])
    except TaskError:
        return Ground(state.roadmap.content if state.roadmap else b"")
    return Ground(found.get(path, b""), frozenset(base.entries))


async def _fault(
    state: RunState, ground: Ground, strategy: Strategy, tasks: Sequence[NewTask]
) -> str:
    if len(tasks) > room(state):
        return f"{len(tasks)} tasks are more than this run may still get; write fewer."
    if len(tasks) > MOST_PARTS:  # before they are numbered and tried
        return f"{len(tasks)} tasks were found; write at most {MOST_PARTS}."
    proposed = state.with_attempt(proposal=proposal_of(state, strategy, tasks))
    return await asyncio.to_thread(fault, proposed, ground)


def _question(state: RunState, facts: Facts, strategy: Strategy, complaint: str) -> str:
    failure = state.attempt.failure
    values: dict[str, object] = {
        "task": told(facts),
        "evidence": list(lines(failure)) if failure else [],
        "paths": _near(facts),
        "complaint": complaint,
    }
    if strategy == "rewrite":
        return render_text("propose_rewrite", **values)
    most = min(MOST_PARTS, room(state))
    return render_text("propose_decompose", **values, fewest=2, most=most)


def _near(facts: Facts) -> list[str]:
    """Files worth naming: those the task is about, then their neighbours, then any."""
    about = {*facts.task.files, *facts.changed} & (facts.paths | facts.changed)
    folders = {path.rpartition("/")[0] for path in about}
    ranked = sorted(
        facts.paths, key=lambda p: (p not in about, p.rpartition("/")[0] not in folders, p)
    )
    return [path for path in ranked if not path.startswith(".")][:_MOST_PATHS]
