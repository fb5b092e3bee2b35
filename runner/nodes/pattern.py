"""Do a task from a pattern, where its words are those of one: no model is asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from runner.loop.deps import Deps
from runner.loop.reading import base_of, contents
from runner.nodes.context import made
from runner.patterns.pattern import NoFit, Pattern, built_in, is_pattern, read_patterns
from runner.roadmap.task import Task
from runner.state.changes import ChangeSet
from runner.state.run_state import RunState
from runner.text.sanitize import plain_line

log = logging.getLogger(__name__)

_MOST = 50


async def patterns_of(state: RunState, deps: Deps) -> tuple[list[Pattern], list[str]]:
    """Return those of the repository and the built-in ones, and what is wrong with files of them.

    They are read from the base branch: what a pull request brings does not count before its merge,
    and on a checkout not what a task of this run wrote.
    """
    base = await deps.repository.snapshot(state.stack.base or state.stack.tip)
    there = sorted(set(filter(is_pattern, base.entries)) - set(made(state)))[:_MOST]
    found, wrong = await asyncio.to_thread(read_patterns, await contents(deps, base, there))
    return [*found, *built_in()], wrong


async def fits(state: RunState, deps: Deps) -> bool:
    """Say whether the current task is one for a pattern, so that it needs no plan."""
    return _may(state) and bool(_of(state.task, (await patterns_of(state, deps))[0]))


def _may(state: RunState) -> bool:
    """Whether the task's line is all that is asked for, and nothing was tried for it before."""
    attempt, task = state.attempt, state.task
    more = task.details or task.acceptance or attempt.planned.members
    return state.request.options.patterns and attempt.number == 1 and not more


def _of(task: Task, patterns: Sequence[Pattern]) -> list[tuple[Pattern, dict[str, str]]]:
    words = task.text.strip()
    if task.id and words.strip("*").startswith(task.id):
        words = words.strip("*").removeprefix(task.id).lstrip("*.:) \t")
    found = ((each, each.inputs_of(words)) for each in patterns)
    return [(each, inputs) for each, inputs in found if inputs is not None]


async def by_pattern(state: RunState, deps: Deps) -> RunState:
    """Return the state with the files of the first pattern that can do its task as the answer.

    The state stays as it is, but for a note, where none can; then a model is asked.
    """
    if not _may(state):
        return state
    patterns, wrong = await patterns_of(state, deps)
    for problem in wrong:
        log.warning("A pattern is not used: %s", problem)
        state = state.noted(f"a pattern is not used: {plain_line(problem)}")
    for pattern, inputs in _of(state.task, patterns):
        try:
            changes = await _executed(state, deps, pattern, inputs)
        except NoFit as error:
            log.info("The pattern %s does not do the task: %s", pattern.name, error)
            state = state.noted(f"the pattern {pattern.name} is not used: {plain_line(str(error))}")
            continue
        log.info("Task [%s] is done by the pattern %s", state.task.name, pattern.name)
        given = ", ".join(f"{name} = {value}" for name, value in sorted(inputs.items()))
        said = plain_line(f"{pattern.name} ({pattern.place}): {given}")
        answered = replace(state.attempt.answered, answers=1, changes=changes, pattern=said)
        return state.updated(answered).noted(f"done by the pattern {said}; no model was asked")
    return state


async def _executed(
    state: RunState, deps: Deps, pattern: Pattern, inputs: dict[str, str]
) -> ChangeSet:
    base = await base_of(state, deps)
    paths = set(pattern.paths(inputs).values())
    there = base.entries.keys() | {path.rpartition("/")[0] for path in base.entries}
    old = dict.fromkeys(paths & there, b"") | await contents(deps, base, paths)
    return await asyncio.to_thread(pattern.execute, inputs, old)
