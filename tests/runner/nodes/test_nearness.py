"""Files ranked by meaning, where a run wishes for embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from runner.adapters.openai_model import OpenAIModel
from runner.context.nearness import MOST_NEW, fused, nearest, unit
from runner.errors import Outage
from runner.nodes.context import describe
from runner.ports import Embedder
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import at, run_state

TASK = "- [ ] 1.1 Let customers sign in twice\n"
TREE = {
    "ROADMAP.md": TASK,
    "shop/zz.py": "def authenticate(user):\n    return bool(user)\n",
    **{f"shop/m{n}.py": f"def part{n}():\n    return {n}\n" for n in range(40)},
}


@dataclass
class Meanings(Embedder):
    """Knows that signing in is authentication; keeps what it was asked, fails when told to."""

    asked: list[list[str]] = field(default_factory=list)
    fails: bool = False

    async def embed(self, texts: Sequence[str], *, model: str) -> Sequence[Sequence[float]]:
        if self.fails:
            raise Outage("model", "no embeddings here")
        self.asked.append(list(texts))
        return [(1.0, 0.0) if "sign in" in t or "authenticate" in t else (0.0, 1.0) for t in texts]


async def described(embedder: Meanings, *, times: int = 1, model: str = "small") -> str:
    """The context of the task, with these meanings."""
    ports = replace(deps(repository=MemoryRepository(TREE)), embedder=embedder)
    state = at("build_context", run_state(TASK, embeddings=model, context_tokens=600), base=START)
    for _ in range(times):
        text = await describe(state, ports)
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
    assert await described(Meanings(fails=True)) == await described(Meanings(), model="")


def test_ranks_are_fused():
    """What both orders have comes first; without a second order scores stay what they are."""
    assert fused({"a": 1.0, "b": 0.5}, []) == {"a": 1.0, "b": 0.5}
    scores = fused({"a": 1.0, "b": 0.5}, ["b", "c"])
    assert sorted(scores, key=lambda path: -scores[path])[0] == "b"
    assert set(scores) == {"a", "b", "c"}
    assert max(scores.values()) == 1.0


def test_the_nearest_come_first():
    """Length does not count, and another model's vectors are left out."""
    vectors = {"far": unit((0, 9)), "near": unit((2, 1)), "odd": unit((1, 1, 1))}

    assert nearest((5.0, 0.0), vectors) == ["near", "far"]


async def test_the_endpoints_embeddings():
    """One request for all texts; an error status is an outage the context can do without."""

    async def embeddings(request: web.Request) -> web.Response:
        said = await request.json()
        if said["model"] == "none":
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        data = [
            {"object": "embedding", "index": n, "embedding": [float(len(text)), 0.5]}
            for n, text in enumerate(said["input"])
        ]
        return web.json_response({"object": "list", "model": said["model"], "data": data})

    app = web.Application()
    app.router.add_post("/v1/embeddings", embeddings)
    async with TestServer(app) as server:
        model = OpenAIModel(model="m", api_key="k", base_url=str(server.make_url("/v1")))
        assert await model.embed(["ab", "abc"], model="e") == [[2.0, 0.5], [3.0, 0.5]]
        with pytest.raises(Outage, match="no such model"):
            await model.embed(["ab"], model="none")
        await model.close()
