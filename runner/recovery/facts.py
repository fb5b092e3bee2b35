"""What is known about a failed attempt, as one value that patterns look at. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from runner.people.sentences import with_talk
from runner.people.texts import recovery_texts
from runner.roadmap.lint.reading import TaskReading, readings
from runner.roadmap.task import Task
from runner.state.error_types import (
    LASTING,
    NO_NEWS,
    SEVERITIES,
    word_of_complaint,
    word_of_verification,
)
from runner.state.findings import (
    ADVISORY,
    ASKED_BACK,
    Complaint,
    TestFailure,
    Verification,
    failed_level,
    headline,
    what_happened,
)
from runner.state.run_state import Attempt, Failure, Plan, RunState, Status
from runner.text.sanitize import cut_middle

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
class TestMessage:
    """What one test (or the entire output, if ``test`` is empty) says went wrong."""

    test: str
    file: str
    text: str


@dataclass(frozen=True, kw_only=True)
class FailureFacts:
    """What is known about one failed attempt.

    ``others`` are the roadmap's tasks that are still to be made, ``paths`` the files before the
    change, ``changed`` those that the last answer writes, ``manifests`` path → text with the
    change. ``setup`` says that packages of a changed manifest would be installed.
    """

    task: Task
    reading: TaskReading
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
    def messages(self) -> tuple[TestMessage, ...]:
        """Every failing test with its message; without one the output of what failed."""
        if self.failures:
            return tuple(TestMessage(f.test, f.file, f.message[:_LONGEST]) for f in self.failures)
        return (TestMessage("", "", self.output),) if self.output else ()

    @property
    def errors(self) -> frozenset[str]:
        """The words of all complaints of the attempt (``EmptyAnswer``, ``SyntaxError`` ...)."""
        words = {complaint.error for complaint in self.complaints}
        for line in self.seen:
            words |= {part.strip() for part in line.split(":", 2)[1:2]}
        return frozenset(words)


def facts_of(state: RunState, paths: Iterable[str], manifests: Mapping[str, str]) -> FailureFacts:
    """Collect what is known about the current attempt; ``paths`` are the files of its base."""
    attempt = state.attempt
    level = failed_level(attempt.tested.verification)
    return FailureFacts(
        task=state.task,
        reading=reading_of(state),
        others=tuple(open_others(state))[:_MOST_OTHERS],
        paths=frozenset(paths) - {state.request.roadmap},
        changed=frozenset(path for path, write in attempt.answered.changes.files.items() if write),
        manifests=manifests,
        failures=_failures(attempt),
        output=level.output[-_LONGEST:] if level else "",
        ended=level.reason if level else "",
        complaints=attempt.checked.complaints,
        seen=attempt.answered.avoid,
        failure=attempt.failure,
        plan=attempt.planned.plan,
        answers=attempt.answered.answers,
        setup=bool(state.request.options.sandbox.setup),
    )


def _failures(attempt: Attempt) -> tuple[TestFailure, ...]:
    levels = attempt.tested.verification.levels if attempt.tested.verification else ()
    bad = (level for level in levels if level.result == "failed" and level.name not in ADVISORY)
    return tuple(failure for level in bad for failure in level.failures)


def open_others(state: RunState) -> Iterator[Task]:
    """Work that is still to come, whether this run will come to it or not."""
    for task in state.tasks:
        works = task.kind == "work" and not task.marks.struck
        if works and task.key != state.current and state.status(task) not in _GONE:
            yield task


def reading_of(state: RunState) -> TaskReading:
    """The current task as the lint reads it, with what is above it."""
    task = state.task
    found = readings(state.roadmap) if state.roadmap else iter(())
    around = next((r.around for r in found if r.task.key == task.key), "")
    return TaskReading(replace(task, text=unnumbered(task)), around)


def unnumbered(task: Task) -> str:
    """The task's own text without its written id, where its first word counts."""
    if task.id is None:
        return task.text
    return re.sub(rf"^\W{{0,4}}{re.escape(task.id)}[^\w`]{{0,6}}", "", task.text, count=1)


MOST_EVIDENCE = 12
_LONGEST_NAME = 300
_HOPELESS = frozenset({"git", "github", "internal", "merged", "closed"})
"""Failures of no everyday type that another attempt at the task would meet again."""


def failure_of(attempt: Attempt) -> Failure:
    """Return the failure of an attempt: its node's own, or what the last answers failed for."""
    failure = attempt.failure or _of_answers(attempt)
    hopeless = failure.error in LASTING or failure.type in _HOPELESS
    return replace(
        failure,
        severity=SEVERITIES[failure.error],
        recoverable=failure.recoverable and not hopeless,
        evidence=tuple(dict.fromkeys((*failure.evidence, *_evidence(attempt))))[:MOST_EVIDENCE],
    )


def question_of(attempt: Attempt) -> str:
    """What the model's newest answer asks instead of giving files; '' for nothing."""
    return next((c.excerpt for c in attempt.checked.complaints if c.error == ASKED_BACK), "")


def _of_answers(attempt: Attempt) -> Failure:
    if question := question_of(attempt):
        return Failure("model", recovery_texts.model_asks(question), node="execute_task")
    node = attempt.spent.path[-1] if attempt.spent.path else "execute_task"
    refused = [c for c in attempt.checked.complaints if c.error not in NO_NEWS]
    red = red_lines(attempt.tested.verification)
    if refused or not red:
        first = next(iter((*refused, *attempt.checked.complaints)), None)
        line = _line(first) if first else ""
        return Failure(
            word_of_complaint(first),
            recovery_texts.answers_refused(attempt.answered.answers, line),
            node=node,
        )
    return Failure(
        word_of_verification(attempt.tested.verification),
        recovery_texts.tests_fail(attempt.answered.answers, red),
        node=node,
    )


_OF_ALL = re.compile(r"\Aanswer: \w+: ")
"""How a line begins that is about an entire answer."""


def _evidence(attempt: Attempt) -> Iterator[str]:
    """What is red now, then what every answer was refused for, then what was decided."""
    for line in (
        *red_lines(attempt.tested.verification)[:3],
        *(_OF_ALL.sub("", each.partition("\n  ")[0]) for each in attempt.answered.avoid[:6]),
        *attempt.spent.reasons[-2:],
    ):
        yield _short(line)


def red_lines(verification: Verification | None) -> list[str]:
    """One short line for each failing test; without one, what the run ended with."""
    level = failed_level(verification)
    if level is None:
        return []
    if level.failures:
        return [_short(f"{each.test}: {headline(each.message)}") for each in level.failures]
    return [_short(f"{level.name}: {what_happened(level)}")]


def _short(text: str) -> str:
    return cut_middle(" ".join(text.split()), _LONGEST_NAME).replace("\n", " ")


def _line(complaint: Complaint) -> str:
    at = f", line {complaint.line}" if complaint.line else ""
    where = f"{complaint.path}{at}: {complaint.error}: " if complaint.path else ""
    return _short(with_talk(f"{where}{complaint.message}", complaint.said))
