"""Our pull requests in one repository: read from GitHub and our markers, found, opened, changed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

from app.github.api import BestEffort, RepositoryApi
from app.github.comments import first_kind, marked, marker, section, with_markers, with_section
from app.github.pull_template import with_template
from handlers.pull_events import NativeStack, read_native
from runner.errors import Outage, TaskError
from runner.state.publishing import Checkpoint

log = logging.getLogger(__name__)

PREFIX = "cairn/"
"""What the name of every branch of ours begins with."""

Kind = Literal["checkpoint", "recovery"]
PullState = Literal["open", "merged", "closed"]


@dataclass(frozen=True, slots=True)
class ProposalMarkers:
    """What the markers of a recovery say: the run that proposed, what it proposed last.

    Once it is ``applied``, it is a member of the stack like a checkpoint.
    """

    run: str
    fingerprint: str
    applied: bool


@dataclass(frozen=True, slots=True)
class PullOptions:
    """How pull requests come before people; ``reviewers`` are logins and ``org/team``.

    ``draft`` auto: code that no test shows to do its task begins as one.
    """

    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    draft: bool | Literal["auto"] = False


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request of ours: head and base branch, and which tasks of which roadmap it is about.

    A recovery shows a ``proposal``, a checkpoint none. ``node`` is the id GraphQL wants. ``on`` is
    the branch that its commits were made on ('' where it was not noted); GitHub's ``base`` may
    change since; that of one merged with its ``native`` stack is the stack's. ``merged_at`` is
    GitHub's time of its merge, '' where there was none; ``shown`` are its labels, and whether it is
    a draft.
    """

    number: int
    url: str
    state: PullState
    head: str
    sha: str
    base: str
    tasks: tuple[str, ...]
    roadmap: str
    proposal: ProposalMarkers | None = None
    shown: PullOptions = field(default_factory=PullOptions)
    merged_at: str = ""
    node: str = ""
    on: str = ""
    title: str = ""
    body: str = ""
    native: NativeStack | None = None

    def is_stacked_with(self, other: Pull) -> bool:
        """Say whether GitHub has it in one stack with another one."""
        return bool(self.native and other.native and self.native.number == other.native.number)

    @property
    def open(self) -> bool:
        """Whether it can still be merged."""
        return self.state == "open"

    @property
    def merged(self) -> bool:
        """Whether its commits are in its base."""
        return self.state == "merged"

    @property
    def kind(self) -> Kind:
        """What it shows: work, or a proposal, applied or not."""
        return "recovery" if self.proposal else "checkpoint"

    @property
    def task(self) -> str:
        """The first of its tasks."""
        return self.tasks[0]

    @property
    def applied(self) -> bool:
        """Say whether it is a proposal that was applied."""
        return bool(self.proposal and self.proposal.applied)

    @property
    def fingerprint(self) -> str:
        """What it proposed last, '' for a checkpoint."""
        return self.proposal.fingerprint if self.proposal else ""

    @property
    def member(self) -> bool:
        """Say whether others can build on it."""
        return self.proposal is None or self.proposal.applied

    @property
    def asks(self) -> bool:
        """Say whether it shows a proposal that nobody has decided on yet."""
        return self.open and not self.member


Attempting = Literal[
    "none",
    "working",
    "failed",
    "limit",
    "off",
    "pushed",
    "opaque",
    "many",
    "busy",
    "paused",
    "cancelled",
    "skipped",
    "done",
]
"""How far a new attempt of a task is that is in conflict, or why there is none.

It is asked for (``working``), or ended and the conflict is still there (``failed``). As many as are
allowed were made (``limit``), or the repository wants none (``off``). A person ``pushed`` to the
branch, or what is in conflict is no text (``opaque``), or too ``many`` files. The run that it
belongs to is at work (``busy``) or was ``paused`` or ``cancelled``, or the task was ``skipped``,
or is ``done`` on the base branch.
"""


