"""Asking the model: orders first, everything counted, cut answers continued."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage, Stopped, TaskError
from runner.files.results import RunFiles
from runner.loop.asking import MAX_CONTINUATIONS, ModelReply, ask
from runner.money import Usage
from runner.prompts.questions import Message
from runner.state.events import ModelAnswered
from tests.runner.scripted import ScriptedControl, ScriptedModel, answer, deps
from tests.runner.states import at, run_state

ASKED = (Message("system", "be good"), Message("user", "do it"))


async def test_an_answer(model: ScriptedModel) -> None:
    """One call gives the text, and the attempt has its tokens, cost, seconds and call."""
    model.says("done")
    state, said = await ask(at("execute_task"), deps(model=model), ASKED, temperature=0.3)

    assert said == ModelReply("done", truncated=False, refused=False)
    assert state.attempt.spent.total == Usage(seconds=2.0, tokens=15, cost=0.01, calls=1)


async def test_the_question_has_the_runs_options(model: ScriptedModel) -> None:
    """Model, bound and temperature of a question are what was asked for."""
    model.says("done")
    state = at("execute_task", run_state(model="small", max_answer_tokens=99))
    await ask(state, deps(model=model), ASKED, temperature=0.3)
    [question] = model.questions

    assert (question.model, question.max_tokens, question.temperature) == ("small", 99, 0.3)


async def test_an_answer_gets_what_the_limit_of_the_attempt_leaves(model: ScriptedModel) -> None:
    """Question and answer together cannot use more than the attempt may."""
    model.says("done")
    long = (Message("user", "x" * 1_800),)
    state = at("execute_task", run_state(max_tokens=1_000), total=Usage(1.0, 100, calls=1))
    await ask(state, deps(model=model), long, temperature=0.3)

    assert model.questions[0].max_tokens == 1_000 - 100 - 600


async def test_with_too_little_left_nothing_is_asked(model: ScriptedModel) -> None:
    """Also not just below the limit: what a call can use is reserved before it is made."""
    state = at("propose_recovery", run_state(max_tokens=1_000), total=Usage(1.0, 740, calls=1))
    with pytest.raises(TaskError, match="has used 740 of its 1,000 tokens") as refused:
        await ask(state, deps(model=model), (Message("user", "x" * 30),), temperature=0.3)

    assert (refused.value.kind, model.questions) == ("budget", [])


async def test_a_cut_answer_is_not_continued_beyond_the_limit(model: ScriptedModel) -> None:
    """What was paid for is kept, as cut as it is."""
    model.says(answer("one ", "length"))
    state = at("execute_task", run_state(max_tokens=280))
    _, said = await ask(state, deps(model=model), (Message("user", "x"),), temperature=0.3)

    assert said == ModelReply("one ", truncated=True, refused=False)


async def test_a_failure_with_other_addresses_is_the_same_question(model: ScriptedModel) -> None:
    """After a crash tests run again, and what they print of objects has other addresses."""
    model.says("done", "other", "third")
    ports, state = deps(model=model), at("repair_test")
    told = [
        await ask(state, ports, (Message("user", f"where {text}"),), temperature=0.3)
        for text in ("<f at 0x7f8fb1523420>", "<f at 0x7fc2be003420>", "mask 0xff", "mask 0xfe")
    ]

    assert [said.text for _, said in told] == ["done", "done", "other", "third"]


async def test_a_cut_answer(model: ScriptedModel) -> None:
    """A cut answer is gone on with from what was said, and put together without a gap."""
    model.says(answer("one ", "length"), answer("two ", "length"), "three")
    _, said = await ask(at("execute_task"), deps(model=model), ASKED, temperature=0.3)

    assert said == ModelReply("one two three", truncated=False, refused=False)
    assert [m.role for m in model.questions[-1].messages] == ["system", "user", "assistant", "user"]
    assert model.questions[-1].messages[2].content == "one two "


async def test_an_answer_that_stays_cut(model: ScriptedModel) -> None:
    """After the last continuation the answer is what it is, and said to be cut."""
    model.says(*[answer("more ", "length")] * (1 + MAX_CONTINUATIONS))
    state, said = await ask(at("execute_task"), deps(model=model), ASKED, temperature=0.3)

    assert said.truncated
    assert state.attempt.spent.total.calls == 1 + MAX_CONTINUATIONS


async def test_a_model_that_only_thought_may_think_longer(model: ScriptedModel) -> None:
    """An answer cut before its first word is asked for again, with a higher limit each time."""
    model.says(answer("", "length"), answer("", "length"), "done")
    state = at("execute_task", run_state(window=128_000))
    state, said = await ask(state, deps(model=model), ASKED, temperature=0.3)

    assert said == ModelReply("done", truncated=False, refused=False)
    assert [each.max_tokens for each in model.questions] == [16_384, 32_768, 64_000]
    assert all(each.messages == ASKED for each in model.questions)
    assert state.attempt.spent.total.calls == 3


async def test_thoughts_without_an_end_say_what_to_change(model: ScriptedModel) -> None:
    """A limit that a person set is kept, and a model that never gets to its answer is no talker."""
    model.says(answer("", "length"))
    state = at("execute_task", run_state(max_answer_tokens=4_000))
    with pytest.raises(TaskError, match=r"4,000 tokens.*limits\.answer_tokens.*model\.effort"):
        await ask(state, deps(model=model), ASKED, temperature=0.3)


@pytest.mark.parametrize(
    ("effort", "limits"), [("", (16_384, 300)), ("none", (16_384, 300)), ("high", (32_768, 1_200))]
)
async def test_a_model_that_thinks_has_longer_answers(
    model: ScriptedModel, effort: str, limits: tuple[int, int]
) -> None:
    """Thoughts are part of an answer, also of a short one."""
    model.says("done", "yes")
    state = at("execute_task", run_state(effort=effort, more={"top_p": 0.9}, window=128_000))
    for most in (None, 300):
        await ask(state, deps(model=model), ASKED, temperature=0.3, max_tokens=most)

    assert tuple(each.max_tokens for each in model.questions) == limits
    assert {each.effort for each in model.questions} == {effort}
    assert [each.more for each in model.questions] == [{"top_p": 0.9}] * 2


async def test_a_refused_answer(model: ScriptedModel) -> None:
    """A content filter's word is kept apart from an empty answer."""
    model.says(answer("", "content_filter"))
    _, said = await ask(at("execute_task"), deps(model=model), ASKED, temperature=0.3)

    assert said.refused


