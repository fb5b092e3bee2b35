"""What people read about revisions: pull requests that are worked on again as reviewers ask."""

from __future__ import annotations

from collections.abc import Sequence

from runner.state.revising import Revision, RevisionRequest
from runner.text.sanitize import as_codes, sanitize

_MOST_PATHS = 10

_ASKED = "A review of the pull request asked for this."


def nothing_asked(revision: Revision) -> str:
    """There is nothing to do."""
    return (
        f"There is nothing to change in pull request {revision.pull}: nobody with the "
        "write permission has an open review thread there. Write what to change after the command."
    )


def nothing_fails(revision: Revision) -> str:
    """The checks ended well meanwhile, or the branch has another commit now."""
    return (
        f"Pull request {revision.pull} no longer needs a repair: its branch has a newer commit, or "
        "its checks no longer fail."
    )


def nothing_conflicts(revision: Revision) -> str:
    """Somebody pushed to the branch, or the conflict is gone."""
    return (
        f"Pull request {revision.pull} does not have to be worked on again: its branch has a newer "
        f"commit, or is no longer in conflict with {revision.below}."
    )


def revision_message(title: str, explanation: str, revision: Revision) -> str:
    """The message of the commit that a revision adds; ``explanation`` is the model's."""
    text = sanitize(explanation, plain=True)
    why = f"What the model says it did: {text}" if text else ""
    repairs = revision.repairs
    first = f"{'Repair' if repairs else 'Revise'}: {title}"
    cause = "Checks of the pull request failed." if repairs else _ASKED
    if revision.conflict:  # the first words are those of every merge of ours
        first = f"Merge {revision.below} and work on the task again"
        paths = sanitize(", ".join(revision.conflict.paths[:_MOST_PATHS]), plain=True)
        cause = f"The two were in conflict: {paths}."
    return "\n\n".join(filter(None, [first, cause, why]))


def tests_fail(reasons: Sequence[str]) -> str:
    """Tests fail that did not fail below the pull request."""
    more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"tests fail because of the change: {reasons[0]}{more}" if reasons else "tests fail"


def not_ours(number: int) -> str:
    """There is no such pull request, or it is somebody else's."""
    return f"Pull request {number} is not Cairn's work on a task, so there is nothing to revise."


def ended(number: int, *, merged: bool) -> str:
    """Somebody merged or closed it before anything could be added."""
    how, what = ("closed", "`/execute retry ID` starts its task again")
    if merged:
        how, what = "merged", "Add what is still to change as a new task"
    return f"Pull request {number} was {how} before Cairn could add anything to it. {what}."


def branch_gone(branch: str) -> str:
    """It has no pull request, or that has no branch, any more."""
    return f"{branch}, or the branch that it is to be merged into, was deleted: nothing was added."


def reworded(roadmap: str, branch: str) -> str:
    """People changed the words of the task, or deleted it, while its change was in review."""
    return (
        f"`{roadmap}` on `{branch}` no longer has the task in the words of this pull request, so "
        "Cairn did not work on it again. To have it done as it is written now, close this pull "
        "request and comment `/execute`."
    )


def revised_line(commit: str, number: int) -> str:
    """What the description of a pull request says about one revision of it."""
    return f"**Revised** as a review asked: {commit} (revision {number})."


def redone_line(commit: str, base: str) -> str:
    """What the description of a pull request says about an attempt after a conflict."""
    return (
        f"**Worked on again** because of a conflict with `{base}`: {commit}. If you reviewed this "
        "pull request before, please review it again."
    )


def redone(commit: str, revision: Revision) -> str:
    """What was in conflict then no longer is; the base may have changed once more since."""
    return (
        f"Cairn worked on the task again: {commit} builds on `{revision.below}` at {revision.fork} "
        "and resolves the conflict with it. The description of this pull request says how far the "
        "whole change is verified now. Please review it again."
    )


def not_redone(why: str) -> str:
    """Nothing came of it; whoever pushed or closed the pull request may have ended the conflict."""
    return (
        f"**Nothing was pushed:** {whole_sentence(why)} Cairn will not try to resolve this "
        "conflict again. If it is still there, the description of this pull request says what to "
        "do."
    )


def revised(commit: str) -> str:
    """A commit was added to the pull request."""
    return (
        f"Added {commit} to this pull request. Its description says how far the whole change is "
        "verified now."
    )


def not_revised(why: str, *, again: bool = True) -> str:
    """Nothing was added; ``again`` says whether it may be tried again."""
    said = f"**Nothing was pushed, and this pull request is unchanged:** {whole_sentence(why)}"
    if not again:
        return said
    return (
        f"{said} To try again, comment `/execute revise` and say more exactly what to change; or "
        "push the change yourself."
    )


