"""The ``Repository`` port on GitHub: read from the mirror, published through the API.

Every effect looks before it creates, and looking means comparing (docs/design.md, "GitHub"): after
a failure at any point, the same call again finishes what is missing and doubles nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from app.github.api import workflow_refusal_explained
from app.github.client import GitHubClient
from app.github.human_commits import HumanCommitFinder
from app.github.one_pull import OfferedPulls, OnePull
from app.github.place import Place
from app.github.proposals import RecoveryPulls
from app.github.pull_template import template_path, template_text
from app.github.pulls import Pull, PullOptions
from app.github.rebased import RebasedCommits
from app.github.restack import Restack
from app.github.reviews import ReviewedPulls
from app.github.shown_checks import TrustChecks, show_place
from app.github.stack import issues_of, shown_of, standing
from handlers.ports import StackPlace
from runner.config.model import GitHubMode
from runner.errors import Outage, TaskError
from runner.people.texts import fix_texts
from runner.retries.policy import RetryPolicy
from runner.state.publishing import Checkpoint, HumanCommits, Proposed, Published, Stack


class GitHubRepository(Place):
    """One repository on GitHub, for one run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.commits.rebased = RebasedCommits(self)
        self.pulls.template = self._template
        self.trust = TrustChecks(self)
        self._proposals, self._restack = RecoveryPulls(self), Restack(self, self.trust)

    @cached_property
    def reviews(self) -> ReviewedPulls:
        """What reviewers ask for."""
        return ReviewedPulls(self)

    def in_mode(self, mode: GitHubMode, options: PullOptions, retry: RetryPolicy) -> None:
        """Write to GitHub as its configuration wants it.

        If it is ``disabled``, checkpoints are commits of the mirror that later tasks build on.
        """
        self.pulls.options = options
        self.effort.strict = mode == "fail_fast"
        self.commits.may_write = mode != "disabled"
        for client in (self.client, self.checker):
            if isinstance(client, GitHubClient):
                client.retry = retry

    async def stack(self) -> Stack:
        """Find the tip of what is not merged yet, across runs. Raises ``Outage``."""
        pulls = await self.pulls.all()
        found = standing(pulls, base=self.base, roadmap=self.roadmap)
        base = await self.tip()
        heads = {member.branch: member.commit for member in found.members} | {self.base: base}
        return Stack(
            *((found.top.sha, found.top.head) if found.top else (base, self.base)),
            *(found.in_review, found.declined, found.proposed),
            base=base,
            base_branch=self.base,
            members=tuple(
                [
                    replace(each, fork=await self._fork(heads[each.below], each.commit))
                    for each in found.members
                ]
            ),
            open=found.open,
            shown=shown_of(pulls, self.roadmap),
            issues=issues_of(pulls),
            others={path: shown_of(pulls, path) for path in {each.roadmap for each in pulls}},
        )

    async def _fork(self, base: str, head: str) -> str:
        """Return the commit at which a head left a base, or ''.

        https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        if base == head:
            return base
        doing = f"compare {base[:10]} with {head[:10]}"
        found = await self.api.find(f"compare/{base}...{head}", doing, refused=Outage)
        return str(found["merge_base_commit"]["sha"]) if found else ""

    async def restack(
        self, *, ended: int | None = None, ticks: bool = True, tip: str | None = None
    ) -> None:
        """Keep the open pull requests true to what they build on. Raises ``Outage``.

        ``ended`` is the number of one that was merged or closed just now; without ``ticks``, a
        changed roadmap is not a reason to touch a branch. ``tip`` is the head of the base branch
        where it is known.
        """
        async with self.memory.turn:
            await self._restacked(ended=ended, ticks=ticks, tip=tip)

    async def _restacked(
        self,
        *,
        ended: int | None = None,
        ticks: bool = True,
        tip: str | None = None,
        stopped: bool = False,
    ) -> None:
        tip = tip or await self.tip()
        if ended is None:
            await self._restack.all(self.base, tip, ticks=ticks, stopped=stopped)
        else:
            await self._restack.closed(ended, self.base, tip, ticks=ticks)

    async def catch_up(self, *, anew: bool = False, stopped: bool = False) -> None:
        """Restack if one builds on a branch that nobody merges any more. Raises ``Outage``.

        Whoever merged below it did so while nobody heard. ``anew`` restacks although no pull
        request was changed since: how a new attempt ended matters, too. ``stopped`` says that this
        run has.
        """
        if not self.commits.may_write:
            return
        if anew:
            self.memory.settled = None
            async with self.memory.turn:
                await self._restacked(stopped=stopped)
        elif await self._restack.is_out_of_place():
            await self.restack(ticks=False)

    async def show_place(self, number: int, *, new: bool = False) -> None:
        """Show on a pull request where it is in its stack; a refusal is only noted.

        A ``new`` head has no check yet.
        """
        with self.effort():
            async with self.memory.turn:
                await self._restack.note(number, self.base, new=new)

    async def renew(self, number: int) -> None:
        """Show where a pull request is in its stack after somebody pushed to it.

        What its description says may be over: a conflict that they resolved. A refusal is only
        noted. Raises ``Outage``.
        """
        with self.effort():
            async with self.memory.turn:
                if await self._restack.note(number, self.base):
                    await self._restacked()

    async def tags(self, commit: str) -> tuple[str, ...]:
        """Return the names of all its tags: the mirror does not know which are in the history."""
        return await self.mirror.tags(url=f"{self.url}.git", token=self.token)

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Publish commit, branch and pull request; keep what already exists.

        Raises ``TaskError`` when GitHub refuses it or the branch is somebody else's.
        """
        if not self.commits.may_write:
            base = await self.snapshot(checkpoint.parent)
            return Published(await self.mirror.commit(checkpoint, base), checkpoint.branch)
        with workflow_refusal_explained(checkpoint.changes.files):
            if checkpoint.kind == "fix":
                return await self._offered(checkpoint)
            if checkpoint.kind == "recovery":
                way = OnePull(self) if checkpoint.shows.rows else self._proposals
                async with self.memory.turn:
                    applied = await way.apply(checkpoint)
                return await self._noted(applied)
            async with self.memory.turn:
                commit, pull, new = await self._added(checkpoint)
        if checkpoint.human_commits:
            await HumanCommitFinder(self).close(checkpoint.human_commits, pull)
        await self.trust.show(commit, checkpoint.shows, new=new)
        published = Published(commit, pull.head, pull.number, pull.url)
        if checkpoint.kind == "revision" and checkpoint.onto:  # others may build on its old head
            await self.restack()
        if new and checkpoint.below == pull.base == self.base:
            # the others need not be listed: nothing builds on a branch that was made just now
            async with self.memory.turn:
                await show_place(self, commit, StackPlace(), new=True)
            return replace(published, notes=self.effort.notes())
        return await self._noted(published, new=new)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show a proposal to people on a pull request; keep what already exists.

        Raises ``TaskError`` when GitHub refuses it, ``Outage`` otherwise.
        """
        if not self.commits.may_write:  # the report and the run's comment have it
            return Published("", proposed.shown.branch)
        with workflow_refusal_explained(proposed.shown.changes.files):
            return await self._noted(await self._proposals.publish(proposed))

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Hand this run's proposal about a task over to people, or close it and say why."""
        if self.commits.may_write:
            await self._proposals.end(task, ready=ready, why=why)

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """Return what people pushed to the branch of a proposal about a task."""
        return await HumanCommitFinder(self).find(task, tip)

    async def _offered(self, checkpoint: Checkpoint) -> Published:
        """Propose a repair against the branch of somebody's pull request."""
        offered = await OfferedPulls(self, "fix").offer(checkpoint, checkpoint.parent)
        head = await self.commits.head(checkpoint.branch)
        if offered.state == "pushed" or head is None:
            raise TaskError("github", fix_texts.branch_taken(checkpoint.branch))
        await self.trust.show(head.sha, checkpoint.shows)
        published = Published(head.sha, checkpoint.branch, offered.number, offered.url)
        return replace(published, notes=self.effort.notes())

    async def _added(self, checkpoint: Checkpoint) -> tuple[str, Pull, bool]:
        """Return the checkpoint's commit, its pull request, and whether the commit is new."""
        if checkpoint.kind == "revision":
            return (*await self.reviews.publish(checkpoint), False)
        if checkpoint.shows.rows:
            return (*await OnePull(self).add(checkpoint), False)
        commit, new = await self.branches.settled(checkpoint)
        below = await self.pulls.under(checkpoint.below)  # it may have been merged since
        made = replace(checkpoint, below=below)
        pull = await self.pulls.ensure(made, on=checkpoint.below, new=new)
        if below != checkpoint.below:
            await self._restacked(ticks=False)
        return commit, pull, new

    async def _noted(self, published: Published, *, new: bool = False) -> Published:
        """Say what it builds on, and return it with what was refused."""
        if published.number is not None:
            await self.show_place(published.number, new=new)
        return replace(published, notes=self.effort.notes())

    async def _template(self, commit: str) -> str:
        path = template_path((await self.snapshot(commit)).entries)
        return template_text(await self.file(commit, path) or b"") if path else ""
