"""The read side: how a test sees what the app did, and has to see what it said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.fake_github.state import Comment, Delivery, Issue, Repo, Request
from tests.fake_github.world import World


@dataclass(frozen=True)
class View:
    """A repository as tests look at it."""

    state: Repo

    @property
    def id(self) -> int:
        """The repository's id."""
        return self.state.id

    @property
    def git(self) -> Path:
        """The bare repository on disk."""
        return self.state.bare.path

    @property
    def pulls(self) -> list[Issue]:
        """All pull requests by number; ``.pull`` has head, base, sha, draft, merged."""
        return [i for _, i in sorted(self.state.issues.items()) if i.pull]

    @property
    def issues(self) -> dict[int, Issue]:
        """All issues and pull requests by number."""
        return self.state.issues

    @property
    def branches(self) -> dict[str, str]:
        """Branch → commit."""
        refs = self.state.bare.refs()
        return {ref.removeprefix("refs/heads/"): sha for ref, sha in refs.items()}

    @property
    def checks(self) -> list[dict[str, object]]:
        """Check runs in the order in which they were made, with actions and annotations."""
        return list(self.state.checks.values())

    @property
    def labels(self) -> list[str]:
        """Names of the repository's labels, in the order in which they were made."""
        return [label.name for label in self.state.labels.values()]

    def comments(self, number: int) -> list[Comment]:
        """All comments of an issue; looking at them here does not count as reading."""
        return list(self.state.issues[number].comments)

    def file(self, ref: str, path: str) -> bytes | None:
        """A file at a branch or commit; None when there is none."""
        sha = self.state.bare.at(ref, path)
        return None if sha is None else self.state.bare.content(sha)

    def files(self, ref: str) -> dict[str, tuple[str, str]]:
        """Path → (mode, sha) of a branch or commit."""
        sha = self.state.bare.resolve(ref)
        if sha is None:
            raise KeyError(ref)
        entries = self.state.bare.entries(sha, recursive=True)
        return {e.path: (e.mode, e.sha) for e in entries if e.type != "tree"}

    def tree(self, ref: str) -> str | None:
        """The tree sha of a branch or commit."""
        sha = self.state.bare.resolve(ref)
        return sha and self.state.bare.resolve(sha, "tree")


class Reading:
    """What can be looked at."""

    world: World
    must_read: bool

    def repo(self, full_name: str) -> View:
        """The view of a repository. Raises ``KeyError``."""
        return View(self.world.repo(full_name))

    def says(self, repository: str, number: int) -> list[str]:
        """The bot's comments not read yet, in their newest text; they count as read now."""
        issue = self.world.repo(repository).issues[number]
        found = [c for c in issue.comments if not c.read]
        for comment in found:
            comment.read = True
        return [c.body for c in found]

    def says_in_threads(self, repository: str, number: int) -> list[tuple[str, str]]:
        """(first comment, reply) of the bot's replies in review threads not read yet."""
        issue = self.world.repo(repository).issues[number]
        found = [(t, c) for t in issue.threads for c in t.comments if not c.read]
        for _, comment in found:
            comment.read = True
        return [(thread.comments[0].body, comment.body) for thread, comment in found]

    def unread(self) -> list[tuple[str, int, str]]:
        """(repository, issue, text) of every comment of the bot nobody has read."""
        return [
            (repo.full_name, issue.number, comment.body)
            for repo in self.world.repositories.values()
            for issue in repo.issues.values()
            for comment in (*issue.comments, *(c for t in issue.threads for c in t.comments))
            if not comment.read
        ]

    @property
    def requests(self) -> list[Request]:
        """What the app asked: method, path (no prefix), status (0: dropped), body, query."""
        return self.world.requests

    @property
    def deliveries(self) -> list[Delivery]:
        """Webhooks in the order in which they were due, with the status they got."""
        return self.world.deliveries

    @property
    def violations(self) -> list[str]:
        """What was against the rules so far (without unread comments)."""
        return self.world.violations

    def verify(self) -> None:
        """Fail on every violation and on every comment nobody read. Call it last in a test."""
        found = list(self.world.violations)
        if self.must_read:
            found += [
                f"nobody read what the bot said on {r}#{n}: {t[:200]!r}"
                for r, n, t in self.unread()
            ]
        if found:
            raise AssertionError("the fake GitHub objects:\n- " + "\n- ".join(found))
