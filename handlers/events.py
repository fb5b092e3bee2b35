"""Reduce a webhook payload to the few facts we use, at the door; beyond it nobody indexes one."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from runner.roadmap.plans.issue import issue_text

ReviewVerdict = Literal["approved", "changes_requested", "commented"]


class MalformedPayload(ValueError):
    """A payload lacks a field or has a wrong type in it; ``field`` is its dotted path."""

    def __init__(self, event: str, field: str, problem: str) -> None:
        super().__init__(f"{event} payload: {field or 'the payload'}: {problem}")
        self.event = event
        self.field = field


class User(BaseModel, frozen=True):
    """An account; ``type`` is GitHub's word (User, Bot, Organization, Mannequin)."""

    id: int
    login: str
    type: str = "User"


@dataclass(frozen=True, slots=True)
class InstalledRepository:
    """A repository, and the installation of the App that covers it.

    All state is keyed by ``id``, for names change and are reused. ``default_branch`` is '' where
    nobody needs it, and one of which nothing else is known counts as ``private``.
    """

    id: int
    full_name: str
    installation_id: int
    default_branch: str = ""
    private: bool = True


class Repo(BaseModel, frozen=True):
    """A repository as GitHub shows it."""

    id: int
    full_name: str
    default_branch: str
    private: bool

    def under(self, installation_id: int) -> InstalledRepository:
        """The repository with the installation that covers it."""
        return InstalledRepository(
            self.id, self.full_name, installation_id, self.default_branch, self.private
        )


class Installation(BaseModel):
    id: int


class Envelope(BaseModel):
    """What every event of a repository has."""

    repository: Repo
    installation: Installation
    sender: User

    @property
    def installed(self) -> InstalledRepository:
        """Where it happened."""
        return self.repository.under(self.installation.id)


class _Named(BaseModel):
    name: str = ""
    title: str = ""


class Issue(BaseModel):
    number: int
    pull_request: dict[str, object] | None = None
    title: str = ""
    body: str | None = None
    milestone: _Named | None = None

    @property
    def told(self) -> str:
        """Its text, as it counts if somebody asks for it now; '' of a pull request."""
        if self.pull_request is not None or not self.title:
            return ""
        return issue_text(
            self.title, self.milestone.title if self.milestone else "", self.body or ""
        )


class Comment(BaseModel):
    id: int
    node_id: str
    created_at: datetime
    body: str
    user: User


class _EditedIssue(Issue):
    updated_at: datetime
    user: User


class _From(BaseModel, populate_by_name=True):
    text: str | None = Field(default="", alias="from")


class _Changes(BaseModel):
    body: _From | None = None
    title: _From | None = None


class EditPayload(Envelope):
    issue: _EditedIssue
    changes: _Changes = _Changes()


class IssuePayload(Envelope):
    issue: _EditedIssue
    label: _Named = _Named()


class CommentPayload(Envelope):
    issue: Issue
    comment: Comment


class Review(BaseModel):
    id: int
    state: str
    commit_id: str | None = None
    body: str | None = None
    submitted_at: datetime
    user: User


class Numbered(BaseModel):
    number: int


class _Head(BaseModel):
    sha: str


class _Reviewed(Numbered):
    head: _Head


class ReviewPayload(Envelope):
    review: Review
    pull_request: _Reviewed


class _ReviewComment(BaseModel):
    id: int
    pull_request_review_id: int | None = None
    created_at: datetime
    body: str
    user: User


class ReviewCommentPayload(Envelope):
    comment: _ReviewComment
    pull_request: Numbered


P = TypeVar("P", bound=BaseModel)