@dataclass(frozen=True, slots=True)
class Clash:
    """A conflict in code, on a branch that no person pushed to.

    ``head`` is the commit of the branch, ``start`` the one that its own change is on, ``theirs``
    names what the base has in the paths. ``why`` says why the branch must become a single commit,
    '' where the base may be merged into it.
    """

    head: str
    start: str
    theirs: str
    why: str = ""


def checkpoint_markers(tasks: Sequence[str], roadmap: str, *, on: str) -> list[str]:
    """What the description of a checkpoint of one or several tasks begins with."""
    return [
        marker("checkpoint", ",".join(tasks)),
        marker("roadmap", roadmap),
        marker("on", on),
    ]


def recovery_markers(
    task: str, roadmap: str, *, on: str, run: str, fingerprint: str, applied: bool
) -> list[str]:
    """What the description of a recovery begins with; all of them are always there."""
    return [
        marker("recovery", task),
        marker("roadmap", roadmap),
        marker("on", on),
        marker("run", run),
        marker("proposal", fingerprint),
        marker("state", "applied" if applied else "proposed"),
    ]


def read_pull(found: Any, bot_login: str) -> Pull | None:
    """Read GitHub's form; None for what is not ours: another author, a fork, no marker."""
    head, body = found["head"], found["body"]
    # the kind of our first marker: what text behind it says counts for nothing
    kind, native = first_kind(body), read_native(found.get("stack"))
    ours = (
        (found["user"] or {}).get("login") == bot_login
        and head["ref"].startswith(PREFIX)
        and (head["repo"] or {}).get("id") == found["base"]["repo"]["id"]
    )
    if not ours or kind not in ("checkpoint", "recovery"):
        return None
    proposal = None
    if kind == "recovery":
        applied = marked(body, "state") == "applied"
        run, fingerprint = marked(body, "run") or "", marked(body, "proposal") or ""
        proposal = ProposalMarkers(run=run, fingerprint=fingerprint, applied=applied)
    return Pull(
        number=found["number"],
        url=found["html_url"],
        state="merged" if found["merged_at"] is not None else found["state"],
        head=head["ref"],
        sha=head["sha"],
        base=native.base if native and found["merged_at"] else found["base"]["ref"],
        tasks=tuple((marked(body, kind) or "").split(",")),
        roadmap=marked(body, "roadmap") or "",
        proposal=proposal,
        shown=PullOptions(
            labels=tuple(label["name"] for label in found["labels"]),
            draft=bool(found.get("draft")),
        ),
        merged_at=found["merged_at"] or "",
        node=found["node_id"],
        on=marked(body, "on") or "",
        title=found["title"],
        body=body or "",
        native=native,
    )


_LONGEST_TITLE = 256
_READY = """mutation($pull: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $pull}) { clientMutationId }
}"""


_AT_ONCE = 20


_DONE = "{ clientMutationId }"
SECTIONS = ("place", "done", "held", "merge", "news", "redone", "revisions", "reopening", "stack")
"""Parts of a description: its place in the stack, that its task is done without it, what keeps
people from merging it, that GitHub merges it by itself, what happened to it there, how it was
changed, and, unseen, a branch that came back so that it can be opened again, and the stack of
GitHub that it was put into."""


