"""What people call things: tasks, findings, branches, in titles, logs and messages."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from runner.roadmap.task import Task
from runner.state.findings import (
    Complaint,
    TestFailure,
    Verification,
)
from runner.state.publishing import CheckpointText
from runner.state.run_state import Attempt, RunState, Status
from runner.state.status_words import task_word, waits_elsewhere
from runner.text.sanitize import cut_middle, inert_line, plain_line, readable, sanitize

_UNTOUCHED = {Status.PENDING, Status.IN_PROGRESS}
_NOT_ACCEPTED = {Status.FAILED, Status.SKIPPED, Status.DEFERRED, Status.REPLACED}
_MADE = {Status.COMPLETED, Status.IN_REVIEW, Status.REPLACED}
_LONGEST_WHY = 300
_MOST_WARNINGS = 20
_MOST_FINDINGS = 5
"""Findings of one linter that are shown."""

_WARNING = 400


def new_findings(verification: Verification) -> list[str]:
    """What the repository's linters newly complain about: a sentence each, a few for each tool."""
    lines = []
    for level in verification.levels:
        if level.name == "lint":
            shown = level.failures[:_MOST_FINDINGS]
            lines += [f"{level.tool} newly reports {finding(failure)}" for failure in shown]
            left = len(level.failures) - len(shown)
            lines += [f"{level.tool} reports more new problems: {level.reason}"] if left else []
    return lines


def finding(failure: TestFailure) -> str:
    """A finding of a linter on one line: the place, the rule, what is wrong."""
    at = f"{failure.file}, line {failure.line}" if failure.line else failure.file
    return f"{at}: {failure.test} {failure.message}".strip()


def title_of(task: Task) -> str:
    """The title of a task's commit and pull request, safe to publish."""
    if (task.id or "").startswith("#"):  # of an issue; git takes a first line with # for a comment
        return f"{sanitize(task.title, plain=True)} ({task.id})"
    return sanitize(f"{task.id} {task.title}" if task.id else task.title, plain=True)


def outside(project: str, words: str, id: str | None) -> str:
    """What a task of a project is called outside its plan: ``api#1.2 Add it``."""
    numbered = id and words.startswith(id)
    return f"{project}{'#' if numbered else ': '}{words}" if project else words


def in_log(task: Task) -> str:
    """A task in a line of the log: its id in brackets, with the title where that is only a key."""
    return f"[{task.name}]" if task.id else f"[{task.name}] {' '.join(task.title.split())}"


def refusal_in_log(complaint: Complaint) -> str:
    """What an answer was refused for, in a line of the log: the error first, then where and why."""
    at = f" at line {complaint.line}" if complaint.line else ""
    why = " ".join(complaint.message.split())
    file = f" ({' '.join(readable(complaint.path).split())})" if complaint.path else ""
    return with_talk(f"{complaint.error}{at}: {why[:_LONGEST_WHY]}{file}", complaint.said)


def with_talk(why: str, said: str) -> str:
    """Why an answer gave nothing to write, with what the model ``said`` instead, on one line."""
    return f"{why} The model said: “{plain_line(said)}”" if said else why


def warnings_of(attempt: Attempt | None) -> list[str]:
    """The warnings of an accepted change, each on one line and safe to publish; [] for others."""
    if attempt is None or attempt.status in _NOT_ACCEPTED:
        return []
    lines = [
        inert_line(cut_middle(text, _WARNING)) for text in attempt.checked.warnings[:_MOST_WARNINGS]
    ]
    left = len(attempt.checked.warnings) - len(lines)
    return [*lines, *([f"and {left} more"] if left else [])]


def blocked_reason(state: RunState, task: Task) -> str:
    """Say what a task waits for in vain: "blocked by 1.2 (failed)"; '' when it does not wait."""
    key = state.blocked_by.get(task.key)
    if key is None or state.status(task) is not Status.BLOCKED:
        return ""
    for needed in state.elsewhere.get(task.key, ()):
        if needed.name == key:
            return waits_elsewhere(needed)
    other = state.task_of(key)
    status = state.status(other)
    if status in _MADE:
        return f"waits until {other.name} is merged: what it needs is on several branches"
    why = task_word(status)
    return f"blocked by {other.name} ({'not part of this run' if status in _UNTOUCHED else why})"


_LONGEST_REASON = 240

WHOSE = ("an existing test: ", "a new test: ")
"""How a line of evidence begins that says of a test whether it is older than the change."""


def new_evidence(attempt: Attempt, why: str = "") -> list[str]:
    """What was seen, as far as it tells people more than the explanation and ``why`` beside it.

    Left out are also the beginnings of longer lines, and how Cairn chose its next question.
    """
    proposal = attempt.proposal
    if proposal is None:
        return []
    seen = [line for line in proposal.evidence if line not in attempt.spent.reasons]
    told = f"{' '.join(why.split())}\n{' '.join(proposal.explanation.split())}"
    return [
        line
        for line in seen
        if not _is_told(line, told)
        and not any(line != each and each.startswith(line) for each in seen)
    ]


def _is_told(line: str, told: str) -> bool:
    """Whether a text has the line, be it cut in the middle, or without whose test it is."""
    bare = next((line.removeprefix(each) for each in WHOSE if line.startswith(each)), line)
    shown = (bare, cut_middle(line, _LONGEST_REASON))
    return any(" ".join(each.split()) in told for each in shown)


_LONGEST = 40


def slug(text: str) -> str:
    """Reduce a text to ``[a-z0-9-]``, at most 40 characters, never empty.

    An empty or cut result ends in a digest of the text, so that two texts stay two slugs.
    """
    plain = _one_plain_line(text)
    if plain and len(plain) <= _LONGEST:
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return f"{_cut(plain, _LONGEST - 7)}-{digest}".lstrip("-")


def branch_name(run: str, task: str, title: str) -> str:
    """Name a checkpoint's branch: ``cairn/<run>/<task>-<title>``, 40 characters a part at most."""
    first = slug(task)
    rest = _cut(_one_plain_line(title), max(0, _LONGEST - len(first) - 1))
    return f"cairn/{slug(run)}/{first}-{rest}".rstrip("-")


def shared_branch(run: str) -> str:
    """Name the branch that holds all tasks of a run; the further ones end in ``-2``, ``-3`` ..."""
    return f"cairn/{slug(run)}/tasks"


def commit_message(parts: CheckpointText) -> str:
    """Return the commit message, with its trailers at the end.

    https://git-scm.com/docs/git-interpret-trailers
    """
    trailers = [f"{key}: {' '.join(value.split())}" for key, value in parts.trailers]
    text = parts.message.strip() or parts.title.strip()
    return "\n\n".join(filter(None, [text, "\n".join(trailers)])) + "\n"


def _one_plain_line(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")


def _cut(plain: str, length: int) -> str:
    """Cut at ``length`` characters, between words where that leaves anything."""
    if len(plain) <= length:
        return plain
    words, dash, _ = plain[: length + 1].rpartition("-")
    return (words if dash else plain[:length]).strip("-")


def fix_roadmap(pull: int) -> str:
    """The one task of a run that repairs a pull request, as a roadmap that nobody stores."""
    return f"- [ ] Make the failing checks of pull request {pull} pass\n"


def fix_branch(pull: int) -> str:
    """The branch of the repairs of a pull request."""
    return f"cairn/fix/{pull}"


def repaired_by(branch: str) -> int:
    """The pull request that a branch has repairs of; 0 for another branch."""
    number = branch.removeprefix("cairn/fix/")
    return int(number) if number != branch and number.isdecimal() else 0
