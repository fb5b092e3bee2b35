"""The whole state of the fake and the few rules about who sees what."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fake_github.answers import invalid, missing
from tests.fake_github.bare import Bare
from tests.fake_github.clock import Clock
from tests.fake_github.faults import Fault
from tests.fake_github.spec import load
from tests.fake_github.state import (
    App,
    Comment,
    Delivery,
    Installation,
    Issue,
    Label,
    Reaction,
    Repo,
    Request,
    Token,
    User,
)

if TYPE_CHECKING:
    from tests.fake_github.registering import Pending

PERMISSIONS = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
}
NEEDS = {
    "check_run": {"checks"},
    "issue_comment": {"issues", "pull_requests"},
    "issues": {"issues"},
    "merge_group": {"merge_queues"},
    "pull_request": {"pull_requests"},
    "pull_request_review": {"pull_requests"},
    "pull_request_review_comment": {"pull_requests"},
    "push": {"contents"},
    "repository": {"metadata"},
    "status": {"statuses"},
}
"""Which permission (any of these) lets an App subscribe to an event."""
EVENTS = list(NEEDS)
SECRET = "the webhook secret"
LONGEST = 65_536
_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Happening:
    """A webhook that is due: GitHub sends it when the App has asked for the event."""

    event: str
    action: str | None
    payload: dict[str, object]
    repo: Repo | None = None


class World:
    """Everything that exists on this GitHub."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.began = clock.now()
        self.server_url = ""
        self.api_url = ""
        self.ids = count(1001)
        self.users: dict[str, User] = {}
        self.repositories: dict[str, Repo] = {}
        self.renamed: dict[str, int] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.violations: list[str] = []
        self.requests: list[Request] = []
        self.deliveries: list[Delivery] = []
        self.faults: list[Fault] = []
        self.outbox: list[Happening] = []
        self.redeliver: list[Delivery] = []
        self.used = 0
        self._counted = self.window()
        self.pending: dict[str, Pending] = {}
        self.rewritten: dict[object, bytes] = {}  # examples with our addresses in them
        self.app = self._app("cairn", 12345, SECRET, PERMISSIONS, EVENTS)

    def create_app(
        self,
        slug: str,
        *,
        id: int,
        webhook_secret: str,
        permissions: dict[str, str],
        events: list[str],
    ) -> App:
        """Put another App in the place of the first one (installations are made anew)."""
        self.app = self._app(slug, id, webhook_secret, permissions, events)
        for installation in self.installations.values():
            installation.permissions = dict(permissions)
        return self.app

    def _app(
        self, slug: str, number: int, secret: str, permissions: dict[str, str], events: list[str]
    ) -> App:
        private, public = key_pair()
        bot = self.user(f"{slug}[bot]", type="Bot")
        owner = self.user("app-owner")
        return App(
            number,
            slug,
            private,
            public,
            secret,
            dict(permissions),
            list(events),
            bot,
            owner,
            self.clock.now(),
        )

    def user(self, login: str, *, id: int | None = None, type: str = "User") -> User:
        """The account with this login; made when there is none."""
        known = self.users.get(login.lower())
        if known is None:
            known = User(next(self.ids) if id is None else id, login, type)
            self.users[login.lower()] = known
        return known

    def add_repository(self, full_name: str, bare: Bare, *, private: bool, branch: str) -> Repo:
        """Make a repository known, its owner an admin of it and the App installed there."""
        owner_login, name = full_name.split("/")
        owner = self.user(owner_login)
        number = next(self.ids)
        repo = Repo(number, owner, name, bare, private, branch, self.clock.now())
        repo.roles[owner.id] = "admin"
        self.repositories[full_name.lower()] = repo
        if self.installation_of(owner) is None:
            made = Installation(next(self.ids), owner, dict(self.app.permissions), self.clock.now())
            self.installations[made.id] = made
        return repo

    def repo(self, full_name: str) -> Repo:
        """A repository by its present name. Raises ``KeyError``."""
        return self.repositories[full_name.lower()]

    def repo_by_id(self, number: int) -> Repo | None:
        """A repository by its id."""
        return next((r for r in self.repositories.values() if r.id == number), None)

    def installation_of(self, account: User) -> Installation | None:
        """The App's installation on an account."""
        found = (i for i in self.installations.values() if i.account is account)
        return next(found, None)

    def installed(self, installation: Installation) -> list[Repo]:
        """The repositories an installation may use."""
        return [
            r
            for r in self.repositories.values()
            if r.owner is installation.account and r.id not in installation.excluded
        ]

    def visible(self, identity: Token | App | None, repo: Repo) -> bool:
        """True when the App (any of its installations) or this token may see the repository."""
        installation = self.installation_of(repo.owner)
        if installation is None or repo.id in installation.excluded:
            return False
        if not isinstance(identity, Token):
            return isinstance(identity, App)
        scope = identity.repositories
        return identity.installation is installation and (scope is None or repo.id in scope)

    def new_token(
        self,
        installation: Installation,
        permissions: dict[str, str],
        repositories: frozenset[int] | None,
    ) -> Token:
        """Make an installation token of the form in use since April 2026, good for one hour."""
        parts = (secrets.token_urlsafe(n) for n in (60, 180, 120))
        text = f"ghs_{self.app.id}_" + ".".join(parts)
        expires = self.clock.now() + timedelta(hours=1)
        token = Token(text, installation, permissions, repositories, expires)
        self.tokens[text] = token
        return token

    def role(self, repo: Repo, user: User) -> str:
        """admin, maintain, write, triage, read or none; everybody reads a public repository."""
        return repo.roles.get(user.id, "none" if repo.private else "read")

    def label(self, repo: Repo, name: str) -> Label:
        """A label of the repository; made when there is none, as GitHub does."""
        return repo.labels.setdefault(name.lower(), Label(next(self.ids), name))

    def open_issue(
        self, repo: Repo, user: User, title: str, body: str | None, labels: Iterable[str] = ()
    ) -> Issue:
        """Number and keep a new issue."""
        fit(body, "Issue")
        now = self.clock.now()
        number = max((*repo.issues, *repo.deleted), default=0) + 1
        issue = Issue(next(self.ids), number, user, title, body, now, now, self._mine(user))
        issue.labels = [self.label(repo, name) for name in labels]
        repo.issues[number] = issue
        return issue

    def add_comment(self, issue: Issue, user: User, body: str) -> Comment:
        """Put a comment under an issue; the bot's wait to be read."""
        fit(body, "IssueComment")
        mine = self._mine(user)
        now = self.clock.now()
        comment = Comment(next(self.ids), issue.number, user, body, now, now, mine, not mine)
        issue.comments.append(comment)
        issue.updated = now
        return comment

    def edit_comment(self, comment: Comment, by: User, body: str) -> None:
        """Change a comment's text; an edit by the bot waits to be read."""
        fit(body, "IssueComment")
        if self._mine(by) and body != comment.body:
            comment.read = False
        comment.body = body
        comment.updated = comment.edited = self.clock.now()

    def react(self, reactions: list[Reaction], user: User, content: str) -> tuple[Reaction, bool]:
        """Add a reaction once; False says that it was there before."""
        for known in reactions:
            if known.user is user and known.content == content:
                return known, False
        made = Reaction(next(self.ids), user, content, self.clock.now())
        reactions.append(made)
        return made, True

    def set_state(self, issue: Issue, state: str, by: User, reason: str | None = None) -> None:
        """Open or close an issue or pull request."""
        closed = state == "closed"
        issue.state = state
        issue.reason = (reason or "completed") if closed else "reopened"
        issue.closed = self.clock.now() if closed else None
        issue.closed_by = by if closed else None
        issue.updated = self.clock.now()

    def find_comment(self, number: int) -> tuple[Repo, Issue, Comment]:
        """A comment by its id, with where it stands."""
        for repo in self.repositories.values():
            for issue in repo.issues.values():
                for comment in issue.comments:
                    if comment.id == number:
                        return repo, issue, comment
        raise missing()

    def forget_comment(self, number: int) -> None:
        """Delete a comment."""
        _, issue, comment = self.find_comment(number)
        issue.comments.remove(comment)

    def window(self) -> datetime:
        """When the rate-limit window ends: a whole number of hours after this GitHub began.

        Not at full hours: a test that begins just before one would meet a limit that is over.
        """
        passed = self.clock.now() - self.began
        return (self.began + (passed // _HOUR + 1) * _HOUR).replace(microsecond=0)

    def count_request(self) -> None:
        """Count a request; each window begins with none."""
        window = self.window()
        if window != self._counted:
            self.used, self._counted = 0, window
        self.used = min(self.used + 1, 5000)

    def _mine(self, user: User) -> bool:
        return user is self.app.bot


def fit(body: str | None, resource: str) -> None:
    """Refuse a text that GitHub refuses (error-messages.json)."""
    if body is not None and len(body) > LONGEST:
        example = next(
            e for e in load("error-messages.json")["errors"] if e["when"] == "comment too long"
        )
        raise invalid(example["message"], {**example["errors"][0], "resource": resource})


@cache
def key_pair() -> tuple[str, str]:
    """An RSA key (PEM, private and public), made once for the whole test run."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()
