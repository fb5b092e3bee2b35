"""The scripted model: what is answered, in which order, and what counts as a broken script."""

from __future__ import annotations

import pytest

from tests.model_server import Asked, Fault, Rule, ScriptedModel
from tests.model_server.script import EXHAUSTED


def asked(text: str) -> Asked:
    """Make a request."""
    return Asked({"model": "m", "messages": [{"role": "user", "content": text}]})


def test_queue():
    """Answers that were lined up are given in order."""
    model = ScriptedModel().says("one", "two")

    assert [model.answer(asked("x")), model.answer(asked("x"))] == ["one", "two"]


def test_rule_before_queue():
    """A rule that speaks for a prompt wins over the queue, in upper and lower case."""
    model = ScriptedModel().says("queued").when(contains="ADD(").says("by rule")

    assert model.answer(asked("write add(a, b)")) == "by rule"


def test_first_rule_with_an_answer_left():
    """When a rule's answers are used up the next matching rule speaks."""
    model = ScriptedModel([Rule(("a",), (), ("one",)), Rule(("a",), (), ("two",))])

    assert [model.answer(asked("a")), model.answer(asked("a"))] == ["one", "two"]


def test_words_that_must_be_missing():
    """A rule is silent where one of its unwanted words stands."""
    model = ScriptedModel([Rule(("a",), ("failed",), ("first",)), Rule(("a",), (), ("repair",))])

    assert model.answer(asked("a, it failed")) == "repair"


def test_repeated_answer():
    """With repeat_last the last answer is given for ever, and none is left over."""
    model = ScriptedModel([Rule((), (), ("one", "two"), repeat_last=True)])

    assert [model.answer(asked("x")) for _ in range(4)] == ["one", "two", "two", "two"]
    model.verify()


def test_node():
    """A node's name stands for the words its prompts have."""
    model = ScriptedModel(nodes={"repair": ("does not pass",)})
    model.when(contains="add", node="repair").says("repaired").says("fresh")

    assert model.answer(asked("write add")) == "fresh"
    assert model.answer(asked("add does not pass")) == "repaired"


def test_asked_too_often():
    """A question nobody scripted is refused and breaks the script."""
    model = ScriptedModel()

    turn = model.answer(asked("what now?"))
    assert isinstance(turn, Fault)
    assert turn.status == 400
    with pytest.raises(AssertionError, match="what now"):
        model.verify()


def test_left_over():
    """Answers nobody asked for break the script, those of rules too."""
    model = ScriptedModel().says("queued").when(contains="a").says("by rule")

    with pytest.raises(AssertionError, match=r"'queued'[\s\S]*'by rule'"):
        model.verify()


def test_requests_are_kept():
    """Every request is kept with its model, its messages and all of its text."""
    model = ScriptedModel().says("x")
    model.answer(asked("hello"))

    [request] = model.requests
    assert (request.model, request.prompt) == ("m", "hello")
    assert request.messages == ({"role": "user", "content": "hello"},)


def test_exhausted_is_said():
    """The refusal says that it is the script's, so that nobody blames a model."""
    assert "scripted" in EXHAUSTED