def counted(asked: RevisionRequest) -> str:
    """How many revisions the pull request had, and may have."""
    more = how_many_left(asked)
    if asked.failing:
        return (
            f"Checks failed on {asked.failing}, and Cairn tried to repair that by itself: attempt "
            f"{asked.number} of {asked.most} (`pull_requests.ci_repairs`); {more}."
        )
    if asked.conflict:
        return (
            "Cairn worked on this pull request again by itself, because it was in conflict with "
            f"its base: attempt {asked.number} of {asked.most} (`pull_requests.revisions`); {more}."
        )
    return f"This was revision {asked.number} of {asked.most} of this pull request; {more}."


def how_many_left(asked: RevisionRequest) -> str:
    """How many more attempts are possible."""
    left = asked.most - asked.number
    if left <= 0:
        return "no more are possible"
    return f"{left} more {'is' if left == 1 else 'are'} possible"


def thread_done(commit: str) -> str:
    """The lines of a thread were changed."""
    return f"Changed in {commit}."


def elsewhere(commit: str, path: str, changed: Sequence[str]) -> str:
    """The commit changes other lines than those of the thread."""
    where = "other lines of this file" if path in changed else as_codes(changed)
    return (
        f"{commit} changes {where}, not these lines, so this thread stays open. If that is what "
        "you asked for, resolve it. Otherwise reply with `/execute revise` and what is missing."
    )


def thread_failed(why: str) -> str:
    """Nothing came of it."""
    return f"Not changed: {whole_sentence(why)} Nothing was pushed, so this thread stays open."


def only_never_written(paths: Sequence[str]) -> str:
    """All that a review asks for is in files that are never written."""
    return (
        f"{_never(sorted(set(paths)))} This review is about nothing else, so no model was asked "
        f"and no revision is counted. {_YOURSELF}"
    )


def thread_never_written(path: str) -> str:
    """A thread is about a file that is never written."""
    return f"{_never([path])} This thread stays open. {_YOURSELF}"


def _never(paths: Sequence[str]) -> str:
    which = "is one of them" if len(paths) == 1 else "are among them"
    return (
        "Cairn does not change protected files or the roadmap for a review, and "
        f"{as_codes(paths)} {which}."
    )


_YOURSELF = (
    "Please make this change yourself. If another file should change, comment `/execute revise` "
    "with what to change there."
)
CANCELLED = "the run was cancelled before it was done"


def cancelled() -> str:
    """Somebody stopped the run, and can have it done after all."""
    return (
        "Nothing was pushed, and this pull request is unchanged. To have it done after all, "
        "comment `/execute revise`: without more words Cairn works on the open review threads."
    )


def thread_unread(asked: RevisionRequest) -> str:
    """There was no room for a thread in the revision."""
    return (
        "Not read yet: this review has more comments than fit into one revision, so this thread "
        f"stays open. {_how_to_go_on(asked)}"
    )


def read_in_part(revision: Revision, asked: RevisionRequest) -> str:
    """What of a review was not read, and what to do about it; '' if all of it was."""
    left, parts = sum(not each.path for each in revision.left_out), list[str]()
    if never := sorted({each.path for each in revision.left_out if each.path}):
        parts.append(f"{_never(never)} Nothing was done about the comments there.")
    if left:
        read = len(revision.points)
        many = "1 thread was" if left == 1 else f"{left} threads were"
        parts.append(
            f"**{many} not read.** The first {read} comments filled this revision. Each of the "
            f"others has a reply that says so. {_how_to_go_on(asked)}"
        )
    if any(point.shortened for point in revision.points):
        parts.append(
            "A very long comment was read without its middle. If something of it is missing, ask "
            "for that in a shorter comment."
        )
    return "\n\n".join(parts)


def _how_to_go_on(asked: RevisionRequest) -> str:
    if asked.number >= asked.most:
        return (
            "No more revisions are possible here, so please push the rest of the change yourself."
        )
    return (
        "Comment `/execute revise` on the pull request, without more words, to have Cairn work on "
        "the threads that are still open."
    )


def whole_sentence(why: str) -> str:
    """Make a reason a sentence of its own, with nothing active in it."""
    text = sanitize(" ".join(why.split()), plain=True)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def not_files(paths: Sequence[str]) -> str:
    """The branch has links or submodules, which no change set can hold."""
    verb = "is not an ordinary file" if len(paths) == 1 else "are not ordinary files"
    return (
        f"{as_codes(paths)} on the branch {verb}. Cairn cannot work on this pull request again; "
        "change it by hand."
    )


def both_changed(revision: Revision, paths: Sequence[str]) -> str:
    """Somebody pushed to the same files meanwhile."""
    return (
        f"somebody pushed a change to {as_codes(paths)} on {revision.branch} at the same time. "
        "Their commit stays as it is; comment `/execute revise` with what still has to change"
    )
