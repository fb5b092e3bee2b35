"""What the fake remembers beside git: people, issues, comments, pull requests, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.fake_github.bare import Bare


@dataclass
class User:
    """An account; ``type`` is User, Bot or Organization."""

    id: int
    login: str
    type: str = "User"


@dataclass
class App:
    """The GitHub App under test. ``private_key`` and ``public_key`` are PEM text."""

    id: int
    slug: str
    private_key: str
    public_key: str
    webhook_secret: str
    permissions: dict[str, str]
    events: list[str]
    bot: User
    owner: User
    created: datetime
    webhook_url: str = "https://cairn.example/webhook"


@dataclass
class Installation:
    """The App on one account."""

    id: int
    account: User
    permissions: dict[str, str]
    created: datetime
    suspended: datetime | None = None
    excluded: set[int] = field(default_factory=set)


@dataclass
class Token:
    """An installation token; ``repositories`` are ids, None stands for all of the installation."""

    text: str
    installation: Installation
    permissions: dict[str, str]
    repositories: frozenset[int] | None
    expires: datetime


@dataclass
class Reaction:
    """One reaction of one user."""

    id: int
    user: User
    content: str
    created: datetime


@dataclass
class Comment:
    """A comment on an issue or pull request. ``read`` is False while no test has seen the text."""

    id: int
    number: int
    user: User
    body: str
    created: datetime
    updated: datetime
    by_app: bool
    read: bool = True
    edited: datetime | None = None
    minimized: str | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class Label:
    """A label of a repository; ``color`` is six hexadecimal digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class Pull:
    """What a pull request has that an issue has not. ``sha`` is the head's last known commit.

    ``fork`` is the id of the repository that it comes from, if that is another one. ``auto_merge``
    is who enabled it, and the method.
    """

    id: int
    head: str
    base: str
    sha: str
    base_sha: str
    draft: bool = False
    fork: int = 0
    merged: datetime | None = None
    merge_sha: str | None = None
    merged_by: User | None = None
    reviewers: list[User] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    auto_merge: tuple[User, str] | None = None


@dataclass
class Review:
    """A review of a pull request; ``state`` as GitHub writes it in upper case."""

    id: int
    user: User
    body: str
    state: str
    sha: str
    submitted: datetime


@dataclass
class ReviewComment:
    """A comment on lines of a pull request; ``read`` as of other comments."""

    id: int
    user: User
    body: str
    review: int
    created: datetime
    by_app: bool
    read: bool = True
    reactions: list[Reaction] = field(default_factory=list)
    edited: datetime | None = None


@dataclass
class ReviewThread:
    """A conversation about the lines ``start`` to ``end`` of a file, as commit ``sha`` has it.

    With ``side`` LEFT they are lines of the base, which the pull request takes away.
    """

    id: int
    path: str
    start: int
    end: int
    sha: str
    comments: list[ReviewComment] = field(default_factory=list)
    resolved: bool = False
    side: str = "RIGHT"


@dataclass
class Issue:
    """An issue, or a pull request when ``pull`` is set."""

    id: int
    number: int
    user: User
    title: str
    body: str | None
    created: datetime
    updated: datetime
    by_app: bool = False
    state: str = "open"
    reason: str | None = None
    closed: datetime | None = None
    closed_by: User | None = None
    labels: list[Label] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[ReviewThread] = field(default_factory=list)
    pull: Pull | None = None
    locked: bool = False
    blocked_by: int = 0
    sub_issues: int = 0
    milestone: str = ""


@dataclass(frozen=True)
class Activity:
    """A branch (``ref``) that was moved from ``before`` to ``after``; zeros where there is none."""

    id: int
    ref: str
    before: str
    after: str
    kind: str
    by: User
    at: datetime


@dataclass
class Stack:
    """A native stack: ``pulls`` from the bottom to the top, merged ones too.

    ``base_sha`` is what GitHub says of the base, which may be stale (github/gh-stack#485). So many
    changes are refused because it is ``busy``.
    """

    id: int
    number: int
    base: str
    base_sha: str
    created: datetime
    pulls: list[Issue]
    busy: int = 0


@dataclass
class Repo:
    """A repository. ``roles`` maps user id to admin, maintain, write, triage or read.

    ``deleted`` are the numbers of issues that were deleted, which are never given again;
    ``approvals`` says how many reviews the rules of a branch demand,
    ``required`` are the checks that the protection of a branch requires, ``ruled`` those of the
    rulesets. ``stacks`` are its native stacks by number, None where GitHub has none to offer;
    ``activity`` lists what moved its branches, the oldest first.
    """

    id: int
    owner: User
    name: str
    bare: Bare
    private: bool
    default_branch: str
    created: datetime
    roles: dict[int, str] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    labels: dict[str, Label] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    drafts: bool = True
    archived: bool = False
    delete_branch_on_merge: bool = False
    allow_auto_merge: bool = False
    approvals: dict[str, int] = field(default_factory=dict)
    merge_methods: frozenset[str] = frozenset({"merge", "squash", "rebase"})
    required: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ruled: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stacks: dict[int, Stack] | None = field(default_factory=dict)
    stacks_made: int = 0
    activity: list[Activity] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner.login}/{self.name}"


@dataclass(frozen=True)
class Request:
    """One request the app made. ``path`` has no prefix and no query; ``body`` is parsed JSON."""

    method: str
    path: str
    status: int
    body: Any = None
    query: str = ""


@dataclass
class Delivery:
    """One webhook that was sent; ``status`` 0 means that nobody answered."""

    id: int
    guid: str
    event: str
    action: str | None
    payload: dict[str, Any]
    delivered: datetime
    repository: int | None
    installation: int | None
    status: int = 0
    redelivery: bool = False
