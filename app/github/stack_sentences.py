"""What pull requests say about their stack: their place in it, and what became of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.github.checks import TRUST
from app.github.conflicts import MOST
from app.github.freshen import Attempting, Fresh
from app.github.pulls import Pull
from handlers.stack_replies import numbers
from runner.text.sanitize import sanitize

_MOST = 10
_REPORTS = "The comment of that run on this pull request will say how it went."
_NEEDS_YOU = "**This pull request needs you before it can be merged.**"


def taken_in(pulls: Sequence[Pull]) -> list[str]:
    """What the description says besides: which others a merge brings."""
    if not pulls:
        return []
    verb, whose = ("was", "its change") if len(pulls) == 1 else ("were", "their changes")
    return [
        f"{_numbers(pulls)} {verb} merged into this branch: merging this pull request also merges "
        f"{whose}."
    ]


def carried(pulls: Sequence[Pull], base: str) -> list[str]:
    """What the description says of changes that only this branch still brings to the base."""
    if not pulls:
        return []
    verb, whose = ("was", "its change") if len(pulls) == 1 else ("were", "their changes")
    where = ", ".join(f"`{branch}`" for branch in dict.fromkeys(pull.base for pull in pulls))
    return [
        f"{_numbers(pulls)} {verb} merged into {where}, but not into `{base}`: merging this pull "
        f"request also merges {whose}."
    ]


def left_by_closed(pull: Pull, closed: Pull, fresh: Fresh) -> str:
    """What to do with a pull request when the one below it was closed without a merge."""
    begun = f"**#{closed.number}, which this builds on, was closed without a merge.**"
    if fresh.done == "rebuilt":
        return (
            f"{begun} Cairn removed the change of #{closed.number} from this branch, which is now "
            f"a single commit on `{pull.base}`. {_tested(fresh)}"
        )
    return (
        f"{begun} This pull request also contains the change of #{closed.number}, so merging it "
        f"into `{pull.base}` merges both. {_why_not(fresh)}If you want only this task, close this "
        f"pull request and comment `/execute retry {pull.task}`. If you want both, reopen "
        f"#{closed.number} and merge it first.{_by_hand(pull, fresh)}"
    )


def still_shows(lower: Pull | None, closed: Pull | None) -> str:
    """What the description says while one below it is closed, and another one below that is open.

    People may open the closed one again, so its change is taken out only when nothing is below.
    """
    if lower is None or closed is None:
        return ""
    return (
        f"#{closed.number} below was closed without a merge, and this pull request still shows its "
        f"change. When #{lower.number} is merged or closed, Cairn removes that change. If you "
        f"merge this one before #{lower.number}, you also merge the change of #{closed.number}."
    )


def rewritten(pull: Pull, fresh: Fresh) -> str:
    """What happened to a branch when commits were forced off its base branch."""
    begun = (
        f"**The history of `{pull.base}` was rewritten** by a force push, and this branch was "
        "built on commits that are no longer part of it."
    )
    if fresh.done == "rebuilt":
        return (
            f"{begun} Cairn rebuilt the branch as one commit on `{pull.base}`, without those "
            f"commits. {_tested(fresh)}"
        )
    return (
        f"{begun} Merging this pull request would bring them back. "
        f"{_why_not(fresh)}{_by_hand(pull, fresh)}"
    )


def rebuilt_above(pull: Pull, lower: Pull, fresh: Fresh) -> str:
    """What happened to a branch when the one it builds on was rebuilt."""
    begun = f"The branch of #{lower.number}, which this builds on, was rebuilt as one commit."
    if fresh.done == "rebuilt":
        return f"{begun} Cairn rebuilt this branch on it, with the same change. {_tested(fresh)}"
    return (
        f"{begun} This branch still contains the old commits, so this pull request shows their "
        f"changes too. {_why_not(fresh)}{_by_hand(pull, fresh)}"
    )


def only_github(pull: Pull, below: Pull | None, base: str) -> str:
    """What to do where only GitHub can change the base of a pull request, and does not."""
    name = f"#{below.number}" if below else f"`{pull.base}`"
    then = (
        "To take this pull request out of the stack, choose *Unstack* on its page. Cairn then "
        f"changes its base to `{base}`"
    )
    if below and not below.merged:
        return (
            f"{_NEEDS_YOU} It is in a stack of GitHub, which merges nothing above a closed pull "
            f"request, and {name} below it was closed. Reopen {name} if you want its change. "
            f"{then}, and removes the change of {name} from it."
        )
    return (
        f"{_NEEDS_YOU} It is in a stack of GitHub. {name}, which it was made against, is merged, "
        f"but GitHub has not changed its base to `{base}`. {then}."
    )


def github_rebases(pull: Pull, merged: Pull) -> str:
    """What the description says while GitHub has time to rebase what is left of a stack."""
    return (
        f"**GitHub is rebasing this branch.** #{merged.number} below it was merged with GitHub's "
        f"stack, so GitHub puts this pull request on `{pull.native.base if pull.native else ''}`. "
        "If that has not happened within a minute, Cairn does it."
    )


def not_rebased(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """What to do if GitHub did not rebase a branch of its stack that people pushed to."""
    return (
        f"{_NEEDS_YOU} #{merged.number} below it was merged with GitHub's stack, but GitHub has "
        f"not put this branch on `{pull.base}`. {_why_not(fresh)}Press *Rebase stack* on the page "
        f"of this pull request.{_by_hand(pull, fresh)}"
    )


def joined(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """The comment when Cairn brought the base branch in after a squash or rebase merge."""
    begun = (
        f"#{merged.number} was merged by squash or rebase, so git does not see that this branch "
        f"already has that change. {'GitHub' if pull.native else 'Cairn'} changed the base of this "
        f"pull request to `{pull.base}` "
    )
    shown = f"The diff shows only the change of this pull request. {_tested(fresh)}"
    if fresh.done == "rebuilt":
        rebuilt = "and Cairn rebuilt" if pull.native else "and rebuilt"
        return f"{begun}{rebuilt} its branch as one commit on `{pull.base}`. {shown}"
    return (
        f"{begun}and merged `{pull.base}` into its branch. {shown}\n\n"
        "Merge or squash this pull request. If GitHub refuses to rebase it, first turn it into one "
        "commit:"
        f"\n\n```sh\ngit fetch origin\ngit switch {pull.head}\n"
        f"git reset --soft origin/{pull.base} && git commit\ngit push --force-with-lease\n```"
    )


def joined_shortly(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """The same in the description."""
    into, on = f"merged `{pull.base}` into this branch", f"rebuilt this branch on `{pull.base}`"
    did = on if fresh.done == "rebuilt" else into
    return (
        f"#{merged.number}, which this builds on, was merged into `{pull.base}` by squash or "
        f"rebase, so Cairn {did}. {_tested(fresh)}"
    )


def _tested(fresh: Fresh) -> str:
    if fresh.same:
        return "Its files are the same as before, so the earlier verification still holds."
    if fresh.again:
        return f"Cairn runs the tests again: the check `{TRUST}` shows the result."
    return "The tests were not run again after that."


def _why_not(fresh: Fresh) -> str:
    if fresh.done == "pushed":
        return "Somebody pushed to this branch, so Cairn does not rewrite it. "
    if fresh.done == "stuck":
        both = f"this branch and its base both changed {_paths(fresh.paths)}"
        if fresh.attempt == "working":
            return (
                f"Because {both}, Cairn is working on the task once more, on the newest commit of "
                f"the base. {_REPORTS} "
            )
        return f"Cairn did not change this branch, because {both}. {_tried(fresh)}"
    return ""


_NOT_AGAIN: Mapping[Attempting, str] = {
    "failed": "Cairn tried the task again, but that did not resolve the conflict: the comment of "
    "that run on this pull request says why. ",
    "limit": "Cairn does not work on the task again by itself: it has done so as often as "
    "`pull_requests.revisions` allows. ",
    "off": "Cairn does not work on the task again by itself, because `pull_requests.revisions` is "
    "0. ",
    "pushed": "Cairn does not work on the task again by itself, because somebody pushed to this "
    "branch. ",
    "opaque": "Cairn does not work on the task again, because a link, a submodule or a binary file "
    "is in conflict. ",
    "many": f"Cairn does not work on the task again, because more than {MOST} files changed on "
    "both sides. ",
    "busy": "Cairn does not work on the task again until the run that made this pull request has "
    "ended. ",
    "paused": "Cairn does not work on the task again while the run is paused. `/execute resume` "
    "continues it. ",
    "cancelled": "Cairn does not work on the task again, because somebody cancelled the run. ",
    "done": "Cairn does not work on the task again, because it is done. ",
    "skipped": "Cairn does not work on the task again, because somebody skipped it. ",
}


def _tried(fresh: Fresh) -> str:
    """Why no new attempt is made."""
    return _NOT_AGAIN.get(fresh.attempt, "")


def _worked_on(pull: Pull, fresh: Fresh, both: str) -> str:
    """What is said while a new attempt is made."""
    return (
        f"{both}, so Cairn is working on the task once more, on the newest `{pull.base}`. "
        f"{_REPORTS} {_resolve(pull, fresh, 'To resolve the conflict yourself instead, type:')}"
    )


def _by_hand(pull: Pull, fresh: Fresh) -> str:
    """What to type to keep only the changes of a branch itself."""
    if not fresh.start:
        return ""
    return (
        "\n\nTo keep this branch with only its own changes, type:\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\n"
        f"git rebase --onto origin/{pull.base} {fresh.start}\ngit push --force-with-lease\n```"
    )


def _paths(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path.replace('`', chr(39))}`" for path in paths[:_MOST])
    return f"{shown} and {len(paths) - _MOST} more" if len(paths) > _MOST else shown


def stuck(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """What to type if Cairn cannot merge the base branch in."""
    if fresh.refused:
        return _needs_workflows(pull, merged, fresh)
    because = (
        f"#{merged.number} was merged by squash or rebase, so git does not see that this branch "
        f"already has that change, and `{pull.base}` and this branch both changed "
        f"{_paths(fresh.paths)}"
    )
    if fresh.attempt == "working":
        return _worked_on(pull, fresh, because)
    return f"{_NEEDS_YOU} {because}. {_tried(fresh)}{_resolve(pull, fresh)}"


def conflicting(pull: Pull, fresh: Fresh) -> list[str]:
    """What the description says while the base branch changed the same as this one."""
    if not fresh.conflicts:
        return []
    both = f"`{pull.base}` and this branch both changed {_paths(fresh.conflicts)}"
    if fresh.attempt == "working":
        return [_worked_on(pull, fresh, both)]
    return [f"{_NEEDS_YOU} {both}. {_tried(fresh)}{_resolve(pull, fresh)}"]


def _resolve(pull: Pull, fresh: Fresh, lead: str = "To resolve the conflict, type:") -> str:
    """What to type to bring the base branch in, and how to have the task done again instead.

    GitHub merges no native stack that has a merge commit in it.
    """
    bring = f"git merge origin/{pull.base}"
    then = "git commit && git push"
    if pull.native:
        bring = f"git rebase --onto origin/{pull.base} {fresh.start}"
        then = "git rebase --continue && git push --force-with-lease"
    return (
        f"{lead}\n\n```sh\ngit fetch origin\ngit switch {pull.head}\n{bring}\n"
        f"# resolve the conflicts, then\n{then}\n```\n\n"
        f"Or close this pull request and comment `/execute retry {pull.task}`: Cairn then works "
        f"on the task again, on `{pull.base}`."
    )


def done_already(merged: Pull | None, base: str) -> str:
    """What the description says when the task was done meanwhile, by ``merged`` if we know."""
    if merged is None:
        return (
            f"**The task of this pull request is already ticked on `{base}`.** Close this pull "
            "request, unless you want its change as well."
        )
    return (
        f"**The task of this pull request is already done on `{base}`:** #{merged.number} was "
        "merged. Merging this one as well would do it twice, and may conflict. Close it, unless "
        "you want its version instead."
    )


def forbidden(why: str) -> str:
    """What the description says while rules of the repository keep Cairn from its branch."""
    return f"**Cairn could not bring this pull request up to date.** {sanitize(why, plain=True)}."


def _needs_workflows(pull: Pull, merged: Pull, fresh: Fresh) -> str:
    """What to do about a branch that people pushed to, where GitHub refuses our merge."""
    return (
        f"{_NEEDS_YOU} #{merged.number} was merged, "
        f"and `{pull.base}` has workflow files that this branch lacks ({_paths(fresh.paths)}). "
        "GitHub lets an App write such files only with the *Workflows* permission, which Cairn "
        "does not have. Somebody pushed to this branch, so Cairn does not rebuild it either. Type:"
        "\n\n"
        f"```sh\ngit fetch origin\ngit switch {pull.head}\ngit merge origin/{pull.base}\n"
        "git push\n```\n\nGitHub's button *Update branch* does the same."
    )


def unticked(pulls: Sequence[Pull], base: str, roadmap: str) -> str:
    """The comment when tasks were reworded or deleted while their change was in review."""
    titles = ", ".join(f"*{pull.title}*" for pull in pulls[:_MOST])
    what, its = ("the task", "it") if len(pulls) == 1 else ("tasks", "them")
    return (
        f"**Merging this pull request does not tick {what} {titles}.** `{roadmap}` on `{base}` was "
        f"changed while the pull request was open, and no longer has {its} in these words. The "
        "code in this pull request has not changed. If it still does what the roadmap asks for, "
        "tick the box by hand."
    )


def lost(pull: Pull, base: str, below: Pull | None) -> str:
    """The comment when a pull request was merged into a branch that nobody merges."""
    of = f", the branch of #{below.number}" if below else ""
    ended = "had already been merged" if below and below.merged else "is closed"
    why = f" #{below.number} {ended}." if below else ""
    return (
        f"**This change is not on `{base}`.** It was merged into `{pull.base}`{of}.{why} Nothing "
        f"merges that branch into `{base}`, so the task counts as open. To work on it again, "
        f"comment `/execute`, or `/execute retry {pull.task}` for this task only. To use this "
        f"change as it is, open a pull request from `{pull.head}` to `{base}`."
    )


def reopened(pull: Pull, gone: str) -> str:
    """The comment when GitHub closed a pull request because its base branch was deleted."""
    return (
        f"GitHub closed this pull request because somebody deleted `{gone}`, its base branch. "
        f"Nobody declined the change, so Cairn reopened it against `{pull.base}`."
    )


def _numbers(pulls: Sequence[Pull]) -> str:
    return numbers([pull.number for pull in pulls])
