"""The contract of the answers port: every adapter passes these."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.store.database import open_store
from app.store.runs import StoredAnswers
from runner.errors import Outage
from runner.files.journal import AnswerFiles
from runner.loop.asking import ask
from runner.ports import Answers, SystemClock
from runner.prompts.questions import Answer, Message
from runner.state.events import ModelAnswered
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import at

Opener = Callable[[], AbstractAsyncContextManager[Answers]]

ANSWER = Answer("yes", "stop", 10, 5, "small", cost=0.01, seconds=2.5, retries=1)
ASKED = (Message("system", "be good"), Message("user", "do it"))


@asynccontextmanager
async def answer_files(folder: Path) -> AsyncIterator[Answers]:
    """Open the answers in plain files."""
    yield AnswerFiles(folder)


@asynccontextmanager
async def stored_answers(folder: Path) -> AsyncIterator[Answers]:
    """Open the answers of a database file."""
    store = await open_store(f"sqlite:///{folder}.db")
    try:
        yield StoredAnswers(store, SystemClock())
    finally:
        await store.close()


IMPLEMENTATIONS = {"file": answer_files, "database": stored_answers}


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS.keys())
def opened(request, tmp_path) -> Opener:
    """Open the same answers again and again, as processes would that follow each other."""
    return lambda: request.param(tmp_path / "answers")


@pytest.fixture
def model() -> ScriptedModel:
    """A model that answers in turn; tests look at what it was asked."""
    return ScriptedModel("first", "second")


async def test_unknown(opened):
    """A question that was never answered has no answer."""
    async with opened() as answers:
        assert await answers.recall("r1", "t1/1/0/abc") is None


@pytest.mark.parametrize(
    "answer",
    [ANSWER, replace(ANSWER, cost=None), replace(ANSWER, text="caf\udce9 \u2028\n\0 🐌")],
    ids=["whole", "no price", "no UTF-8"],
)
async def test_kept(opened, answer):
    """An answer comes back as it was, after the process ended too."""
    async with opened() as answers:
        await answers.keep("r1", "t1/1/0/abc", answer)
        here = await answers.recall("r1", "t1/1/0/abc")
    async with opened() as answers:
        after = await answers.recall("r1", "t1/1/0/abc")

    assert here == after == answer


async def test_the_first_stays(opened):
    """A second answer to a question does not take the first one's place."""
    async with opened() as answers:
        await answers.keep("r1", "q", ANSWER)
        await answers.keep("r1", "q", replace(ANSWER, text="no"))

        assert await answers.recall("r1", "q") == ANSWER


async def test_the_first_stays_at_the_same_time(opened):
    """Of answers that come at the same moment one is kept whole, and everyone recalls that one."""
    many = [replace(ANSWER, text=str(n) * 1000) for n in range(20)]
    async with opened() as answers:
        await asyncio.gather(*(answers.keep("r1", "q", each) for each in many))
        kept = await answers.recall("r1", "q")
    async with opened() as answers:
        assert kept in many
        assert await answers.recall("r1", "q") == kept


async def test_runs_and_questions_are_apart(opened):
    """An answer is found for its own run and question only."""
    async with opened() as answers:
        await answers.keep("r1", "q/1", ANSWER)

        assert await answers.recall("r2", "q/1") is None
        assert await answers.recall("r1", "q/2") is None


@pytest.mark.parametrize("torn", [b"", b'{"text": "ye', b"[]", b'{"text": "yes"}', b"\xff"])
async def test_a_torn_file(tmp_path, torn):
    """A file that cannot be read is named, and what to do."""
    answers = AnswerFiles(tmp_path)
    await answers.keep("r1", "q", ANSWER)
    [file] = (tmp_path / "r1" / "answers").iterdir()
    file.write_bytes(torn)

    with pytest.raises(Outage, match=rf"{file}.*Remove it"):
        await answers.recall("r1", "q")


async def test_asked_once(opened, model):
    """A question that was answered is not asked again, and its answer counts and reads as it did.

    Nobody hears of it a second time.
    """
    async with opened() as answers:
        ports = replace(deps(model=model), answers=answers)
        before = await ask(at("execute_task"), ports, ASKED, temperature=0.3)
    async with opened() as answers:
        again = replace(ports, answers=answers)
        after = await ask(at("execute_task"), again, ASKED, temperature=0.3)

    assert len(model.questions) == 1
    assert after == before
    assert after[0].attempt.spent.total.tokens == 15
    assert len(ports.events.of(ModelAnswered)) == 1


async def test_the_next_question_of_the_attempt_is_asked(opened, model):
    """The same words asked later in the attempt are another question."""
    async with opened() as answers:
        ports = replace(deps(model=model), answers=answers)
        state, _ = await ask(at("execute_task"), ports, ASKED, temperature=0.3)
        _, said = await ask(state, ports, ASKED, temperature=0.3)

    assert said.text == "second"


async def test_another_temperature_is_another_question(opened, model):
    """An answer serves only the very question that was asked."""
    async with opened() as answers:
        ports = replace(deps(model=model), answers=answers)
        await ask(at("execute_task"), ports, ASKED, temperature=0.3)
        _, said = await ask(at("execute_task"), ports, ASKED, temperature=0.4)

    assert said.text == "second"