class Pulls:
    """Ours by author (``bot_login``), branch and marker. ``roadmap`` is the run's.

    ``template`` reads what the repository wants in a pull request on top of a commit.
    """

    def __init__(self, api: RepositoryApi, *, bot_login: str, roadmap: str) -> None:
        self._api = api
        self._bot_login = bot_login
        self._roadmap = roadmap
        self.options = PullOptions()
        self.template: Callable[[str], Awaitable[str]] | None = None

    async def all(self) -> list[Pull]:
        """Return every one of ours, open, merged or closed. Raises ``Outage``."""
        return [pull async for pull in self._listed({"state": "all"})]

    async def open_ones(self) -> list[Pull]:
        """Return those of ours that are open. Raises ``Outage``."""
        return [pull async for pull in self._listed({"state": "open"})]

    async def ensure(self, checkpoint: Checkpoint, *, on: str = "", new: bool = False) -> Pull:
        """Return the open pull request of a checkpoint; open it if there is none.

        ``on`` is the branch its commit was made on, where it is made against another one. A ``new``
        branch, made just now, cannot have one yet.
        """
        found = None if new else await self.newest(checkpoint.branch, state="open")
        keys = (checkpoint.task, *checkpoint.members)
        if found and (found.kind, found.tasks) == ("checkpoint", keys):
            return found
        markers = checkpoint_markers(keys, self._roadmap, on=on or checkpoint.below)
        text = await self.template(checkpoint.parent) if self.template else ""
        draft = self.options.draft
        if draft == "auto":
            doubtful = any(trust.doubtful for _, trust in checkpoint.shows.trust)
            below = None
            if doubtful and checkpoint.below.startswith(PREFIX):
                below = await self.newest(checkpoint.below, state="open")
            draft = doubtful and not (below and below.native)  # a draft would stop a native stack
        made = await self.open(checkpoint, markers, draft=draft, template=text)
        await self._introduce(made)
        return made

    async def _introduce(self, pull: Pull) -> None:
        """Put labels on a new one and ask for reviews; what GitHub refuses is only logged.

        It refuses all reviewers because of one who has no access, so then each is asked alone.
        """
        number, options = pull.number, self.options
        if options.labels:
            data = {"labels": list(options.labels)}
            await self._tried(f"issues/{number}/labels", data, f"put labels on #{number}")
        named = options.reviewers
        if named and not await self._asked(pull, named) and len(named) > 1:
            for each in named:
                await self._asked(pull, (each,))

    async def _asked(self, pull: Pull, reviewers: Sequence[str]) -> bool:
        teams = [each.partition("/")[2] for each in reviewers if "/" in each]
        people = [each for each in reviewers if "/" not in each]
        data = {"reviewers": people, "team_reviewers": teams}
        doing = f"ask {', '.join(reviewers)} for a review of #{pull.number}"
        return await self._tried(f"pulls/{pull.number}/requested_reviewers", data, doing)

    async def _tried(self, path: str, data: dict[str, Any], doing: str) -> bool:
        try:
            await self._api.post(path, data, doing)
        except TaskError as refused:
            log.warning("%s", refused.message)
            return False
        return True

    async def newest(self, branch: str, *, state: str = "all") -> Pull | None:
        """Return the newest one of a branch. Raises ``Outage``."""
        owner = self._api.full_name.partition("/")[0]
        async for pull in self._listed({"state": state, "head": f"{owner}:{branch}"}):
            if pull.head == branch:
                return pull
        return None

    async def under(self, branch: str) -> str:
        """Return the branch that one of ours was merged into, or itself. Raises ``Outage``."""
        seen: set[str] = set()
        while branch.startswith(PREFIX) and branch not in seen:
            seen.add(branch)
            pull = await self.newest(branch)
            branch = pull.base if pull and pull.merged else branch
        return branch

    async def proposed(self, task: str, run: str) -> Pull | None:
        """Return the newest one that shows, or showed, a proposal of a run about a task."""
        async for pull in self._listed({"state": "all"}):
            shown = None if pull.member else pull.proposal
            if shown and (pull.task, shown.run) == (task, run):
                return pull
        return None

    async def recoveries(self, task: str) -> list[Pull]:
        """Return the unmerged ones that show, or showed, a proposal about a task, newest first."""
        listed = self._listed({"state": "all"})
        about = (task, self._roadmap)
        return [
            pull
            async for pull in listed
            if not (pull.member or pull.merged) and (pull.task, pull.roadmap) == about
        ]

    async def on(self, branch: str) -> bool:
        """Say whether anybody's open pull request is made against a branch."""
        query = urlencode({"state": "open", "base": branch, "per_page": 1})
        return bool(
            await self._api.get(f"pulls?{query}", f"see which pull requests build on {branch}")
        )

    async def open(
        self,
        checkpoint: Checkpoint,
        markers: Sequence[str],
        *,
        draft: bool = False,
        template: str = "",
    ) -> Pull:
        """Open one (as a draft where the repository can). Raises ``TaskError`` beside another's."""
        data = {
            "title": checkpoint.text.title[:_LONGEST_TITLE],
            "head": checkpoint.branch,
            "base": checkpoint.below,
            "body": with_template(with_markers(markers, checkpoint.text.body), template),
        }
        made = await self._create(data, draft=draft)
        # somebody was faster: another try of ours, or a person
        found = await self.newest(checkpoint.branch, state="open") if made is None else None
        ours = read_pull(made, self._bot_login) if made else found
        if ours is None:
            raise TaskError(
                "github",
                f"There is a pull request of branch {checkpoint.branch} that Cairn did not open."
                " Close it, then run the task again.",
            )
        return ours

    async def rewrite(self, pull: Pull, checkpoint: Checkpoint, markers: Sequence[str]) -> Pull:
        """Give a pull request title, description and, unless it is in a native stack, base."""
        data = {
            "title": checkpoint.text.title[:_LONGEST_TITLE],
            "body": _with_sections(pull, with_markers(markers, checkpoint.text.body)),
            "base": checkpoint.below,
        }
        doing = f"update pull request #{pull.number} and its base {checkpoint.below}"
        return await self._changed(pull, data, doing)

    async def describe(self, pull: Pull, checkpoint: Checkpoint, markers: Sequence[str]) -> Pull:
        """Give a pull request the description of a checkpoint; title and base stay as they are."""
        data = {"body": _with_sections(pull, with_markers(markers, checkpoint.text.body))}
        return await self._changed(pull, data, f"update pull request #{pull.number}")

    async def annotate(self, pull: Pull, **sections: str) -> Pull:
        """Put parts into the description (see ``SECTIONS``); the rest of it stays as it is."""
        data = {"body": with_sections(pull.body, sections)}
        doing = f"update the description of pull request #{pull.number}"
        return await self._changed(pull, data, doing)

    async def redescribe(self, changes: Sequence[tuple[Pull, str]]) -> None:
        """Give several their new descriptions with one request; those that have them are left."""
        news = [(pull, body) for pull, body in changes if pull.body != body]
        for start in range(0, len(news), _AT_ONCE):
            part = list(enumerate(news[start : start + _AT_ONCE]))
            inputs = {f"p{n}": {"pullRequestId": p.node, "body": body} for n, (p, body) in part}
            doing = f"update the descriptions of {len(part)} pull requests"
            given = ", ".join(f"${name}: UpdatePullRequestInput!" for name in inputs)
            each = (f"m{n}: updatePullRequest(input: $p{n}) {_DONE}" for n, _ in part)
            await self._api.graphql(f"mutation({given}) {{ {' '.join(each)} }}", doing, **inputs)

    async def retarget(self, pull: Pull, base: str) -> Pull:
        """Make it against another branch; in a native stack nothing changes."""
        doing = f"change the base of pull request #{pull.number} to {base}"
        return await self._changed(pull, {"base": base}, doing)

    async def reopen(self, pull: Pull) -> Pull:
        """Open it again; its base branch must be there."""
        doing = f"open pull request #{pull.number} again"
        return await self._changed(pull, {"state": "open"}, doing)

    async def ready(self, pull: Pull) -> None:
        """Mark a draft as ready for review; only GraphQL can."""
        if pull.shown.draft:
            doing = f"mark pull request #{pull.number} as ready"
            await self._api.graphql(_READY, doing, pull=pull.node)

    async def close(self, pull: Pull) -> None:
        """Close it unmerged."""
        if pull.open:
            await self._changed(pull, {"state": "closed"}, f"close pull request #{pull.number}")

    async def _create(self, data: dict[str, Any], *, draft: bool) -> Any:
        doing = f"open the pull request of {data['head']} against {data['base']}"
        if not draft:
            return await self._api.create("pulls", data, doing)
        try:
            return await self._api.create("pulls", data | {"draft": True}, doing)
        except TaskError as refused:
            # private repositories of free plans have no drafts
            if "draft" not in str(refused.__cause__).lower():
                raise
        return await self._api.create("pulls", data, doing)

    async def _changed(self, pull: Pull, data: Mapping[str, str], doing: str) -> Pull:
        state = "open" if pull.open else "closed"
        now = Editable(pull.title, pull.body, pull.base, state, in_stack=pull.native is not None)
        found = await edited(self._api, pull.number, now, data, doing)
        return (read_pull(found, self._bot_login) if found else None) or pull

    async def _listed(self, query: dict[str, str]) -> AsyncIterator[Pull]:
        """Ours among those GitHub lists, the newest first."""
        asked = urlencode(query | {"per_page": "100"})
        listed = self._api.items(f"pulls?{asked}", "list pull requests", refused=Outage)
        async for each in listed:
            if ours := read_pull(each, self._bot_login):
                yield ours


