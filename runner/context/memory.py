"""What is worth knowing in later runs, and which of it helps a task: pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from runner.context.search import terms
from runner.ports import MemoryNote
from runner.state.run_state import Attempt, RunState, Status
from runner.text.sanitize import sendable

MOST = {
    "files": 500,
    "decisions": 200,
    "runs": 50,
    "failures": 100,
    "successes": 100,
    "conventions": 100,
    "patterns": 200,
}
"""How many notes of each kind are kept: the newest."""

MAX_TEXT, MAX_ABOUT = 400, 300
_RECALLED, _SHARED = 50, 2
_FILES, _STEPS, _POINTS = 20, 5, 5


def of_task(state: RunState, key: str) -> tuple[MemoryNote, ...]:
    """Return what the task just left teaches; nothing while it is not settled."""
    attempt = state.attempts.get(key)
    title = next((f"{t.name} {t.title}" for t in state.tasks if t.key == key), key)
    if attempt is None:
        return ()
    rejected = tuple(_rejected(attempt, title, state.request.id))
    if rejected:
        return rejected
    if attempt.status in (Status.COMPLETED, Status.IN_REVIEW):
        run = state.request.id
        mended = note("failures", key, "", run)  # what failed before does not any more
        asked, helped = _asked(state, attempt, run), _helped(attempt, run)
        return (mended, *_done(attempt, title, run), *asked, *helped)
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
    """Return the notes with ``new`` last, each subject once, the oldest over the bound gone.

    A new one without a text takes away what was known.
    """
    kept = {(one.kind, one.about): one for one in old}
    for one in new:
        before = kept.pop((one.kind, one.about), None)
        if before and one.kind == "patterns":  # counts once in each run
            one = replace(one, count=before.count + (one.run != before.run))
        kept[one.kind, one.about] = one
    left = dict(MOST)
    newest: list[MemoryNote] = []
    for one in (each for each in reversed(kept.values()) if each.text):
        left[one.kind] -= 1
        if left[one.kind] >= 0:
            newest.append(one)
    return tuple(reversed(newest))


def without(notes: Sequence[MemoryNote], about: str) -> tuple[MemoryNote, ...]:
    """Return the notes without those about a subject."""
    return tuple(one for one in notes if one.about != about)


def relevant(
    notes: Sequence[MemoryNote], words: Collection[str], paths: Collection[str]
) -> tuple[str, ...]:
    """Return the texts that share most terms with a task, the newer first among equals.

    One shared term is chance, unless it is the path of a file that is still there.
    """
    wanted = set(words)
    found: list[tuple[int, int, str]] = []
    for age, one in enumerate(reversed(notes)):
        path = one.about.partition(": ")[2] if one.kind == "patterns" else one.about
        if one.kind in ("files", "patterns") and path not in paths:
            continue  # a note about a file that is gone says nothing
        shared = len(wanted & set(terms(f"{one.about} {one.text}")))
        if shared >= _SHARED:
            found.append((-shared, age, _as_line(one)))
    return tuple(text for _, _, text in sorted(found)[:_RECALLED])


def _rejected(attempt: Attempt, title: str, run: str) -> Iterator[MemoryNote]:
    """What people said when they rejected a proposal about the task."""
    decision, proposal = attempt.agreed.decision, attempt.proposal
    if decision and proposal and decision.verdict == "reject" and decision.why.strip():
        text = f"{title}: people rejected to {proposal.strategy or 'do'} it: {decision.why}"
        yield note("conventions", attempt.task, text, run)


def _asked(state: RunState, attempt: Attempt, run: str) -> Iterator[MemoryNote]:
    """What reviewers asked for, and got: the next change should have it from the start."""
    revision, request = attempt.planned.revision, state.request.options.scope.revision
    if revision is None or revision.repairs or revision.conflict:
        return  # that is what checks or the base say, and nobody wished for it
    texts = [(point.path, point.text) for point in revision.points]
    if request and request.text.strip():
        texts.append(("", request.text))
    for number, (path, text) in enumerate(texts[:_POINTS]):
        about = f"#{revision.pull} {path}".strip()
        yield note("conventions", f"{about} ({number + 1})", f"a reviewer asked: {text}", run)


def _helped(attempt: Attempt, run: str) -> Iterator[MemoryNote]:
    """Which error the files of a finished task had, and what ended it."""
    answered = attempt.answered
    if not answered.errors:
        return
    repairs = answered.code_repairs + answered.test_repairs
    how = "a repair of the answer" if repairs else "a fresh answer"
    for path in [path for path, write in answered.changes.files.items() if write][:_POINTS]:
        for error in dict.fromkeys(answered.errors):
            text = f"a {error} error in a change of {path}; {how} helped"
            yield note("patterns", f"{error}: {path}", text, run)


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
    """A note as one line, whatever the file holds: it must not look like anything else."""
    about, text = " ".join(one.about.split()), " ".join(one.text.split())
    if one.kind == "files":
        return f"{about}: {text}"
    if one.kind == "patterns":
        return f"seen {one.count} time{'s' * (one.count != 1)}: {text}"
    words = {
        "decisions": "decided",
        "runs": "an earlier run",
        "failures": "failed before",
        "conventions": "people want",
    }
    return f"{words.get(one.kind, 'worked before')}: {text}"
