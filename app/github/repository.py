"""The ``Repository`` port on GitHub: read from the mirror, published through the API.

Every effect looks before it creates, and looking means comparing (docs/design.md, "GitHub"): after
a failure at any point, the same call again finishes what is missing and doubles nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial

from gidgethub.abc import GitHubAPI

from app.github.api import BestEffort, RepositoryApi, ref_path, workflow_refusal_explained
from app.github.checks import CheckRuns, NoButtons, RecoveryButtons
from app.github.comments import Comments
from app.github.commits import Branches, Commits
from app.github.failing import FailingChecks
from app.github.finished import FinishedTasks
from app.github.freshen import Freshen
from app.github.human_commits import HumanCommitFinder
from app.github.mirror import Mirror
from app.github.one_pull import OfferedPulls, OnePull
from app.github.proposals import RecoveryPulls
from app.github.pull_template import template_path, template_text
from app.github.pulls import Pull, PullOptions, Pulls
from app.github.rebased import RebasedCommits
from app.github.restack import Look, Restack, Verify, WorksAgain
from app.github.reviews import ReviewedPulls
from app.github.stack import shown_of, standing
from app.github.stack_checks import StackChecks, StackLinks, StackMemory
from app.github.trust_checks import Page, TrustChecks, no_page
from handlers.issue_thread import may_write
from handlers.ports import StackPlace
from runner.config.model import GitHubMode
from runner.errors import Outage, TaskError
from runner.git.objects import MissingBlobs
from runner.people.fix_sentences import fix_branch_taken
from runner.ports import Repository
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint, HumanCommits, Member, Proposed, Published, Stack


class Unwritten:
    """Reads as ``inner`` does; checkpoints are commits of the mirror that later tasks build on."""

    def __init__(self, inner: Repository, mirror: Mirror) -> None:
        self._inner = inner
        self._mirror = mirror

    async def stack(self) -> Stack:
        """Find where to start. Raises ``Outage``."""
        return await self._inner.stack()

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit of GitHub or of ours."""
        return await self._inner.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha."""
        return await self._inner.blobs(shas)

    async def tags(self, commit: str) -> tuple[str, ...]:
        """Return the names of its tags that are here."""
        return await self._inner.tags(commit)

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Commit to the mirror alone. Raises ``TaskError`` when the tree is another one."""
        base = await self._inner.snapshot(checkpoint.parent)
        return Published(await self._mirror.commit(checkpoint, base), checkpoint.branch)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show nothing: the report and the run's comment have it."""
        return Published("", proposed.shown.branch)

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Nothing was shown, so nothing is to be ended."""

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """Return what people pushed."""
        return await self._inner.human_commits(task, tip)


class GitHubRepository:
    """One repository on GitHub, for one run.

    ``client`` is authenticated for the installation, ``token`` gives a fresh installation token for
    git, ``bot_login`` is our App's (``SLUG[bot]``), ``base`` the branch below the stack. ``checks``
    is a client for check runs (an installation may not have granted them), None if our account
    cannot write any. ``memory`` is what the process knows of the repository's stacks, ``verify``
    has a head verified that was changed here, ``attempt`` has a task in conflict with its base
    worked on again, ``look`` comes back to one that GitHub is to rebase, by the clock ``now``.
    ``page`` finds the page of a task of the run.
    """

    def __init__(
        self,
        client: GitHubAPI,
        *,
        checks: GitHubAPI | None,
        failing: FailingChecks | None = None,
        full_name: str,
        base: str,
        roadmap: str,
        run: str,
        bot_login: str,
        server_url: str,
        token: Callable[[], Awaitable[str]],
        mirror: Mirror,
        memory: StackMemory | None = None,
        verify: Verify | None = None,
        attempt: WorksAgain | None = None,
        look: Look | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        page: Page = no_page,
    ) -> None:
        self._api = RepositoryApi(client, full_name)
        self._commits = Commits(self._api, bot_login=bot_login)
        self._commits.rebased = RebasedCommits(
            self._api, commits=self._commits, snapshot=self.snapshot, blobs=self.blobs
        )
        self._pulls = Pulls(self._api, bot_login=bot_login, roadmap=roadmap)
        self._pulls.template = self._template
        self._branches = Branches(self._commits, snapshot=self.snapshot)
        self._comments = Comments(self._api, bot_login=bot_login)
        self._effort = BestEffort()
        self._failing = failing
        self._memory, self._verify = memory or StackMemory(), verify
        self._attempt, self._look, self._now = attempt, look, now
        shown = CheckRuns(RepositoryApi(checks, full_name), bot_login=bot_login) if checks else None
        self._trust = TrustChecks(shown, self._effort, self._memory, page)
        links = StackLinks(f"{server_url.rstrip('/')}/{full_name}", bot_login)
        self._places = StackChecks(shown, self._effort, self._memory, links)
        buttons = RecoveryButtons(shown, self._effort) if shown else NoButtons()
        self._proposals = RecoveryPulls(
            self._api,
            pulls=self._pulls,
            branches=self._branches,
            comments=self._comments,
            checks=buttons,
            effort=self._effort,
            run=run,
            roadmap=roadmap,
            page=page,
        )
        self._buttons = buttons
        self._fresh = Freshen(
            self._api,
            commits=self._commits,
            snapshot=self.snapshot,
            blobs=self.blobs,
            carry=self._trust.carry,
        )
        self._base, self._roadmap = base, roadmap
        self._client, self._bot_login, self._run = client, bot_login, run
        self._url = f"{server_url.rstrip('/')}/{full_name}.git"
        self._token, self._mirror = token, mirror

    @cached_property
    def _one(self) -> OnePull:
        return OnePull(
            pulls=self._pulls,
            commits=self._commits,
            branches=self._branches,
            proposals=self._proposals,
            run=self._run,
            roadmap=self._roadmap,
        )

    @cached_property
    def fixes(self) -> OfferedPulls:
        """The repairs of pull requests that are proposed."""
        return OfferedPulls(
            self._api, kind="fix", branches=self._branches, bot_login=self._bot_login
        )

    @cached_property
    def _human_commits(self) -> HumanCommitFinder:
        return HumanCommitFinder(
            self._api,
            pulls=self._pulls,
            commits=self._commits,
            comments=self._comments,
            checks=self._buttons,
            bot_login=self._bot_login,
        )

    @cached_property
    def _restack(self) -> Restack:
        return Restack(
            pulls=self._pulls,
            commits=self._commits,
            comments=self._comments,
            fresh=self._fresh,
            read=self._file,
            checks=self._places,
            trust=self._trust,
            memory=self._memory,
            verify=self._verify if self._trust.shown else None,
            attempt=self._attempt,
            look=self._look,
            now=self._now,
        )

    @cached_property
    def reviews(self) -> ReviewedPulls:
        """What reviewers ask for on pull requests of ours."""
        return ReviewedPulls(
            self._api,
            pulls=self._pulls,
            commits=self._commits,
            branches=self._branches,
            snapshot=self.snapshot,
            blobs=self.blobs,
            base=self._base_commit,
            base_branch=self._base,
            may_ask=partial(may_write, self._client, self._api.full_name),
            failing=self._failing,
            bot_login=self._bot_login,
            run=self._run,
            roadmap=self._roadmap,
        )

    @property
    def trust(self) -> TrustChecks:
        """How far pull requests are verified, as check runs."""
        return self._trust

    @cached_property
    def finished(self) -> FinishedTasks:
        """What merged pull requests of ours changed."""
        return FinishedTasks(
            self._api,
            pulls=self._pulls,
            commits=self._commits,
            snapshot=self.snapshot,
            blobs=self.blobs,
        )

    def in_mode(self, mode: GitHubMode, options: PullOptions) -> Repository:
        """Return the repository that writes to GitHub as its configuration wants it."""
        self._pulls.options = options
        self._effort.strict = mode == "fail_fast"
        self._commits.may_write = mode != "disabled"
        return Unwritten(self, self._mirror) if mode == "disabled" else self

    async def stack(self) -> Stack:
        """Find the tip of what is not merged yet, across runs. Raises ``Outage``."""
        pulls = await self._pulls.all()
        found = standing(pulls, base=self._base, roadmap=self._roadmap)
        base = await self._base_commit()
        return Stack(
            *((found.top.sha, found.top.head) if found.top else (base, self._base)),
            *(found.in_review, found.declined, found.proposed),
            base=base,
            base_branch=self._base,
            members=await self._forked(found.members, base),
            open=found.open,
            shown=shown_of(pulls, self._roadmap),
        )

    async def restack(
        self, *, ended: int | None = None, ticks: bool = True, tip: str | None = None
    ) -> None:
        """Keep the open pull requests true to what they build on. Raises ``Outage``.

        ``ended`` is the number of one that was merged or closed just now; without ``ticks``, a
        changed roadmap is not a reason to touch a branch. ``tip`` is the head of the base branch
        where it is known.
        """
        async with self._memory.turn:
            await self._restacked(ended=ended, ticks=ticks, tip=tip)

    async def _restacked(
        self,
        *,
        ended: int | None = None,
        ticks: bool = True,
        tip: str | None = None,
        stopped: bool = False,
    ) -> None:
        tip = tip or await self._base_commit()
        if ended is None:
            await self._restack.all(self._base, tip, ticks=ticks, stopped=stopped)
        else:
            await self._restack.closed(ended, self._base, tip, ticks=ticks)

    async def catch_up(self, *, anew: bool = False, stopped: bool = False) -> None:
        """Restack if one builds on a branch that nobody merges any more. Raises ``Outage``.

        Whoever merged below it did so while nobody heard. ``anew`` restacks although no pull
        request was changed since: how a new attempt ended matters, too. ``stopped`` says that this
        run has.
        """
        if not self._commits.may_write:
            return
        if anew:
            self._memory.settled = None
            async with self._memory.turn:
                await self._restacked(stopped=stopped)
        elif await self._restack.is_out_of_place():
            await self.restack(ticks=False)

    async def show_place(self, number: int, *, new: bool = False) -> None:
        """Show on a pull request where it is in its stack; a refusal is only noted.

        A ``new`` head has no check yet.
        """
        with self._effort():
            async with self._memory.turn:
                await self._restack.note(number, self._base, new=new)

    async def renew(self, number: int) -> None:
        """Show where a pull request is in its stack after somebody pushed to it.

        What its description says may be over: a conflict that they resolved. A refusal is only
        noted. Raises ``Outage``.
        """
        with self._effort():
            async with self._memory.turn:
                if await self._restack.note(number, self._base):
                    await self._restacked()

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit, fetched when it is not here yet.

        Raises ``TaskError`` when GitHub does not have the commit, ``Outage`` otherwise.
        """
        await self._mirror.fetch(commit, url=self._url, token=self._token)
        return await self._mirror.objects.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha; what a remade mirror lacks is asked of GitHub."""
        try:
            return await self._mirror.objects.blobs(shas)
        except MissingBlobs as missing:
            asked = {sha: await self._commits.blob(sha) for sha in missing.shas}
        rest = [sha for sha in shas if sha not in asked]
        return {**asked, **await self._mirror.objects.blobs(rest)}

    async def tags(self, commit: str) -> tuple[str, ...]:
        """Return the names of all its tags: the mirror does not know which are in the history."""
        return await self._mirror.tags(url=self._url, token=self._token)

    async def publish_checkpoint(self, checkpoint: Checkpoint) -> Published:
        """Publish commit, branch and pull request; keep what already exists.

        Raises ``TaskError`` when GitHub refuses it or the branch is somebody else's.
        """
        with workflow_refusal_explained(checkpoint.changes.files):
            if checkpoint.kind == "fix":
                return await self._offered(checkpoint)
            if checkpoint.kind == "recovery":
                way = self._one if checkpoint.shows.rows else self._proposals
                async with self._memory.turn:
                    applied = await way.apply(checkpoint)
                return await self._noted(applied)
            async with self._memory.turn:
                commit, pull, new = await self._added(checkpoint)
        if checkpoint.human_commits:
            await self._human_commits.close(checkpoint.human_commits, pull)
        await self._trust.show(commit, checkpoint.shows, new=new)
        published = Published(commit, pull.head, pull.number, pull.url)
        if checkpoint.kind == "revision" and checkpoint.onto:  # others may build on its old head
            await self.restack()
        if new and checkpoint.below == pull.base == self._base:
            await self._show_alone(commit)
            return replace(published, notes=self._effort.notes())
        return await self._noted(published, new=new)

    async def publish_proposal(self, proposed: Proposed) -> Published:
        """Show a proposal to people on a pull request; keep what already exists.

        Raises ``TaskError`` when GitHub refuses it, ``Outage`` otherwise.
        """
        with workflow_refusal_explained(proposed.shown.changes.files):
            return await self._noted(await self._proposals.publish(proposed))

    async def end_proposal(self, task: str, *, ready: bool, why: str) -> None:
        """Hand this run's proposal about a task over to people, or close it and say why."""
        await self._proposals.end(task, ready=ready, why=why)

    async def human_commits(self, task: str, tip: str) -> HumanCommits | None:
        """Return what people pushed to the branch of a proposal about a task."""
        return await self._human_commits.find(task, tip)

    async def _offered(self, checkpoint: Checkpoint) -> Published:
        """Propose a repair against the branch of somebody's pull request."""
        offered = await self.fixes.offer(checkpoint, checkpoint.parent)
        commit = await self._branches.head(checkpoint.branch)
        if offered.state == "pushed" or commit is None:
            raise TaskError("github", fix_branch_taken(checkpoint.branch))
        await self._trust.show(commit, checkpoint.shows)
        published = Published(commit, checkpoint.branch, offered.number, offered.url)
        return replace(published, notes=self._effort.notes())

    async def _added(self, checkpoint: Checkpoint) -> tuple[str, Pull, bool]:
        """Return the checkpoint's commit, its pull request, and whether the commit is new."""
        if checkpoint.kind == "revision":
            return (*await self.reviews.publish(checkpoint), False)
        if checkpoint.shows.rows:
            return (*await self._one.add(checkpoint), False)
        commit, new = await self._branches.settled(checkpoint)
        below = await self._pulls.under(checkpoint.below)  # it may have been merged since
        made = replace(checkpoint, below=below)
        pull = await self._pulls.ensure(made, on=checkpoint.below, new=new)
        if below != checkpoint.below:
            await self._restacked(ticks=False)
        return commit, pull, new

    async def _show_alone(self, commit: str) -> None:
        """Show the place of a new pull request on the base branch.

        The others need not be listed: nothing builds on a branch that was made just now.
        """
        async with self._memory.turn:
            await self._places.show(commit, StackPlace(), new=True)

    async def _noted(self, published: Published, *, new: bool = False) -> Published:
        """Say what it builds on, and return it with what was refused."""
        if published.number is not None:
            await self.show_place(published.number, new=new)
        return replace(published, notes=self._effort.notes())

    async def _forked(self, members: Sequence[Member], base: str) -> tuple[Member, ...]:
        """Find where each left what is below it."""
        heads = {member.branch: member.commit for member in members} | {self._base: base}
        return tuple(
            [replace(m, fork=await self._fresh.fork(heads[m.below], m.commit)) for m in members]
        )

    async def _file(self, commit: str, path: str) -> bytes | None:
        entry = (await self.snapshot(commit)).entries.get(path)
        return (await self.blobs([entry.sha]))[entry.sha] if entry else None

    async def _template(self, commit: str) -> str:
        path = template_path((await self.snapshot(commit)).entries)
        return template_text(await self._file(commit, path) or b"") if path else ""

    async def _base_commit(self) -> str:
        ref = await self._api.find(ref_path(self._base), "show the base branch", refused=Outage)
        if ref is None:
            raise Outage(
                "github",
                f"{self._api.full_name} has no branch {self._base}. Push a first commit there.",
            )
        return str(ref["object"]["sha"])
