"""Which models there are, as an endpoint lists them and as people read it."""

from __future__ import annotations

import pytest

from runner.model.replies import nearest, offer_text, read_list


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"object": "list", "data": [{"id": "a"}, {"id": "b"}]}', ("a", "b")),
        (b'[{"id": "a", "type": "chat"}]', ("a",)),
        (b'{"data": []}', ()),
        (b'{"data": [{"name": "a"}, "b", {"id": 3}, {"id": ""}]}', ()),
        (b"{}", None),
        (b'{"data": 3}', None),
        (b"[" * 100_000, None),
        (b'{"models": {}}', None),
        (b"<html>", None),
        (b"\xff", None),
    ],
)
def test_lists_as_endpoints_send_them(body: bytes, names: tuple[str, ...] | None) -> None:
    """Both forms of the list are read; anything else is no list."""
    found = read_list(body)
    assert (None if found is None else tuple(each.name for each in found)) == names


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

    found = {each.name: each.window for each in read_list(body) or ()}
    assert found.get("m") == window


def test_the_nearest_name_comes_first() -> None:
    """Whoever mistyped a name finds the right one at the beginning."""
    offered = ["text-embedding-3", "gpt-6-luna", "gpt-6.1-terra", "whisper-1"]

    assert nearest(offered, "GPT6-luna")[:2] == ["gpt-6-luna", "gpt-6.1-terra"]


def test_a_long_list_is_cut() -> None:
    """Eight names are enough; the others are counted."""
    said = offer_text([f"model-{number:02}" for number in range(20)], "model-07")

    assert said.startswith("It offers model-07, ")
    assert said.endswith(" and 12 more.")


@pytest.mark.parametrize(
    ("offered", "said"),
    [(None, "does not say"), ((), "no model at all"), (("a\nb",), "It offers a b.")],
)
def test_odd_offers(offered: tuple[str, ...] | None, said: str) -> None:
    """No list, an empty one, and a name that would break the line."""
    assert said in offer_text(offered, "gpt")
