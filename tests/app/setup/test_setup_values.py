"""Addresses, and the file as other programs read it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiohttp import web
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from app.compose.pages import configured_routes
from app.github.token_identity import APP_PERMISSIONS
from app.pages.door import Door
from app.server.http import Access
from app.settings.models import rsa_key
from app.setup.addresses import UnusableSetup, github_at, is_loopback, public_url
from app.setup.registration import Registered, SecretFile, contents
from app.texts import setup_texts as words
from tests.app.server.webhooks import FixedClock
from tests.fake_github.world import key_pair

GHES, GHES_API = "https://ghe.example", "https://ghe.example/api/v3"
TENANT, TENANT_API = "https://octo.ghe.com", "https://api.octo.ghe.com"
HOME, HOME_API = "https://github.com", "https://api.github.com"


@pytest.mark.parametrize(
    ("server", "api"), [(HOME, HOME_API), (GHES, GHES_API), (TENANT, TENANT_API)]
)
def test_one_address_of_github_gives_the_other(server: str, api: str) -> None:
    """Enterprise Server has its API below /api/v3, the others on a host of its own."""
    for found in (github_at(server, None), github_at(None, api), github_at(server, api)):
        assert (found.server, found.api) == (server, api)


def test_without_any_it_is_github_com() -> None:
    """And what is said of both is taken as it is."""
    odd = github_at("https://a.test", "https://b.test/rest")

    assert (github_at(None, None).server, github_at(None, None).api) == (HOME, HOME_API)
    assert (odd.server, odd.api) == ("https://a.test", "https://b.test/rest")


def test_the_page_for_the_manifest() -> None:
    """One's own, or the organisation's, below whatever path GitHub is at."""
    assert github_at(GHES, None).registration("") == f"{GHES}/settings/apps/new"
    assert (
        github_at(f"{GHES}/x", None).registration("o")
        == f"{GHES}/x/organizations/o/settings/apps/new"
    )
    assert github_at("https://ghe:8443/x", None).origin == "https://ghe:8443"


@pytest.mark.parametrize(
    "url", ["http://localhost:1", "http://127.0.0.1", "http://[::1]:80/x", "http://a.localhost"]
)
def test_only_this_machine_may_do_without_https(url: str) -> None:
    """An address of this machine is taken for trials."""
    assert public_url(f" {url}/ ") == url
    assert is_loopback(url)


@given(st.text())
def test_an_address_is_plain_or_refused(text: str) -> None:
    """Whatever is taken for an address has no character that a shell or a header would mind."""
    try:
        url = public_url(text)
    except UnusableSetup:
        pass
    else:
        assert not set(url) & set(" \n\"'`$;\\&|<>%?#@")


def _app() -> Registered:
    return Registered(
        id=7,
        slug="x",
        html_url="https://github.com/apps/x",
        webhook_secret=SecretStr("0123456789abcdef"),
        pem=SecretStr(key_pair()[0]),
    )


def test_a_shell_and_dotenv_read_the_same(tmp_path: Path) -> None:
    """The key arrives as it is by either, whatever stands in the other values."""
    odd = "a b'c$d"
    file = tmp_path / "x y.env"
    file.write_text(contents(_app(), {"CAIRN_PUBLIC_URL": odd}))
    names = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY", "CAIRN_PUBLIC_URL")
    show = "; ".join(f'printf "%s\\n" "${name}"' for name in names)
    start = SecretFile(file).start().replace("cairn serve", show)

    said = subprocess.run(["sh", "-c", start], capture_output=True, text=True, check=True).stdout

    number, key, url = said.rstrip("\n").split("\n")
    assert (number, url) == ("7", odd)
    assert rsa_key(key).get_secret_value() == key_pair()[0]
    assert rsa_key(dotenv_values(file)["GITHUB_APP_PRIVATE_KEY"] or "") == rsa_key(key)


def test_docker_leaves_the_quotes_on() -> None:
    """``docker run --env-file`` takes everything after the = as it is; the key still loads."""
    (line,) = (one for one in contents(_app(), {}).split("\n") if "PRIVATE_KEY" in one)

    assert rsa_key(line.partition("=")[2]).get_secret_value() == key_pair()[0]


def test_each_permission_is_explained() -> None:
    """Nothing is asked for without a reason."""
    assert all(words.permission(name) for name in APP_PERMISSIONS)


async def test_a_server_with_its_app_shows_it_to_the_admin_only(aiohttp_client) -> None:
    """/setup registers nothing any more and needs the token, the callback too."""
    settings = SimpleNamespace(github_server_url=HOME, cairn_public_url="https://x.test")
    door = Door(Access(SecretStr("token"), secure=False, clock=FixedClock()))
    app = web.Application()
    app.router.add_routes(configured_routes(settings, door))
    client = await aiohttp_client(app)
    for path in ("/setup", "/setup/callback?code=x&state=y"):
        shut = await client.get(path)
        shown = await client.get(path, headers={"Authorization": "Bearer token"})
        told = await shown.json()

        assert (shut.status, shown.status) == (401, 200)
        assert told["webhook"] == "https://x.test/webhook"
        assert {one["name"]: one["level"] for one in told["permissions"]} == dict(APP_PERMISSIONS)
