"""The pull request with all tasks of a run (``single``), and those that offer what is no task."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from app.github.api import RepositoryApi
from app.github.comments import first_kind, marked, marker, with_markers
from app.github.commits import Branches, Commit, Commits
from app.github.proposals import RecoveryPulls, applied_in, closed
from app.github.pulls import (
    PREFIX,
    Editable,
    Pull,
    Pulls,
    checkpoint_markers,
    editable,
    edited,
)
from handlers.ports import OfferKind
from runner.errors import Outage, TaskError
from runner.people.sentences import shared_body, shared_title, slug
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.publishing import Checkpoint, CheckpointText, Published


@dataclass(frozen=True, slots=True)
class _Place:
    """A branch with its head and newest pull request; ``below`` is what one is made against."""

    branch: str
    head: Commit | None
    pull: Pull | None
    below: str


class OnePull:
    """The commits and the pull request of one run; what a person pushed or decided stays.

    A run continues in a second pull request (branch ``…-2``) if the first was merged, or got a
    commit that the run does not know.
    """

    def __init__(
        self,
        *,
        pulls: Pulls,
        commits: Commits,
        branches: Branches,
        proposals: RecoveryPulls,
        run: str,
        roadmap: str,
    ) -> None:
        self._pulls, self._commits, self._branches = pulls, commits, branches
        self._proposals, self._run, self._roadmap = proposals, run, roadmap

    async def add(self, checkpoint: Checkpoint) -> tuple[str, Pull]:
        """Add a commit to the run's branch and its row to the pull request; each of them once.

        Raises ``Outage`` if people closed the pull request that the commit belongs to.
        """
        place = await self._place(checkpoint)
        made = replace(checkpoint, branch=place.branch, below=place.below)
        commit = await self._branches.grown(made, place.head)
        return commit, await self._shown(made, place.pull)

    async def apply(self, checkpoint: Checkpoint) -> Published:
        """Add an applied proposal, and close the pull request that asked about it.

        If a person has already merged it, the run continues from what it was merged into.
        """
        asked = await self._pulls.proposed(checkpoint.task, self._run)
        if asked and asked.merged and asked.base == checkpoint.below:
            tip = await self._branches.head(asked.base)
            if tip:
                return Published(tip, asked.base, asked.number, asked.url)
        commit, pull = await self.add(checkpoint)
        await self._proposals.end(checkpoint.task, ready=False, why=applied_in(pull))
        return Published(commit, pull.head, pull.number, pull.url)

    async def _place(self, checkpoint: Checkpoint) -> _Place:
        """Find the first branch of the run's that has the commit or that it may be added to."""
        below = checkpoint.below
        for branch in _names(checkpoint.branch):
            pull = await self._pulls.newest(branch)
            head = await self._commits.head(branch)
            place = _Place(branch, head, pull, below)
            if head.holds(checkpoint) if head else pull is None:
                return place
            if checkpoint.below != branch or pull is None:
                continue  # what it builds on is elsewhere
            if pull.open and head and head.sha == checkpoint.parent:
                return place
            if not (pull.open or pull.merged):
                raise Outage("github", closed(pull))
            below = pull.base if pull.merged else branch
        raise AssertionError("names do not end")

    async def _shown(self, made: Checkpoint, pull: Pull | None) -> Pull:
        """Return the pull request with a row of the task."""
        before = pull.tasks if pull else ()
        keys = tuple(dict.fromkeys((*before, made.task, *made.members)))
        if pull and keys == before:
            return pull
        rows = {row.task: row for row in made.shows.rows}
        body = shared_body(self._roadmap, [rows[key] for key in keys if key in rows])
        title = shared_title(self._roadmap)
        shown = replace(
            made, task=keys[0], members=keys[1:], text=replace(made.text, title=title, body=body)
        )
        if pull is None:
            return await self._pulls.ensure(shown)
        return await self._pulls.describe(
            pull, shown, checkpoint_markers(keys, self._roadmap, on=pull.on)
        )


def _names(first: str) -> Iterator[str]:
    yield first
    number = 2
    while True:
        yield f"{first}-{number}"
        number += 1


def offer_of(found: Any, bot_login: str) -> OfferKind | None:
    """Return what an open pull request, in GitHub's form, proposes beside the work of tasks.

    None for one that is not ours.
    """
    kinds: dict[str | None, OfferKind] = {each: each for each in get_args(OfferKind)}
    ours = (
        found["state"] == "open"
        and (found["user"] or {}).get("login") == bot_login
        and found["head"]["ref"].startswith(PREFIX)
    )
    return kinds.get(first_kind(found["body"])) if ours else None


State = Literal["open", "declined", "pushed"]


@dataclass(frozen=True, slots=True)
class Offered:
    """The pull request: ``open`` shows the proposal, ``declined`` was closed by a person unmerged.

    ``pushed`` is open too, but keeps what a person pushed to it instead of the newest proposal.
    ``source`` names what was proposed last.
    """

    number: int
    url: str
    state: State
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Pull:
    number: int
    url: str
    open: bool
    merged: bool
    source: str
    now: Editable


