"""Every sentence about how pull requests stand on each other, and what to do when one is merged."""

from __future__ import annotations

from collections.abc import Sequence

from app.github.freshen import Fresh
from app.github.pull import Pull

_MOST = 10


def place(lower: Pull | None, uppers: Sequence[Pull]) -> str:
    """Say on what a pull request stands and which to merge first; '' where it stands alone."""
    above = _numbers(uppers)
    verb = "stands" if len(uppers) == 1 else "stand"
    if lower is None:
        return f"**Merge this one first.** {above} {verb} on it." if uppers else ""
    first = f"**Stacked on #{lower.number}.** Merge #{lower.number} first."
    return f"{first} {above} {verb} on this one." if uppers else first


def news(pull: Pull, *, closed: Pull | None, taken_in: Sequence[Pull]) -> list[str]:
    """What the description says besides: what else a merge brings."""
    said = []
    if taken_in:
        verb, whose = ("was", "its change") if len(taken_in) == 1 else ("were", "their changes")
        said.append(
            f"{_numbers(taken_in)} {verb} merged into this branch: merging this pull request "
            f"brings {whose} as well."
        )
    if closed:
        said.append(left_by_closed(pull, closed))
    return said


def left_by_closed(pull: Pull, closed: Pull) -> str:
    """What to do with a pull request when the one below it was closed without a merge."""
    return (
        f"**#{closed.number}, on which this was built, was closed without a merge.** This pull "
        f"request contains the change of #{closed.number} too, and merging it into `{pull.base}` "
        f"brings both. To have this task alone, close this pull request and comment "
        f"`/execute retry {pull.task}`. To have both, reopen #{closed.number} and merge it first."
    )


def joined(pull: Pull, merged: Pull) -> str:
    """What is said where Cairn brought the base branch in after a squash or rebase merge."""
    return (
        f"#{merged.number} was merged by squash or rebase, so git does not see that this branch "
        f"has that change already. Cairn made this pull request against `{pull.base}` and brought "
        f"`{pull.base}` into its branch with one merge commit. The diff shows only the change of "
        "this pull request. The tests were not run again after that commit.\n\n"
        "Merge or squash it. If only rebase merges are allowed here and GitHub refuses one, make "
        "one commit of it first:\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\n"
        f"git reset --soft origin/{pull.base} && git commit\ngit push --force-with-lease\n```"
    )


def joined_shortly(pull: Pull, merged: Pull) -> str:
    """The same in the description."""
    return (
        f"#{merged.number}, on which this was built, is in `{pull.base}` by squash or rebase, so "
        f"`{pull.base}` was brought into this branch. The tests were not run again after that."
    )


def stuck(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """What to type where the base branch cannot be brought in by itself."""
    paths = ", ".join(f"`{path.replace('`', chr(39))}`" for path in fresh.paths[:_MOST])
    more = f" and {len(fresh.paths) - _MOST} more" if len(fresh.paths) > _MOST else ""
    return (
        f"**This pull request needs you before it can be merged.** #{merged.number} was merged by "
        f"squash or rebase, so git does not see that this branch has that change already, and "
        f"`{pull.base}` and this branch both changed {paths}{more}. Type:\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\ngit merge origin/{pull.base}\n"
        "# resolve the conflicts, then\ngit commit && git push\n```\n\n"
        f"Or close this pull request and comment `/execute retry {pull.task}`: Cairn then works "
        f"on the task again, on `{pull.base}`."
    )


def lost(pull: Pull, base: str, below: Pull | None) -> str:
    """What is said where a pull request was merged into a branch that leads nowhere any more."""
    of = f", the branch of #{below.number}" if below else ""
    ended = "had been merged before" if below and below.merged else "is closed"
    why = f" #{below.number} {ended}." if below else ""
    return (
        f"**This change is not on `{base}`.** It was merged into `{pull.base}`{of}.{why} Nothing "
        f"merges that branch into `{base}`, so the task counts as open: `/execute`, or "
        f"`/execute retry {pull.task}` for it alone, works on it again. To have this very change "
        f"instead, open a pull request of `{pull.head}` against `{base}`."
    )


def reopened(pull: Pull, gone: str) -> str:
    """What is said where GitHub closed a pull request because its base branch was deleted."""
    return (
        f"GitHub closed this pull request because somebody deleted `{gone}`, the branch it was "
        f"made against. Nobody decided against it, so it was opened again, against `{pull.base}`."
    )


def _numbers(pulls: Sequence[Pull]) -> str:
    names = [f"#{pull.number}" for pull in pulls[:_MOST]]
    if len(pulls) > _MOST:
        names.append(f"{len(pulls) - _MOST} more")
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