@dataclass(frozen=True, slots=True)
class Editable:
    """The fields of a pull request that a request can change; ``in_stack``: in a native one."""

    title: str
    body: str
    base: str
    state: str
    in_stack: bool = False


def editable(found: Any) -> Editable:
    """Read them from GitHub's form of a pull request."""
    title, body, state = found["title"], found["body"] or "", found["state"]
    in_stack = read_native(found.get("stack")) is not None
    return Editable(title, body, found["base"]["ref"], state, in_stack=in_stack)


async def edited(
    api: RepositoryApi, number: int, now: Editable, data: Mapping[str, str], doing: str
) -> Any:
    """Change what differs from what it is ``now``; return GitHub's answer, None without a request.

    The base of a member of a native stack is never sent: GitHub refuses any, also the one it has,
    and changes the other fields all the same (https://github.com/Mergifyio/mergify-cli/issues/1762).
    One that became a member after it was read is read again, and gets what is still missing.
    """
    news = {name: value for name, value in data.items() if getattr(now, name) != value}
    if now.in_stack:
        news.pop("base", None)
    if not news:
        return None
    try:
        return await api.change(f"pulls/{number}", news, doing)
    except TaskError:
        found = await api.get(f"pulls/{number}", f"show #{number}") if "base" in news else None
        if found is None or not editable(found).in_stack:
            raise
        return await edited(api, number, editable(found), data, doing) or found


