"""OpenAI's Responses API, told in the words of chat completions, which the other modules speak.

https://platform.openai.com/docs/api-reference/responses/object
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_LENGTH = "max_output_tokens"
_PIECES = {"response.output_text.delta": "content", "response.refusal.delta": "refusal"}
_ENDS = ("response.completed", "response.incomplete", "response.failed")


def as_responses(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a chat completion as a request of this API; nothing is stored."""
    given: dict[str, Any] = {**parameters, "store": False}
    for name in ("max_tokens", "max_completion_tokens"):
        if name in given:
            given[_LENGTH] = given.pop(name)
    for name in ("seed", "stream_options"):
        given.pop(name, None)
    if effort := given.pop("reasoning_effort", ""):
        given["reasoning"] = {"effort": effort}
    return given


def as_completion(body: bytes) -> bytes:
    """Return a response that came at once as a chat completion; anything else as it is."""
    try:
        response = json.loads(body)
        parts = [part for item in response["output"] for part in item.get("content") or ()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return body
    said = {
        kind: "".join(str(part[of]) for part in parts if isinstance(part, dict) and part.get(of))
        for of, kind in (("text", "content"), ("refusal", "refusal"))
    }
    message = {kind: text or None for kind, text in said.items()}
    return json.dumps(_ended(response, message=message)).encode()


def as_chunk(data: bytes) -> bytes:
    """Return an event of a streamed response as one of a streamed chat completion."""
    try:
        event = json.loads(data)
        kind = event["type"]
        if kind in _PIECES:
            chunk: object = {"choices": [{"delta": {_PIECES[kind]: event["delta"]}}]}
        elif kind in _ENDS:
            chunk = _ended(event["response"], delta={})
        else:
            chunk = {"error": event.get("message")} if kind == "error" else {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return data
    return json.dumps(chunk).encode()


def _ended(response: Mapping[str, Any], **said: object) -> dict[str, object]:
    """The end of an answer: why, by which model, and what it took."""
    if response.get("status") == "failed" or response.get("error"):
        return {"error": response.get("error") or "failed"}
    why = (response.get("incomplete_details") or {}).get("reason") or "stop"
    usage = response.get("usage") or {}
    return {
        "choices": [{**said, "finish_reason": "length" if why == _LENGTH else why}],
        "model": response.get("model"),
        "usage": {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
        },
    }
