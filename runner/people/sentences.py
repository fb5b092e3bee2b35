"""Every sentence the runner writes for people: commits, pull requests, branches, log lines."""

from __future__ import annotations

import hashlib
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.loop.schedule import missing
from runner.money import cost_brief, cost_text
from runner.people.trust import doubt_of, result_word, trust_of, trust_section, verdict_of
from runner.roadmap.task import Task
from runner.state.findings import (
    AskedTest,
    Complaint,
    Level,
    TestFailure,
    Verification,
    headline,
)
from runner.state.publishing import CheckpointText, TaskRow
from runner.state.run_state import Attempt, RunState, Status
from runner.state.status_words import CHECKS, task_word
from runner.text.sanitize import as_code, cut_middle, inert_line, plain_line, sanitize

_UNTOUCHED = {Status.PENDING, Status.IN_PROGRESS}
_NOT_ACCEPTED = {Status.FAILED, Status.SKIPPED, Status.DEFERRED, Status.REPLACED}
_MADE = {Status.COMPLETED, Status.IN_REVIEW, Status.REPLACED}
_MOST_NAMED = 10
_LONGEST_WHY = 300
_MOST_WARNINGS = 20
_LONGEST_SUBJECT = 100
"""Characters of a commit's first line; what is longer stands below it."""

_MOST_FINDINGS = 5
"""Findings of one linter that are shown."""

_WARNING = 400
_LONGEST_TEST = 6_000
UNPROVEN = "The new tests also pass without the change, so they prove nothing about it."
MERGING = (
    "No test shows that the task is done, so whoever merges this pull request says that it is."
)
NOT_SHOWN = (
    "Nothing broke, but no test shows that the task is done. The change must come with a test that "
    "fails without it and passes with it."
)
AS_WITHOUT = "a test that was asked for apart fails as it does without this change"
WORTH_A_LOOK = "Worth a look"
"""The heading over the warnings of accepted changes, wherever they are shown."""


def faults_unnoticed(level: Level) -> str:
    """What the new tests miss: so many small faults, with the places."""
    return f"The new tests are weak: {level.reason} ({'; '.join(level.output.splitlines())})."


def tests_left(paths: Sequence[str]) -> str:
    """Which tests that the task speaks of are as they were: part of it may not be done."""
    named = " and ".join(paths[:_MOST_NAMED])
    return f"The task names {named}, but no test there changed or started to pass."


def apart(asked: AskedTest) -> str:
    """That a test which was asked for apart fails with an accepted change, and how."""
    named = ", ".join(failure.test for failure in asked.failures[:_MOST_NAMED])
    how = "as it does without this change" if asked.same else "with this change"
    why = headline(asked.failures[0].message)
    return f"A test that was written from the task alone fails {how}: {named}: {why}"


def asked_apart(attempt: Attempt) -> str:
    """A test that disagrees with the change, as a part of a pull request that has the change."""
    asked = attempt.tested.asked_test
    if asked is None or not asked.failures or verdict_of(attempt).verified:
        return ""
    lines = asked.content.decode("utf-8", "replace").replace("````", "` ` ` `").rstrip("\n")
    shown = sanitize(f"````\n{cut_middle(lines, _LONGEST_TEST)}\n````")
    return (
        "### A test that says otherwise\n\nThis test was written from the task alone, without the "
        f"code, and it is not part of this change. {inert_line(cut_middle(apart(asked), _WARNING))}"
        f"\n\nOne of the two is wrong; a person has to say which.\n\n{shown}"
    )


def went_along(tests: Sequence[str]) -> str:
    """Which tests passed before, and are gone because the change takes them away."""
    more = len(tests) - _MOST_NAMED
    named = ", ".join((*tests[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])))
    return f"The change takes away tests that passed before it: {named}."


_LOOKS_FOR = {
    "broken_code": "names that are defined twice and imports that are lost",
    "changed_tests": "tests that assert something else",
    "losses": "public names that are lost",
    "stubs": "code that does nothing yet",
    "undefined_names": "undefined names",
    "weaker_asserts": "tests that assert less",
}
"""What a check of an answer looks for, by the name of its function."""


def checks_left_out(checks: Sequence[str]) -> str:
    """Which checks of an answer took too long: what they look for, a reviewer has to."""
    names = dict.fromkeys(name.rpartition(".")[2] for name in checks)
    named = ", ".join(_LOOKS_FOR.get(name, name.replace("_", " ")) for name in names)
    return f"Checking this change took too long, so Cairn did not look for: {named}."


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
    return sanitize(f"{task.id} {task.title}" if task.id else task.title, plain=True)


def in_log(task: Task) -> str:
    """A task in a line of the log: its id in brackets, with the title where that is only a key."""
    return f"[{task.name}]" if task.id else f"[{task.name}] {' '.join(task.title.split())}"


