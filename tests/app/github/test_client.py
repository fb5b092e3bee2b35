"""The client: headers, caching, redirects, credentials."""

from __future__ import annotations

import json

import pytest
from gidgethub import BadRequest, RedirectionException

from app.github.client import GitHubClient
from runner.errors import Outage
from tests.app.github.kit import Answer, Script

OK = Answer(data={"ok": True})


async def test_a_request_says_who_asks(client: GitHubClient, script: Script) -> None:
    """Version, user agent and token go with each request, below the configured address."""
    await client.getitem("/repos/o/r")

    [(_, path, headers, _)] = script.asked
    assert path == "/api/v3/repos/o/r"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["user-agent"].startswith("cairn/")
    assert headers["authorization"] == "token t1"


async def test_what_github_refuses_is_the_callers(client: GitHubClient, script: Script) -> None:
    """A 404 is not ours to interpret, and not repeated."""
    script.says(Answer(404, {"message": "Not Found"}))

    with pytest.raises(BadRequest, match="Not Found"):
        await client.getitem("/x")
    assert len(script.asked) == 1


async def test_an_unchanged_answer_comes_from_the_cache(
    client: GitHubClient, script: Script
) -> None:
    """A GET is asked with its ETag, and a 304 gives the answer kept."""
    script.says(Answer(200, {"n": 1}, {"etag": '"v1"'}), Answer(304))

    first, second = await client.getitem("/x"), await client.getitem("/x")

    assert first == second == {"n": 1}
    assert script.asked[1][2]["if-none-match"] == '"v1"'


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_moved_get_is_followed(client: GitHubClient, script: Script, status: int) -> None:
    """A GET is asked again at its new place."""
    script.says(Answer(status, {}, {"location": "/repositories/1"}), OK)

    assert await client.getitem("/repos/o/r") == {"ok": True}
    assert script.calls[1] == "GET /repositories/1"


async def test_a_moved_patch_stays_a_patch(client: GitHubClient, script: Script) -> None:
    """A PATCH keeps method and body at its new place."""
    script.says(Answer(307, {}, {"location": "/repositories/1"}), OK)

    await client.patch("/repos/o/r", data={"a": 1})

    assert script.calls[1] == "PATCH /repositories/1"
    assert json.loads(script.asked[1][3]) == {"a": 1}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_moved_post_stays_a_post(client: GitHubClient, script: Script, status: int) -> None:
    """A POST never becomes a GET: method, body and token are those of the first."""
    script.says(Answer(status, {}, {"location": "/repositories/1/issues"}), OK)

    await client.post("/repos/o/r/issues", data={"a": 1})

    assert script.calls[1] == "POST /repositories/1/issues"
    assert json.loads(script.asked[1][3]) == {"a": 1}
    assert script.asked[1][2]["authorization"] == "token t1"


async def test_a_post_is_not_sent_to_another_host(client: GitHubClient, script: Script) -> None:
    """A POST redirected elsewhere is refused: body and token stay here."""
    script.says(Answer(307, {}, {"location": "http://127.0.0.1:1/x"}))

    with pytest.raises(RedirectionException):
        await client.post("/x", data={})


async def test_endless_redirects_end(client: GitHubClient, script: Script) -> None:
    """A POST that is sent in circles is given up."""
    script.says(Answer(307, {}, {"location": "/x"}))

    with pytest.raises(RedirectionException):
        await client.post("/x", data={})
    assert len(script.asked) == 3


async def test_a_refused_token_is_renewed_once(client: GitHubClient, script: Script) -> None:
    """A 401 forgets the token, and the next one is tried."""
    script.says(Answer(401, {"message": "Bad credentials"}), OK)

    assert await client.post("/x", data={}) == {"ok": True}
    assert [headers["authorization"] for _, _, headers, _ in script.asked] == [
        "token t1",
        "token t2",
    ]


async def test_refused_twice_is_an_outage(client: GitHubClient, script: Script) -> None:
    """A second 401 says what to check, and shows no token."""
    script.says(Answer(401, {"message": "Bad credentials"}))

    with pytest.raises(Outage, match="GITHUB_APP_ID") as outage:
        await client.getitem("/x")
    assert outage.value.kind == "credential"
    assert "t1" not in str(outage.value)
    assert len(script.asked) == 2


async def test_a_missing_permission_is_named(client: GitHubClient, script: Script) -> None:
    """What GitHub would accept is in the message."""
    script.says(
        Answer(
            403,
            {"message": "Resource not accessible by integration"},
            {"x-accepted-github-permissions": "issues=write"},
        )
    )

    with pytest.raises(Outage, match="issues=write") as outage:
        await client.post("/x", data={})
    assert outage.value.kind == "permission"


async def test_a_suspended_installation_is_said(client: GitHubClient, script: Script) -> None:
    """Suspension is an outage that a person has to end."""
    script.says(Answer(403, {"message": "This installation has been suspended"}))

    with pytest.raises(Outage, match="suspended") as outage:
        await client.getitem("/x")
    assert (outage.value.kind, outage.value.until) == ("suspended", None)


async def test_other_refusals_stay_refusals(client: GitHubClient, script: Script) -> None:
    """A 403 without a limit or a missing permission is the caller's."""
    script.says(Answer(403, {"message": "Unable to create comment because issue is locked."}))

    with pytest.raises(BadRequest, match="locked"):
        await client.post("/x", data={})