def branch_of(path: str) -> str:
    """Name the branch of a roadmap's proposal."""
    return f"{PREFIX}normalise/{slug(path)}"


def of_files(
    files: Mapping[str, bytes],
    base: Snapshot,
    *,
    run: str,
    branch: str,
    below: str,
    parent: str,
    title: str,
    body: str,
) -> Checkpoint:
    """Return the proposal of new contents, made on top of ``parent``, whose files are ``base``."""
    changes = ChangeSet({path: Write(content) for path, content in files.items()})
    trailers = (("Cairn-Run", run),)
    return Checkpoint(
        run=run,
        task=next(iter(files)),
        branch=branch,
        below=below,
        parent=parent,
        changes=changes,
        tree=changes.tree(base),
        text=CheckpointText(message=title, trailers=trailers, title=title, body=body),
    )


class OfferedPulls:
    """What our App (``bot_login``) proposes to a repository beside its tasks, by branch.

    ``kind`` says what: checkboxes for a roadmap, what a set-up needs, better settings, the inverse
    of a merged task, or a repair of somebody's pull request. None of them is a checkpoint.
    """

    def __init__(
        self,
        api: RepositoryApi,
        *,
        kind: OfferKind,
        branches: Branches,
        bot_login: str,
    ) -> None:
        self._api = api
        self._kind = kind
        self._branches = branches
        self._bot_login = bot_login

    async def known(self, branch: str) -> Offered | None:
        """Return the newest one of a branch, unless it was merged."""
        found = await self._newest(branch)
        if found is None or found.merged:
            return None
        return _offered(found, "open" if found.open else "declined")

    async def offer(self, shown: Checkpoint, source: str) -> Offered:
        """Put a proposal before people; doing it twice leaves one, a newer one replaces it.

        ``source`` names its content. Raises ``TaskError`` when its branch or pull request is
        somebody else's, ``Outage``.
        """
        found = await self._newest(shown.branch)
        commit = await self._branches.rebuilt(shown)
        if found is not None and found.open:
            if commit is None:
                return _offered(found, "pushed")
            await self._rewrite(found, shown, source)
            return _offered(replace(found, source=source), "open")
        if commit is None:
            raise TaskError("github", _taken(f"branch {shown.branch} holds somebody's commits"))
        return await self._open(shown, source)

    async def close(self, offered: Offered, why: str) -> None:
        """Close one with a word of why; one that is closed is never looked at again."""
        at, doing = offered.number, f"close pull request #{offered.number}"
        await self._api.change(f"pulls/{at}", {"state": "closed"}, doing)
        await self._api.post(f"issues/{at}/comments", {"body": why}, doing)

    async def _rewrite(self, pull: _Pull, shown: Checkpoint, source: str) -> None:
        if (pull.source, pull.now.base) != (source, shown.below):
            data = {
                "title": shown.text.title,
                "body": self._body(shown, source),
                "base": shown.below,
            }
            doing = f"update pull request #{pull.number}"
            await edited(self._api, pull.number, pull.now, data, doing)

    async def _open(self, shown: Checkpoint, source: str) -> Offered:
        data = {
            "title": shown.text.title,
            "head": shown.branch,
            "base": shown.below,
            "body": self._body(shown, source),
        }
        made = await self._api.create("pulls", data, f"open the pull request of {shown.branch}")
        # somebody was faster: another try of ours, or a person
        ours = self._read(made) if made else await self._newest(shown.branch)
        if ours is None or not ours.open:
            raise TaskError("github", _taken(f"branch {shown.branch} has another pull request"))
        return _offered(ours, "open")

    async def declined(self, branch: str) -> frozenset[str]:
        """Return the sources of all that people closed unmerged."""
        found = [each async for each in self._of(branch)]
        return frozenset(p.source for p in found if not (p.open or p.merged))

    async def _newest(self, branch: str) -> _Pull | None:
        async for each in self._of(branch):
            return each
        return None

    async def _of(self, branch: str) -> AsyncIterator[_Pull]:
        """Our pull requests of a branch, the newest first."""
        owner = self._api.full_name.partition("/")[0]
        query = {"state": "all", "head": f"{owner}:{branch}", "per_page": "100"}
        async for each in self._api.items(f"pulls?{urlencode(query)}", "list pull requests"):
            ours = self._read(each)
            if ours and each["head"]["ref"] == branch:
                yield ours

    def _read(self, found: Any) -> _Pull | None:
        """Read GitHub's form; None for what is not ours."""
        body, author = found["body"], (found["user"] or {}).get("login")
        if author != self._bot_login or first_kind(body) != self._kind:
            return None
        return _Pull(
            number=found["number"],
            url=found["html_url"],
            open=found["state"] == "open",
            merged=found["merged_at"] is not None,
            source=marked(body, "source") or "",
            now=editable(found),
        )

    def _body(self, shown: Checkpoint, source: str) -> str:
        return with_markers(
            [marker(self._kind, shown.task), marker("source", source)], shown.text.body
        )


def _offered(pull: _Pull, state: State) -> Offered:
    return Offered(pull.number, pull.url, state, pull.source)


def _taken(what: str) -> str:
    return f"Cairn could not publish the proposal: {what}. Delete or rename it, then ask again."
