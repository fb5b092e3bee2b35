"""What of an agent's request is passed on, how it is asked, and what its answer counts as."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from runner.errors import Outage, TaskError
from runner.model.errors import Transient
from runner.model.passed import read_passed, wanted
from runner.prompts.questions import Call, Message, Question
from runner.text.mask import Mask, masked_json
from tests.model_server import Fault, Reply, ScriptedModel
from tests.runner.model.model_kit import KEY, asking

PATHS = ("chat/completions", "responses", "messages")
CALLS = Reply("Look.", calls=[("run", {"line": "ls"})])


def of_agent(path: str, **body: Any) -> Question:
    """The question that an agent's request becomes."""
    said = {"messages": [{"role": "user", "content": "hi"}]}
    said = {"input": said["messages"]} if path == "responses" else said
    message = Message("user", json.dumps({**said, **body}))
    return Question((message,), 0.2, 77, "oak-1", call=Call(path, "b1"))


@pytest.mark.parametrize("path", PATHS)
async def test_a_request_is_asked_as_it_stands(path: str) -> None:
    """With the model, the limit and the key of the run; tokens are counted whatever their names."""
    script = ScriptedModel().says(CALLS)
    async with asking(script) as model:
        answer = await model.ask(of_agent(path, tools=[{"name": "run"}], temperature=0.3))

    [request] = script.requests
    assert request.key == KEY
    assert (request.model, request.body["temperature"]) == ("oak-1", 0.3)
    assert request.body["tools"] == [{"name": "run"}]
    limits = {"chat/completions": "max_tokens", "responses": "max_output_tokens"}
    assert request.body[limits.get(path, "max_tokens")] == 77
    assert "stream" not in request.body
    assert request.body.get("store") is (False if path == "responses" else None)
    said = json.loads(answer.text)
    where = {"responses": "output", "messages": "content"}.get(path, "choices")
    assert "ls" in json.dumps(said[where])
    assert (answer.finish_reason, answer.prompt_tokens, answer.completion_tokens) == ("stop", 1, 2)


async def test_a_newer_model_is_asked_in_its_dialect() -> None:
    """A refused name of the limit or temperature is learnt as for Cairn's own questions."""
    newer = Fault.http_status(400, "Use max_completion_tokens instead of max_tokens")
    cold = Fault.http_status(400, "temperature is not supported")
    script = ScriptedModel().says(newer, cold, CALLS)
    async with asking(script) as model:
        await model.ask(replace(of_agent("chat/completions", temperature=0.3), effort="low"))

    last = script.requests[-1].body
    assert (last["max_completion_tokens"], last["reasoning_effort"]) == (77, "low")
    assert not {"max_tokens", "temperature"} & last.keys()


@pytest.mark.parametrize(
    ("path", "asked", "effort", "passed"),
    [
        ("responses", {}, "xhigh", {"reasoning": {"effort": "xhigh"}}),
        (
            "responses",
            {"reasoning": {"summary": "auto", "effort": "low"}},
            "high",
            {"reasoning": {"summary": "auto", "effort": "high"}},
        ),
        ("messages", {"output_config": None}, "minimal", {"output_config": {"effort": "low"}}),
        (
            "messages",
            {"output_config": {"effort": "max"}},
            "",
            {"output_config": {"effort": "max"}},
        ),
    ],
)
async def test_the_effort_of_the_run(
    path: str, asked: dict[str, object], effort: str, passed: dict[str, object]
) -> None:
    """Each API has its own word for it; without one of the run's the agent's own counts."""
    script = ScriptedModel().says(CALLS)
    async with asking(script) as model:
        await model.ask(replace(of_agent(path, **asked), effort=effort))

    body = script.requests[-1].body
    assert {name: body[name] for name in passed} == passed
    assert "reasoning_effort" not in body


async def test_a_model_without_an_effort_is_asked_without_one() -> None:
    """Anthropic refuses it for models that do not have it, in these words."""
    refused = Fault.http_status(400, "This model does not support the effort parameter.")
    script = ScriptedModel().says(refused, CALLS, CALLS)
    async with asking(script) as model:
        for _ in range(2):
            await model.ask(replace(of_agent("messages"), effort="low"))

    assert ["output_config" in each.body for each in script.requests] == [True, False, False]


