"""Embeddings of an endpoint: in order, counted, and refused as an outage."""

from __future__ import annotations

import pytest

from runner.errors import Outage
from runner.model.errors import Transient
from runner.model.prices import Price, Prices
from runner.model.replies import read_vectors
from tests.model_server import ScriptedModel
from tests.model_server.embeddings import MODEL, UNCOUNTED, vector
from tests.runner.model.model_kit import asking

TEXTS = ["sign in", "ab", "x"]


@pytest.mark.parametrize(
    ("name", "tokens", "cost"), [(MODEL, 4, 8e-6), (UNCOUNTED, 4, None)], ids=["told", "estimated"]
)
async def test_embeddings(name: str, tokens: int, cost: float | None):
    """A vector for each text, the endpoint's count of tokens or else ours, what they cost."""
    prices = Prices({MODEL: Price(input=2.0, output=9.0)})
    async with asking(ScriptedModel(), prices=prices) as model:
        found = await model.embed(TEXTS, model=name)

    assert list(found.vectors) == [vector(text) for text in TEXTS]
    assert (found.tokens, found.cost, found.seconds) == (tokens, cost, 1.0)


async def test_an_embedding_model_that_is_not_there():
    """A refusal is an outage, which the context can do without."""
    async with asking(ScriptedModel()) as model:
        with pytest.raises(Outage, match=r"no embeddings by none: .*does not exist"):
            await model.embed(TEXTS, model="none")


def test_vectors_in_another_order():
    """The index says which text a vector is of."""
    body = b'{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1.5]}]}'

    assert read_vectors(body, 2).vectors == ([1.5], [2.0])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"<html>", "no embeddings"),
        (b'{"data": null}', "no embeddings"),
        (b'{"data": [{"embedding": "AAAA"}]}', "no embeddings"),
        (b'{"data": []}', "0 embeddings for 1 texts"),
    ],
)
def test_no_embeddings(body: bytes, says: str):
    """What is no whole answer is said to be none."""
    with pytest.raises(Transient, match=says):
        read_vectors(body, 1)
