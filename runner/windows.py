"""How much a model reads and writes at once: by its endpoint's list, or by its name.

Names are known only of models that one company serves: whoever serves an open model chooses its
window, mostly a smaller one than the model could have.
https://platform.openai.com/docs/models · https://docs.anthropic.com/en/docs/about-claude/models ·
https://ai.google.dev/gemini-api/docs/models ·
https://openrouter.ai/docs/api-reference/list-available-models ·
https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

UNKNOWN_CONTEXT, MOST_CONTEXT = 4_000, 32_000
"""Tokens of the repository in one question: if nobody knows the window, and at most."""

_ORDINARY_ANSWER, _LONG_ANSWER, _LARGE = 8_192, 16_384, 128_000
_LEAST, _MOST = 512, 100_000_000

_KNOWN = tuple(
    (re.compile(rf"(?:^|[/.])(?:{pattern})"), window)
    for pattern, window in (
        (r"gpt-[5-9]", 400_000),
        (r"gpt-4\.1", 1_047_576),
        (r"gpt-4o|chatgpt-4o|gpt-4-turbo", 128_000),
        (r"gpt-4-32k", 32_768),
        (r"gpt-4", 8_192),
        (r"gpt-3\.5", 16_385),
        (r"o[1-9](?:$|-)", 128_000),
        (r"claude-", 200_000),
        (r"gemini-(?:[2-9]|1\.5)", 1_000_000),
        (r"deepseek-(?:chat|reasoner)$", 64_000),
        (r"grok-[3-9]", 131_072),
    )
)
_KEYS = ("context_length", "max_model_len", "context_window", "max_context_length", "n_ctx")
"""What servers call it: OpenRouter and Together, vLLM, Groq, Mistral and LM Studio, llama.cpp."""


def known_window(name: str) -> int | None:
    """Return the window of a model by its name; None if it is not known."""
    lower = name.lower()
    return next((window for pattern, window in _KNOWN if pattern.search(lower)), None)


_SIZE = re.compile(r"(?:^|[-_:/ ])(\d+(?:\.\d+)?)\s*([bm])(?:$|[-_:/. ])")
_SMALL_MODEL, _SMALL_WINDOW = 4.0, 8_192


def is_small(name: str, window: int | None) -> bool:
    """Whether a model takes what it reads as an example for its work.

    Models of few parameters (billions, as their names say) do, and those of small windows.
    """
    size = _SIZE.search(name.lower())
    if size is None:
        return window is not None and window <= _SMALL_WINDOW and known_window(name) is None
    return float(size[1]) / (1_000 if size[2] == "m" else 1) < _SMALL_MODEL


def read_windows(body: bytes) -> dict[str, int]:
    """Return the windows in an answer to ``GET /models``, by the names of the models."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    entries = answer.get("data") if isinstance(answer, dict) else answer
    named = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    found = {str(entry.get("id")): min(_sizes(entry), default=0) for entry in named}
    return {name: window for name, window in found.items() if window}


def _sizes(entry: Mapping[str, object]) -> Iterator[int]:
    """All sizes that an entry names; the smallest is what can be used."""
    for part in (entry, entry.get("meta"), entry.get("top_provider")):
        for key in _KEYS:
            value = part.get(key) if isinstance(part, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST:
                yield value


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