def validated(name: str, model: type[P], payload: dict[str, object]) -> P:
    """Check a payload; raises ``MalformedPayload`` with the first wrong field."""
    try:
        return model.model_validate(payload)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise MalformedPayload(name, field, first["msg"]) from wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """``delivery`` is GitHub's GUID, the same for a redelivery; ``sender`` caused the event.

    ``issue`` is the number of the issue or pull request it happened on.
    """

    delivery: str
    repository: InstalledRepository
    issue: int
    sender: User

    @property
    def accounts(self) -> tuple[User, ...]:
        """Everybody who had a hand in it."""
        return (self.sender,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written(_Event):
    """What is read is ``author``'s, who need not be its sender."""

    author: User

    @property
    def accounts(self) -> tuple[User, ...]:
        """Who wrote it and who sent it."""
        return self.sender, self.author


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueCommentCreated(_Written):
    """Somebody wrote a new comment on an issue or pull request (both are issues here).

    ``author`` wrote the comment; for a new one that is the sender. ``told`` is the text of an issue
    at that moment.
    """

    is_pull_request: bool
    comment_id: int
    comment_node_id: str
    created_at: datetime
    body: str
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueLabelled(_Event):
    """Somebody put a ``label`` on an issue, whose text was ``told`` at that moment."""

    label: str
    told: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueEdited(_Event):
    """Somebody changed the text of an issue by ``author``, for example by ticking a checkbox.

    ``told`` is all of it now, with its title; a change of that alone counts, too.
    """

    body: str
    before: str
    edited_at: datetime
    author: User
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueReopened(_Event):
    """An issue by ``author`` is open again."""

    body: str
    author: User


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueClosed(_Event):
    """Somebody, or the merge of a pull request, closed an issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueUnlocked(_Event):
    """A conversation takes comments again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentDeleted(_Event):
    """A comment is gone."""

    comment_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReviewed(_Written):
    """Somebody submitted a review; ``outdated`` if the head is another one now."""

    review: int
    verdict: ReviewVerdict
    body: str
    submitted_at: datetime
    outdated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCommented(_Written):
    """Somebody wrote a comment on lines of a pull request; it belongs to a ``review``."""

    review: int
    comment_id: int
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonClicked(_Event):
    """Somebody clicked a button of a check run of ours; ``external_id`` is what we named it by.

    ``issue`` is 0 where GitHub names no pull request.
    """

    button: str
    external_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnded(_Event):
    """A check of the App with the slug ``app`` ended on ``head``, the newest commit of ``issue``.

    Its sender is whoever pushed that commit, often we. A commit status has no App and no issue (0),
    but the ``branches`` whose newest commit that is; so has a check that ``failed`` on the default
    branch.
    """

    head: str
    app: str = ""
    branches: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunRequested(_Event):
    """Somebody clicked *Re-run* at a check of the App with the slug ``app``, or at all of them.

    ``issue`` is 0 where GitHub names no pull request.
    """

    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeQueued(_Event):
    """A merge queue waits for the required checks of a commit that it made (``head``).

    ``issue`` is 0: it may merge several pull requests.
    """

    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullClosed(_Event):
    """A pull request was merged, or closed without; ``branch`` is its head, for ``base``."""

    merged: bool
    branch: str
    base: str
    closed_at: datetime


@dataclass(frozen=True, slots=True)
class PullHead:
    """A pull request as an event shows it: its ``head`` commit, the branch it is for, its text.

    ``branch`` is that of its head, ``stack`` the number of GitHub's native stack that it is in, 0
    for none, as on a server without such stacks.
    """

    head: str
    base: str
    author: str
    body: str
    branch: str = ""
    stack: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReopened(_Event):
    """A closed pull request was opened again; ``branch`` is its head."""

    branch: str
    shows: PullHead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullPushed(_Event):
    """Somebody pushed to the branch of a pull request: its head moved."""

    shows: PullHead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullTouched(_Event):
    """Anything else on a pull request; ``moved`` says that it is new, or for another branch now."""

    shows: PullHead | None = None
    moved: bool = False


PullChanged = PullClosed | PullReopened | PullPushed | PullTouched
"""What can change how pull requests build on each other."""

Event = (
    IssueCommentCreated
    | IssueEdited
    | IssueLabelled
    | IssueClosed
    | IssueReopened
    | IssueUnlocked
    | CommentDeleted
    | PullReviewed
    | ReviewCommented
    | ButtonClicked
    | CheckEnded
    | RerunRequested
    | MergeQueued
    | PullClosed
    | PullReopened
    | PullPushed
    | PullTouched
)


def is_from_bot(accounts: Sequence[User], *, own: str, allowed: Set[str] = frozenset()) -> bool:
    """Say whether an event of these accounts is dropped: ours, or a bot's that nobody allowed.

    Without this the bot would answer itself for ever. Logins compare without case, as on GitHub.
    """
    if any(account.login.lower() == own.lower() for account in accounts):
        return True
    welcome = {login.lower() for login in allowed}
    return any(a.type == "Bot" and a.login.lower() not in welcome for a in accounts)


def read_comment(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``issue_comment``. Only a new comment counts.

    Whoever can write may edit other people's comments, so an edit proves nothing about its author.
    Raises ``MalformedPayload``, as all readers do.
    """
    action = payload.get("action")
    if action not in ("created", "edited", "deleted"):
        return None
    found = validated("issue_comment", CommentPayload, payload)
    common, issue, comment = common_of(delivery, found), found.issue, found.comment
    if action == "deleted":
        return CommentDeleted(**common, issue=issue.number, comment_id=comment.id)
    if action == "edited":
        return PullTouched(**common, issue=issue.number) if issue.pull_request else None
    return IssueCommentCreated(
        **common,
        issue=issue.number,
        is_pull_request=issue.pull_request is not None,
        comment_id=comment.id,
        comment_node_id=comment.node_id,
        created_at=comment.created_at,
        body=comment.body,
        author=comment.user,
        told=issue.told,
    )


def read_issue(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``issues``. A changed text, a label, end and second start, the end of a lock."""
    action = payload.get("action")
    if action in ("unlocked", "closed", "reopened", "labeled"):
        back = validated("issues", IssuePayload, payload)
        common, number = common_of(delivery, back), back.issue.number
        if action == "labeled":
            told, at = back.issue.told, back.issue.updated_at
            return IssueLabelled(**common, issue=number, label=back.label.name, told=told, at=at)
        if action == "unlocked":
            return IssueUnlocked(**common, issue=number)
        if action == "closed":
            return IssueClosed(**common, issue=number)
        body, author = back.issue.body or "", back.issue.user
        return IssueReopened(**common, issue=number, body=body, author=author)
    if action != "edited":
        return None
    found = validated("issues", EditPayload, payload)
    issue, before = found.issue, found.changes.body
    if before is None and found.changes.title is None:
        return None
    return IssueEdited(
        **common_of(delivery, found),
        issue=issue.number,
        body=issue.body or "",
        before=(before.text if before else issue.body) or "",
        edited_at=issue.updated_at,
        author=issue.user,
        told=issue.told,
    )


def read_review(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``pull_request_review``: a new review, or something else on the pull request."""
    found = validated("pull_request_review", ReviewPayload, payload)
    common, review = common_of(delivery, found), found.review
    number, verdict = found.pull_request.number, _VERDICTS.get(review.state.lower())
    if payload.get("action") != "submitted" or verdict is None:
        return PullTouched(**common, issue=number)
    return PullReviewed(
        **common,
        issue=number,
        review=review.id,
        verdict=verdict,
        body=review.body or "",
        submitted_at=review.submitted_at,
        author=review.user,
        outdated=review.commit_id != found.pull_request.head.sha,
    )


_VERDICTS: dict[str, ReviewVerdict] = {
    "approved": "approved",
    "changes_requested": "changes_requested",
    "commented": "commented",
}


def read_review_comment(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``pull_request_review_comment``. Only a new comment of a review counts."""
    found = validated("pull_request_review_comment", ReviewCommentPayload, payload)
    common, comment = common_of(delivery, found), found.comment
    if payload.get("action") != "created" or comment.pull_request_review_id is None:
        return PullTouched(**common, issue=found.pull_request.number)
    return ReviewCommented(
        **common,
        issue=found.pull_request.number,
        review=comment.pull_request_review_id,
        comment_id=comment.id,
        body=comment.body,
        created_at=comment.created_at,
        author=comment.user,
    )


def common_of(delivery: str, found: Envelope) -> dict[str, Any]:
    """What every event of a repository is made with."""
    return {
        "delivery": delivery,
        "repository": found.installed,
        "sender": found.sender,
    }
