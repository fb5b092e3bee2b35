"""Who the App is, and its tokens."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import jwt
import pytest

from app.github.client import Connection
from app.github.identity import AppIdentity
from app.github.token_identity import APP_PERMISSIONS, CHECK, CONVERSE, PUBLISH, READ
from handlers.events import InstalledRepository
from runner.errors import Outage
from tests.app.github.kit import KEY, PEM, START, Answer, Script, StandingClock

HERE = InstalledRepository(5, "octo/hello", 3)


def token(value: str, *, at: datetime = START) -> Answer:
    """GitHub's answer with a token that lives an hour from ``at``."""
    end = (at + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Answer(201, {"token": value, "expires_at": end})


def claims(header: str) -> dict[str, Any]:
    """Check and read the JWT of an Authorization header."""
    kind, _, text = header.partition(" ")
    assert kind == "Bearer"
    key = KEY.public_key()
    return jwt.decode(text, key, algorithms=["RS256"], options={"verify_exp": False})


@pytest.fixture
def identity(session: aiohttp.ClientSession, api_url: str, clock: StandingClock) -> AppIdentity:
    over = Connection(session, api_url, clock, clock.sleep)
    return AppIdentity(over, app_id="12", private_key=PEM)


async def ask(identity: AppIdentity, repository_id: int = 5) -> str:
    return await identity.installation_token(replace(HERE, id=repository_id), READ)


async def test_the_app_signs_for_itself(identity: AppIdentity, script: Script) -> None:
    """The JWT is ours, dated a minute back and good for less than ten minutes."""
    script.says(Answer(200, {"slug": "cairn"}))

    assert await identity.bot_login() == "cairn[bot]"
    said = claims(script.asked[0][2]["authorization"])
    assert said["iss"] == "12"
    assert said["iat"] == START.timestamp() - 60
    assert said["exp"] == START.timestamp() - 60 + 540


async def test_the_name_is_asked_once(identity: AppIdentity, script: Script) -> None:
    """The App's name is kept."""
    script.says(Answer(200, {"slug": "cairn"}))

    await identity.bot_login()
    await identity.slug()

    assert script.calls == ["GET /api/v3/app"]


async def test_the_jwt_is_renewed_in_time(
    identity: AppIdentity, script: Script, clock: StandingClock
) -> None:
    """A JWT is used again while it is fresh, and never close to its end."""
    for minutes in (0, 6, 8):
        clock.time = START + timedelta(minutes=minutes)
        await identity.app.getitem("/app")

    signed = [claims(headers["authorization"])["iat"] for _, _, headers, _ in script.asked]
    assert signed[0] == signed[1] < signed[2]


async def test_a_token_is_narrow(identity: AppIdentity, script: Script) -> None:
    """A token is for one repository and the permissions asked for."""
    script.says(token("ghs_12_a.b.c"))

    assert await ask(identity) == "ghs_12_a.b.c"
    assert script.calls == ["POST /api/v3/app/installations/3/access_tokens"]
    assert json.loads(script.asked[0][3]) == {"repository_ids": [5], "permissions": dict(READ)}


async def test_a_token_is_kept(identity: AppIdentity, script: Script) -> None:
    """The same scope asks GitHub once."""
    script.says(token("a"), token("b"))

    assert [await ask(identity), await ask(identity)] == ["a", "a"]


async def test_scopes_do_not_mix(identity: AppIdentity, script: Script) -> None:
    """Another repository has another token."""
    script.says(token("a"), token("b"))

    assert [await ask(identity, 5), await ask(identity, 6)] == ["a", "b"]


@pytest.mark.parametrize(("minutes", "value"), [(54, "a"), (55, "b")])
async def test_a_token_is_renewed_before_its_end(
    identity: AppIdentity, script: Script, clock: StandingClock, minutes: int, value: str
) -> None:
    """A token with 5 minutes left or less is not handed out."""
    script.says(token("a"), token("b", at=START + timedelta(minutes=55)))
    await ask(identity)

    clock.time = START + timedelta(minutes=minutes)

    assert await ask(identity) == value


async def test_concurrent_requests_share_a_token(identity: AppIdentity, script: Script) -> None:
    """Whoever comes while a token is fetched gets that one."""
    script.says(token("a"), token("b"))

    assert await asyncio.gather(*(ask(identity) for _ in range(5))) == ["a"] * 5
    assert len(script.asked) == 1


async def test_a_client_outlives_its_token(
    identity: AppIdentity, script: Script, clock: StandingClock
) -> None:
    """A client that is used for hours asks with a fresh token."""
    client = identity.client(HERE, CONVERSE)
    ok = Answer(200, {})
    script.says(token("a"), ok, token("b", at=START + timedelta(hours=2)), ok)

    await client.getitem("/x")
    clock.time = START + timedelta(hours=2)
    await client.getitem("/x")

    used = [headers["authorization"] for method, _, headers, _ in script.asked if method == "GET"]
    assert used == ["token a", "token b"]


async def test_a_revoked_token_is_replaced(identity: AppIdentity, script: Script) -> None:
    """A 401 fetches a new token and tries once more."""
    client = identity.client(HERE, CONVERSE)
    script.says(token("a"), Answer(401, {}), token("b"), Answer(200, {"n": 1}))

    assert await client.getitem("/x") == {"n": 1}
    assert script.asked[-1][2]["authorization"] == "token b"


async def test_clients_of_an_installation_share_answers(
    identity: AppIdentity, script: Script
) -> None:
    """ETags are kept for an installation, not for a client."""
    script.says(token("a"), Answer(200, {"n": 1}, {"etag": '"1"'}), Answer(304))

    for _ in range(2):
        client = identity.client(HERE, CONVERSE)
        assert await client.getitem("/x") == {"n": 1}
    assert script.asked[-1][2]["if-none-match"] == '"1"'


@pytest.mark.parametrize(
    ("status", "message", "kind", "advice"),
    [
        (403, "This installation has been suspended", "suspended", "suspended"),
        (404, "Not Found", "credential", "Install the App"),
        (
            422,
            "The permissions requested are not granted to this installation.",
            "permission",
            "contents: read",
        ),
        (401, "Bad credentials", "credential", "GITHUB_APP_ID"),
    ],
)
async def test_no_token_says_what_to_do(
    identity: AppIdentity, script: Script, status: int, message: str, kind: str, advice: str
) -> None:
    """Suspended, uninstalled, not granted, wrong key: an outage that names the remedy."""
    script.says(Answer(status, {"message": message}))

    with pytest.raises(Outage, match=advice) as outage:
        await ask(identity)
    assert (outage.value.kind, outage.value.until) == (kind, None)


@pytest.mark.parametrize(
    ("granted", "said"),
    [
        ({"issues": "read"}, "(needed: issues: write). An owner can accept it on https://x/3;"),
        ({"issues": "write"}, "let it cover the repository"),
    ],
)
async def test_a_permission_that_is_lacking_is_named(
    identity: AppIdentity, script: Script, granted: Mapping[str, str], said: str
) -> None:
    """What the installation grants says which one it is, or that the reason is another one."""
    installation = {"app_slug": "cairn", "permissions": granted, "html_url": "https://x/3"}
    refused = Answer(422, {"message": "The permissions requested are not granted"})
    script.says(refused, Answer(200, installation))

    with pytest.raises(Outage, match=re.escape(said)):
        await identity.installation_token(HERE, CONVERSE)


async def test_the_installation_of_a_repository_is_found(
    identity: AppIdentity, script: Script
) -> None:
    """A repository's installation is asked for by name."""
    script.says(Answer(200, {"id": 3}))

    assert await identity.installation_for("o/r") == 3
    assert script.calls == ["GET /api/v3/repos/o/r/installation"]


async def test_a_repository_without_the_app_is_said(identity: AppIdentity, script: Script) -> None:
    """Not installed is an outage that says so."""
    script.says(Answer(404, {"message": "Not Found"}))

    with pytest.raises(Outage, match="not installed on o/r"):
        await identity.installation_for("o/r")


async def test_secrets_are_not_shown(identity: AppIdentity, script: Script) -> None:
    """Neither key nor token is in a repr."""
    script.says(token("ghs_secret"))
    client = identity.client(HERE, CONVERSE)
    await client.getitem("/x")

    shown = repr((identity, client, vars(identity), vars(client)))

    assert "ghs_secret" not in shown
    assert PEM.splitlines()[1] not in shown


@pytest.mark.parametrize("key", ["", "no key", PEM.replace("PRIVATE", "PUBLIC")])
async def test_a_wrong_key_is_refused_at_the_start(
    session: aiohttp.ClientSession, clock: StandingClock, key: str
) -> None:
    """A key that is none stops the start, with the settings to look at."""
    with pytest.raises(ValueError, match="GITHUB_APP_PRIVATE_KEY"):
        AppIdentity(Connection(session, "http://x", clock), app_id="1", private_key=key)


def test_tokens_never_exceed_the_app() -> None:
    """What a token asks for is in the manifest."""
    assert all(
        APP_PERMISSIONS.get(name) in {level, "write"}
        for scope in (CHECK, CONVERSE, PUBLISH, READ)
        for name, level in scope.items()
    )
