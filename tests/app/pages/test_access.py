"""The admin token and the sessions made from it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pydantic import SecretStr

from app.server.http import LASTS, Access, from_elsewhere
from tests.app.store.conftest import HandClock

TOKEN = "correct horse battery"


def access(token=TOKEN, *, clock=None, secure=False):
    return Access(SecretStr(token) if token else None, secure=secure, clock=clock or HandClock())


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN}"])
def test_the_token_admits(header):
    """The token as a bearer header opens the pages."""
    assert access().admits({"Authorization": header}, {})


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer x", f"Basic {TOKEN}", TOKEN, "Bearer \udcff"]
)
def test_anything_else_does_not(header):
    """Another token, another scheme or none are refused."""
    assert not access().admits({"Authorization": header}, {})


@pytest.mark.parametrize("header", ["Bearer ", "Bearer", ""])
def test_without_a_token_nobody_is_admitted(header):
    """A server without a token has no password '' either."""
    closed = access("")
    assert not closed.admits({"Authorization": header}, {closed.cookie: closed.session()})


def test_a_session_lasts_and_ends():
    """A session admits until its end, not after."""
    clock = HandClock()
    door = access(clock=clock)
    cookies = {door.cookie: door.session()}
    clock.time += timedelta(seconds=LASTS - 1)
    assert door.admits({}, cookies)
    clock.time += timedelta(seconds=1)
    assert not door.admits({}, cookies)


def test_a_session_is_not_the_token_and_dies_with_it():
    """The cookie does not hold the token, and another token ends every session."""
    door = access()
    session = door.session()

    assert TOKEN not in session
    assert access().admits({}, {door.cookie: session})
    assert not access("another").admits({}, {door.cookie: session})


@pytest.mark.parametrize(
    "session", ["", ".", "9999999999.", "9999999999.00", "x.y", "\udcff.\udcff"]
)
def test_a_forged_session_is_refused(session):
    """A session without our signature is none."""
    door = access()
    assert not door.admits({}, {door.cookie: session})


def test_a_later_end_needs_a_new_signature():
    """The end of a session cannot be changed."""
    door = access()
    end, _, signature = door.session().partition(".")
    assert not door.admits({}, {door.cookie: f"{int(end) + 1}.{signature}"})


FROM = {
    "fetch metadata, our page": ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, False),
    "fetch metadata, another page": ({"Sec-Fetch-Site": "cross-site"}, True),
    "fetch metadata, a neighbour": ({"Sec-Fetch-Site": "same-site"}, True),
    "typed in": ({"Sec-Fetch-Site": "none"}, False),
    "our origin": ({"Origin": "https://cairn.test", "Host": "cairn.test"}, False),
    "another origin": ({"Origin": "https://evil.test", "Host": "cairn.test"}, True),
    "broken origin": ({"Origin": "https://[", "Host": "cairn.test"}, True),
    "no browser": ({"Host": "cairn.test"}, False),
}


@pytest.mark.parametrize(("headers", "elsewhere"), FROM.values(), ids=FROM.keys())
def test_forms_of_other_sites_are_known(headers, elsewhere):
    """Who sent a form is told by fetch metadata, else by the origin."""
    assert from_elsewhere(headers) is elsewhere
