"""Files ranked by meaning, where a run wishes for embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from runner.context.search import MOST_NEW, fused, nearest, unit
from runner.errors import Outage
from runner.grouped import changed
from runner.loop.deps import Deps, FileSearch, TaskWork
from runner.loop.driver import drive
from runner.money import Usage
from runner.nodes.context import build_context, describe
from runner.nodes.plan import plan_task
from runner.people.report import report
from runner.ports import Embedder
from runner.prompts.questions import Embedded
from runner.state.options import Options, Request
from runner.state.run_state import RunState
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.scripted_nodes import ScriptedNodes
from tests.runner.states import at, run_state

TASK = "- [ ] 1.1 Let customers sign in twice\n"
TREE = {
    "ROADMAP.md": TASK,
    "shop/zz.py": "def authenticate(user):\n    return bool(user)\n",
    **{f"shop/m{n}.py": f"def part{n}():\n    return {n}\n" for n in range(40)},
}


@dataclass
class Meanings(Embedder):
    """Knows that signing in is authentication; keeps what it was asked.

    Each request takes seven tokens, a cent and a second; ``fails`` is the first that does not
    work, counted from 1 (0: none), ``cost`` None where nobody knows the price.
    """

    asked: list[list[str]] = field(default_factory=list)
    fails: int = 0
    cost: float | None = 0.01

    async def embed(self, texts: Sequence[str], *, model: str) -> Embedded:
        self.asked.append(list(texts))
        if 0 < self.fails <= len(self.asked):
            raise Outage("model", "no embeddings here")
        vectors = [
            (1.0, 0.0) if "sign in" in t or "authenticate" in t else (0.0, 1.0) for t in texts
        ]
        return Embedded(vectors, 7, self.cost, 1.0)


def asking(embedder: Meanings, **options: Any) -> tuple[RunState, Deps]:
    """The task in hand, and ports with these meanings."""
    ports = replace(deps(repository=MemoryRepository(TREE)), search=FileSearch(embedder=embedder))
    wished = {"embeddings": "small", "context_tokens": 600} | options
    return at("build_context", run_state(TASK, **wished), base=START), ports


async def described(embedder: Meanings, *, times: int = 1, model: str = "small") -> str:
    """The context of the task, with these meanings."""
    state, ports = asking(embedder, embeddings=model)
    for _ in range(times):
        _, text = await describe(state, ports)
    return text


async def test_a_file_without_a_word_in_common_is_found():
    """BM25 cannot see it; its meaning can."""
    quoted = "return bool(user)"

    assert quoted not in await described(Meanings(), model="")
    assert quoted in await described(Meanings())


async def test_a_content_is_embedded_once():
    """The second context asks about the task alone."""
    meanings = Meanings()
    await described(meanings, times=2)

    assert [len(texts) for texts in meanings.asked] == [len(TREE) - 1, 1, 1]
    assert len(meanings.asked[0]) <= MOST_NEW


async def test_an_endpoint_that_fails_leaves_the_words():
    """The context is the one without embeddings."""
    assert await described(Meanings(fails=1)) == await described(Meanings(), model="")


@pytest.mark.parametrize(("fails", "counted"), [(0, 2), (2, 1), (1, 0)])
async def test_what_embeddings_take_is_counted(fails: int, counted: int):
    """Tokens, cost and calls stand with the attempt, though the last request was of no use."""
    state, _ = await describe(*asking(Meanings(fails=fails)))

    used = Usage(1.0, 7, 0.01, 1)
    spent = state.attempt.spent
    assert spent.total == spent.embedded == sum([used] * counted, Usage())


async def test_a_price_nobody_knows():
    """The cost of the task is unknown then, not smaller."""
    state, _ = await describe(*asking(Meanings(cost=None)))

    assert (state.attempt.spent.total.unpriced, state.attempt.spent.total.known_cost) == (2, None)


async def planned_run(**options: Any) -> RunState:
    """A whole run of one task that is planned, with these meanings and two answers."""
    request = Request("r1", options=changed(Options(), max_tasks=1, planning="always", **options))
    table = {**ScriptedNodes(), "plan_task": plan_task, "build_context": build_context}
    ports = replace(asking(Meanings())[1], model=ScriptedModel("no plan", "code"))
    return (await drive(request, table, ports)).state


async def test_nodes_add_up_to_the_run():
    """Embeddings of two nodes and two answers: each with its node, and all of them in the whole."""
    told = report(await planned_run(embeddings="small"))

    nodes, whole = told["nodes"], told["model_usage"]
    assert isinstance(nodes, dict)
    assert isinstance(whole, dict)
    assert nodes["plan_task"]["tokens"] == 2 * 7 + 15
    assert nodes["build_context"] | {"seconds": 0} == {
        "tokens": 7, "cost": 0.01, "seconds": 0, "calls": 1
    }  # fmt: skip
    for number in ("tokens", "cost", "calls"):
        assert sum(node[number] for node in nodes.values()) == pytest.approx(whole[number])


async def test_an_answer_is_known_whatever_was_embedded_before():
    """A plan that is asked for again, its files embedded by now, is not paid for again."""
    model, ports = ScriptedModel("{}"), asking(Meanings())[1]
    state = replace(asking(Meanings())[0], node="plan_task")
    ports = replace(ports, model=model)
    first = await plan_task(state, ports, TaskWork())
    again = await plan_task(state, ports, TaskWork())

    assert first.state.attempt.spent.embedded.calls > again.state.attempt.spent.embedded.calls
    assert len(model.questions) == 1


def test_nearness_is_added_to_words():
    """What both have comes first; without an order of nearness scores stay what they are."""
    assert fused({"a": 1.0, "b": 0.8}, []) == {"a": 1.0, "b": 0.8}
    scores = fused({"a": 1.0, "b": 0.8}, ["b", "c"])
    assert sorted(scores, key=lambda path: -scores[path]) == ["b", "a", "c"]
    assert max(scores.values()) == 1.0


def test_embeddings_that_know_nothing():
    """Fifty files that are near for no reason push none out that the words have found."""
    words = {"a": 1.0, "b": 0.8, "c": 0.55}
    scores = fused(words, [f"m{n}" for n in range(50)])

    assert sorted(scores, key=lambda path: -scores[path])[:3] == ["a", "b", "c"]


def test_the_nearest_come_first():
    """Length does not count, and another model's vectors are left out."""
    vectors = {"far": unit((0, 9)), "near": unit((2, 1)), "odd": unit((1, 1, 1))}

    assert nearest((5.0, 0.0), vectors) == ["near", "far"]
