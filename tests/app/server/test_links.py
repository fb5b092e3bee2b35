"""Signed links to one run: whom they let in, and for how long."""

from __future__ import annotations

import pytest

from app.server.links import RunLinks
from tests.app.store.conftest import HandClock

BASE = "https://cairn.test"
DAY = 86_400


PEM = "a long private key"


def links(clock=None, *, secret=PEM, base=BASE, which="public"):
    return RunLinks(secret, base=base, which=which, clock=clock or HandClock())


def token(address):
    return address.partition("?key=")[2]


def test_a_link_opens_its_run_and_no_other():
    """The token belongs to the id: another run's, or a longer id, is closed."""
    made = links()
    address = made.link("r1", private=False)

    assert address.startswith(f"{BASE}/runs/r1?key=")
    assert made.opens(token(address), "/runs/r1")
    others = ("/runs/r2", "/runs/r11", "", "/runs/r1 ", "/repositories/o/n/history")
    assert [made.opens(token(address), place) for place in others] == [None] * 5


def test_a_link_stays_the_same_all_day_and_ends_within_thirty_days():
    """An edit of the comment does not change the link, and nobody has it for longer."""
    clock = HandClock()
    made = links(clock)
    address = made.link("r1", private=False)
    clock.forward(3_600)
    assert made.link("r1", private=False) == address

    clock.forward(29 * DAY - 4 * 3_600)
    assert made.opens(token(address), "/runs/r1")
    clock.forward(DAY)
    assert made.opens(token(address), "/runs/r1") is None


@pytest.mark.parametrize("place", [0, 5, 10, 11, 12, -1])
def test_a_changed_token_opens_nothing(place):
    """Neither the end, nor the kind of repository, nor the signature can be made up."""
    made = links(which="all")
    given = list(token(made.link("r1", private=True)))
    given[place] = {"s": "p", "A": "B"}.get(given[place], "A" if place == -1 else "9")

    assert made.opens("".join(given), "/runs/r1") is None


@pytest.mark.parametrize("given", ["", "x", "1p.", "é" * 50, "9" * 60, "1p." + "é" * 43, "\0"])
def test_what_is_no_token_opens_nothing(given):
    """Whatever comes as a token is an answer, not an error."""
    assert links().opens(given, "/runs/r1") is None


def test_another_servers_link_opens_nothing():
    """Without the App's key nobody makes a link."""
    address = links(secret="another key").link("r1", private=False)

    assert links().opens(token(address), "/runs/r1") is None


@pytest.mark.parametrize(
    ("which", "public", "private"),
    [("public", True, False), ("all", True, True), ("none", False, False)],
)
def test_the_setting_says_whose_runs_have_links(which, public, private):
    """Private repositories have none by default."""
    made = links(which=which)

    found = [bool(made.link("r1", private=closed)) for closed in (False, True)]
    assert found == [public, private]


def test_links_that_were_made_close_when_the_setting_does():
    """A link of a private repository is worth nothing once they are switched off."""
    address = links(which="all").link("r1", private=True)

    assert links(which="public").opens(token(address), "/runs/r1") is None
    assert links(which="none").opens(token(address), "/runs/r1") is None


@pytest.mark.parametrize("missing", [{"base": ""}, {"secret": ""}])
def test_without_an_address_or_a_key_there_is_no_link(missing):
    """The server says nothing it cannot keep."""
    made = links(**missing)

    assert made.link("r1", private=False) == ""


def test_a_history_has_a_link_of_its_own():
    """It opens the history of that repository and no run."""
    made = links()
    address = made.history("octo/shop", private=False)

    assert address.startswith(f"{BASE}/repositories/octo/shop/history?key=")
    assert made.opens(token(address), "/repositories/octo/shop/history")
    assert made.opens(token(address), "/repositories/octo/other/history") is None
    assert made.opens(token(address), "/runs/r1") is None
    assert made.history("octo/shop", private=True) == ""
