"""What people read about decisions: which counted, which did not and why, what is open."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.events import User
from handlers.ports import ProposalView, Rules, Vote
from handlers.replies import quoted
from runner.state.status_words import PROPOSALS, RUNS

_MOST = 10
_DONE = {
    "approve": "is approved",
    "edit": "is approved with your list of tasks",
    "reject": "is rejected",
    "skip": "is closed: its task is skipped",
}


def counted(proposal: ProposalView, vote: Vote) -> str:
    """Say that a decision counts and what comes of it."""
    text = f"Proposal `{proposal.id}` about task {quoted(proposal.name)} {_DONE[vote.verdict]}."
    if proposal.run_status in ("paused", "pausing"):
        return (
            f"{text} Run `{proposal.run}` is paused: comment `/execute resume` on the run's issue "
            "to apply this."
        )
    return f"{text} Run `{proposal.run}` continues."


def too_late(proposal: ProposalView) -> str:
    """Say that another decision, or something else, was first."""
    text = f"Proposal `{proposal.id}` {PROPOSALS.get(proposal.state, 'is decided')}"
    if proposal.state == "superseded":
        return (
            f"{text} by a newer one because its task changed, so this does not count. Decide on "
            f"the newest proposal on [its pull request]({proposal.place.url})."
        )
    if proposal.state in ("closed", "expired"):
        return f"{text}. Nothing was done. {_retry(proposal)}"
    decision = proposal.decision
    by = f" by {quoted(decision.by)}" if decision and decision.by else ""
    how = f" ({decision.channel})" if decision and decision.channel else ""
    return f"{text}{by}{how}. Only the first decision counts, so nothing was done."


def stale(proposal: ProposalView) -> str:
    """Say that an answer was about an older proposal."""
    return (
        "This does not count, because it is older than the current proposal: the task or the "
        f"proposal has changed since. Read [proposal `{proposal.id}`]({proposal.place.url}) and "
        f"decide on that one: `/approve {proposal.id}` or `/reject {proposal.id}`."
    )


def outdated_review(proposal: ProposalView) -> str:
    """Say that a review is of a commit that is no longer the newest."""
    return (
        "This review does not count, because it is about an older commit: since then, somebody "
        "pushed to the branch or Cairn rebuilt it. Read "
        f"[proposal `{proposal.id}`]({proposal.place.url}) as it is now, and review it again."
    )


def run_is_over(proposal: ProposalView) -> str:
    """Say that no run can apply it any more."""
    return (
        f"Proposal `{proposal.id}` belongs to run `{proposal.run}`, which "
        f"{RUNS[proposal.run_status].sentence}, so it can no longer be applied. Nothing was done. "
        f"{_retry(proposal)}"
    )


def may_not_decide(vote: Vote, role: str, rules: Rules) -> str:
    """Say that somebody may not decide, and who may."""
    has = "no permission" if role == "none" else f"the *{role}* permission"
    need = "write" if vote.channel == "merge" else rules.need
    own = ", unless you started its run" if rules.own_runs else ""
    return (
        f"To decide on a proposal, you need the *{need}* permission on this repository{own}. "
        f"{quoted(vote.by.login)} has {has}, so this does not count and the proposal stays open."
        "\n\nAsk somebody with that permission to decide, or ask an administrator of the "
        "repository for access."
    )


def people_only(account: User) -> str:
    """Say that no bot decides."""
    return f"Only people can decide on proposals, and {quoted(account.login)} is a bot."


def no_proposal(word: str, open_ones: Sequence[ProposalView]) -> str:
    """Say that nothing here is called so, or that nothing is here at all."""
    what = f"There is no proposal {quoted(word)} here." if word else "There is no proposal here."
    if not open_ones:
        return (
            f"{what} Nothing was done. Decide on a proposal on its own pull request (label "
            "`cairn:recovery`), or by its id on the issue of its run."
        )
    return f"{what} Nothing was done. These are waiting for a decision:\n\n{_listed(open_ones)}"


def which(open_ones: Sequence[ProposalView]) -> str:
    """Say that an id is needed, and which there are."""
    return f"Say which proposal you mean. These are waiting for a decision:\n\n{_listed(open_ones)}"


def elsewhere(proposal: ProposalView) -> str:
    """Say where a proposal can be decided."""
    return (
        f"Proposal `{proposal.id}` does not belong to this conversation. Nothing was done. Decide "
        f"on it on [its own pull request]({proposal.place.url})."
    )


def no_list(word: str) -> str:
    """Say that an edit has no tasks."""
    example = f"/edit {word or 'ID'}\n- Add `app/totals.py` with `total(rows)`, and its tests"
    return (
        "`/edit` needs a list of tasks on the lines below it, and there is none. Nothing was done. "
        f"For example:\n\n```\n{example}\n```"
    )


def bad_list(problems: Sequence[str]) -> str:
    """Say what is wrong with the tasks of an edit."""
    lines = "\n".join(f"- {problem}" for problem in problems[:_MOST])
    return (
        f"This list cannot replace the task. Nothing was done.\n\n{lines}\n\nCorrect the list and "
        "comment `/edit` again."
    )


def lost_comment(proposal: ProposalView) -> str:
    """Say that the comment people react to is gone, and how to decide now."""
    return (
        f"The comment of proposal `{proposal.id}` was deleted, so reactions no longer count. "
        f"Decide with `/approve {proposal.id}` or `/reject {proposal.id} why`, or with a review. "
        "The diff of this pull request shows what it proposed."
    )


def edited_comment(proposal: ProposalView) -> str:
    """Say that a comment is no longer what we wrote."""
    return (
        f"The comment of proposal `{proposal.id}` was edited, so it may no longer say what is "
        f"proposed, and reactions on it do not count. Decide with `/approve {proposal.id}` or "
        f"`/reject {proposal.id} why`, or with a review."
    )


def unread_reactions(proposal: ProposalView) -> str:
    """Say that reactions count for nothing here, and how to decide instead."""
    return (
        "Cairn cannot read reactions here, because GitHub's GraphQL API refuses to show them, so "
        f"a 👍 on proposal `{proposal.id}` has no effect. Reply `/approve {proposal.id}` or "
        f"`/reject {proposal.id} why`, or submit a review: both count."
    )


def _retry(proposal: ProposalView) -> str:
    return f"`/execute retry {proposal.name}` works on the task again."


def _listed(proposals: Sequence[ProposalView]) -> str:
    return "\n".join(
        f"- `{p.id}`: {p.strategy} of task {quoted(p.name)}, [here]({p.place.url})"
        for p in proposals[:_MOST]
    )
