"""Single files of a commit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.github.api import RepositoryApi
from app.github.config import Contents
from app.github.token_identity import PLAN
from runner.errors import Outage, TaskError
from runner.roadmap.source import MOST_BYTES
from tests.app.github.repository_bench import NAME, Bench, bench, installed


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def contents(github: Bench) -> Contents:
    """The files of the repository, with the permissions a push is worked with."""
    client = github.identity.client(installed(github.fake, NAME), PLAN)
    return Contents(RepositoryApi(client, NAME))


async def test_a_file_is_read_as_it_was_in_a_commit(github: Bench) -> None:
    """Every byte, at any commit."""
    before = github.fake.repo(NAME).branches["main"]
    await github.fake.push(NAME, {"dos.txt": b"two\r\n"})
    after = github.fake.repo(NAME).branches["main"]

    assert await contents(github).read("dos.txt", before) == b"one\r\n"
    assert await contents(github).read("dos.txt", after) == b"two\r\n"


async def test_a_name_with_special_characters_is_read(github: Bench) -> None:
    """Blanks, percent signs and hashes are part of a path."""
    await github.fake.push(NAME, {"a b/100%#1.md": b"x"})

    head = github.fake.repo(NAME).branches["main"]
    assert await contents(github).read("a b/100%#1.md", head) == b"x"


@pytest.mark.parametrize("path", ["none.md", "src", "link"])
async def test_what_is_no_file_is_none(github: Bench, path: str) -> None:
    """Nothing, a folder and a link are no roadmap."""
    head = github.fake.repo(NAME).branches["main"]

    assert await contents(github).read(path, head) is None


async def test_a_large_file_comes_as_a_blob(github: Bench) -> None:
    """GitHub leaves contents beyond 1 MB out of its answer."""
    large = b"- [ ] x\n" * 200_000
    await github.fake.push(NAME, {"large.md": large})

    head = github.fake.repo(NAME).branches["main"]
    assert await contents(github).read("large.md", head) == large


async def test_a_file_too_large_to_be_read_is_not_fetched(github: Bench) -> None:
    """No roadmap is that large; the memory is not spent on it."""
    await github.fake.push(NAME, {"huge.md": b"x" * (MOST_BYTES + 1)})

    head = github.fake.repo(NAME).branches["main"]
    with pytest.raises(TaskError, match=r"huge\.md .* more than"):
        await contents(github).read("huge.md", head)


async def test_commits_and_branches_that_are_gone(github: Bench) -> None:
    """A commit that is gone is told from one that is there; so is a branch."""
    files, head = contents(github), github.fake.repo(NAME).branches["main"]

    assert await files.has(head)
    assert not await files.has("1" * 40)
    assert await files.read("ROADMAP.md", "1" * 40) is None
    assert await files.head("main") == head
    assert await files.head("gone") == ""


async def test_an_outage_is_no_missing_file(github: Bench) -> None:
    """While GitHub is away nobody takes a file for deleted."""
    github.fake.fail("GET", f"/repos/{NAME}/contents/*", status=502, times=10)

    with pytest.raises(Outage):
        await contents(github).read("ROADMAP.md", github.fake.repo(NAME).branches["main"])
