"""The pull request with all tasks of a run (``single``), and those that offer what is no task."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from app.github.comments import first_kind, marked, marker, with_markers
from app.github.commits import Commit
from app.github.place import Place
from app.github.proposals import RecoveryPulls
from app.github.pulls import (
    PREFIX,
    Editable,
    Pull,
    checkpoint_markers,
    editable,
    edited,
)
from app.github.texts import proposal_texts
from handlers.ports import OfferKind
from runner.errors import Outage, TaskError
from runner.people.pull_requests import shared_body
from runner.people.sentences import slug
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.publishing import Checkpoint, CheckpointText, Published


@dataclass(frozen=True)
class OnePull:
    """The commits and the pull request of one run; what a person pushed or decided stays.

    A run continues in a second pull request (branch ``…-2``) if the first was merged, or got a
    commit that the run does not know.
    """

    at: Place

    async def add(self, checkpoint: Checkpoint) -> tuple[str, Pull]:
        """Add a commit to the run's branch and its row to the pull request; each of them once.

        Raises ``Outage`` if people closed the pull request that the commit belongs to.
        """
        made, head, pull = await self._placed(checkpoint)
        commit = await self.at.branches.grown(made, head)
        return commit, await self._shown(made, pull)

    async def apply(self, checkpoint: Checkpoint) -> Published:
        """Add an applied proposal, and close the pull request that asked about it.

        If a person has already merged it, the run continues from what it was merged into.
        """
        asked = await self.at.pulls.proposed(checkpoint.task, self.at.run)
        if asked and asked.merged and asked.base == checkpoint.below:
            tip = await self.at.commits.head(asked.base)
            if tip:
                return Published(tip.sha, asked.base, asked.number, asked.url)
        commit, pull = await self.add(checkpoint)
        await RecoveryPulls(self.at).end(
            checkpoint.task, ready=False, why=proposal_texts.applied_in(pull)
        )
        return Published(commit, pull.head, pull.number, pull.url)

    async def _placed(
        self, checkpoint: Checkpoint
    ) -> tuple[Checkpoint, Commit | None, Pull | None]:
        """Put it on the first branch of the run's that has the commit or that it may be added to.

        With the head of that and its newest pull request.
        """
        below, first = checkpoint.below, checkpoint.branch
        for number in count(1):
            branch = first if number == 1 else f"{first}-{number}"
            pull = await self.at.pulls.newest(branch)
            head = await self.at.commits.head(branch)
            placed = (replace(checkpoint, branch=branch, below=below), head, pull)
            if head.holds(checkpoint) if head else pull is None:
                return placed
            if checkpoint.below != branch or pull is None:
                continue  # what it builds on is elsewhere
            if pull.open and head and head.sha == checkpoint.parent:
                return placed
            if not (pull.open or pull.merged):
                raise Outage("github", proposal_texts.closed(pull))
            below = pull.base if pull.merged else branch
        raise AssertionError("names do not end")

    async def _shown(self, made: Checkpoint, pull: Pull | None) -> Pull:
        """Return the pull request with a row of the task."""
        before = pull.tasks if pull else ()
        keys = tuple(dict.fromkeys((*before, made.task, *made.members)))
        if pull and keys == before:
            return pull
        rows = {row.task: row for row in made.shows.rows}
        body = shared_body(self.at.roadmap, [rows[key] for key in keys if key in rows])
        title = f"Tasks of {self.at.roadmap}"
        shown = replace(
            made, task=keys[0], members=keys[1:], text=replace(made.text, title=title, body=body)
        )
        if pull is None:
            return await self.at.pulls.ensure(shown)
        return await self.at.pulls.describe(
            pull, shown, checkpoint_markers(keys, self.at.roadmap, on=pull.on)
        )


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


@dataclass(frozen=True, slots=True)
class Offered:
    """The pull request: ``open`` shows the proposal, ``declined`` was closed by a person unmerged.

    ``pushed`` is open too, but keeps what a person pushed to it instead of the newest proposal.
    ``source`` names what was proposed last, ``now`` is what could be changed.
    """

    number: int
    url: str
    state: Literal["open", "declined", "merged", "pushed"]
    source: str
    now: Editable = field(compare=False)


def branch_of(path: str) -> str:
    """Name the branch of a roadmap's proposal."""
    return f"{PREFIX}normalise/{slug(path)}"


