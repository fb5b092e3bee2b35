"""Asking by the Responses API gives the same answers as by chat completions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.errors import TaskError
from runner.model.replies import read_reply
from runner.model.responses import as_chunk, as_completion
from runner.prompts.questions import Answer, Question
from tests.model_server import Fault, Reply, ScriptedModel
from tests.runner.model.model_kit import asking, question

LONG = "word " * 2_000


async def answers(asked: Question, *turns: str | Reply | Fault) -> tuple[Answer, ScriptedModel]:
    script = ScriptedModel().says(*turns)
    async with asking(script) as model:
        return await model.ask(asked), script


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    "reply",
    [
        Reply("ok", details={"cached_tokens": 1}),
        Reply(LONG),
        Reply("half", "length"),
        Reply(None, "length"),
        Reply("I cannot help with that.", "content_filter"),
        Reply("uncounted", usage=False),
    ],
    ids=["an answer", "a long one", "cut", "only thoughts", "refused", "uncounted"],
)
async def test_both_ways_say_the_same(reply: Reply, streams: bool) -> None:
    """Text, reason, model and tokens, whether it streams or not."""
    no_stream = Fault.http_status(400, "Streaming is not supported", param="stream")
    turns = (reply,) if streams else (no_stream, reply)
    by_chat, _ = await answers(question("hi"), *turns)
    asked = replace(question("hi"), api="responses")
    by_responses, script = await answers(asked, *turns)

    assert by_responses == by_chat
    body = script.requests[-1].body
    assert body["input"][-1] == {"role": "user", "content": "hi"}  # type: ignore[index]
    assert body["max_output_tokens"] == question().max_tokens
    assert (body["store"], body.get("stream", False)) == (False, streams)


async def test_parameters_have_their_other_names() -> None:
    """The effort of an answer has another name; what this API does not know is left out."""
    asked = replace(question(), api="responses", effort="low", seed=7, more={"top_p": 0.9})
    _, script = await answers(asked, "{}")

    body = script.requests[-1].body
    assert (body["reasoning"], body["top_p"]) == ({"effort": "low"}, 0.9)
    assert not body.keys() & {"seed", "max_tokens", "reasoning_effort", "stream_options"}


async def test_a_response_that_failed_is_tried_again() -> None:
    """As any error of a server is, however it is told."""
    failed = b'{"output": [], "status": "failed", "error": {"message": "overloaded"}}'
    with pytest.raises(Exception, match="overloaded"):
        read_reply(as_completion(failed))
    answer, _ = await answers(
        replace(question(), api="responses"), Fault.http_500(), Fault.bad_json(), "ok"
    )
    assert (answer.text, answer.retries) == ("ok", 2)
    with pytest.raises(TaskError):
        await answers(replace(question(), api="responses"), *[Fault.no_choices()] * 4)


@pytest.mark.parametrize(
    "odd", [b"", b"[]", b"{}", b'{"output": 5}', b'{"type": 5}', b"\xff", b'{"output": [1]}']
)
def test_what_is_no_response_stays_as_it_is(odd: bytes) -> None:
    """Whoever reads chat completions says what is wrong with it."""
    assert as_completion(odd) == odd
    assert as_chunk(odd) in (odd, b"{}")
