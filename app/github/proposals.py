"""Proposals on GitHub: their pull requests and comments, from first to last.

A proposal's pull request joins the stack only when the proposal is applied. What a person closed
stays closed, what a person merged is approved, and what a person pushed stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.github.comments import OwnComment
from app.github.place import Place
from app.github.pulls import Pull, put_label, recovery_markers
from runner.errors import Outage, TaskError
from runner.state.publishing import Checkpoint, Proposed, Published
from runner.text.sanitize import inert_line


def handed_over(pull: Pull, why: str) -> str:
    """What an approved escalation says: the task is for people now."""
    return (
        f"**Ready for people** ({_plain(why)}). Cairn does not work on this task again until "
        f"somebody asks for it. Finish the task on `{pull.head}`, tick its box and merge; or push "
        f"what you have to that branch and comment `/execute retry {pull.task}`: Cairn continues "
        "from there, verifies it, ticks the box and opens a pull request that names you as a "
        "co-author."
    )


def taken(number: int) -> str:
    """The comment when people's work went into a checkpoint."""
    return (
        f"What was pushed here is now part of #{number}, so this pull request is closed. The "
        "branch stays."
    )


def withdrawn(why: str) -> str:
    """The comment when a proposal ends without being applied."""
    return f"**This proposal is closed:** {_plain(why)}."


def applied_in(pull: Pull) -> str:
    """Why an applied proposal is no longer a pull request."""
    return f"it was applied in a commit of {pull.url}"


def closed(pull: Pull) -> str:
    """Why a run whose single pull request was declined does not continue."""
    return (
        f"Pull request {pull.url} of this run was closed without a merge, and the run's next "
        "commit would build on it. Reopen it and comment `/execute resume`, or end the run with "
        "`/execute cancel`."
    )


def replaced(number: int) -> str:
    """Why an older run's proposal is closed."""
    return (
        f"**This proposal is closed:** the task was tried again, and #{number} is the new proposal "
        "for it."
    )


def pushed(pull: Pull | None, branch: str, task: str) -> str:
    """Why an approved proposal was not applied: a person's work is on its branch."""
    where = f" of pull request {pull.url}" if pull else ""
    what = "Merge that pull request yourself to apply it" if pull else "Delete or rename the branch"
    return (
        f"Somebody pushed to branch {branch}{where}, so Cairn does not rebuild it. {what}, or "
        f"comment `/execute retry {task}` to try the task again."
    )


def merge_it(pull: Pull) -> str:
    """How people apply an approved proposal themselves."""
    return (
        f"To apply the proposal without it, mark {pull.url} as ready for review, merge it, then "
        "comment `/execute resume`."
    )


def with_page(comment: str, page: str) -> str:
    """A proposal with the link to the page of its task, where there is one."""
    return f"{comment}\n\n[Every attempt of the task, with its tests]({page})" if page else comment


def _plain(text: str) -> str:
    """Foreign text inside a sentence of ours, without the full stop that ends that."""
    return inert_line(text).rstrip(".")


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
        text = with_page(proposed.comment, self.at.page(proposed.shown.task))
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
            await self._withdraw(pull, withdrawn(why))
        elif pull.open:
            with self.at.effort():
                await self.at.pulls.ready(pull)
            await self._say(pull, handed_over(pull, why))
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
                await self._withdraw(older, replaced(by.number))

    async def _shown(self, proposed: Proposed, there: Pull | None) -> tuple[Pull, str]:
        """The pull request with its newest commit; a person's push stays under a new proposal."""
        shown = proposed.shown
        if there and there.fingerprint == proposed.fingerprint:
            return there, there.sha
        commit = await self.at.branches.rebuilt(shown)
        markers = self._markers(shown, proposed.fingerprint, applied=False)
        if there is None:
            if commit is None:
                raise TaskError("github", pushed(None, shown.branch, shown.task))
            return await self.at.pulls.open(shown, markers, draft=True), commit
        return await self.at.pulls.rewrite(there, shown, markers), commit or there.sha

    async def _member(self, checkpoint: Checkpoint, there: Pull | None) -> tuple[Pull, str]:
        """The pull request rebuilt as a member, or an ordinary one if none is open."""
        commit = await self._rebuilt(checkpoint, there)
        if commit is None:
            raise TaskError("github", pushed(there, checkpoint.branch, checkpoint.task))
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
            raise Outage(outage.kind, f"{outage.message} {merge_it(there)}") from outage

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
