"""The mirror over HTTP, as with GitHub: who is let in, and what each refusal means."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.github.client import RETRY_AFTER
from app.github.mirror import Mirror
from runner.errors import Outage
from tests.fake_github import FakeGitHub

NAME = "octo/hello"


@pytest.fixture
async def fake(tmp_path: Path) -> AsyncIterator[FakeGitHub]:
    """A GitHub with one private repository."""
    async with FakeGitHub(tmp_path / "github") as fake:
        fake.add_repository(NAME, {"a.txt": b"a\n"}, private=True)
        yield fake
        fake.verify()


@pytest.fixture
def mirror(tmp_path: Path, fake: FakeGitHub) -> Mirror:
    """A mirror that does not exist yet."""
    return Mirror(tmp_path / "data" / "1.git", clock=fake.clock)


async def _fetch(mirror: Mirror, fake: FakeGitHub, token: str, name: str = NAME) -> str:
    async def given() -> str:
        return token

    url = f"{fake.server_url}/{name}.git"
    return await mirror.fetch("refs/heads/main", url=url, token=given)


async def test_an_installation_token_lets_in(mirror: Mirror, fake: FakeGitHub) -> None:
    """A private repository is fetched with a token that may read contents."""
    commit = await _fetch(mirror, fake, fake.token(NAME, contents="read"))
    assert (await mirror.objects.snapshot(commit)).tree == fake.repo(NAME).tree("main")


async def test_the_token_is_no_argument(mirror: Mirror, fake: FakeGitHub) -> None:
    """While git fetches, no process shows the token in its command line."""
    token, hold = fake.token(NAME, contents="read"), asyncio.Event()
    fault = fake.fail("*", f"/{NAME}.git/*", hold=hold, status=None)
    fetching = asyncio.create_task(_fetch(mirror, fake, token))
    await fault.reached.wait()
    shown = _command_lines()
    hold.set()
    await fetching
    assert (b"fetch" in shown, token.encode() in shown) == (True, False)


def _command_lines() -> bytes:
    shown = b""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may end meanwhile
            shown += (process / "cmdline").read_bytes()
    return shown


async def test_a_refused_token_is_a_credential_outage(mirror: Mirror, fake: FakeGitHub) -> None:
    """A token GitHub does not know stops the run, and the message does not hold it."""
    with pytest.raises(Outage, match="refused the App's token") as caught:
        await _fetch(mirror, fake, "ghs_7_not.a.token")
    assert (caught.value.kind, "ghs_7" in caught.value.message) == ("credential", False)


async def test_an_unknown_repository_says_install(mirror: Mirror, fake: FakeGitHub) -> None:
    """A repository the App cannot see is told with what to check."""
    token = fake.token(NAME, contents="read")
    with pytest.raises(Outage, match="installed there") as caught:
        await _fetch(mirror, fake, token, "octo/secret")
    assert caught.value.kind == "permission"


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_failing_server_is_an_outage(mirror: Mirror, fake: FakeGitHub, status: int) -> None:
    """A 5xx of the git server pauses the run for a while; then the same fetch works."""
    token = fake.token(NAME, contents="read")
    fake.fail("*", f"/{NAME}.git/*", status=status)
    with pytest.raises(Outage, match="cannot be reached") as caught:
        await _fetch(mirror, fake, token)
    commit = await _fetch(mirror, fake, token)
    assert (commit, caught.value.until) == (
        fake.repo(NAME).branches["main"],
        fake.clock.now() + RETRY_AFTER,
    )
