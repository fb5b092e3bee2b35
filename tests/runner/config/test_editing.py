"""Keys are set in the text of the configuration; everything else keeps its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config.editing import with_keys, with_values
from runner.config.model import parse_config

NAME = (("model", "name"), "elm-2")
WORDS = (("routing", "words"), 20)
LOOP = (("loop",), "fixed")
API = (("model", "api"), "responses")


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("", NAME, "model:\n  name: elm-2\n"),
        ("# ours\n", LOOP, "# ours\nloop: fixed\n"),
        ("loop: hybrid  # why\n", LOOP, "loop: fixed  # why\n"),
        ("model: oak-1 # cheap\nloop: fixed\n", NAME, "model: elm-2 # cheap\nloop: fixed\n"),
        ("model:\n    # plans\n    planning: gpt-5\n", NAME, None),
        ("model:\n  name: 'oak-1'  # old\n", NAME, "model:\n  name: elm-2  # old\n"),
        ("routing: {files: 3}\n", WORDS, "routing: {words: 20, files: 3}\n"),
        ("routing:\n  files: 3 # f", WORDS, "routing:\n  words: 20\n  files: 3 # f"),
        ("model: oak-1 # cheap\n", API, "model: {name: oak-1, api: responses} # cheap\n"),
        ("model:\n  name: oak-1\n", API, "model:\n  api: responses\n  name: oak-1\n"),
        ("loop: fixed", WORDS, "loop: fixed\nrouting:\n  words: 20\n"),
        ("loop: fixed\r\n", WORDS, "loop: fixed\r\nrouting:\r\n  words: 20\r\n"),
    ],
)
def test_a_key_is_set(before: str, change: tuple[tuple[str, ...], str | int], after: str | None):
    """In place, in its group, or at the end."""
    found = with_keys(before.encode(), [change])

    assert found is not None
    if after is None:
        after = "model:\n    # plans\n    name: elm-2\n    planning: gpt-5\n"
    assert found.decode() == after


@pytest.mark.parametrize(
    "before",
    [
        "- a list\n",
        "{loop: fixed}\n",
        "model:\n",
        "model: {}\n",
        "model: >\n  oak-1\n",
        "unknown: 1\n",
        "loop: [\n",
        "\N{LATIN SMALL LETTER E WITH ACUTE}".encode("latin-1").decode("latin-1") + ": 1\n",
    ],
)
def test_what_is_not_edited(before: str) -> None:
    """An unusual or a wrong file is left alone."""
    assert with_keys(before.encode(), [NAME]) is None
    assert with_keys(b"\xff: 1\n", [NAME]) is None


@given(st.text(min_size=1, max_size=60))
def test_any_name_of_a_model(name: str) -> None:
    """Whatever a model is called, it cannot become another key."""
    found = with_keys(b"loop: fixed\nmodel: oak-1\n", [(("model", "name"), name)])

    assert found is None or (
        parse_config(found).model.name == name and parse_config(found).loop == "fixed"
    )


def test_values_of_a_configuration() -> None:
    """The same keys, where only the values are needed."""
    found = with_values(parse_config(b"routing: {files: 3}\n"), [WORDS, LOOP])

    assert (found.routing.words, found.routing.files, found.loop) == (20, 3, "fixed")