@dataclass(frozen=True)
class OfferedPulls:
    """What our App proposes to a repository beside its tasks, by branch.

    ``kind`` says what: checkboxes for a roadmap, what a set-up needs, better settings, the inverse
    of a merged task, or a repair of somebody's pull request. None of them is a checkpoint.
    """

    at: Place
    kind: OfferKind

    async def known(self, branch: str) -> Offered | None:
        """Return the newest one of a branch, unless it was merged."""
        found = await self._newest(branch)
        return None if found is None or found.state == "merged" else found

    async def propose(
        self,
        base: Snapshot,
        files: Mapping[str, bytes],
        *,
        branch: str,
        below: str,
        source: str,
        title: str,
        body: str,
        again: bool = False,
    ) -> Offered:
        """Put new contents of files before people, on top of the commit whose tree ``base`` is.

        What they closed is proposed ``again`` only if that is wanted. Raises as ``offer``.
        """
        known = await self.known(branch)
        if known and (known.source == source if known.state == "open" else not again):
            return known
        changes = ChangeSet({path: Write(content) for path, content in files.items()})
        trailers = (("Cairn-Run", self.at.run),)
        shown = Checkpoint(
            run=self.at.run,
            task=next(iter(files)),
            branch=branch,
            below=below,
            parent=base.commit,
            changes=changes,
            tree=changes.tree(base),
            text=CheckpointText(message=title, trailers=trailers, title=title, body=body),
        )
        return await self.offer(shown, source)

    async def offer(self, shown: Checkpoint, source: str) -> Offered:
        """Put a proposal before people; doing it twice leaves one, a newer one replaces it.

        ``source`` names its content. Raises ``TaskError`` when its branch or pull request is
        somebody else's, ``Outage``.
        """
        found = await self._newest(shown.branch)
        commit = await self.at.branches.rebuilt(shown)
        text, markers = shown.text, [marker(self.kind, shown.task), marker("source", source)]
        data = {
            "title": text.title,
            "base": shown.below,
            "body": with_markers(markers, text.body),
        }
        if found is not None and found.state == "open":
            if commit is None:
                return replace(found, state="pushed")
            if (found.source, found.now.base) != (source, shown.below):
                doing = f"update pull request #{found.number}"
                await edited(self.at.api, found.number, found.now, data, doing)
            return replace(found, source=source)
        if commit is None:
            raise TaskError(
                "github",
                proposal_texts.in_the_way(f"branch {shown.branch} holds somebody's commits"),
            )
        data["head"] = shown.branch
        made = await self.at.api.create("pulls", data, f"open the pull request of {shown.branch}")
        # somebody was faster: another try of ours, or a person
        ours = self._read(made) if made else await self._newest(shown.branch)
        if ours is None or ours.state != "open":
            raise TaskError(
                "github",
                proposal_texts.in_the_way(f"branch {shown.branch} has another pull request"),
            )
        return ours

    async def close(self, offered: Offered, why: str) -> None:
        """Close one with a word of why; one that is closed is never looked at again."""
        at, doing = offered.number, f"close pull request #{offered.number}"
        await self.at.api.change(f"pulls/{at}", {"state": "closed"}, doing)
        await self.at.api.post(f"issues/{at}/comments", {"body": why}, doing)

    async def declined(self, branch: str) -> frozenset[str]:
        """Return the sources of all that people closed unmerged."""
        found = [each async for each in self._of(branch)]
        return frozenset(each.source for each in found if each.state == "declined")

    async def _newest(self, branch: str) -> Offered | None:
        async for each in self._of(branch):
            return each
        return None

    async def _of(self, branch: str) -> AsyncIterator[Offered]:
        """Our pull requests of a branch, the newest first."""
        owner = self.at.api.full_name.partition("/")[0]
        query = {"state": "all", "head": f"{owner}:{branch}", "per_page": "100"}
        async for each in self.at.api.items(f"pulls?{urlencode(query)}", "list pull requests"):
            ours = self._read(each)
            if ours and each["head"]["ref"] == branch:
                yield ours

    def _read(self, found: Any) -> Offered | None:
        """Read GitHub's form; None for what is not ours."""
        body, author = found["body"], (found["user"] or {}).get("login")
        if author != self.at.bot_login or first_kind(body) != self.kind:
            return None
        ended: Literal["merged", "declined"] = "merged" if found["merged_at"] else "declined"
        return Offered(
            number=found["number"],
            url=found["html_url"],
            state="open" if found["state"] == "open" else ended,
            source=marked(body, "source") or "",
            now=editable(found),
        )
