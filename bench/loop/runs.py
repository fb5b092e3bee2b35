"""One task, once, with one strategy: the product's engine, or a baseline beside it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from bench.loop.corpus import Files, Task
from bench.loop.environment import BenchEnvironment
from bench.loop.naming import Character
from runner.history.recording import RunOrigin, execution_of
from runner.history.records import Execution
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node, driving
from runner.loop.task_pool import Ended
from runner.nodes import NODES
from runner.ports import SystemClock
from runner.roadmap.parse import parse_roadmap
from runner.state.events import Exchange, ModelAnswered
from runner.state.options import (
    ApprovalOptions,
    ModelOptions,
    Options,
    Request,
    SandboxOptions,
    Scope,
)
from runner.state.run_state import Attempt, Planned, RunStack, RunState, Spent
from tests.runner.memory_repository import START
from tests.runner.scripted import Recorder

ENGINE = ("hybrid", "repair", "fixed", "ralph")
BASELINES = {"single": 1, "regenerate": 3}
"""Answers at most."""

_SECONDS = 60.0
_ASKS = frozenset({"execute_task", "repair_code", "repair_test"})
_numbers = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How it ended. ``claimed`` says the product thinks it is done, ``right`` that it is.

    ``shown``: the product says that tests show it.

    ``path`` are the nodes of the attempt, ``why`` how a task that was not claimed ended.
    """

    task: Task
    strategy: str
    who: Character
    model: str
    claimed: bool
    right: bool
    shown: bool
    path: tuple[str, ...]
    answers: tuple[ModelAnswered, ...]
    auto_repaired: tuple[str, ...] = ()
    why: str = ""
    record: Execution | None = None
    """What the history keeps of it; None for a baseline."""

    @property
    def finished(self) -> bool:
        """Done, and truly so."""
        return self.claimed and self.right

    @property
    def claimed_wrong(self) -> bool:
        """Said to be done, and the tests held back say no."""
        return self.claimed and not self.right

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange, those about plans and failures too."""
        return tuple(event.exchange for event in self.answers)

    @property
    def calls(self) -> int:
        """Answers in code that were asked for (tries of the transport do not count)."""
        return sum(event.node in _ASKS for event in self.answers)

    @property
    def prompt_tokens(self) -> int:
        """Of all calls, as the server counts: four characters each."""
        return sum(exchange.prompt_tokens for exchange in self.exchanges)

    @property
    def completion_tokens(self) -> int:
        """Of all calls, as the server counts."""
        return sum(exchange.completion_tokens for exchange in self.exchanges)


async def run(
    environment: BenchEnvironment,
    task: Task,
    strategy: str,
    who: Character,
    nodes: Mapping[str, Node] = NODES,
    *,
    model: str = "",
) -> Result:
    """Run a task from the tree it begins with, through the product's nodes or some in their place.

    ``model`` is what a real model is called; the fault model's name says who it is.
    A run of the engine is left when the task is done or its failure has a name: what recovery
    makes of it is not the loop's.
    """
    model = model or who.named(f"{strategy}.{next(_numbers)}")
    loop = strategy if strategy in ENGINE else "hybrid"
    request = Request(
        f"bench-{next(_numbers)}",
        options=Options(
            loop=loop,
            scope=Scope(task=task.id, max_tasks=1),
            models=ModelOptions(model),
            approvals=ApprovalOptions(approval_mode="auto"),
            sandbox=SandboxOptions(test_timeout=_SECONDS),
        ),
    )
    ports = environment.deps(task.base)
    record = None
    if strategy in BASELINES:
        attempt, why = await _baseline(
            request, task, ports, environment.work(), most=BASELINES[strategy]
        )
    else:
        state, why = await _engine(request, ports, environment.work(), nodes)
        attempt = _attempt(state)
        record = _record(state, attempt, why)
    claimed = not why
    tree = left(task.base, attempt)
    right = claimed and await environment.judge.passes(task, tree, kept=True)
    return Result(
        task=task,
        strategy=strategy,
        who=who,
        model=model,
        claimed=claimed,
        right=right,
        shown=claimed and bool(attempt.tested.verdict and attempt.tested.verdict.verified),
        path=attempt.spent.path,
        answers=_answers(ports),
        auto_repaired=attempt.answered.auto_repairs,
        why=why,
        record=record,
    )


def _attempt(state: RunState | None) -> Attempt:
    attempts = state.attempts.values() if state else ()
    return next(iter(attempts), Attempt(task="", base="", below=""))


def _record(state: RunState | None, attempt: Attempt, why: str) -> Execution | None:
    """The record of an attempt that is over: its run was left before recovery began."""
    if state is None or not state.attempts:
        return None
    found = execution_of(state, attempt, RunOrigin(), at=SystemClock().now().timestamp())
    return replace(found, end=replace(found.end, status="failed" if why else "completed"))


def left(base: Files, attempt: Attempt) -> Files:
    """The tree with what an attempt changed."""
    tree = dict(base)
    for path, write in attempt.answered.changes.files.items():
        if write is None:
            tree.pop(path, None)
        else:
            tree[path] = write.content.decode("utf-8", "replace")
    return tree


def _answers(ports: Deps) -> tuple[ModelAnswered, ...]:
    assert isinstance(ports.events, Recorder)
    return tuple(ports.events.of(ModelAnswered))


async def _engine(
    request: Request, ports: Deps, work: TaskWork, nodes: Mapping[str, Node]
) -> tuple[RunState | None, str]:
    """Drive until the task is left or its failure is named; say why it failed ('': it did not)."""
    state, stopped = None, ""
    async with aclosing(driving(request, nodes, ports, work)) as steps:
        async for step in steps:
            if isinstance(step, Ended):
                stopped = f"{step.status}/{step.kind}" if step.kind else ""
                break
            state = step
            attempt = next(iter(state.attempts.values()), None)
            if attempt and attempt.spent.path[-1:] == ("classify_failure",):
                break
    attempt = _attempt(state)
    if not attempt.task:
        return state, "never begun"
    if attempt.published.commit:
        return state, ""
    failure = attempt.failure
    named = f"{failure.type}/{failure.reason}" if failure else "unexplained"
    return state, stopped or named


async def _baseline(
    request: Request, task: Task, ports: Deps, work: TaskWork, *, most: int
) -> tuple[Attempt, str]:
    """Ask the whole question, ``most`` times at most, until the visible tests pass."""
    state = await _begun(request, task, ports, work)
    why = "no answer"
    for _ in range(most):
        attempt = state.attempt
        fresh = Attempt(
            *(attempt.task, attempt.base, attempt.below),
            planned=Planned(context=attempt.planned.context),
            # it is part of a question's name: without it the old answer would come again
            spent=Spent(path=attempt.spent.path, total=attempt.spent.total),
        )
        state = state.put(fresh)
        state, why = await _tried(state, ports, work)
        if not why:
            break
    await work.sandbox.close()
    return state.attempt, why


async def _begun(request: Request, task: Task, ports: Deps, work: TaskWork) -> RunState:
    roadmap = parse_roadmap("ROADMAP.md", task.base["ROADMAP.md"].encode())
    key = next(each.key for each in roadmap.tasks if each.id == task.id)
    state = RunState(
        request, roadmap=roadmap, stack=RunStack(tip=START, branch="main"), current=key
    )
    state = state.put(Attempt(key, base=START, below="main"))
    return (await NODES["build_context"](state, ports, work)).state


async def _tried(state: RunState, ports: Deps, work: TaskWork) -> tuple[RunState, str]:
    """Put one answer through the product's own parser, validators and tests."""
    for node in ("execute_task", "validate_code", "write_files", "verify_task"):
        step = await NODES[node](replace(state, node=node), ports, work)
        state = step.state.updated(
            replace(step.state.attempt.spent, path=(*step.state.attempt.spent.path, node))
        )
        if step.outcome != "ok":
            return state, node
    return state, ""
