"""What earlier tasks of this run made and decided, in a few lines each."""

from __future__ import annotations

from collections.abc import Iterator

from runner.changes import Write
from runner.context.compose import signatures
from runner.context.index import Index
from runner.context.parts import Listed
from runner.placing import Places, independent
from runner.snapshot import blob_sha
from runner.state import Attempt, RunState

_FILES, _STEPS = 6, 3


def earlier_tasks(state: RunState, index: Index) -> list[Listed]:
    """Return one entry a finished task, the newest first."""
    titles = {task.key: f"{task.name} {task.title}" for task in state.tasks}
    done = _before(state)
    return [
        Listed(titles.get(attempt.task, attempt.task)[:120], tuple(_lines(attempt, index)))
        for attempt in reversed(done)
    ]


def made(state: RunState) -> list[str]:
    """Return the files earlier tasks of the run wrote, the newest first."""
    files: dict[str, None] = {}
    for attempt in reversed(_before(state)):
        files |= dict.fromkeys(p for p, write in attempt.changes.files.items() if write)
    return list(files)


def _before(state: RunState) -> list[Attempt]:
    """The finished tasks that the one in hand builds on: where branches are apart, not all."""
    done = [a for a in state.attempts.values() if a.commit and a.task != state.current]
    if not independent(state):
        return done
    under = {*Places(state).below(state.attempt.below)}
    return [a for a in done if a.branch in under or a.task not in state.members]


def _lines(attempt: Attempt, index: Index) -> Iterator[str]:
    for path, write in list(attempt.changes.files.items())[:_FILES]:
        yield f"wrote {path}{_defined(path, write, index)}" if write else f"deleted {path}"
    if attempt.plan:
        for step in attempt.plan.steps[:_STEPS]:
            yield f"decided: {' '.join(step.split())[:160]}"


def _defined(path: str, write: Write, index: Index) -> str:
    sha = blob_sha(write.content)
    facts = index.known(path, sha) or index.learn(path, sha, write.content)
    found = facts.symbols.definitions
    return f": {'; '.join(line.strip() for line in signatures(found))}" if found else ""
