"""Requests of agents that call tools, passed on as they are: what of one may go, and its answer.

Chat completions with tools, OpenAI's Responses API and Anthropic's Messages API: the endpoint has
to speak the one that the agent speaks. What is said there is not interpreted here. An answer is
asked for whole, and told as a stream to an agent that wants one.
https://platform.openai.com/docs/api-reference/responses/create
https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from runner.model.errors import Transient
from runner.model.replies import ChatReply, counted
from runner.prompts.questions import Question
from runner.text.sanitize import sendable_values

CHAT, RESPONSES, MESSAGES = "chat/completions", "responses", "messages"

LIMITS: Final[Mapping[str, tuple[str, ...]]] = {
    CHAT: ("max_completion_tokens", "max_tokens"),
    RESPONSES: ("max_output_tokens",),
    MESSAGES: ("max_tokens",),
}
"""The APIs by their paths, and what they call the limit of an answer."""

_SAID = {CHAT: "choices", RESPONSES: "output", MESSAGES: "content"}

_PASSED = frozenset(
    (
        *("messages", "input", "instructions", "system"),
        *("tools", "tool_choice", "parallel_tool_calls"),
        *("temperature", "top_p", "top_k", "stop", "stop_sequences"),
        *("response_format", "text", "output_config", "context_management", "include"),
        *("reasoning", "reasoning_effort", "thinking"),
    )
)
"""What of a request goes on; not what names a session or is dearer, stored or answered often."""

_OWN_TOOLS = ("function", "custom", "namespace", "local_shell", "bash_", "text_editor_")
"""Tools that the agent itself runs; all others would lead out of the box at the server's side."""

_OPENED = ("image", "input_image", "image_url", "document", "input_file", "file", "video_url")
"""Parts of a conversation that a server may fetch from an address."""


def wanted(path: str, asked: Mapping[str, Any]) -> tuple[dict[str, Any], int | None]:
    """Return what of a request is passed on, and the limit of its answer.

    Raises ``ValueError`` with the reason if none of it is.
    """
    limit = next((asked[name] for name in LIMITS[path] if asked.get(name) is not None), None)
    if limit is not None and not (type(limit) is int and limit > 0):
        raise ValueError("the limit of the answer is no number of tokens")
    passed = {name: value for name, value in asked.items() if name in _PASSED}
    if _leads_out(passed):
        raise ValueError("no address is passed on that the model's server would open")
    if "tools" in passed:
        passed["tools"] = _own(passed["tools"])
    return passed, limit


def _own(tools: object) -> list[object]:
    kept: list[object] = []
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and str(tool.get("type") or "custom").startswith(_OWN_TOOLS):
            kept.append(tool | ({"tools": _own(tool["tools"])} if "tools" in tool else {}))
    return kept


def _leads_out(value: object) -> bool:
    if isinstance(value, dict):
        if value.get("type") in _OPENED and any("://" in text[:20] for text in _texts(value)):
            return True
        value = list(value.values())
    return isinstance(value, list) and any(map(_leads_out, value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def request_of(
    path: str, question: Question, model: str, parameters: Mapping[str, object]
) -> dict[str, object]:
    """Return the request for the endpoint; ``parameters`` are those of its chat completions.

    The run's effort wins over the agent's own. Anthropic knows none below ``low``.
    https://platform.claude.com/docs/en/build-with-claude/effort
    """
    body = json.loads(question.messages[0].content)
    given: dict[str, object] = {LIMITS[path][0]: question.max_tokens}
    if path == CHAT:
        named = ("temperature", "stream", "stream_options")
        given = {name: value for name, value in parameters.items() if name not in named}
        if "temperature" not in parameters:
            body.pop("temperature", None)
    elif path == RESPONSES:
        given["store"] = False
    if path != CHAT and (effort := parameters.get("reasoning_effort")):
        where = "reasoning" if path == RESPONSES else "output_config"
        known = body.get(where)
        words = {"none": "low", "minimal": "low"} if path == MESSAGES else {}
        given[where] = {
            **(known if isinstance(known, dict) else {}),
            "effort": words.get(str(effort), effort),
        }
    return {**question.more, **body, "model": model, **given}


def read_passed(path: str, body: bytes) -> ChatReply:
    """Read the answer to a request; its text is all of it. Raises ``Transient`` if it is none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Transient("a reply that is cut off") from error
    if not isinstance(answer, dict) or not isinstance(answer.get(_SAID[path]), list):
        said = answer.get("error") if isinstance(answer, dict) else None
        raise Transient(f"a reply that is no answer: {str(said or 'without content')[:300]}")
    found = answer.get("usage")
    usage: dict[str, Any] = found if isinstance(found, dict) else {}
    if path != CHAT and usage:
        cached, written = (
            usage.get(f"cache_{name}_input_tokens") or 0 for name in ("read", "creation")
        )
        details = {"cached_tokens": cached, "cache_write_tokens": written}
        usage = {
            # Anthropic counts apart what was cached
            "prompt_tokens": (usage.get("input_tokens") or 0) + cached + written,
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details") or details,
        }
    text = json.dumps(sendable_values(answer), ensure_ascii=False)
    return counted(text, "stop", str(answer.get("model") or ""), usage)


def events(path: str, answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell an answer as the stream of its API."""
    if path == CHAT:
        yield from _chunks(answer)
    elif path == RESPONSES:
        begun = {**answer, "status": "in_progress", "output": []}
        yield {"type": "response.created", "response": begun}
        for place, item in enumerate(answer["output"]):
            yield {"type": "response.output_item.done", "output_index": place, "item": item}
        yield {"type": f"response.{answer.get('status', 'completed')}", "response": answer}
    else:
        yield from _blocks(answer)


def _chunks(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    head = {**answer, "object": "chat.completion.chunk", "usage": None}
    for choice in answer["choices"]:
        delta = dict(choice["message"])
        if calls := delta.get("tool_calls"):
            delta["tool_calls"] = [{"index": n, **call} for n, call in enumerate(calls)]
        change = {"index": 0, "delta": delta, "finish_reason": None}
        yield {**head, "choices": [change]}
        yield {**head, "choices": [{**change, "delta": {}, **_end(choice, "finish_reason")}]}
    yield {**head, "choices": [], "usage": answer.get("usage")}


_GROWS = {
    "text": (("text_delta", "text"),),
    "thinking": (("thinking_delta", "thinking"), ("signature_delta", "signature")),
}
"""What of a block of Anthropic's comes piece by piece, each in a piece of its own kind."""


def _blocks(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    ends = ("stop_reason", "stop_sequence")
    yield {
        "type": "message_start",
        "message": {**answer, "content": [], **dict.fromkeys(ends)},
    }
    for place, block in enumerate(answer["content"]):
        grows = _GROWS.get(block["type"], ())
        begun = block | {name: "" for _, name in grows}
        deltas = [{"type": kind, name: block.get(name) or ""} for kind, name in grows]
        if block["type"].endswith("tool_use"):
            begun = block | {"input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        yield {"type": "content_block_start", "index": place, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    end = {name: answer.get(name) for name in ends}
    yield {"type": "message_delta", "delta": end, "usage": answer.get("usage") or {}}
    yield {"type": "message_stop"}


def _end(choice: Mapping[str, Any], name: str) -> dict[str, object]:
    return {name: choice.get(name) or "stop"}
