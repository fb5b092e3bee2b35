"""The faults of the transport layer, as OpenAI-compatible servers show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.model_server.replies import Reply, error

Kind = Literal["status", "timeout", "reset", "bad_json", "no_choices", "html"]


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong instead of (or with) an answer."""

    kind: Kind
    status: int = 200
    body: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def http_status(
        cls, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> Fault:
        """An error status with an OpenAI-style body."""
        return cls("status", status, error(message, code=code, param=param))

    @classmethod
    def http_429(cls, *, retry_after: str | float | None = 1) -> Fault:
        """Too many requests, with Retry-After (seconds or an HTTP date) unless it is None."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        body = error("Rate limit reached", code="rate_limit_exceeded")
        return cls("status", 429, body, headers)

    @classmethod
    def http_500(cls) -> Fault:
        """A server error with an OpenAI-style body."""
        return cls.http_status(500, "The server had an error", code="server_error")

    @classmethod
    def http_503(cls) -> Fault:
        """An overloaded gateway that answers in HTML."""
        return cls("html", 503)

    @classmethod
    def timeout(cls) -> Fault:
        """No answer until the server is closed."""
        return cls("timeout")

    @classmethod
    def reset(cls) -> Fault:
        """The connection is closed without an answer."""
        return cls("reset")

    @classmethod
    def bad_json(cls) -> Fault:
        """Status 200 whose JSON body is cut off."""
        return cls("bad_json")

    @classmethod
    def no_choices(cls) -> Fault:
        """Status 200 with an empty list of choices."""
        return cls("no_choices")

    @classmethod
    def null_content(cls) -> Reply:
        """Status 200 with content null."""
        return Reply(None)

    @classmethod
    def empty_answer(cls) -> Reply:
        """Status 200 with an empty text."""
        return Reply("")

    @classmethod
    def length_nothing(cls) -> Reply:
        """An empty text with finish reason length: a reasoning model used its budget up."""
        return Reply("", "length")

    @classmethod
    def refusal(cls) -> Reply:
        """The model's refusal, with finish reason content_filter."""
        return Reply("I cannot help with that.", "content_filter")

    @classmethod
    def truncated(cls, text: str) -> Reply:
        """The first half of an answer, with finish reason length."""
        return Reply(text[: len(text) // 2], "length")
