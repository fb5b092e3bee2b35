"""What is worth knowing in later runs, and which of it helps a task: pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from runner.context.search import terms
from runner.ports import MemoryNote
from runner.state.run_state import Attempt, RunState, Status
from runner.text.sanitize import sendable

MOST = {"files": 500, "decisions": 200, "runs": 50, "failures": 100, "successes": 100}
"""How many notes of each kind are kept: the newest."""

MAX_TEXT, MAX_ABOUT = 400, 300
_RECALLED, _SHARED = 12, 2
_FILES, _STEPS = 20, 5


def of_task(state: RunState, key: str) -> tuple[MemoryNote, ...]:
    """Return what the task just left teaches; nothing while it is not settled."""
    attempt = state.attempts.get(key)
    title = next((f"{t.name} {t.title}" for t in state.tasks if t.key == key), key)
    if attempt is None:
        return ()
    if attempt.status is Status.COMPLETED:
        return tuple(_done(attempt, title, state.request.id))
    if attempt.failure and attempt.status is not Status.PENDING:
        failure = attempt.failure
        text = f"{title}: {failure.reason} at {failure.node}: {failure.message}"
        return (note("failures", key, text, state.request.id),)
    return ()


def of_run(state: RunState) -> tuple[MemoryNote, ...]:
    """Return one line about the run."""
    titles = {task.key: task.title for task in state.tasks}
    by_status: dict[str, list[str]] = {}
    for attempt in state.attempts.values():
        by_status.setdefault(attempt.status, []).append(titles.get(attempt.task, attempt.task))
    if not by_status:
        return ()
    parts = [f"{len(names)} {status} ({'; '.join(names)})" for status, names in by_status.items()]
    return (note("runs", state.request.id, ", ".join(parts), state.request.id),)


def note(kind: str, about: str, text: str, run: str) -> MemoryNote:
    """Make a note of one line, cut to its length."""
    line = " ".join(sendable(text).split())
    return MemoryNote(kind, sendable(about)[:MAX_ABOUT], line[:MAX_TEXT], run)  # type: ignore[arg-type]


def merged(old: Sequence[MemoryNote], new: Sequence[MemoryNote]) -> tuple[MemoryNote, ...]:
    """Return the notes with ``new`` last, each subject once, the oldest over the bound gone."""
    kept = {(one.kind, one.about): one for one in old}
    for one in new:
        kept.pop((one.kind, one.about), None)
        kept[one.kind, one.about] = one
    left = dict(MOST)
    newest: list[MemoryNote] = []
    for one in reversed(kept.values()):
        left[one.kind] -= 1
        if left[one.kind] >= 0:
            newest.append(one)
    return tuple(reversed(newest))


def relevant(
    notes: Sequence[MemoryNote], words: Collection[str], paths: Collection[str]
) -> tuple[str, ...]:
    """Return the texts that share most terms with a task, the newer first among equals.

    One shared term is chance, unless it is the path of a file that is still there.
    """
    wanted = set(words)
    found: list[tuple[int, int, str]] = []
    for age, one in enumerate(reversed(notes)):
        if one.kind == "files" and one.about not in paths:
            continue
        shared = len(wanted & set(terms(f"{one.about} {one.text}")))
        if shared >= _SHARED:
            found.append((-shared, age, _as_line(one)))
    return tuple(text for _, _, text in sorted(found)[:_RECALLED])


def _done(attempt: Attempt, title: str, run: str) -> Iterator[MemoryNote]:
    written = [path for path, write in attempt.answered.changes.files.items() if write is not None]
    for path in written[:_FILES]:
        yield note("files", path, f"written for: {title}", run)
    if attempt.planned.plan and attempt.planned.plan.steps:
        steps = "; ".join(attempt.planned.plan.steps[:_STEPS])
        yield note("decisions", attempt.task, f"{title}: {steps}", run)
    if attempt.calls and attempt.spent.reasons:
        how = "; ".join(attempt.spent.reasons[-2:])
        yield note("successes", attempt.task, f"{title}: right after {how}", run)


def _as_line(one: MemoryNote) -> str:
    if one.kind == "files":
        return f"{one.about}: {one.text}"
    word = {"decisions": "decided", "runs": "an earlier run", "failures": "failed before"}
    return f"{word.get(one.kind, 'worked before')}: {one.text}"
