"""Structured output is probed once for a model and endpoint, remembered, and never required."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.model.chat import OpenAIModel
from runner.model.forms import Habits
from runner.prompts.forms import FORMS, form
from runner.prompts.questions import Question
from tests.model_server import Fault, Reply, ScriptedModel, serve
from tests.model_server.turns import Asked
from tests.runner.model.model_kit import FrozenClock, Sleeps, question

GREEN, SAID = '{"word": "green"}', '{"reason": "unknown", "why": "it just failed"}'
CLOSED = replace(question("why did it fail?"), form=form("reason"))
NO_SCHEMA = Fault.http_status(400, "'response_format.type' must be 'text'", param="response_format")


@asynccontextmanager
async def model(script: ScriptedModel, habits: Habits | None = None) -> AsyncIterator[OpenAIModel]:
    """The adapter on a scripted server, whose script is verified in the end."""
    async with serve(script) as url:
        found = OpenAIModel(
            model="m", api_key="k", base_url=url, habits=habits, clock=FrozenClock(), sleep=Sleeps()
        )
        try:
            yield found
        finally:
            await found.close()
    script.verify()


def form_of(asked: Asked) -> str:
    """The kind of ``response_format`` a request has, '' without."""
    form = asked.body.get("response_format")
    return str(form["type"]) if isinstance(form, dict) else ""


async def test_a_model_that_answers_in_form_is_asked_that_way_from_then_on():
    """One small question, once, whose tokens count to the first answer; others stay plain."""
    script = ScriptedModel().says(Reply(GREEN), Reply(SAID), Reply(SAID), "words")
    async with model(script) as asking:
        first, second = await asking.ask(CLOSED), await asking.ask(CLOSED)
        await asking.ask(question())

    assert [form_of(asked) for asked in script.requests] == [*["json_schema"] * 3, ""]
    assert first.prompt_tokens > second.prompt_tokens
    assert "JSON Schema" in script.requests[1].prompt
    schema = script.requests[1].body["response_format"]["json_schema"]  # type: ignore[index]
    assert schema["schema"] == json.loads(form("reason").schema)


@pytest.mark.parametrize(
    ("probes", "ways"),
    [
        ((NO_SCHEMA, GREEN), ["json_schema", "json_object", "json_object"]),
        ((NO_SCHEMA, NO_SCHEMA), ["json_schema", "json_object", ""]),
        (("It is green.", "Green"), ["json_schema", "json_object", ""]),
        ((Fault.http_500(), Fault.http_500()), ["json_schema", "json_object", ""]),
    ],
    ids=["json mode", "refused", "ignored", "broken"],
)
async def test_what_a_model_does_not_do_well_is_not_asked_for(probes, ways):
    """It falls back to JSON mode, and from there to plain words."""
    script = ScriptedModel().says(*probes, SAID)
    async with model(script) as asking:
        answer = await asking.ask(CLOSED)

    assert answer.text == SAID
    assert [form_of(asked) for asked in script.requests] == ways


async def test_what_was_found_out_is_kept_in_a_file(tmp_path: Path):
    """Another process asks no small question again, and an overload is not remembered for it."""
    file = tmp_path / "models.json"
    script = ScriptedModel().says(GREEN, SAID, SAID)
    async with serve(script) as url:
        for _ in range(2):
            asking = OpenAIModel(model="m", api_key="k", base_url=url, habits=Habits(file))
            await asking.ask(CLOSED)
            await asking.close()
    script.verify()
    assert list(json.loads(file.read_text()).values()) == ["json_schema"]

    overloaded = ScriptedModel().says(Fault.http_503(), Fault.http_503(), SAID)
    async with model(overloaded, Habits(tmp_path / "other.json")) as asking:
        await asking.ask(CLOSED)
    assert not (tmp_path / "other.json").exists()


async def test_a_later_refusal_that_names_it_ends_it():
    """The server was changed: the question is asked again without, and so are the next ones."""
    script = ScriptedModel().says(GREEN, NO_SCHEMA, SAID, SAID)
    async with model(script) as asking:
        await asking.ask(CLOSED)
        await asking.ask(CLOSED)

    assert [form_of(asked) for asked in script.requests] == [*["json_schema"] * 2, "", ""]


async def test_a_refusal_for_another_reason_is_this_questions():
    """The form is not to blame for everything."""
    script = ScriptedModel().says(GREEN, Fault.http_status(400, "no", code="content_filter"))
    async with model(script) as asking:
        with pytest.raises(TaskError):
            await asking.ask(CLOSED)


def test_every_form_is_one_that_endpoints_enforce():
    """Objects with all properties required and no others, all the way down."""

    def objects(schema):
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for value in schema.values():
                yield from objects(value)

    for known in map(form, FORMS):
        found = list(objects(json.loads(known.schema)))
        assert found[0]["type"] == "object"
        for each in found:
            assert each["required"] == list(each["properties"])
            assert each["additionalProperties"] is False
        assert known.schema in known.words


def test_a_question_without_a_form_is_as_before():
    """Nothing is wished for unless somebody asks for it."""
    assert Question((), 0.0, 1).form is None
