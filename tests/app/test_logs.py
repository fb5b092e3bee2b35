"""No secret appears in a log."""

from __future__ import annotations

import io
import json
import logging

import pytest
from pydantic import SecretStr

from app.logs import JSON, mask_for, set_up_logging
from runner.text.logged import about
from runner.text.mask import HIDDEN

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefghijkl\nmnopqrstuvwxyz12\n"
    "-----END RSA PRIVATE KEY-----"
)


@pytest.fixture
def log():
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:], level = before
    root.setLevel(level)


def test_a_known_secret_is_masked_in_message_arguments_and_traceback(log):
    """Wherever a secret gets into a record, it does not get out."""
    set_up_logging("info", secrets=[SecretStr("hunter22"), None], stream=log)
    try:
        int("hunter22")
    except ValueError:
        logging.getLogger("x").exception("with %s and hunter22", {"key": "hunter22"})

    assert "hunter22" not in log.getvalue()
    assert f"with {{'key': '{HIDDEN}'}} and {HIDDEN}" in log.getvalue()
    assert f"invalid literal for int() with base 10: '{HIDDEN}'" in log.getvalue()


def test_the_level_is_kept(log):
    """Records below the level are not written."""
    set_up_logging("warning", stream=log)

    logging.getLogger("x").info("quiet")
    logging.getLogger("x").warning("loud")

    assert "quiet" not in log.getvalue()
    assert "WARNING x: loud" in log.getvalue()


def test_debug_is_of_cairn_alone(log):
    """What libraries tell at that level would hide it."""
    set_up_logging("debug", stream=log)

    for name in ("markdown_it.rules_block", "httpcore2.http11", "runner.loop.driver"):
        logging.getLogger(name).debug("step")

    assert log.getvalue().count("step") == 1
    assert "DEBUG runner.loop.driver: step" in log.getvalue()


@pytest.mark.parametrize(
    "secret",
    [
        "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghs_12345_" + "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9." + "x" * 400,
        "github_pat_11ABCDEFG0123456789_abcdefghij",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0In0.c2lnbmF0dXJl",
        "sk-proj-abcdefghijklmnopqrstuv",
        PEM,
    ],
)
def test_what_looks_like_a_token_is_masked_unasked(secret):
    """Tokens minted while running are masked by their form."""
    assert mask_for()(f"before {secret} after") == f"before {HIDDEN} after"


def test_an_authorization_header_is_masked(log):
    """Whatever the token's form, in a log its header hides it."""
    set_up_logging("info", stream=log)
    logging.getLogger("x").info("sent %s", {"Authorization": "Bearer abc"})

    assert log.getvalue().endswith("sent {'Authorization': 'Bearer ***'}\n")


def test_a_key_is_masked_line_by_line_too():
    """A line of the private key alone, or its escaped form, is masked."""
    mask = mask_for([SecretStr(PEM)])

    assert mask("bad MIIEabcdefghijkl line") == f"bad {HIDDEN} line"
    assert "mnopq" not in mask(repr(PEM))


def test_short_secrets_do_not_shred_the_log():
    """A secret of a few letters is not masked, for it would mask ordinary words."""
    assert mask_for([SecretStr("a")])("a cat") == "a cat"


def test_json_says_what_a_line_is_about(log):
    """One object a line, masked, with the names of what is worked on; a traceback is one text."""
    set_up_logging("info", secrets=[SecretStr("hunter22")], stream=log, form=JSON)
    with about(delivery="d-1"), about(run="r1", task="", node="plan_task"):
        try:
            int("hunter22")
        except ValueError:
            logging.getLogger("x").exception("hunter22\nand Authorization: Bearer abc")
    logging.getLogger("x").info("later")

    first, second = map(json.loads, log.getvalue().splitlines())
    assert first["message"] == f"{HIDDEN}\nand Authorization: Bearer {HIDDEN}"
    names = ("level", "delivery", "run", "node", "task")
    assert [first.get(name) for name in names] == ["error", "d-1", "r1", "plan_task", None]
    assert "hunter22" not in first["trace"]
    assert (second["message"], second.get("run")) == ("later", None)
