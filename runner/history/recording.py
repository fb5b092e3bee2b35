"""From the state of an attempt to its record. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from runner.history.records import (
    Execution,
    ExecutionCalls,
    ExecutionChange,
    ExecutionChecks,
    ExecutionEnd,
    ExecutionKey,
    ExecutionModels,
    ExecutionPlace,
    ExecutionRecovery,
    ExecutionRoute,
    NodeRecord,
    StartedBy,
)
from runner.money import total
from runner.state.error_types import ErrorType
from runner.state.findings import Verification
from runner.state.recoveries import outcome_of, replaced_well
from runner.state.run_state import Attempt, RunState
from runner.state.task_size import complexity_of, kind_of, size_of
from runner.text.sanitize import cut_middle
from runner.windows import undated

_LONGEST: Final = 300
_MOST_PATHS, _MOST_ERRORS, MOST_REFERENCES = 30, 20, 30
_RANKS: Final = ("skipped", "passed", "failed")
_WRITING: Final = ("execute_task", "repair_code", "repair_test", "plan_task")


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """Where a run belongs and who started it; the numbers are GitHub's ids, 0 on a checkout."""

    repository: str = ""
    repository_id: int = 0
    installation_id: int = 0
    started: StartedBy = field(default_factory=StartedBy)


def execution_of(
    state: RunState,
    attempt: Attempt,
    origin: RunOrigin,
    *,
    at: float,
    references: Sequence[str] = (),
    waited: Sequence[ErrorType] = (),
) -> Execution:
    """Return the record of an attempt as it is now; the only place that makes one.

    ``waited`` are the errors that the run waited out: its state does not have them.
    """
    changes, answered, planned = attempt.answered.changes, attempt.answered, attempt.planned
    task, options, path = state.task_of(attempt.task), state.request.options, attempt.spent.path
    size = size_of(task)
    by_node = {node: _short(name) for node, name in attempt.spent.models.items()}
    named = next((by_node[node] for node in _WRITING if node in by_node), options.models.model)
    pattern = answered.pattern.partition(" ")[0]
    return Execution(
        key=ExecutionKey(state.request.id, attempt.task, attempt.number),
        place=ExecutionPlace(
            repository=origin.repository,
            repository_id=origin.repository_id,
            installation_id=origin.installation_id,
            roadmap=state.request.roadmap,
            name=_short(task.name),
            title=_short(task.title),
        ),
        at=at,
        started=origin.started,
        route=ExecutionRoute(
            route="planned" if "plan_task" in path else "single_phase",
            complexity=complexity_of(size),
            planned_complexity=planned.plan.complexity if planned.plan else "",
            kind="fix" if options.scope.repairs else kind_of(task),
            size=size,
            loop=options.loop,
            tasks=1 + len(planned.members),
            revision=planned.revision is not None,
            context_bytes=len(planned.context),
        ),
        models=ExecutionModels("" if pattern else undated(named), by_node, answered.form, pattern),
        calls=ExecutionCalls(
            answers=answered.answers,
            looks=answered.looks,
            code_repairs=answered.code_repairs,
            test_repairs=answered.test_repairs,
            auto_repairs=len(answered.auto_repairs),
            errors=(*waited, *answered.errors)[-_MOST_ERRORS:],
            retries=attempt.spent.retries,
        ),
        used=replace(attempt.spent.total, seconds=total(attempt.spent.usage.values()).seconds),
        change=ExecutionChange(
            files=len(changes.files),
            lines=attempt.answered.lines,
            paths=tuple(_short(path) for path in sorted(changes.files)[:_MOST_PATHS]),
        ),
        checks=_checks(attempt),
        end=_end(attempt),
        recovery=_recovery(state, attempt),
        references=tuple(references)[-MOST_REFERENCES:],
        nodes=tuple(
            NodeRecord(node, max(1, path.count(node)), used)
            for node, used in attempt.spent.usage.items()
        ),
    )


def _short(text: str) -> str:
    return cut_middle(" ".join(text.split()), _LONGEST)


def _checks(attempt: Attempt) -> ExecutionChecks:
    verification = attempt.tested.verification or Verification("", ())
    verdict = attempt.tested.verdict
    levels: dict[str, str] = {}
    for level in verification.levels:
        before = levels.get(level.name, "skipped")
        levels[level.name] = max(before, level.result, key=_RANKS.index)
    return ExecutionChecks(
        levels=levels,
        passed=sum(level.passed for level in verification.tests),
        failed=sum(len(level.failures) for level in verification.tests),
        verified=verdict.verified if verdict else verification.verified,
        verdict=verdict.kind if verdict else "",
    )


def _end(attempt: Attempt) -> ExecutionEnd:
    failure = attempt.failure
    if failure is None or attempt.asks_first:
        return ExecutionEnd(str(attempt.status))
    return ExecutionEnd(
        str(attempt.status),
        error=failure.error,
        word=failure.type,
        severity=failure.severity,
        reason=failure.reason,
        node=failure.node,
        message=_short(failure.message),
    )


def _recovery(state: RunState, attempt: Attempt) -> ExecutionRecovery:
    proposal, decision = attempt.proposal, attempt.agreed.decision
    if proposal is None:
        return ExecutionRecovery()
    return ExecutionRecovery(
        strategy=proposal.strategy if proposal.kind == "recovery" else "",
        verdict=decision.verdict if decision else "",
        by=_short(decision.by) if decision else "",
        channel=decision.channel if decision else "",
        outcome=outcome_of(attempt, proposal) if proposal.kind == "recovery" else "",
        finished=replaced_well(state, attempt),
    )


def says_the_same(one: Execution | None, other: Execution) -> bool:
    """Say whether two records differ in nothing but their time."""
    return one is not None and replace(one, at=other.at) == other


def succeeded_later(earlier: Execution, later: Execution) -> Execution | None:
    """Return the record of a deferred attempt whose retry is completed; None if nothing changes."""
    deferred = earlier.end.status == "deferred" and not earlier.recovery.finished
    if not (deferred and later.end.finished):
        return None
    return replace(earlier, recovery=replace(earlier.recovery, finished=True))
