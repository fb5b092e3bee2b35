"""A table of nodes for the driver alone: they do nothing but note that they worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from runner.graph import GRAPH
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node
from runner.money import Usage
from runner.nodes.run import decide_next, pick_task
from runner.prompts.questions import Answer, Message, Question
from runner.roadmap.parse import parse_roadmap
from runner.state.run_state import RunState, Step
from tests.runner.fields import with_attempt, with_stack
from tests.runner.memory_repository import START

ROADMAP = b"- [ ] T1 one\n- [ ] T2 two\n"


class ScriptedNodes(Mapping[str, Node]):
    """Ends each node with ``ok``, or as ``outcomes`` says in turn; ``worked`` lists the effects.

    The run's own nodes are the real ones but for ``parse_roadmap``, which reads ``ROADMAP``.
    ``faults`` are raised by a node in turn before it works; ``boxed`` opens the task's box.
    """

    def __init__(
        self,
        outcomes: Mapping[str, list[str]] | None = None,
        faults: Mapping[str, list[Exception]] | None = None,
        *,
        boxed: bool = False,
    ) -> None:
        self._boxed = boxed
        self._outcomes = {node: list(words) for node, words in (outcomes or {}).items()}
        self._faults = {node: list(errors) for node, errors in (faults or {}).items()}
        self.worked: list[tuple[str, str]] = []

    def __getitem__(self, name: str) -> Node:
        async def node(state: RunState, deps: Deps, work: TaskWork) -> Step:
            if waiting := self._faults.get(name):
                raise waiting.pop(0)
            step = await self._work(name, state, deps, work)
            self.worked.append((name, state.current))
            return step

        return node

    def __iter__(self):
        return iter(GRAPH)

    def __len__(self) -> int:
        return len(GRAPH)

    async def _work(self, name: str, state: RunState, deps: Deps, work: TaskWork) -> Step:
        if name == "parse_roadmap":
            roadmap = parse_roadmap("ROADMAP.md", ROADMAP)
            return Step(
                replace(with_stack(state, tip=START, branch="main"), roadmap=roadmap),
                "ok",
            )
        if name == "decide_next":
            return await decide_next(state, deps, work)
        if name == "pick_task":
            return await pick_task(state, deps, work)
        if name == "checkpoint":
            commit = f"commit-of-{state.task.id}"
            return self._ended(
                name, with_attempt(state, commit=commit, branch=f"b-{state.task.id}")
            )
        if name == "build_context" and self._boxed:
            await work.sandbox.session(state, deps.sandbox)
        if name == "execute_task":
            state = await _asked(state, deps)
        return self._ended(name, state)

    def _ended(self, name: str, state: RunState) -> Step:
        words = self._outcomes.get(name)
        return Step(state, words.pop(0) if words else "ok")


async def _asked(state: RunState, deps: Deps) -> RunState:
    """One call to the model, counted as the real node does."""
    answer: Answer = await deps.model.ask(Question((Message("user", "go"),), 0.0, 10))
    tokens = answer.prompt_tokens + answer.completion_tokens
    attempt = state.attempt
    return with_attempt(
        state,
        answers=attempt.answered.answers + 1,
        total=attempt.spent.total + Usage(answer.seconds, tokens, answer.cost or 0.0, 1),
    )
