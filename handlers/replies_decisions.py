"""Every sentence a GitHub user reads about decisions. Texts of users are quoted as code."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.payloads import User
from handlers.proposals import Proposal, Rules, Saying
from handlers.replies import quoted

_MOST = 10
_DONE = {
    "approve": "is approved",
    "edit": "is approved with the tasks of your list",
    "reject": "is rejected",
    "skip": "is settled: its task is skipped",
}
_STATES = {
    "approved": "was approved",
    "rejected": "was rejected",
    "superseded": "was superseded",
    "closed": "is closed: its run went on without a decision",
    "expired": "is closed: nobody answered it in time, so the task was deferred",
}


def counted(proposal: Proposal, saying: Saying) -> str:
    """Say that a decision counts and what comes of it."""
    text = f"Proposal `{proposal.id}` about task {quoted(proposal.name)} {_DONE[saying.verdict]}."
    if proposal.run_status in ("paused", "pausing"):
        return (
            f"{text} Run `{proposal.run}` is paused: it is applied after `/execute resume` on the "
            "run's issue."
        )
    return f"{text} Run `{proposal.run}` goes on."


def too_late(proposal: Proposal) -> str:
    """Say that another decision, or something else, was first."""
    text = f"Proposal `{proposal.id}` {_STATES.get(proposal.state, 'is decided')}"
    if proposal.state == "superseded":
        return (
            f"{text} by a newer one since its task changed, so this does not count. Decide about "
            f"the newest proposal on [its pull request]({proposal.url})."
        )
    if proposal.state in ("closed", "expired"):
        return f"{text}. Nothing was done. {_retry(proposal)}"
    by = f" by {quoted(proposal.decided_by)}" if proposal.decided_by else ""
    how = f" ({proposal.channel})" if proposal.channel else ""
    return f"{text} already{by}{how}: the first decision counts. Nothing was done."


def stale(proposal: Proposal) -> str:
    """Say that something was said about an older proposal."""
    return (
        "This was said before the present proposal was made: the task or the proposal changed "
        f"since, so it does not count. Read [proposal `{proposal.id}`]({proposal.url}) and decide "
        f"about that: `/approve {proposal.id}` or `/reject {proposal.id}`."
    )


def outdated_review(proposal: Proposal) -> str:
    """Say that a review is of a commit that was the newest no more."""
    return (
        "This review is of an older commit: the branch was pushed to, or rebuilt, since. It does "
        f"not count. Read [proposal `{proposal.id}`]({proposal.url}) as it is now, and review that."
    )


def run_is_over(proposal: Proposal) -> str:
    """Say that there is no run any more that could apply it."""
    return (
        f"Run `{proposal.run}` of proposal `{proposal.id}` is {proposal.run_status}, so nothing "
        f"can be applied any more. Nothing was done. {_retry(proposal)}"
    )


def may_not_decide(saying: Saying, role: str, rules: Rules) -> str:
    """Say that somebody may not decide, and who may."""
    has = "no permission" if role == "none" else f"the permission *{role}*"
    need = "write" if saying.channel == "merge" else rules.need
    own = " (or to have started its run)" if rules.own_runs else ""
    return (
        f"To decide about a proposal needs the permission *{need}* on this repository{own}, and "
        f"{quoted(saying.by.login)} has {has}. This does not count; the proposal stays open.\n\n"
        "Ask somebody with that permission to decide, or an administrator of the repository for "
        "access."
    )


def people_only(account: User) -> str:
    """Say that no bot decides."""
    return f"Only people decide about proposals, and {quoted(account.login)} is a bot."


def no_proposal(word: str, open_ones: Sequence[Proposal]) -> str:
    """Say that nothing here is called so, or that nothing is here at all."""
    what = f"There is no proposal {quoted(word)} here." if word else "There is no proposal here."
    if not open_ones:
        return (
            f"{what} Nothing was done. A proposal is decided on its own pull request (label "
            "`cairn:recovery`), or by its id on the issue of its run."
        )
    return f"{what} Nothing was done. These wait for a decision:\n\n{_listed(open_ones)}"


def which(open_ones: Sequence[Proposal]) -> str:
    """Say that an id is needed, and which there are."""
    return f"Say which proposal you mean. These wait for a decision:\n\n{_listed(open_ones)}"


def elsewhere(proposal: Proposal) -> str:
    """Say where a proposal can be decided."""
    return (
        f"Proposal `{proposal.id}` does not belong to this conversation. Nothing was done. Decide "
        f"about it on [its own pull request]({proposal.url})."
    )


def no_list(word: str) -> str:
    """Say that an edit has no tasks."""
    example = f"/edit {word or 'ID'}\n- Add `app/totals.py` with `total(rows)`, and its tests"
    return (
        "`/edit` needs a list of tasks below it, one item each; there is none. Nothing was done. "
        f"Write for example:\n\n```\n{example}\n```"
    )


def bad_list(problems: Sequence[str]) -> str:
    """Say what is wrong with the tasks of an edit."""
    lines = "\n".join(f"- {problem}" for problem in problems[:_MOST])
    return f"The list cannot replace the task. Nothing was done.\n\n{lines}\n\nWrite it anew."


def lost_comment(proposal: Proposal) -> str:
    """Say that the comment people react to is gone, and how to decide now."""
    return (
        f"The comment of proposal `{proposal.id}` was deleted, so reactions are not counted any "
        f"more. Decide with `/approve {proposal.id}` or `/reject {proposal.id} why`, or by a "
        "review. What it proposed is the diff of this pull request."
    )


def edited_comment(proposal: Proposal) -> str:
    """Say that a comment is not what we wrote any more."""
    return (
        f"The comment of proposal `{proposal.id}` was edited, so it may not say what is proposed, "
        f"and reactions on it are not counted any more. Decide with `/approve {proposal.id}` or "
        f"`/reject {proposal.id} why`, or by a review."
    )


def unread_reactions(proposal: Proposal) -> str:
    """Say that reactions count for nothing here, and how to decide instead."""
    return (
        "Cairn cannot read reactions here, because GitHub's GraphQL API refuses to show them, so "
        f"a 👍 on proposal `{proposal.id}` has no effect. Reply `/approve {proposal.id}` or "
        f"`/reject {proposal.id} why`, or submit a review: both count."
    )


def _retry(proposal: Proposal) -> str:
    return f"`/execute retry {proposal.name}` works on the task again."


def _listed(proposals: Sequence[Proposal]) -> str:
    return "\n".join(
        f"- `{p.id}`: {p.strategy} of task {quoted(p.name)}, [here]({p.url})"
        for p in proposals[:_MOST]
    )
