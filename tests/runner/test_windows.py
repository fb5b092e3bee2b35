"""How much a model reads and writes at once, and how much of it a question and an answer get."""

from __future__ import annotations

import pytest

from runner.model import catalogue
from runner.model.chat import OpenAIModel
from runner.windows import answer_tokens, context_tokens, is_small
from tests.model_server import ScriptedModel, serve


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("gpt-6.1-terra", 1_050_000),
        ("gpt-6-luna", 1_050_000),
        ("gpt-6.2-sol", 1_050_000),
        ("gpt-5-mini", 400_000),
        ("openai/gpt-4o-2024-08-06", 128_000),
        ("gpt-4", 8_192),
        ("anthropic.claude-sonnet-4", 200_000),
        ("o3-mini", 200_000),
        ("gpt-9-terra", 128_000),
        ("gemini-2.5-pro", 128_000),
        ("gpt-oss:20b", None),
        ("qwen3-coder:30b", None),
        ("my-gpt-5", None),
        ("scripted", None),
        ("", None),
    ],
)
def test_windows_by_name(name: str, window: int | None) -> None:
    """Only of models that one company serves: others are cut by whoever serves them."""
    assert catalogue.window("http://127.0.0.1:1/v1", name) == window


def test_the_window_at_a_companys_own_server() -> None:
    """There an open model has the window that this company gives it."""
    assert catalogue.window("https://api.groq.com/openai/v1", "openai/gpt-oss-20b") == 131_072


@pytest.mark.parametrize(
    ("window", "context", "answer"),
    [
        (None, 4_000, 8_192),
        (2_048, 1_024, 1_024),
        (8_192, 4_000, 4_096),
        (16_384, 4_096, 8_192),
        (64_000, 16_000, 8_192),
        (128_000, 32_000, 16_384),
        (1_000_000, 32_000, 16_384),
    ],
)
def test_what_a_window_is_used_for(window: int | None, context: int, answer: int) -> None:
    """A quarter for the repository, and at most 32,000 tokens however large it is."""
    assert (context_tokens(window), answer_tokens(window)) == (context, answer)


async def test_the_endpoint_is_asked_once_and_counts_before_the_name() -> None:
    """A proxy may offer less of a model than its maker."""
    scripted = ScriptedModel()
    scripted.window = 16_384
    async with serve(scripted) as url:
        model = OpenAIModel(model="scripted", api_key="", base_url=url)
        assert await model.window("") == 16_384
        scripted.window = 99_999
        assert await model.window("scripted") == 16_384
        assert await model.window("gpt-4o") == 128_000
        await model.close()


async def test_an_endpoint_that_does_not_answer_says_nothing() -> None:
    """Then the name may; the question itself will say what is wrong."""
    model = OpenAIModel(model="scripted", api_key="", base_url="http://127.0.0.1:9/v1")

    assert await model.window("") is None
    await model.close()


@pytest.mark.parametrize(
    ("name", "window", "small"),
    [
        ("qwen2.5-coder:0.5b", None, True),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", 32_000, True),
        ("llama-3.2-3b-instruct", 128_000, True),
        ("qwen2.5-coder:7b", None, False),
        ("llama-3.1-70b", 8_192, False),
        ("my-model", 8_192, True),
        ("my-model", None, False),
        ("gpt-4", 8_192, False),
        ("gpt-5-mini", 400_000, False),
    ],
)
def test_small_models(name: str, window: int | None, small: bool) -> None:
    """By the size in the name, else by a window that an endpoint tells."""
    assert is_small(name, window) is small
