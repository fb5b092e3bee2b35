"""What a chat completion looks like on the wire.

https://platform.openai.com/docs/api-reference/chat/object
"""

from __future__ import annotations

from dataclasses import dataclass

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that needs more said than its text; some servers send no ``usage``."""

    text: str | None
    finish_reason: str = "stop"
    usage: bool = True


def tokens(text: str) -> int:
    """Count the tokens of a text as this server does: every started four characters."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def completion(*, model: str, number: int, prompt: str, reply: Reply) -> dict[str, object]:
    """Build the body of a successful answer, with its usage unless the reply leaves it out."""
    counts = {"usage": usage(prompt, reply.text or "")} if reply.usage else {}
    return {
        "id": f"chatcmpl-scripted-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": reply.finish_reason,
            }
        ],
        **counts,
    }


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
