"""A ``GitHubRepository`` on the real client and the fake GitHub."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import aiohttp

from app.github.client import Connection
from app.github.identity import AppIdentity
from app.github.mirror import Mirror
from app.github.repository import GitHubRepository
from app.github.token_identity import CHECK, PUBLISH, READ
from handlers.events import InstalledRepository
from runner.state.publishing import Checkpoint, Proposed
from tests.fake_github import FakeGitHub
from tests.runner.git.checkpoints import checkpoint

NAME = "octo/hello"
FILES = {
    "ROADMAP.md": b"- [ ] add it\n- [ ] test it\n",
    "src/app.py": b"print()\n",
    "dos.txt": b"one\r\n",
    ".gitattributes": b"*.md export-ignore\n",
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "link": ("120000", "src/app.py"),
}


def installed(fake: FakeGitHub, name: str) -> InstalledRepository:
    """A repository of the fake, under the App's installation."""
    here = fake.repo(name)
    return InstalledRepository(here.id, name, fake.installation(name).id, "main")


@dataclass(frozen=True)
class Bench:
    """The fake, and what is needed to make repositories of it."""

    fake: FakeGitHub
    identity: AppIdentity
    mirror: Mirror

    def repository(self, *, run: str = "r1", base: str = "main") -> GitHubRepository:
        """The repository as one run sees it."""
        here = installed(self.fake, NAME)
        return GitHubRepository(
            self.identity.client(here, PUBLISH),
            checker=self.identity.client(here, CHECK),
            full_name=NAME,
            base=base,
            roadmap="ROADMAP.md",
            run=run,
            bot_login=self.fake.app.bot.login,
            url=f"{self.fake.server_url}/{NAME}",
            token=partial(self.identity.installation_token, here, READ),
            mirror=self.mirror,
            now=self.fake.clock.now,
        )

    async def checkpoint(
        self, files: dict[str, bytes | None], *, task: str = "t1", **other: str
    ) -> Checkpoint:
        """A checkpoint of a task on the tip of the stack."""
        repository = self.repository()
        stack = await repository.stack()
        base = await repository.snapshot(stack.tip)
        branch = f"cairn/r1/{task}-add-it"
        fields = {"task": task, "below": stack.branch, "branch": branch} | other
        return checkpoint(base, files, **fields)

    async def proposed(
        self,
        files: dict[str, bytes | None],
        *,
        fingerprint: str = "f" * 64,
        strategy: str = "decompose",
        comment: str = "### Proposal\n\nSplit it.",
        **other: str,
    ) -> Proposed:
        """A proposal about a task, shown on the tip of the stack."""
        shown = await self.recovery(files, title="decompose: t1 Add it", **other)
        return Proposed(shown, strategy, comment, fingerprint)

    async def recovery(
        self, files: dict[str, bytes | None], *, task: str = "t1", **other: str
    ) -> Checkpoint:
        """An applied recovery of a task on the tip of the stack, as the loop publishes it."""
        branch = f"cairn/{other.get('run', 'r1')}/recovery-{task}-add-it"
        made = await self.checkpoint(files, task=task, branch=branch, **other)
        return replace(made, kind="recovery")


async def _at_once(seconds: float) -> None:
    """Wait for nothing: the clock of the fake does not go by itself."""


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    """Open the fake with one repository; at the end it must have nothing to object."""
    async with FakeGitHub(folder / "github") as fake, aiohttp.ClientSession() as session:
        fake.add_repository(NAME, FILES, roles={"writer": "write"})
        identity = AppIdentity(
            Connection(session, fake.api_url, fake.clock, _at_once),
            app_id=str(fake.app.id),
            private_key=fake.app.private_key,
        )
        yield Bench(fake, identity, Mirror(folder / "mirrors" / "1.git", clock=fake.clock))
        fake.verify()
