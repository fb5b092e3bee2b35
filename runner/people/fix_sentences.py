"""What people read about repairs of pull requests on which checks fail (``/execute fix``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from runner.people.revision_sentences import how_many_left, whole_sentence
from runner.people.sentences import (
    changed_files,
    commands_of,
    effort,
    in_its_words,
    verification_table,
    worth_a_look,
)
from runner.people.trust import trust_line, trust_of, trust_section
from runner.state.publishing import CheckpointText
from runner.state.revising import Revision, RevisionRequest
from runner.state.run_state import RunState
from runner.text.sanitize import as_code, as_codes, plain_line, sanitize


def fix_roadmap(pull: int) -> str:
    """The one task of the run, as a roadmap that nobody stores."""
    return f"- [ ] Make the failing checks of pull request {pull} pass\n"


def fix_branch(pull: int) -> str:
    """The branch of the repairs of a pull request."""
    return f"cairn/fix/{pull}"


def repaired_by(branch: str) -> int:
    """The pull request that a branch has repairs of; 0 for another branch."""
    number = branch.removeprefix(fix_branch(0).removesuffix("0"))
    return int(number) if number != branch and number.isdecimal() else 0


def fix_branch_taken(branch: str) -> str:
    """A person pushed to it."""
    return (
        f"Somebody pushed to {branch}, so Cairn leaves that branch alone. Merge or delete it, then "
        "ask again."
    )


def not_fixable(pull: int, how: Literal["merged", "closed", "gone"]) -> str:
    """It ended meanwhile."""
    what = "no longer exists" if how == "gone" else f"was {how}"
    return f"Pull request {pull} {what}, so there is nothing to repair."


def moved_on(branch: str) -> str:
    """Somebody pushed while the repair was made, so it was tried on a commit that is gone."""
    return (
        f"Somebody pushed to {as_code(branch)} while Cairn made the repair, which was not tried on "
        "the new commit. If checks fail there as well, comment `/execute fix` again."
    )


def says_nothing(revision: Revision) -> str:
    """No check says what is wrong, and no log could be read."""
    return (
        f"The checks of pull request {revision.pull} fail, but Cairn cannot see why: they have "
        f"no text and no annotations. {_not_read(revision.unclear.unread)}No model was asked."
    )


def fix_pull(state: RunState, revision: Revision) -> CheckpointText:
    """The words of commit and pull request."""
    attempt, pull = state.attempt, revision.pull
    trust = trust_of(attempt)
    body = [
        f"Checks fail on #{pull}, and {plain_line(revision.by)} asked Cairn to repair that. This "
        f"pull request is against {as_code(revision.branch)}, the branch of #{pull}: merge it "
        "if it is right, or close it.",
        _left_alone(revision.unclear.below),
        in_its_words(attempt),
        f"### Files\n\n{changed_files(attempt)}",
        worth_a_look(attempt),
        trust_section(trust),
        f"### Verification\n\n{verification_table(attempt.tested.verification)}",
        commands_of(attempt.tested.verification),
        f"### How it was made\n\n{effort(attempt)}",
    ]
    title = f"Make the failing checks of #{pull} pass"
    said = sanitize(attempt.answered.explanation, plain=True)
    why = f"What the model says it did: {said}" if said else ""
    first = f"Make the failing checks of pull request {pull} pass"
    trailers = (("Cairn-Run", state.request.id), ("Cairn-Trust", trust_line(trust)))
    message = "\n\n".join(filter(None, [first, why]))
    return CheckpointText(message, trailers, title, "\n\n".join(filter(None, body)))


def fixed_or_why(state: RunState, revision: Revision, asked: RevisionRequest) -> str:
    """What the comment of the run says when it has ended."""
    attempt = next(iter(state.attempts.values()), None)
    if attempt and attempt.published.commit:
        what = (
            f"{attempt.published.url} proposes a repair, as a pull request against the branch of "
            "this one. Merge it if it is right, or close it."
        )
    else:
        failure = attempt.failure if attempt else None
        why = failure.message if failure else "the run ended before it was done"
        what = f"**No repair was proposed:** {whole_sentence(why)} This pull request is unchanged."
    return "\n\n".join(filter(None, [what, *_left(revision), _counted(asked)]))


def _left(revision: Revision) -> list[str]:
    """What the repair does not go by."""
    unclear = revision.unclear
    return [_not_read(unclear.unread).strip(), _left_alone(unclear.below)]


def _left_alone(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f"Left alone, because it also fails on the base branch: {as_codes(names)}."


def _counted(asked: RevisionRequest) -> str:
    return (
        f"This was attempt {asked.number} of {asked.most} to repair the checks of this pull "
        f"request (`pull_requests.revisions`); {how_many_left(asked)}."
    )


def _not_read(names: Sequence[str]) -> str:
    if not names:
        return ""
    return (
        f"The log of {as_codes(names)} could not be read: the App needs the permission *Actions: "
        "read* for that, or the log is gone. "
    )
