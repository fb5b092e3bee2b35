"""The fake answers mistakes as error-messages.json says GitHub does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github.spec import load
from tests.fake_github_tests.conftest import NAME, Client

ISSUES = f"/repos/{NAME}/issues"


def known(when: str) -> tuple[int, str]:
    """Status and message on record."""
    found = next(e for e in load("error-messages.json")["errors"] if e["when"] == when)
    return found["status"], found["message"]


async def test_an_unknown_token_is_refused(client: Client) -> None:
    """A token GitHub does not know gets "Bad credentials"."""
    client.token = "ghs_nonsense"

    reply = await client.ask("GET", f"/repos/{NAME}")

    assert (reply.status, reply.body["message"]) == known("unknown, expired or revoked token")


async def test_a_token_ends_after_an_hour(client: Client, fake: FakeGitHub) -> None:
    """An installation token is good for one hour of the injected clock and no longer."""
    fake.clock.advance(3599)
    assert (await client.ask("GET", f"/repos/{NAME}")).status == 200

    fake.clock.advance(1)
    reply = await client.ask("GET", f"/repos/{NAME}")

    assert (reply.status, reply.body["message"]) == known("unknown, expired or revoked token")


async def test_an_expired_jwt_is_refused(client: Client, fake: FakeGitHub) -> None:
    """A JWT whose time is over gets GitHub's sentence about exp."""
    past = int((fake.clock.now() - timedelta(seconds=1)).timestamp())
    client.token = client.app_jwt(exp=past)

    reply = await client.ask("GET", "/app")

    assert (reply.status, reply.body["message"]) == known("JWT expired")


async def test_a_jwt_may_not_live_longer_than_ten_minutes(client: Client, fake: FakeGitHub) -> None:
    """exp more than ten minutes ahead is refused."""
    client.token = client.app_jwt(exp=int(fake.clock.now().timestamp()) + 601)

    assert (await client.ask("GET", "/app")).status == 401


async def _token(client: Client, fake: FakeGitHub, body: object) -> tuple[int, str]:
    client.token = client.app_jwt()
    number = fake.installation(NAME).id
    reply = await client.ask("POST", f"/app/installations/{number}/access_tokens", body)
    return reply.status, reply.body.get("message", "")


async def test_a_token_cannot_exceed_the_installation(client: Client, fake: FakeGitHub) -> None:
    """Asking for a permission the installation lacks is 422."""
    answer = await _token(client, fake, {"permissions": {"administration": "write"}})

    assert answer == known("access_tokens: permission the installation lacks")


async def test_a_suspended_installation_gives_no_token(client: Client, fake: FakeGitHub) -> None:
    """While suspended, a token request is 403."""
    await fake.suspend(NAME)

    assert await _token(client, fake, None) == known("access_tokens: installation suspended")


async def test_a_missing_permission_is_403_and_a_violation(
    client: Client, fake: FakeGitHub
) -> None:
    """A token without issues: write cannot open an issue, and verify says so."""
    client.token = fake.token(NAME, contents="read")

    reply = await client.ask("POST", ISSUES, {"title": "x"})

    assert (reply.status, reply.body["message"]) == known("app lacks the permission")
    assert reply.headers["x-accepted-github-permissions"] == "issues=write"
    with pytest.raises(AssertionError, match="permission missing"):
        fake.verify()


async def test_another_repository_is_not_found(client: Client, fake: FakeGitHub) -> None:
    """A token narrowed to one repository sees no other one."""
    fake.add_repository("octo/other", {"a": b"a"})

    reply = await client.ask("GET", "/repos/octo/other")

    assert (reply.status, reply.body["message"]) == known("no such thing, or not visible")


async def test_a_comment_can_be_too_long(client: Client, fake: FakeGitHub) -> None:
    """65,537 characters are one too many."""
    fake.open_issue(NAME, "Please")

    reply = await client.ask("POST", f"{ISSUES}/1/comments", {"body": "x" * 65_537})

    wanted = next(e for e in load("error-messages.json")["errors"] if "too long" in e["when"])
    assert (reply.status, reply.body["errors"]) == (422, wanted["errors"])


async def test_limits_are_told_as_github_tells_them(client: Client, fake: FakeGitHub) -> None:
    """The primary and the secondary limit have their own messages and headers."""
    fake.rate_limit("primary")
    fake.rate_limit("secondary")

    first = await client.ask("GET", f"/repos/{NAME}")
    second = await client.ask("GET", f"/repos/{NAME}")

    assert (first.status, first.body["message"]) == known("primary rate limit")
    assert first.headers["x-ratelimit-remaining"] == "0"
    assert (second.status, second.body["message"]) == known("secondary rate limit")
    assert second.headers["retry-after"] == "60"


@pytest.mark.parametrize(("method", "when"), [("GET", "GET"), ("PATCH", "PATCH")])
async def test_a_renamed_repository_redirects(
    client: Client, fake: FakeGitHub, method: str, when: str
) -> None:
    """The old name answers 301 (GET) or 307 with the address by id, which works."""
    fake.open_issue(NAME, "Please")
    await fake.rename(NAME, "octo/new")
    body = {"title": "x"} if method == "PATCH" else None

    reply = await client.ask(method, f"{ISSUES}/1", body)

    assert (reply.status, reply.body["message"]) == known(f"repository renamed, {when}")
    again = await client.ask(method, reply.headers["location"], body)
    assert (again.status, again.body["number"]) == (200, 1)
    fake.verify()


async def test_a_request_needs_a_user_agent(client: Client, fake: FakeGitHub) -> None:
    """No User-Agent is 403."""
    client.headers = {"User-Agent": ""}

    reply = await client.ask("GET", f"/repos/{NAME}")

    assert (reply.status, reply.body["message"]) == known("no User-Agent")


async def test_a_body_that_is_no_json_is_400(client: Client, fake: FakeGitHub) -> None:
    """A body that does not parse gets GitHub's sentence."""
    url, headers = f"{fake.api_url}{ISSUES}", {"Authorization": f"Bearer {client.token}"}
    headers |= {"X-GitHub-Api-Version": "2022-11-28"}

    async with client.session.post(url, data=b"{", headers=headers) as answer:
        said = (answer.status, (await answer.json())["message"])

    assert said == known("access_tokens: body is not JSON")
