"""The loop with one part of it taken out: what that part is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bench.loop.corpus import Task
from bench.loop.environment import BenchEnvironment
from bench.loop.play import Played, play
from bench.loop.stats import share
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node
from runner.loop.reading import Read
from runner.nodes import NODES
from runner.nodes.validate import AutoRepaired, Contents, complaints_of, validate_code
from runner.state.changes import ChangeSet, Snapshot
from runner.state.run_state import RunState, Step

_HEAD = "| loop | finished | claimed and wrong | calls | test runs | prompt | completion |"


async def ablation(
    environment: BenchEnvironment,
    tasks: Sequence[Task],
    cell: tuple[float, float],
    seeds: Sequence[int],
) -> list[str]:
    """Run one cell with each part taken out, on the same draws; return the table."""
    found = {"as it is": await _hybrid(environment, tasks, cell, seeds)}
    found["no validation before writing"] = await _hybrid(
        environment, tasks, cell, seeds, {**NODES, "validate_code": _unvalidated}
    )
    found["no deterministic fixes"] = await _hybrid(
        environment, tasks, cell, seeds, {**NODES, "validate_code": _unrepaired}
    )
    fixed = await play(environment, tasks, cell=cell, strategies=["fixed"], seeds=seeds)
    found["no surgical questions (`--loop fixed`)"] = fixed["fixed"]
    columns = "|" + " --- |" * (_HEAD.count("|") - 1)
    return [_HEAD, columns, *(_line(name, runs) for name, runs in found.items())]


async def _hybrid(
    environment: BenchEnvironment,
    tasks: Sequence[Task],
    cell: tuple[float, float],
    seeds: Sequence[int],
    nodes: Mapping[str, Node] = NODES,
) -> list[Played]:
    # what another validation let through must not be known already
    apart = replace(environment, verified={})
    chosen = ["hybrid"]
    return (await play(apart, tasks, cell=cell, strategies=chosen, seeds=seeds, nodes=nodes))[
        "hybrid"
    ]


async def _unvalidated(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Write whatever was understood, for the tests to judge."""
    attempt = state.attempt
    if (
        attempt.checked.complaints
        or not attempt.answered.changes
        or attempt.answered.changes.digest in attempt.answered.tried
    ):
        return await NODES["validate_code"](state, deps, work)
    return Step(state, "ok")


async def _unrepaired(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Let nothing be put right but by the model."""
    return await validate_code(state, deps, work, repair=_as_it_is)


def _as_it_is(
    state: RunState,
    changes: ChangeSet,
    base: Snapshot,
    read: Read,
    tests: Contents,
) -> AutoRepaired:
    return changes, complaints_of(state, changes, base, read, tests), ()


def _line(name: str, runs: Sequence[Played]) -> str:
    count = len(runs)
    finished = share(sum(run.result.finished for run in runs), count)
    claimed = share(sum(run.result.claimed_wrong for run in runs), count)
    columns = [
        name,
        f"{finished.value:.1%} [{finished.low:.1%}, {finished.high:.1%}]",
        f"{claimed.value:.1%}",
        f"{sum(run.result.calls for run in runs) / count:.2f}",
        f"{sum(run.result.path.count('verify_task') for run in runs) / count:.2f}",
        f"{sum(run.result.prompt_tokens for run in runs) / count:,.0f}",
        f"{sum(run.result.completion_tokens for run in runs) / count:,.0f}",
    ]
    return "| " + " | ".join(columns) + " |"
