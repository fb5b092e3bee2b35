"""What a run did, as one JSON object, as Markdown for people, and as ``todos.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from runner.context.tokens import estimate
from runner.money import Usage, price_hint, total
from runner.people.run_view import RunView, TaskView, view_of
from runner.people.sentences import warnings_of
from runner.people.statistics import as_written, decisions, proposals, recoveries
from runner.people.texts import report_texts, trust_texts
from runner.people.trust import MADE, doubt_of, trust_json, verdict_of
from runner.roadmap.plans import form_of
from runner.roadmap.task import Task
from runner.state.run_state import Attempt, Failure, RunState, Status
from runner.text.sanitize import plain_line, sanitize, sendable


def todos(state: RunState) -> dict[str, object]:
    """Return the object of ``todos.json``: work items only, in file order."""
    view = view_of(state)
    return {
        "version": 1,
        "roadmap": view.roadmap,
        "todos": [_todo(state, task) for task in view.tasks],
    }


def report(state: RunState, view: RunView | None = None) -> dict[str, object]:
    """Return the object of ``report.json``; seconds are wall time, ``cost`` is USD or unknown.

    ``duration_seconds`` are those of work: what a run waits for people or a server is left out.
    Tasks are counted as people wrote them: one that a recovery replaced counts once. The
    ``context_tokens`` of an attempt are what the first question showed of the repository.
    """
    written = as_written(state)
    statuses = Counter(status for _, status in written)
    attempts = list(state.attempts.values())
    ended = state.times.ended or state.times.started
    view = view or view_of(state)
    worked = total(view.node_usage.values()).seconds
    return {
        "run": view.run,
        "roadmap": view.roadmap,
        "started_at": _time(state.times.started),
        "completed_at": _time(ended),
        "duration_seconds": round(min(worked, view.seconds or worked), 3),
        "problem": view.problem,
        "cancelled": view.cancelled,
        "success_rate": _success(state, written),
        "tasks": {"total": statuses.total() - statuses[Status.REPLACED]}
        | {str(status): statuses[status] for status in Status},
        "recoveries": recoveries(state),
        "proposals": proposals(state),
        "decisions": decisions(state),
        "roadmap_modifications": [
            _modification(state, attempt)
            for attempt in sorted(attempts, key=lambda each: state.task_of(each.task).place.line)
            if _edited(attempt) and not form_of(state.request.roadmap).apart
        ],
        "deferrals": [a.task for a in attempts if a.status is Status.DEFERRED or a.number > 1],
        "warnings": [
            {"task": attempt.task, "message": text}
            for attempt in attempts
            for text in warnings_of(attempt)
        ],
        "trust": [trust_json(t.checks.trust) for t in view.tasks if t.checks.trust],
        "timeline": [_line(attempt) for attempt in attempts],
        "errors": [
            *(_error(a.task, a.failure) for a in attempts if a.failure and not a.asks_first),
            *(_missing(a.task, note) for a in attempts for note in a.published.notes),
        ],
        "nodes": {node: _usage(usage) for node, usage in view.node_usage.items()},
        "models": {model: _usage(usage) for model, usage in view.model_usage.items()},
        "model_usage": _usage(view.asked),
    }


def _success(state: RunState, written: Sequence[tuple[Task, Status]]) -> float:
    """The share of the tasks this run took up, as people wrote them, that are completed."""
    begun = {key for a in state.attempts.values() for key in (a.task, *a.planned.members)}
    counted = [s for task, s in written if task.key in begun and s is not Status.REPLACED]
    return round(counted.count(Status.COMPLETED) / len(counted), 4) if counted else 0.0


MOST_OTHERS = 100
"""Tasks a run did not take up that its report lists; ``todos.json`` has all."""


def markdown(state: RunState, view: RunView | None = None) -> str:
    """Return the report for people."""
    view = view or view_of(state)
    others = {task.key for task in [t for t in view.tasks if not t.touched][MOST_OTHERS:]}
    shown = [task for task in view.tasks if task.key not in others]
    names = {task.key: task.name for task in shown}
    text = report_texts.run(
        view, report(state, view), shown, len(others), names, price_hint(view.used)
    )
    return sendable(f"{text}\n")


def table(state: RunState) -> list[dict[str, object]]:
    """One row a work task: key, name, title (safe to publish), status, answers, url, why."""
    return [_row(task) for task in view_of(state).tasks]


def _todo(state: RunState, task: TaskView) -> dict[str, object]:
    blocked = task.status is Status.BLOCKED
    return {
        "key": task.key,
        "id": task.id,
        "title": task.title,
        "status": str(task.status),
        "checked": task.status is Status.COMPLETED,
        "line": task.line,
        "url": task.place.url,
        "replaces": state.replaced.origins.get(task.key, ""),
        "blocked_by": state.blocked_by.get(task.key, "") if blocked else "",
    }


def _row(task: TaskView) -> dict[str, object]:
    checks = task.checks
    return {
        "key": task.key,
        "name": task.name,
        "title": sanitize(task.title, plain=True).replace("|", "\\|"),
        "status": str(task.status),
        "verdict": checks.trust.verdict if checks.trust else "",
        "doubt": checks.doubt.replace("|", "\\|"),
        "answers": task.effort.answers,
        "tokens": task.effort.used.tokens,
        "url": task.place.url,
        "commit": task.place.commit,
        "warnings": list(checks.warnings),
        "trust": trust_texts.line(checks.trust) if checks.trust else "",
        "why": plain_line(task.why).replace("|", "\\|"),
    }


def _line(attempt: Attempt) -> dict[str, object]:
    return {
        "task": attempt.task,
        "attempt": attempt.number,
        "status": str(attempt.status),
        **_verdict(attempt),
        "context_tokens": estimate(attempt.planned.context.decode("utf-8", "replace")),
        "answers": attempt.answered.answers,
        "looks": attempt.answered.looks,
        "code_repairs": attempt.answered.code_repairs,
        "test_repairs": attempt.answered.test_repairs,
        "seconds": round(total(attempt.spent.usage.values()).seconds, 3),
        "tokens": attempt.spent.total.tokens,
        "cost": attempt.spent.total.known_cost,
        "path": list(attempt.spent.path),
        "commit": attempt.published.commit,
        "url": attempt.published.url,
    }


def _verdict(attempt: Attempt) -> dict[str, object]:
    """Whether a change that was made is verified, why not, and what it did to failing tests."""
    if attempt.status not in MADE:
        return {
            "verdict": None,
            "verified": None,
            "not_verified_because": "",
            "turned": [],
            "unchanged": [],
        }
    verdict = verdict_of(attempt)
    return {
        "verdict": verdict.kind,
        "verified": verdict.verified,
        "not_verified_because": doubt_of(attempt),
        "turned": list(verdict.turned),
        "unchanged": list(verdict.unchanged),
    }


def _edited(attempt: Attempt) -> bool:
    """Whether an attempt changed the roadmap: of a revision the box is ticked already."""
    published = attempt.published
    return bool(published.commit) and not published.unticked and attempt.planned.revision is None


def _modification(state: RunState, attempt: Attempt) -> dict[str, object]:
    proposal = attempt.proposal if attempt.agreed.rewritten else None
    return {
        "task": attempt.task,
        "edit": proposal.strategy if proposal else "tick",
        "line": state.task_of(attempt.task).place.line,
        "commit": attempt.published.commit,
    }


def _error(task: str, failure: Failure) -> Mapping[str, object]:
    return {
        "task": task,
        "type": failure.type,
        "error": failure.error,
        "reason": failure.reason,
        "severity": failure.severity,
        "recoverable": failure.recoverable,
        "message": failure.message,
        "node": failure.node,
        "evidence": list(failure.evidence),
        "references": list(failure.references),
    }


def _missing(task: str, note: str) -> Mapping[str, object]:
    """What GitHub refused to show beside the work itself: a label, a check, a comment."""
    return {
        "task": task,
        "type": "github",
        "reason": "",
        "severity": "warning",
        "recoverable": True,
        "message": note,
        "node": "",
        "evidence": [],
        "references": [],
    }


def _usage(used: Usage) -> dict[str, object]:
    return {
        "tokens": used.tokens,
        "cached": used.cached,
        "cost": used.known_cost,
        "seconds": round(used.seconds, 3),
        "calls": used.calls,
    }


def _time(stamp: float) -> str:
    return datetime.fromtimestamp(stamp, UTC).isoformat(timespec="seconds")