def refusal_in_log(complaint: Complaint) -> str:
    """What an answer was refused for, in a line of the log: the error first, then where and why."""
    at = f" at line {complaint.line}" if complaint.line else ""
    why = " ".join(complaint.message.split())
    file = f" ({complaint.path})" if complaint.path else ""
    return with_talk(f"{complaint.error}{at}: {why[:_LONGEST_WHY]}{file}", complaint.said)


def with_talk(why: str, said: str) -> str:
    """Why an answer gave nothing to write, with what the model ``said`` instead, on one line."""
    return f"{why} The model said: “{plain_line(said)}”" if said else why


def checkpoint_message(task: Task, explanation: str = "") -> str:
    """The message without its trailers: what the task says, short line first, then the model."""
    title = title_of(task)
    first = textwrap.shorten(title, _LONGEST_SUBJECT, placeholder=" …")
    more = len(task.text.split()) > len(first.split())
    rest = sanitize(task.text, plain=True) if more else ""
    text = sanitize(explanation, plain=True)
    why = f"What the model says it did: {text}" if text else ""
    return "\n\n".join(filter(None, [first, rest, why]))


def undo_text(task: Task, commit: str, tests: str) -> CheckpointText:
    """The words of the commit that takes back what ``commit`` did for a task.

    ``tests`` is what the tests say without it, in a sentence.
    """
    title = f"Undo: {title_of(task)}"
    message = f"{title}\n\nThis takes back {commit}. {sanitize(tests, plain=True)}"
    return CheckpointText(message, (("Cairn-Undo", commit),), title)


def accept_text(task: Task, commit: str, person: str) -> CheckpointText:
    """The words of the commit with which a person says that a task in review is done."""
    title = f"Accept: {title_of(task)}"
    by = sanitize(person, plain=True)
    return CheckpointText(f"{title}\n\nBy {by}, who says that {commit} does the task.", (), title)


def pull_request_body(state: RunState, repaired: Sequence[str] = ()) -> str:
    """What, why, verification, repairs and cost of one checkpoint.

    ``repaired`` are the files that did not parse before this task.
    """
    task, attempt = state.task, state.attempt
    parts = [
        f"**Task** of `{state.request.roadmap}`, line {task.place.line}:",
        _quoted(sanitize(task.text)),
        before_others(missing(state, task)),
        in_its_words(attempt),
        "### Files",
        changed_files(attempt),
        *(
            f"{as_code(path)} was broken before: it did not parse. It is repaired here."
            for path in repaired
        ),
        worth_a_look(attempt),
        asked_apart(attempt),
        trust_section(trust_of(attempt)),
        "" if verdict_of(attempt).verified else MERGING,
        "### Verification",
        verification_table(attempt.tested.verification),
        commands_of(attempt.tested.verification),
        _made_how(attempt),
        effort(attempt),
    ]
    return "\n\n".join(part for part in parts if part)


def _made_how(attempt: Attempt) -> str:
    """The heading of what an attempt took: a revision knows nothing of those before it."""
    return f"### How {'its newest revision' if attempt.planned.revision else 'it'} was made"


def in_its_words(attempt: Attempt) -> str:
    """What the model says about its change, as a part of a pull request, or ''."""
    text = attempt.answered.explanation
    return (
        f"### What the model says it did\n\n{_quoted(sanitize(text, plain=True))}" if text else ""
    )


def warnings_of(attempt: Attempt | None) -> list[str]:
    """The warnings of an accepted change, each on one line and safe to publish; [] for others."""
    if attempt is None or attempt.status in _NOT_ACCEPTED:
        return []
    lines = [
        inert_line(cut_middle(text, _WARNING)) for text in attempt.checked.warnings[:_MOST_WARNINGS]
    ]
    left = len(attempt.checked.warnings) - len(lines)
    return [*lines, *([f"and {left} more"] if left else [])]


def worth_a_look(attempt: Attempt) -> str:
    """The warnings as a part of a pull request, or ''."""
    lines = [f"- {text}" for text in warnings_of(attempt)]
    return "\n".join([f"### {WORTH_A_LOOK}", "", *lines]) if lines else ""


