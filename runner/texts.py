"""Every sentence the runner writes for people: commit messages, pull requests, escalations."""

from __future__ import annotations

from collections.abc import Sequence

from runner.defuse import defuse
from runner.findings import Level, Verification
from runner.roadmap.task import Task
from runner.state import Attempt, RunState
from runner.text import cut_middle

_OLD_FAILURES = "**The tests that fail here failed before this change too.**"
_MARKS = {"passed": "✅", "failed": "❌", "skipped": "⏭️"}


def title_of(task: Task) -> str:
    """The title of a task's commit and pull request, safe to publish."""
    return defuse(f"{task.id} {task.title}" if task.id else task.title, plain=True)


def commit_message(task: Task) -> str:
    """The message without its trailers: what the task says, short line first."""
    first = title_of(task)
    rest = defuse(task.text, plain=True)
    return f"{first}\n\n{rest}" if "\n" in task.text else first


def pull_request_body(state: RunState, repaired: Sequence[str] = ()) -> str:
    """What, why, verification, repairs and cost of one checkpoint.

    ``repaired`` are the files that did not parse before this task.
    """
    task, attempt = state.task, state.attempt
    parts = [
        f"**Task** of `{state.request.roadmap}`, line {task.line}:",
        _quoted(defuse(task.text)),
        "### Files",
        _files(attempt),
        *(
            f"{_code(path)} was broken before: it did not parse. It is repaired here."
            for path in repaired
        ),
        "### Verification",
        verification_table(attempt.verification),
        _OLD_FAILURES if attempt.verification and not attempt.verification.passed else "",
        "### How it was made",
        effort(attempt),
    ]
    return "\n\n".join(part for part in parts if part)


def escalation_body(state: RunState) -> str:
    """Why a task was given up, with what was seen, for people who take it over."""
    task, attempt = state.task, state.attempt
    failure = attempt.failure
    evidence = "\n".join(f"- {_plain(cut_middle(line, 600))}" for line in _evidence(attempt))
    parts = [
        f"### Task {task.name} needs a person",
        _quoted(defuse(task.text)),
        f"**Why:** {_plain(failure.message) if failure else 'unknown'} "
        f"(reason: `{failure.reason if failure else 'unknown'}`).",
        "**What was seen:**\n\n" + evidence if evidence else "",
        "**How far it got:**\n\n" + effort(attempt),
        _output(attempt.verification),
        "The box stays open. Make the task more specific or smaller in the roadmap, or finish it "
        "by hand, then run `/execute` again.",
    ]
    return "\n\n".join(part for part in parts if part)


def verification_table(verification: Verification | None) -> str:
    """One line a level; a result without tests is called what it is."""
    if verification is None:
        return "Nothing was run."
    rows = ["| level | result | seconds | |", "| --- | --- | --- | --- |"]
    rows += [_row(level) for level in verification.levels]
    if not verification.verified:
        rows += ["", "**Not verified by tests.**"]
    return "\n".join(rows)


def effort(attempt: Attempt) -> str:
    """Answers, repairs, tokens and cost in one list."""
    lines = [
        f"- model answers: {attempt.answers} ({attempt.code_repairs} code repairs, "
        f"{attempt.test_repairs} test repairs)",
        f"- tokens: {attempt.spent.tokens:,}; cost: {money(attempt)}",
    ]
    lines += [f"- put right without a model: {_plain(note)}" for note in attempt.mended]
    return "\n".join(lines)


def money(attempt: Attempt) -> str:
    """The cost as people read it."""
    return f"${attempt.spent.cost:.4f}" if attempt.spent.cost else "unknown or free"


def _files(attempt: Attempt) -> str:
    lines = (
        f"- {_code(path)}{' (deleted)' if write is None else ''}"
        for path, write in sorted(attempt.changes.files.items())
    )
    return "\n".join(lines)


def _row(level: Level) -> str:
    note = _plain(level.reason or (f"`{_command(level)}`" if level.command else ""))
    note = note.replace("|", "\\|")
    mark = f"{_MARKS[level.result]} {level.result}"
    return f"| {level.name} | {mark} | {level.seconds:.1f} | {note} |"


def _evidence(attempt: Attempt) -> tuple[str, ...]:
    return attempt.failure.evidence[:10] if attempt.failure else ()


def _output(verification: Verification | None) -> str:
    """The output of what failed, folded away."""
    failed = [lv for lv in verification.levels if lv.result == "failed"] if verification else []
    if not failed:
        return ""
    output = cut_middle(failed[-1].output, 4_000).replace("````", "` ` ` `")
    shown = defuse(f"````\n{output}\n````")
    return f"<details><summary>Output of the last run</summary>\n\n{shown}\n\n</details>"


def _plain(text: str) -> str:
    """Foreign text to stand within a line of ours."""
    return defuse(" ".join(text.split()), plain=True)


def _code(path: str) -> str:
    """A path as code; a squash makes a plain commit message of it, so it is defused as well."""
    text = _plain(path).replace("`", "'")
    return f"`{text}`"


def _command(level: Level) -> str:
    """The command, with whole programs among its words left out."""
    return " ".join(word if len(word) <= 60 else "…" for word in level.command)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))
