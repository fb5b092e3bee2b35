"""How much a model reads and writes at once, and how much of it a question and an answer get."""

from __future__ import annotations

import pytest

from runner.model.chat import OpenAIModel
from runner.windows import answer_tokens, context_tokens, is_small, known_window, read_windows
from tests.model_server import ScriptedModel, serve


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ('{"id": "m", "max_model_len": 32768}', 32_768),  # vLLM
        (
            '{"id": "m", "context_length": 200000, "top_provider": {"context_length": 65536}}',
            65_536,
        ),
        ('{"id": "m", "meta": {"n_ctx": 16384, "n_ctx_train": 131072}}', 16_384),  # llama.cpp
        ('{"id": "m", "context_window": 131072}', 131_072),  # Groq
        ('{"id": "m", "max_context_length": "many"}', None),
        ('{"id": "m", "context_length": true, "max_model_len": -1}', None),
        ('{"id": "m"}', None),
        ('"m"', None),
    ],
)
def test_windows_as_servers_list_them(entry: str, window: int | None) -> None:
    """The smallest size counts; anything that is no size is not read."""
    body = f'{{"object": "list", "data": [{entry}]}}'.encode()

    assert read_windows(body).get("m") == window


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, b"{}", b'{"data": 3}', b"\xff"])
def test_what_is_no_list_says_nothing(body: bytes) -> None:
    """A hostile or broken endpoint does no harm."""
    assert read_windows(body) == {}


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("gpt-5-mini", 400_000),
        ("openai/gpt-4o-2024-08-06", 128_000),
        ("gpt-4", 8_192),
        ("anthropic.claude-sonnet-4", 200_000),
        ("o3-mini", 128_000),
        ("qwen2.5-coder:14b", None),
        ("my-gpt-5", None),
        ("scripted", None),
        ("", None),
    ],
)
def test_windows_by_name(name: str, window: int | None) -> None:
    """Only of models that one company serves: others are cut by whoever serves them."""
    assert known_window(name) == window


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