async def test_anthropics_cache_is_counted() -> None:
    """Its tokens of the prompt are those apart and those of the cache together."""
    script = ScriptedModel().says(Reply("Hi.", details={"cached_tokens": 4}))
    async with asking(script) as model:
        answer = await model.ask(of_agent("responses"))
    assert (answer.prompt_tokens, answer.cached) == (1, 1)  # never more than there are

    usage = {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7}
    body = {"content": [], "model": "oak-1", "usage": {**usage, "output_tokens": 2}}
    reply = read_passed("messages", json.dumps(body).encode())
    assert (reply.prompt_tokens, reply.cached, reply.written) == (15, 5, 7)
    assert (reply.completion_tokens, reply.model) == (2, "oak-1")
    assert read_passed("messages", b'{"content": [], "usage": 1}').prompt_tokens is None


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (
            Fault.http_status(404, "Not Found"),
            Outage,
            "it has no /responses, which this agent asks",
        ),
        (Fault.http_status(400, "tools: wrong"), TaskError, "refused the question: .*tools: wrong"),
        (Fault.bad_json(), Outage, "a reply that is cut off"),
    ],
)
async def test_what_is_refused(fault: Fault, kind: type[Exception], says: str) -> None:
    """It means what it means for any question; an API that is not there is named."""
    script = ScriptedModel()
    script.otherwise = lambda _: fault
    async with asking(script) as model:
        with pytest.raises(kind, match=says):
            await model.ask(of_agent("responses"))


@pytest.mark.parametrize("said", ["[]", "1", '{"error": {"message": "no"}}', '{"output": 1}'])
def test_what_is_no_answer_is_asked_again(said: str) -> None:
    """Whatever the status was."""
    with pytest.raises(Transient, match="no answer"):
        read_passed("responses", said.encode())


def test_nothing_but_the_conversation_is_passed_on() -> None:
    """Not who asks, nor what is dearer or stored; and only tools that the agent itself runs."""
    own = [
        {"type": "function", "function": {"name": "run"}},
        {"name": "edit", "input_schema": {}},
        {"type": "bash_20250124", "name": "bash"},
    ]
    inner = {"type": "namespace", "name": "n", "tools": [own[0], {"type": "web_search"}]}
    hosted = [{"type": kind} for kind in ("web_search", "mcp", "code_execution_20250522")]
    asked = {"input": "hi", "tools": [*own, inner, *hosted, "odd"], "reasoning": {"effort": "low"}}
    more = {"store": True, "n": 9, "user": "me", "metadata": {}, "service_tier": "priority"}
    more |= {"background": True, "mcp_servers": [], "previous_response_id": "r", "stream": True}

    passed, limit = wanted("responses", {**asked, **more, "max_output_tokens": 5})

    kept = [*own, {**inner, "tools": [own[0]]}]
    assert passed == {"input": "hi", "tools": kept, "reasoning": {"effort": "low"}}
    assert limit == 5


@pytest.mark.parametrize(
    ("part", "passes"),
    [
        ({"type": "image_url", "image_url": {"url": "https://x.example/?key"}}, False),
        ({"type": "input_image", "image_url": "http://x.example"}, False),
        ({"type": "document", "source": {"type": "url", "url": "https://x.example"}}, False),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, True),
        ({"type": "text", "text": "https://x.example"}, True),
    ],
)
def test_no_address_is_opened_for_an_agent(part: dict[str, Any], passes: bool) -> None:
    """The model's server would fetch it: a way out of the box."""
    asked = {"messages": [{"role": "user", "content": [part]}]}
    if passes:
        assert wanted("messages", asked)[0] == asked
    else:
        with pytest.raises(ValueError, match="no address"):
            wanted("messages", asked)


def test_a_secret_in_it_is_hidden_and_it_stays_json() -> None:
    """Also one with characters that JSON writes otherwise."""
    secret = 'pass"word\n-of-ours'
    text = json.dumps({"messages": [{"content": f"it is {secret}!"}]})

    hidden = json.loads(masked_json(text, Mask([secret])))

    assert "it is" in hidden["messages"][0]["content"]
    assert "of-ours" not in str(hidden)