def with_sections(body: str, sections: Mapping[str, str]) -> str:
    """Put parts (see ``SECTIONS``) into a description; the rest of it stays as it is."""
    for name in reversed(SECTIONS):  # each is put in above the one before
        if name in sections:
            body = with_section(body, name, sections[name])
    return body


def put_on(pull: Pull, body: str, branch: str) -> str:
    """Note in a description that its commits are on another branch now."""
    return body.replace(marker("on", pull.on), marker("on", branch), 1)


def _with_sections(pull: Pull, body: str) -> str:
    """A new description, with what the old one says about the stack."""
    for name in reversed(SECTIONS):
        body = with_section(body, name, section(pull.body, name))
    return with_template(body, "", before=pull.body)


RECOVERY = "cairn:recovery"
_COLOR = "d4a72c"
_ABOUT = "What Cairn proposes about a task it could not finish"


async def put_label(api: RepositoryApi, pull: Pull, effort: BestEffort) -> None:
    """Put the label on, and make it when the repository has none; a refusal fails nothing."""
    if RECOVERY in pull.shown.labels:
        return
    with effort():
        if await api.find(f"labels/{quote(RECOVERY)}", f"show the label {RECOVERY}") is None:
            data = {"name": RECOVERY, "color": _COLOR, "description": _ABOUT}
            await api.create("labels", data, f"make the label {RECOVERY}")
        doing = f"put a label on #{pull.number}"
        await api.post(f"issues/{pull.number}/labels", {"labels": [RECOVERY]}, doing)
