"""What other servers than OpenAI's send, and what is read from it."""

from __future__ import annotations

import json

import pytest

from runner.model.errors import Transient
from runner.model.replies import read_reply


def body(message: dict[str, object], **rest: object) -> bytes:
    """Build a reply."""
    return json.dumps({"choices": [{"message": message}], **rest}).encode()


def test_parts():
    """Content in parts is one text."""
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert read_reply(body({"content": parts})).text == "ab"


def test_refusal_field():
    """A refusal in a field of its own is a refusal, not a missing answer."""
    reply = read_reply(body({"content": None, "refusal": "No."}))

    assert (reply.text, reply.finish_reason) == ("No.", "content_filter")


def test_no_finish_reason():
    """A server that gives no finish reason has stopped."""
    assert read_reply(body({"content": "x"})).finish_reason == "stop"


@pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": "3"}])
def test_odd_usage(usage):
    """A usage that is missing or odd is unknown and no fault."""
    reply = read_reply(body({"content": "x"}, usage=usage))

    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


@pytest.mark.parametrize(
    "sent",
    [b"", b"<html>", b"[]", b'"text"', b'{"choices": 3}', b'{"choices": []}', b"{}"],
)
def test_no_chat_completion(sent):
    """Whatever is no chat completion is a fault worth another try."""
    with pytest.raises(Transient):
        read_reply(sent)


def test_a_web_page():
    """A wrong address answers with one; what to look at is said."""
    with pytest.raises(Transient, match="a web page instead of a chat completion: is OPENAI_BASE"):
        read_reply(b"\n<!doctype html><title>Hello</title>")


def test_error_with_status_200():
    """An error sent with status 200 is told in the endpoint's own words."""
    with pytest.raises(Transient, match="overloaded"):
        read_reply(b'{"error": {"message": "overloaded"}}')
