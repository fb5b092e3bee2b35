"""What the model adapter asks, and what it makes of answers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from runner.errors import Outage, TaskError
from runner.model.chat import OpenAIModel
from runner.model.prices import Price, Prices
from runner.prompts.questions import Message, Question
from tests.model_server import Fault, Reply, ScriptedModel, serve
from tests.runner.model.model_kit import KEY, asking, question


async def test_answer():
    """An answer comes back with its text, its finish reason, its model and its counts."""
    async with asking(ScriptedModel().says("four ch.")) as model:
        answer = await model.ask(question("12345678"))

    assert (answer.text, answer.finish_reason, answer.model) == (
        "four ch.",
        "stop",
        "gpt-6.1-terra",
    )
    assert (answer.prompt_tokens, answer.completion_tokens) == (2, 2)
    assert (answer.seconds, answer.retries) == (1.0, 0)


async def test_request():
    """The question goes out as it is: model, messages, temperature, bound, key."""
    script = ScriptedModel().says("ok")
    asked = Question((Message("system", "be brief"), Message("user", "hi")), 0.7, 99, "other")
    async with asking(script) as model:
        await model.ask(asked)

    [request] = script.requests
    assert request.key == KEY
    assert request.body == {
        "model": "other",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hi"},
        ],
        "temperature": 0.7,
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_effort():
    """The effort goes out under OpenAI's name, and what a server calls otherwise as it stands."""
    script = ScriptedModel().says("ok")
    asked = replace(question(), effort="low", more={"thinking_budget": 500, "max_tokens": 1})
    async with asking(script) as model:
        await model.ask(asked)

    [request] = script.requests
    given = {key: request.body[key] for key in ("reasoning_effort", "thinking_budget")}
    assert given == {"reasoning_effort": "low", "thinking_budget": 500}
    assert request.body["max_tokens"] == asked.max_tokens


async def test_a_model_that_knows_no_effort_is_asked_without():
    """The refusal is understood once, and remembered."""
    refused = Fault.http_status(400, "Unrecognized argument: reasoning_effort")
    script = ScriptedModel().says(refused, "ok", "ok")
    async with asking(script) as model:
        for _ in range(2):
            await model.ask(replace(question(), effort="high"))

    assert ["reasoning_effort" in each.body for each in script.requests] == [True, False, False]


async def test_usage_missing():
    """Without a count the tokens are estimated, and rather too high than too low."""
    async with asking(ScriptedModel().says(Reply("1234567", usage=False))) as model:
        answer = await model.ask(question("1234"))

    assert (answer.prompt_tokens, answer.completion_tokens) == (2, 3)


async def test_cost():
    """A known price gives the cost of exactly the tokens that were counted."""
    prices = Prices({"gpt-6.1-terra": Price(input=1_000_000.0, output=10_000_000.0)})
    async with asking(ScriptedModel().says("1234"), prices=prices) as model:
        answer = await model.ask(question("12345678"))

    assert answer.cost == 2 * 1.0 + 1 * 10.0


@pytest.mark.parametrize(
    "details", [{"cached_tokens": 1}, {"cached_tokens": 1, "cache_write_tokens": 1}]
)
async def test_what_came_from_the_cache_costs_less(details):
    """The endpoint says how much of a prompt it had read before."""
    prices = Prices({"gpt-6.1-terra": Price(input=1_000_000, output=0, cached=100_000)})
    async with asking(ScriptedModel().says(Reply("", details=details)), prices=prices) as model:
        answer = await model.ask(question("12345678"))

    assert answer.cost == pytest.approx(1.1)
    assert answer.cached == 1


async def test_unknown_price():
    """An unknown price is no cost, not a cost of nothing."""
    async with asking(ScriptedModel().says("ok")) as model:
        assert (await model.ask(question())).cost is None


@pytest.mark.parametrize(
    ("reply", "text", "reason"),
    [
        (Fault.empty_answer(), "", "stop"),
        (Fault.length_nothing(), "", "length"),
        (Reply(None, "length"), "", "length"),
        (Fault.refusal(), "I cannot help with that.", "content_filter"),
        (Fault.truncated("abcdef"), "abc", "length"),
    ],
)
async def test_odd_answers(reply, text, reason):
    """Nothing said, a refusal and half an answer are answers: the loop decides about them."""
    async with asking(ScriptedModel().says(reply)) as model:
        answer = await model.ask(question())

    assert (answer.text, answer.finish_reason) == (text, reason)


async def test_max_completion_tokens_is_learned():
    """A model that refuses max_tokens is asked with the newer name, from then on at once."""
    refusal = Fault.http_status(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        param="max_tokens",
    )
    script = ScriptedModel().says(refusal, "one", "two")
    async with asking(script) as model:
        answers = [await model.ask(question()), await model.ask(question())]

    assert [answer.text for answer in answers] == ["one", "two"]
    assert [answer.retries for answer in answers] == [0, 0]
    bounds = [
        [request.body.get(name) for name in ("max_tokens", "max_completion_tokens")]
        for request in script.requests
    ]
    assert bounds == [[500, None], [None, 500], [None, 500]]


async def test_temperature_is_left_out():
    """A model that takes no temperature is asked without one; another model still with one."""
    refusal = Fault.http_status(
        400, "Unsupported value: 'temperature' does not support 0.2 with this model."
    )
    script = ScriptedModel().says(refusal, "one", "two")
    async with asking(script) as model:
        await model.ask(question())
        await model.ask(question(model="older"))

    assert ["temperature" in request.body for request in script.requests] == [True, False, True]


async def test_parameter_refused_whatever_its_name():
    """A bound that is refused under both names is the task's failure, not an endless exchange."""
    refusal = Fault.http_status(400, "max_tokens or max_completion_tokens is too large: 500")
    async with asking(ScriptedModel().says(refusal, refusal)) as model:
        with pytest.raises(TaskError, match="is too large: 500"):
            await model.ask(question())


async def test_file_that_is_no_utf8():
    """A prompt with bytes that are no UTF-8 is asked, with a mark in their place."""
    script = ScriptedModel().says("ok")
    async with asking(script) as model:
        await model.ask(question("caf\udce9"))

    assert script.requests[0].prompt == "caf\ufffd"


async def test_local_server_without_key():
    """An endpoint that needs no key can be asked without one."""
    async with asking(ScriptedModel().says("ok"), key="") as model:
        assert (await model.ask(question())).text == "ok"


@pytest.mark.parametrize("key", ["sk-abc\n", " sk-abc", "sk-\N{BULLET}\N{BULLET}"])
def test_key_that_is_none(key):
    """A key copied with blanks or bullets is told at once, without being shown."""
    with pytest.raises(Outage, match="OPENAI_API_KEY") as caught:
        OpenAIModel(model="m", api_key=key)

    assert caught.value.kind == "credential"
    assert key.strip() not in caught.value.message


def test_who_asks_nothing_does_not_pay():
    """The openai package, which takes more than a second, is imported by the first question."""
    code = """
import asyncio, sys
from runner.model.chat import OpenAIModel
asyncio.run(OpenAIModel(model="m", api_key="k").close())
sys.exit("openai" in sys.modules)
"""

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_who_asks_loads_no_other_client():
    """The openai package would import aiohttp for one, wherever that is installed."""
    code = """
import asyncio, sys
from runner.model.chat import OpenAIModel
asyncio.run(OpenAIModel(model="m", api_key="k", base_url=sys.argv[1]).window("m"))
assert "openai" in sys.modules
sys.exit("aiohttp" in sys.modules)
"""
    async with serve(ScriptedModel()) as url:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, url)

        assert await process.wait() == 0
