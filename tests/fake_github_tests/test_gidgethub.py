"""The client library the product uses works against the fake."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import gidgethub
import pytest
from gidgethub.aiohttp import GitHubAPI
from gidgethub.apps import get_installation_access_token

from tests.fake_github import FakeGitHub, WallClock
from tests.fake_github_tests.conftest import NAME, Client

VERSION = {"X-GitHub-Api-Version": "2022-11-28"}


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
async def test_a_token_is_made_by_the_library(tmp_path: Path, prefix: str) -> None:
    """JWT, token and a paged list work at the root and below a prefix."""
    async with FakeGitHub(tmp_path, prefix=prefix, clock=WallClock()) as fake:
        fake.add_repository(NAME, {"a": b"a"})
        for n in range(3):
            fake.open_issue(NAME, str(n))
        async with aiohttp.ClientSession(headers=VERSION) as session:
            client = GitHubAPI(session, "cairn", base_url=fake.api_url)
            made = await get_installation_access_token(
                client,
                installation_id=str(fake.installation(NAME).id),
                app_id=str(fake.app.id),
                private_key=fake.app.private_key,
            )
            token = made["token"]
            pages = client.getiter(f"/repos/{NAME}/issues?per_page=2", oauth_token=token)
            assert [i["title"] async for i in pages] == ["2", "1", "0"]
        fake.verify()


async def test_a_rename_is_followed(client: Client, fake: FakeGitHub) -> None:
    """A PATCH to the old name arrives at the new one, with body and token."""
    fake.open_issue(NAME, "Old")
    await fake.rename(NAME, "octo/new")
    api = GitHubAPI(client.session, "cairn", oauth_token=client.token, base_url=fake.api_url)

    done = await api.patch(f"/repos/{NAME}/issues/1", data={"title": "New"}, extra_headers=VERSION)

    assert done["title"] == "New"
    fake.verify()


async def test_the_primary_limit_is_seen(client: Client, fake: FakeGitHub) -> None:
    """gidgethub takes the primary limit for what it is."""
    fake.rate_limit("primary")
    api = GitHubAPI(client.session, "cairn", oauth_token=client.token, base_url=fake.api_url)

    with pytest.raises(gidgethub.RateLimitExceeded):
        await api.getitem(f"/repos/{NAME}", extra_headers=VERSION)
