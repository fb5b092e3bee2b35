"""Every sentence about a proposal that is GitHub's own: the loop words the proposal itself."""

from __future__ import annotations

from app.github.pull import Pull
from runner.defuse import defuse

CHECK_TITLE = "A proposal waits for a decision"
CHECK_SUMMARY = (
    "Cairn could not finish a task and proposes what to do about it: [the proposal]({url}) says "
    "what and why. The buttons decide on it, and so do a reaction, a reply or a review."
)
CHECK_ENDED = "The proposal is decided on."


def handed_over(pull: Pull, why: str) -> str:
    """What an approved escalation says: the task is for people now."""
    return (
        f"**Ready for people** ({_plain(why)}). Cairn works on this task no more until somebody "
        f"asks for it. Finish the task on `{pull.head}`, tick its box and merge; or push there "
        f"what you have and comment `/execute retry {pull.task}`: Cairn goes on from it, verifies "
        "it, ticks the box and opens its pull request in your name too."
    )


def taken(number: int) -> str:
    """What is said where people's work went into a checkpoint."""
    return (
        f"What was pushed here is part of #{number} now, so this pull request is closed. The "
        "branch stays."
    )


def withdrawn(why: str) -> str:
    """What is said where a proposal ends without being applied."""
    return f"**This proposal is closed:** {_plain(why)}."


def applied_in(pull: Pull) -> str:
    """Why a proposal that was applied is no pull request any more."""
    return f"it was applied, in a commit of {pull.url}"


def closed(pull: Pull) -> str:
    """Why a run whose one pull request was declined does not go on."""
    return (
        f"Pull request {pull.url} of this run was closed unmerged, and its next commit would stand "
        "on it. Reopen it and comment `/execute resume`, or end the run with `/execute cancel`."
    )


def replaced(number: int) -> str:
    """Why an older run's proposal asks no more."""
    return (
        f"**This proposal is closed:** the task was tried again, and #{number} proposes what to do "
        "about it now."
    )


def pushed(pull: Pull | None, branch: str, task: str) -> str:
    """Why an approved proposal was not applied: a person's work is on its branch."""
    where = f" of pull request {pull.url}" if pull else ""
    what = "Merge that pull request yourself to apply it" if pull else "Delete or rename the branch"
    return (
        f"Somebody pushed to branch {branch}{where}, so Cairn does not rebuild it. {what}, or "
        f"comment `/execute retry {task}` to have the task tried again."
    )


def merge_it(pull: Pull) -> str:
    """How people apply an approved proposal themselves."""
    return (
        f"To apply the proposal without it, mark {pull.url} as ready for review, merge it, then "
        "comment `/execute resume`."
    )


def _plain(text: str) -> str:
    return defuse(" ".join(text.split()), plain=True)
