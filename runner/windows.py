"""How much of a model's window a question and an answer may take, and what its name tells.

A name tells the window only of models that one company serves (``seller_of``): whoever serves an
open model chooses its window, mostly a smaller one than the model could have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

UNKNOWN_CONTEXT, MOST_CONTEXT = 4_000, 32_000
"""Tokens of the repository in one question: if nobody knows the window, and at most."""

_ORDINARY_ANSWER, _LONG_ANSWER, _LARGE = 8_192, 16_384, 128_000

_SOLD = {
    "openai": r"gpt-(?!oss)|chatgpt-|o[1-9](?:$|-)",
    "anthropic": r"claude-",
    "google": r"gemini-",
    "deepseek": r"deepseek-(?:chat|reasoner)$",
    "x-ai": r"grok-",
}
_NAMES = {company: re.compile(rf"(?:^|[/.])((?:{names}).*)") for company, names in _SOLD.items()}


_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


def undated(model: str) -> str:
    """The name of a model without the date that OpenAI answers with (``gpt-4o-2024-08-06``)."""
    return _DATED.sub("", model)


@dataclass(frozen=True, slots=True)
class Seller:
    """A company (``provider``, as genai-prices calls it) and its own name for a model."""

    provider: str
    name: str


def seller_of(name: str) -> Seller | None:
    """Return who alone serves a model, by its name; None for one that anybody may serve."""
    for company, names in _NAMES.items():
        if found := names.search(name.lower()):
            return Seller(company, found[1])
    return None


_SIZE = re.compile(r"(?:^|[-_:/ ])(\d+(?:\.\d+)?)\s*([bm])(?:$|[-_:/. ])")
_SMALL_MODEL, _SMALL_WINDOW = 4.0, 8_192


def is_small(name: str, window: int | None) -> bool:
    """Whether a model takes what it reads as an example for its work.

    Models of few parameters (billions, as their names say) do, and those of small windows.
    """
    size = _SIZE.search(name.lower())
    if size is None:
        return window is not None and window <= _SMALL_WINDOW and seller_of(name) is None
    return float(size[1]) / (1_000 if size[2] == "m" else 1) < _SMALL_MODEL


def context_tokens(window: int | None) -> int:
    """Return how many tokens of the repository a question may show: a quarter of the window.

    Small windows give half: the rest is for the task, the answer and what may be looked up.
    """
    if window is None:
        return UNKNOWN_CONTEXT
    return min(MOST_CONTEXT, max(window // 4, min(window // 2, UNKNOWN_CONTEXT)))


def answer_tokens(window: int | None) -> int:
    """Return how many tokens one answer may have; a longer one is continued."""
    if window is None:
        return _ORDINARY_ANSWER
    return _LONG_ANSWER if window >= _LARGE else min(_ORDINARY_ANSWER, window // 2)