async def test_every_exchange_is_told(model: ScriptedModel) -> None:
    """What was asked and said goes to the listeners, call by call."""
    model.says(answer("a", "length"), "b")
    ports = deps(model=model)
    await ask(at("execute_task"), ports, ASKED, temperature=0.3)
    told = ports.events.of(ModelAnswered)

    assert [event.exchange.reply for event in told] == ["a", "b"]
    assert told[0].exchange.prompt == "[system]\nbe good\n\n[user]\ndo it"
    assert told[0].node == "execute_task"


async def test_a_question_without_an_answer_is_told(model: ScriptedModel, tmp_path: Path) -> None:
    """What was asked and why there is no answer goes to the listeners, and into the run's files."""
    model.says(Outage("credential", "the key is wrong"))
    ports = replace(deps(model=model), events=RunFiles(tmp_path, mask=str))
    with pytest.raises(Outage):
        await ask(at("execute_task"), ports, ASKED, temperature=0.3)
    left = json.loads((tmp_path / "runs/r1/agent-1.json").read_text())

    assert (left["error"], left["node"]) == ("the key is wrong", "execute_task")
    assert left["prompt"] == "[system]\nbe good\n\n[user]\ndo it"


async def test_stop_requests_come_first(model: ScriptedModel) -> None:
    """An order that came before a call, or between two, stops it."""
    model.says(answer("a", "length"))
    ports = deps(model=model, control=ScriptedControl({2: "pause"}))
    with pytest.raises(Stopped):
        await ask(at("execute_task"), ports, ASKED, temperature=0.3)


async def test_lone_surrogates_are_replaced(model: ScriptedModel) -> None:
    """A character that no file can hold does not get past this point."""
    model.says("a\ud83db")
    _, said = await ask(at("execute_task"), deps(model=model), ASKED, temperature=0.3)

    assert said.text == "a\ufffdb"
