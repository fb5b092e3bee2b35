"""Proposals on GitHub: their pull requests and comments, from first to last.

A proposal's pull request joins the stack only when the proposal is applied. What a person closed
stays closed, what a person merged is approved, and what a person pushed stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.github.comments import OwnComment
from app.github.place import Place
from app.github.pulls import Pull, put_label, recovery_markers
from app.github.texts import proposal_texts
from runner.errors import Outage, TaskError
from runner.state.publishing import Checkpoint, Proposed, Published


@dataclass(frozen=True)
class RecoveryPulls:
    """The proposals of one run about tasks of one roadmap."""

    at: Place

    async def publish(self, proposed: Proposed) -> Published:
        """Put a proposal before people: branch, pull request, comment, label, buttons; each once.

        A fresh fingerprint is a fresh comment on the same pull request.
        """
        name = proposed.fingerprint
        there = await self.at.pulls.newest(proposed.shown.branch)
        if there and not there.open and (there.merged or there.fingerprint == name):
            comment = await self.at.comments.find(there.number, "proposal", name)
            return _published(there, there.sha, comment)
        pull, commit = await self._shown(proposed, there if there and there.open else None)
        text = proposal_texts.with_page(proposed.comment, self.at.page(proposed.shown.task))
        comment = await self.at.comments.ensure(pull.number, "proposal", name, text)
        await put_label(self.at.api, pull, self.at.effort)
        await self.at.checks.ask(commit, name, url=comment.url)
        if there is None:
            await self._replace(pull)
        return _published(pull, commit, comment)

    async def apply(self, checkpoint: Checkpoint) -> Published:
        """Make the applied proposal the next member of the stack.

        Where a person merged it already, the run goes on from what it was merged into. Raises
        ``TaskError`` when a person pushed to its branch.
        """
        there = await self.at.pulls.newest(checkpoint.branch)
        if there and there.merged and there.base == checkpoint.below:
            tip = await self.at.commits.head(there.base)
            if tip:
                return Published(tip.sha, there.base, there.number, there.url)
        if there and there.applied and not there.open and not there.merged:
            return _published(there, there.sha)  # applied before a crash, and refused since
        pull, commit = await self._member(checkpoint, there if there and there.open else None)
        await put_label(self.at.api, pull, self.at.effort)
        await self.at.checks.end(commit, "success")
        return _published(pull, commit)

    async def end(self, task: str, *, ready: bool, why: str) -> None:
        """Hand the pull request of this run's proposal over to people, or close it and say why."""
        pull = await self.at.pulls.proposed(task, self.at.run)
        if pull is None or pull.merged:
            return
        if not ready:
            await self._withdraw(pull, proposal_texts.withdrawn(why))
        elif pull.open:
            with self.at.effort():
                await self.at.pulls.ready(pull)
            await self._say(pull, proposal_texts.handed_over(pull, why))
            await self.at.checks.end(pull.sha, "neutral")

    async def _withdraw(self, pull: Pull, text: str) -> None:
        await self._say(pull, text)
        await self.at.pulls.close(pull)
        await self.at.checks.end(pull.sha, "neutral")
        if not await self.at.pulls.on(pull.head):  # deleting it would close what is made against it
            with self.at.effort():
                await self.at.branches.delete(pull.head)

    async def _say(self, pull: Pull, text: str) -> None:
        """Comment how it ended; a locked conversation does not keep it open."""
        with self.at.effort():
            await self.at.comments.ensure(pull.number, "ended", pull.fingerprint, text)

    async def _replace(self, by: Pull) -> None:
        """Close what other runs still show about the same task: one proposal asks at a time."""
        for older in await self.at.pulls.recoveries(by.task):
            ours = older.proposal and older.proposal.run == self.at.run
            if older.asks and older.number != by.number and not ours:
                await self._withdraw(older, proposal_texts.replaced(by.number))

    async def _shown(self, proposed: Proposed, there: Pull | None) -> tuple[Pull, str]:
        """The pull request with its newest commit; a person's push stays under a new proposal."""
        shown = proposed.shown
        if there and there.fingerprint == proposed.fingerprint:
            return there, there.sha
        commit = await self.at.branches.rebuilt(shown)
        markers = self._markers(shown, proposed.fingerprint, applied=False)
        if there is None:
            if commit is None:
                raise TaskError("github", proposal_texts.pushed(None, shown.branch, shown.task))
            return await self.at.pulls.open(shown, markers, draft=True), commit
        return await self.at.pulls.rewrite(there, shown, markers), commit or there.sha

    async def _member(self, checkpoint: Checkpoint, there: Pull | None) -> tuple[Pull, str]:
        """The pull request rebuilt as a member, or an ordinary one if none is open."""
        commit = await self._rebuilt(checkpoint, there)
        if commit is None:
            raise TaskError(
                "github", proposal_texts.pushed(there, checkpoint.branch, checkpoint.task)
            )
        name = there.fingerprint if there else ""
        markers = self._markers(checkpoint, name, applied=True)
        if there is None:
            return await self.at.pulls.open(checkpoint, markers), commit
        if not there.applied or there.base != checkpoint.below:
            there = await self.at.pulls.rewrite(there, checkpoint, markers)
        with self.at.effort():
            await self.at.pulls.ready(there)
        return there, commit

    async def _rebuilt(self, checkpoint: Checkpoint, there: Pull | None) -> str | None:
        """The member's commit; where the branch cannot be moved, people can still merge it."""
        try:
            return await self.at.branches.rebuilt(checkpoint)
        except Outage as outage:
            if outage.kind != "permission" or there is None:
                raise
            raise Outage(
                outage.kind, f"{outage.message} {proposal_texts.merge_it(there)}"
            ) from outage

    def _markers(self, shown: Checkpoint, fingerprint: str, *, applied: bool) -> list[str]:
        return recovery_markers(
            shown.task,
            self.at.roadmap,
            on=shown.below,
            run=self.at.run,
            fingerprint=fingerprint,
            applied=applied,
        )


def _published(pull: Pull, commit: str, comment: OwnComment | None = None) -> Published:
    found = (comment.id, comment.node) if comment else (None, "")
    return Published(commit, pull.head, pull.number, pull.url, *found)
