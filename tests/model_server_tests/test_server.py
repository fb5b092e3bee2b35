"""The scripted model over HTTP, as any client sees it."""

from __future__ import annotations

import aiohttp
import pytest

from tests.model_server import Fault, ScriptedModel, serve

QUESTION = {"model": "m", "messages": [{"role": "user", "content": "12345678"}]}


async def ask(base_url: str) -> tuple[int, str, str]:
    """Ask and return status, content type and body."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base_url}/chat/completions", json=QUESTION) as response,
    ):
        return response.status, response.content_type, await response.text()


async def test_usage():
    """Every answer counts its tokens."""
    async with (
        serve(ScriptedModel().says("1234")) as base_url,
        aiohttp.ClientSession() as session,
        session.post(f"{base_url}/chat/completions", json=QUESTION) as response,
    ):
        body = await response.json()

    assert body["usage"] == {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}
    assert body["choices"][0]["message"]["content"] == "1234"


async def test_models():
    """The list of models says that this one is scripted."""
    async with (
        serve(ScriptedModel()) as base_url,
        aiohttp.ClientSession() as session,
        session.get(f"{base_url}/models") as response,
    ):
        assert (await response.json())["data"] == [{"id": "scripted"}]


async def test_html():
    """An overloaded gateway answers in HTML."""
    async with serve(ScriptedModel().says(Fault.http_503())) as base_url:
        status, kind, _ = await ask(base_url)

    assert (status, kind) == (503, "text/html")


async def test_cut_body():
    """A cut body comes with status 200 and is no JSON."""
    async with serve(ScriptedModel().says(Fault.bad_json())) as base_url:
        status, kind, text = await ask(base_url)

    assert (status, kind) == (200, "application/json")
    assert not text.endswith("}")


async def test_reset():
    """A reset connection gives no answer at all."""
    async with serve(ScriptedModel().says(Fault.reset())) as base_url:
        with pytest.raises(aiohttp.ClientConnectionError):
            await ask(base_url)


async def test_closing_ends_what_hangs():
    """A request that hangs on purpose does not keep the server from closing."""
    impatient = aiohttp.ClientTimeout(total=0.1)
    async with (
        aiohttp.ClientSession(timeout=impatient) as session,
        serve(ScriptedModel().says(Fault.timeout())) as base_url,
    ):
        with pytest.raises(TimeoutError):
            await session.post(f"{base_url}/chat/completions", json=QUESTION)
