"""What is known of a failed attempt, as one value that patterns look at. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from runner.findings import Complaint, TestFailure
from runner.roadmap.lint.reading import Reading, readings
from runner.roadmap.task import Task
from runner.state import Attempt, Failure, Plan, RunState, Status
from runner.verdicts import failed_level

MANIFESTS = (
    *("pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.py", "setup.cfg"),
    *("Pipfile", "environment.yml", "package.json", "go.mod", "Cargo.toml"),
)
"""Files at the root that name packages; a change set may add to them."""

_GONE = {Status.COMPLETED, Status.IN_REVIEW, Status.REPLACED}
_MOST_OTHERS = 2_000
_LONGEST = 20_000
"""Characters of one output or message that patterns read."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one test (or the whole output, ``test`` empty) says went wrong."""

    test: str
    file: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was seen of one failed attempt.

    ``others`` are the roadmap's tasks that are still to be made, ``paths`` the files before the
    change, ``changed`` those that the last answer writes, ``manifests`` path → text with the
    change. ``setup`` says that packages of a changed manifest would be installed.
    """

    task: Task
    reading: Reading
    others: tuple[Task, ...] = ()
    paths: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    manifests: Mapping[str, str] = field(default_factory=dict)
    failures: tuple[TestFailure, ...] = ()
    output: str = ""
    ended: str = ""
    complaints: tuple[Complaint, ...] = ()
    seen: tuple[str, ...] = ()
    failure: Failure | None = None
    plan: Plan | None = None
    answers: int = 0
    setup: bool = False

    @property
    def said(self) -> tuple[Said, ...]:
        """Every failing test with its message; without one the output of what failed."""
        if self.failures:
            return tuple(Said(f.test, f.file, f.message[:_LONGEST]) for f in self.failures)
        return (Said("", "", self.output),) if self.output else ()

    @property
    def errors(self) -> frozenset[str]:
        """The words of all complaints of the attempt (``EmptyAnswer``, ``SyntaxError`` ...)."""
        words = {complaint.error for complaint in self.complaints}
        for line in self.seen:
            words |= {part.strip() for part in line.split(":", 2)[1:2]}
        return frozenset(words)


def facts_of(state: RunState, paths: Iterable[str], manifests: Mapping[str, str]) -> Facts:
    """Collect what is known of the attempt in hand; ``paths`` are the files of its base."""
    attempt = state.attempt
    level = failed_level(attempt.verification)
    return Facts(
        task=state.task,
        reading=_reading(state),
        others=tuple(open_others(state))[:_MOST_OTHERS],
        paths=frozenset(paths) - {state.request.roadmap},
        changed=frozenset(path for path, write in attempt.changes.files.items() if write),
        manifests=manifests,
        failures=_failures(attempt),
        output=level.output[-_LONGEST:] if level else "",
        ended=level.reason if level else "",
        complaints=attempt.complaints,
        seen=attempt.avoid,
        failure=attempt.failure,
        plan=attempt.plan,
        answers=attempt.answers,
        setup=bool(state.request.options.setup),
    )


def _failures(attempt: Attempt) -> tuple[TestFailure, ...]:
    levels = attempt.verification.levels if attempt.verification else ()
    bad = (level for level in levels if level.result == "failed" and level.name != "proof")
    return tuple(failure for level in bad for failure in level.failures)


def open_others(state: RunState) -> Iterator[Task]:
    """Work that is still to come, whether this run will come to it or not."""
    for task in state.tasks:
        works = task.kind == "work" and not task.struck
        if works and task.key != state.current and state.status(task) not in _GONE:
            yield task


def _reading(state: RunState) -> Reading:
    """The task as the lint reads it, with what stands above it."""
    task = state.task
    found = readings(state.roadmap) if state.roadmap else iter(())
    around = next((r.around for r in found if r.task.key == task.key), "")
    return Reading(replace(task, text=unnumbered(task)), around)


def unnumbered(task: Task) -> str:
    """The task's own text without its written id, where its first word counts."""
    if task.id is None:
        return task.text
    return re.sub(rf"^\W{{0,4}}{re.escape(task.id)}[^\w`]{{0,6}}", "", task.text, count=1)
