"""Which models there are, as an endpoint lists them and as people read it."""

from __future__ import annotations

import pytest

from runner.model.replies import nearest, offer_text, read_offer


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"object": "list", "data": [{"id": "a"}, {"id": "b"}]}', ("a", "b")),
        (b'[{"id": "a", "type": "chat"}]', ("a",)),
        (b'{"data": []}', ()),
        (b'{"data": [{"name": "a"}, "b", {"id": 3}]}', ()),
        (b'{"models": {}}', None),
        (b"<html>", None),
        (b"\xff", None),
    ],
)
def test_lists_as_endpoints_send_them(body: bytes, names: tuple[str, ...] | None) -> None:
    """Both forms of the list are read; anything else is no list."""
    assert read_offer(body) == names


def test_the_nearest_name_comes_first() -> None:
    """Whoever mistyped a name finds the right one at the beginning."""
    offered = ["text-embedding-3", "gpt-5", "gpt-5-mini", "whisper-1"]

    assert nearest(offered, "GPT5-mini")[:2] == ["gpt-5-mini", "gpt-5"]


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
