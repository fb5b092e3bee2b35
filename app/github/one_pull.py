"""One pull request for all tasks of a run: a branch that grows (``pull_requests: single``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.github.branches import Branches
from app.github.commits import Commit, Commits
from app.github.proposal_text import applied_in, closed
from app.github.proposals import Proposals
from app.github.pull import Pull, checkpoint_markers
from app.github.pulls import Pulls
from runner.errors import Outage
from runner.ports import Checkpoint, Published
from runner.texts_single import shared_body, shared_title


@dataclass(frozen=True, slots=True)
class _Place:
    """A branch with its head and newest pull request; ``below`` is what one is made against."""

    branch: str
    head: Commit | None
    pull: Pull | None
    below: str


class OnePull:
    """The commits and the pull request of one run; what a person pushed or decided stays.

    A run goes on in a second pull request (branch ``…-2``) where the first was merged, or grew by a
    commit that the run does not know.
    """

    def __init__(
        self,
        *,
        pulls: Pulls,
        commits: Commits,
        branches: Branches,
        proposals: Proposals,
        run: str,
        roadmap: str,
    ) -> None:
        self._pulls, self._commits, self._branches = pulls, commits, branches
        self._proposals, self._run, self._roadmap = proposals, run, roadmap

    async def add(self, checkpoint: Checkpoint) -> tuple[str, Pull]:
        """Add a commit to the run's branch and its row to the pull request; each of them once.

        Raises ``Outage`` where people closed the pull request that the commit would stand in.
        """
        place = await self._place(checkpoint)
        made = replace(checkpoint, branch=place.branch, below=place.below)
        commit = await self._branches.grown(made, place.head)
        return commit, await self._shown(made, place.pull)

    async def apply(self, checkpoint: Checkpoint) -> Published:
        """Add an applied proposal, and close the pull request that asked about it.

        Where a person merged it already, the run goes on from what it was merged into.
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
        rows = {row.task: row for row in made.rows}
        body = shared_body(self._roadmap, [rows[key] for key in keys if key in rows])
        title = shared_title(self._roadmap)
        shown = replace(made, task=keys[0], members=keys[1:], title=title, body=body)
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