def before_others(others: Sequence[Task]) -> str:
    """Say that a task was worked on before tasks it depends on, or nothing."""
    if not others:
        return ""
    names = ", ".join(as_code(task.name) for task in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return (
        "**This task was asked for by name, so it was done before tasks that it depends on:** "
        f"{names}{more}."
    )


def blocked_reason(state: RunState, task: Task) -> str:
    """Say what a task waits for in vain: "blocked by 1.2 (failed)"; '' when it does not wait."""
    key = state.blocked_by.get(task.key)
    if key is None or state.status(task) is not Status.BLOCKED:
        return ""
    other = state.task_of(key)
    status = state.status(other)
    if status in _MADE:
        return f"waits until {other.name} is merged: what it needs is on several branches"
    why = task_word(status)
    return f"blocked by {other.name} ({'not part of this run' if status in _UNTOUCHED else why})"


def verification_table(verification: Verification | None) -> str:
    """One line a level."""
    if verification is None:
        return "Nothing was run."
    rows = ["| level | result | seconds | |", "| --- | --- | --- | --- |"]
    return "\n".join([*rows, *map(_row, verification.levels)])


def effort(attempt: Attempt) -> str:
    """Answers, repairs, tokens and cost in one list."""
    answered = attempt.answered
    lines = [
        f"- model answers: {answered.answers} ({_repairs(answered.code_repairs, 'code')}, "
        f"{_repairs(answered.test_repairs, 'test')})",
        f"- tokens: {attempt.spent.total.tokens:,}; cost: {cost_text(attempt.spent.total)}",
    ]
    lines += [
        f"- left out {plain_line(f'{path}: {why}')}"
        for path, why in attempt.answered.left_out.items()
    ]
    if (asked := attempt.tested.asked_test) and asked.why:
        lines.append(f"- a test that was asked for apart is not used: {plain_line(asked.why)}")
    lines += [
        f"- repaired without a model: {plain_line(note)}" for note in attempt.answered.auto_repairs
    ]
    return "\n".join(lines)


def _repairs(count: int, what: str) -> str:
    return f"{count} {what} repair{'' if count == 1 else 's'}"


def changed_files(attempt: Attempt) -> str:
    """The files of a change, one a line."""
    lines = (
        f"- {as_code(path)}{' (deleted)' if write is None else ''}"
        for path, write in sorted(attempt.answered.changes.files.items())
    )
    return "\n".join(lines)


def commands_of(verification: Verification | None) -> str:
    """The commands that ran, folded away; '' when none did."""
    levels = verification.levels if verification else ()
    lines = [f"{level.name}: {_command(level)}" for level in levels if level.command]
    if not lines:
        return ""
    shown = "\n".join(["````", sanitize("\n".join(lines), plain=True), "````"])
    return f"<details><summary>Commands</summary>\n\n{shown}\n\n</details>"


def _row(level: Level) -> str:
    note = plain_line(level.reason).replace("|", "\\|")
    return f"| {level.name} | {CHECKS[level.result]} | {level.seconds:.1f} | {note} |"


def output_of(verification: Verification | None) -> str:
    """The output of what failed, folded away; '' when nothing did."""
    failed = [lv for lv in verification.levels if lv.result == "failed"] if verification else []
    if not failed:
        return ""
    output = cut_middle(failed[-1].output, 4_000).replace("````", "` ` ` `")
    shown = sanitize(f"````\n{output}\n````")
    return f"<details><summary>Output of the last run</summary>\n\n{shown}\n\n</details>"


def _command(level: Level) -> str:
    """The command, without programs that are passed as one of its words."""
    return " ".join(word if len(word) <= 60 else "…" for word in level.command)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


_MOST = 45_000
"""Characters of details in one description, of the newest tasks; GitHub stores 65,536 in all."""

_HEAD = ["| task | result | answers | cost |", "| --- | --- | --- | --- |"]


def shared_title(roadmap: str) -> str:
    """The title of a run's one pull request."""
    return f"Tasks of {roadmap}"


def shared_body(roadmap: str, rows: Sequence[TaskRow]) -> str:
    """Its description: a row for each task, then what the newest of them are about."""
    text = f"Tasks of `{roadmap}`, one commit for each, in this order:"
    return "\n\n".join([text, "\n".join([*_HEAD, *(row.line for row in rows)]), *_details(rows)])


def rows_of(state: RunState, added: Mapping[str, Attempt]) -> tuple[TaskRow, ...]:
    """The rows of everything that was added to the run's branch, with the current task."""
    others = {**state.attempts, **added}
    others.pop(state.current)
    before = [
        _task_row(state.put(each), key) for key, each in others.items() if each.published.body
    ]
    return (*before, _task_row(state, state.current))


def _task_row(state: RunState, key: str) -> TaskRow:
    state = replace(state, current=key)
    task, attempt = state.task, state.attempt
    name = title_of(task).replace("|", "\\|")
    cells = (name, _result(attempt), str(attempt.answered.answers), cost_brief(attempt.spent.total))
    details = (
        f"<details><summary>{title_of(task)}</summary>\n\n{attempt.published.body.decode()}\n\n"
    )
    return TaskRow(key, f"| {' | '.join(cells)} |", f"{details}</details>")


def _result(attempt: Attempt) -> str:
    verification: Verification | None = attempt.tested.verification
    if attempt.proposal and attempt.agreed.rewritten:
        return f"✂️ {attempt.proposal.strategy}: replaced by other tasks"
    if verification is None or not verification.levels:
        return "⚠️ nothing was run"
    if verdict_of(attempt).verified:
        return "✅ verified"
    doubt = doubt_of(replace(attempt, status=Status.COMPLETED))
    return f"⚠️ {result_word(trust_of(attempt))}: {doubt}".replace("|", "\\|")


def _details(rows: Sequence[TaskRow]) -> list[str]:
    """As many as there is room for, the newest first; those of the others are in the run's."""
    room, found = _MOST, list[str]()
    for row in reversed(rows):
        room -= len(row.details)
        if room < 0:
            break
        found.append(row.details)
    return list(reversed(found))


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
