"""Registering an App from a manifest: the code is good once and for an hour, mistakes are told."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import Client

GOOD = {
    "name": "My App",
    "url": "https://app.test",
    "hook_attributes": {"url": "https://app.test/webhook"},
    "redirect_url": "https://app.test/back",
    "default_permissions": {"issues": "write"},
    "default_events": ["issue_comment"],
}


async def _post(client: Client, path: str, manifest: object, state: str = "s") -> tuple[int, str]:
    form = {"manifest": json.dumps(manifest), "state": state, "name": "My App"}
    url = client.fake.server_url + path
    async with client.session.post(url, data=form, allow_redirects=False) as answer:
        return answer.status, answer.headers.get("Location", await answer.text())


async def _code(client: Client) -> str:
    status, back = await _post(client, "/settings/apps/manifest", GOOD)
    said = parse_qs(urlsplit(back).query)
    assert (status, said["state"]) == (302, ["s"])
    return said["code"][0]


async def test_a_code_is_exchanged_once(fake: FakeGitHub, client: Client) -> None:
    """The App is the fake's from then on, with what the manifest asked for."""
    path = f"/app-manifests/{await _code(client)}/conversions"

    first, second = await client.ask("POST", path), await client.ask("POST", path)

    assert (first.status, second.status) == (201, 404)
    assert first.body["pem"] == fake.app.private_key
    assert first.body["webhook_secret"] == fake.app.webhook_secret
    assert (first.body["slug"], fake.app.slug) == ("my-app", "my-app")
    assert fake.app.permissions == {"issues": "write", "metadata": "read"}
    fake.verify()


async def test_a_code_is_good_for_an_hour(fake: FakeGitHub, client: Client) -> None:
    """Later it is unknown, and the App stays the one it was."""
    code = await _code(client)
    client.headers["Authorization"] = ""  # a token would be too old as well
    fake.clock.advance(3600)

    late = await client.ask("POST", f"/app-manifests/{code}/conversions")

    assert (late.status, fake.app.slug) == (404, "cairn")


WRONG = {
    "no object": ([], "no object"),
    "no address": ({**GOOD, "url": ""}, "wasn't supplied"),
    "no webhook address": ({**GOOD, "hook_attributes": {"active": False}}, "wasn't supplied"),
    "no way back": ({**GOOD, "redirect_url": ""}, "send the person back"),
    "an unknown field": ({**GOOD, "permissions": {}}, "unknown"),
    "a long name": ({**GOOD, "name": "x" * 35}, "too long"),
    "an unknown permission": ({**GOOD, "default_permissions": {"issue": "write"}}, "not included"),
    "an unknown level": ({**GOOD, "default_permissions": {"issues": "admin"}}, "records"),
    "an event without its permission": ({**GOOD, "default_events": ["push"]}, "unsupported: push"),
}


@pytest.mark.parametrize(("manifest", "says"), WRONG.values(), ids=WRONG.keys())
async def test_a_wrong_manifest_is_refused(
    fake: FakeGitHub, client: Client, manifest: object, says: str
) -> None:
    """GitHub's page says so, and the test that caused it fails."""
    status, said = await _post(client, "/settings/apps/new", manifest)

    assert (status, "Invalid GitHub App configuration" in said) == (422, True)
    fake.forgive(says)
    fake.verify()


async def test_only_an_organisation_has_such_a_page(fake: FakeGitHub, client: Client) -> None:
    """404 for a name that is none."""
    fake.add_user("octo-org", type="Organization")

    for owner, status in (("octo-org", 200), ("writer", 404), ("nobody", 404)):
        path = f"/organizations/{owner}/settings/apps/new"
        assert (await _post(client, path, GOOD))[0] == status


async def test_two_states_are_a_mistake(fake: FakeGitHub, client: Client) -> None:
    """What the address and the form say must be the same."""
    await _post(client, "/settings/apps/new?state=other", GOOD)

    assert any("two states" in wrong for wrong in fake.world.violations)
    fake.forgive("two states")
