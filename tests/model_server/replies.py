"""What a chat completion looks like on the wire.

https://platform.openai.com/docs/api-reference/chat/object
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_CHARACTERS_PER_TOKEN = 4
_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that needs more said than its text; some servers send no ``usage``.

    ``details`` are those of the prompt's tokens (``cached_tokens``). ``calls`` are the tools it
    calls, with their arguments.
    """

    text: str | None
    finish_reason: str = "stop"
    usage: bool = True
    details: Mapping[str, int] = field(default_factory=dict)
    calls: Sequence[tuple[str, Mapping[str, object]]] = ()


def tokens(text: str) -> int:
    """Count the tokens of a text as this server does: every started four characters."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def completion(*, model: str, number: int, prompt: str, reply: Reply) -> dict[str, object]:
    """Build the body of a successful answer, with its usage unless the reply leaves it out."""
    counts = usage(prompt, reply.text or "")
    more = {"prompt_tokens_details": dict(reply.details)} if reply.details else {}
    message: dict[str, object] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for place, (name, given) in enumerate(reply.calls)
        ]
    return {
        "id": f"chatcmpl-scripted-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if reply.calls else reply.finish_reason,
            }
        ],
        **({"usage": {**counts, **more}} if reply.usage else {}),
    }


def streamed(body: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """Cut a chat completion into chunks; the counts come last, where they are asked for.

    https://platform.openai.com/docs/api-reference/chat-streaming
    """
    head = {"id": body["id"], "object": "chat.completion.chunk", "created": 0}
    head["model"] = body["model"]
    [choice] = body["choices"]
    text = choice["message"]["content"]
    first = {"role": "assistant", "content": None if text is None else ""}
    rest = ({"content": text[at : at + _CHUNK]} for at in range(0, len(text or ""), _CHUNK))
    for delta in (first, *rest):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**head, "choices": [end]}
    if "usage" in body and (asked.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": body["usage"]}


def usage(prompt: str, answer: str) -> dict[str, int]:
    """Count what was asked and answered."""
    asked, answered = tokens(prompt), tokens(answer)
    return {
        "prompt_tokens": asked,
        "completion_tokens": answered,
        "total_tokens": asked + answered,
    }


def error(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, object]:
    """Build an error body as OpenAI sends it."""
    return {
        "error": {
            "message": message,
            "type": "invalid_request_error",
            "param": param,
            "code": code,
        }
    }


def response_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same answer as a response, with the thoughts that come before it.

    https://platform.openai.com/docs/api-reference/responses/object
    """
    [choice] = body["choices"]
    text, reason = choice["message"]["content"], choice["finish_reason"]
    part = {"type": "refusal", "refusal": text}
    if reason != "content_filter":
        part = {"type": "output_text", "text": text, "annotations": []}
    said = {"type": "message", "role": "assistant", "content": [part]}
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in choice["message"].get("tool_calls", ())
    ]
    reason = "stop" if calls else reason
    response: dict[str, Any] = {
        "id": "resp-scripted",
        "object": "response",
        "status": "completed" if reason == "stop" else "incomplete",
        "model": body["model"],
        "output": [{"type": "reasoning", "summary": []}, *([said] if text else []), *calls],
        "incomplete_details": None,
        "error": None,
    }
    if reason != "stop":
        why = "max_output_tokens" if reason == "length" else reason
        response["incomplete_details"] = {"reason": why}
    if counts := body.get("usage"):
        response["usage"] = {
            "input_tokens": counts["prompt_tokens"],
            "output_tokens": counts["completion_tokens"],
            "total_tokens": counts["total_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "input_tokens_details": {
                "cached_tokens": 0,
                **counts.get("prompt_tokens_details", {}),
            },
        }
    return response


def message_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same answer as a message of Anthropic's API.

    https://docs.anthropic.com/en/api/messages
    """
    [choice] = body["choices"]
    said = choice["message"]
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in said.get("tool_calls", ())
    ]
    texts = [{"type": "text", "text": said["content"]}] if said["content"] else []
    counts = body["usage"]
    return {
        "id": "msg-scripted",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [*texts, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": counts["prompt_tokens"],
            "output_tokens": counts["completion_tokens"],
        },
    }


def response_events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a streamed response.

    https://platform.openai.com/docs/api-reference/responses-streaming
    """
    yield {"type": "response.created", "response": {**response, "output": []}}
    for item in response["output"]:
        yield {"type": "response.output_item.added", "item": {**item, "content": []}}
        for part in item.get("content", ()):
            kind = "refusal" if part["type"] == "refusal" else "output_text"
            text = part.get("refusal") or part.get("text") or ""
            for at in range(0, len(text), _CHUNK):
                yield {"type": f"response.{kind}.delta", "delta": text[at : at + _CHUNK]}
            yield {"type": f"response.{kind}.done"}
    yield {"type": f"response.{response['status']}", "response": response}
