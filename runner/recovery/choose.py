"""Choose a recovery strategy and who must approve it (docs/design.md, "Recovery"). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from runner.loop.schedule import upcoming
from runner.people.texts import recovery_texts
from runner.recovery.facts import question_of, unnumbered
from runner.recovery.patterns.tasks import UNCLEAR
from runner.roadmap.plans import form_of
from runner.roadmap.task import NewTask, Task
from runner.state.proposal import (
    MAX_DEPTH,
    MAX_REPLACEMENTS,
    MOST_PARTS,
    REPLACED_BY,
    STRATEGY_OF,
    ApprovalMode,
    Proposal,
    Strategy,
)
from runner.state.run_state import Attempt, Plan, RunState, Status

_PROPOSED = {Status.AWAITING_APPROVAL, Status.IN_PROGRESS, Status.REPLACED}


@dataclass(frozen=True, slots=True)
class Choice:
    """The strategy to take; ``instead`` says why it is not the one that fits the reason."""

    strategy: Strategy
    instead: str = ""


def choose(state: RunState) -> Choice:
    """Return the strategy for the failure of the current attempt, within the limits of the run."""
    failure = state.attempt.failure
    usual = STRATEGY_OF[failure.reason if failure else "unknown"]
    why = ""
    if usual == "defer":
        why = _no_defer(state)
    elif asks_people(state.attempt):
        why = recovery_texts.needs_an_answer()
    elif usual in REPLACED_BY:
        why = _no_rewrite(state, REPLACED_BY[usual][0])
    return Choice("escalate", why) if why else Choice(usual)


def asks_people(attempt: Attempt) -> bool:
    """Whether only people can say what is meant: the task leaves it open, or the model asks."""
    if attempt.failure is None or attempt.failure.type == UNCLEAR:
        return attempt.failure is not None
    return recovery_texts.model_asks(question_of(attempt)) in attempt.failure.evidence[:1]


def room(state: RunState) -> int:
    """How many replacement tasks the run may still get, open proposals counted."""
    proposed = sum(
        len(attempt.proposal.replacements)
        for key, attempt in state.attempts.items()
        if attempt.proposal and attempt.status in _PROPOSED and key != state.current
    )
    return MAX_REPLACEMENTS - max(proposed, len(state.replaced.origins))


def _no_defer(state: RunState) -> str:
    if state.attempt.number > 1:
        return recovery_texts.deferred_once()
    awaited = state.attempt.failure.waits_for if state.attempt.failure else ""
    # what this run is still going to work on, or is working on
    coming = {task.key for task in upcoming(state)} | set(state.at_work)
    coming |= {a.task for a in state.attempts.values() if a.status is Status.DEFERRED}
    if awaited and awaited not in coming:
        name = next((t.name for t in state.tasks if t.key == awaited), "")
        return recovery_texts.never_deferred(name)
    return ""


def _no_rewrite(state: RunState, fewest: int) -> str:
    if form_of(state.request.roadmap).apart:
        return recovery_texts.rewrites_refused("apart", 0)
    depth = state.depths.get(state.current, 0)
    if depth > MAX_DEPTH:
        return recovery_texts.rewrites_refused("deep", depth)
    if room(state) < fewest:
        return recovery_texts.rewrites_refused("many", MAX_REPLACEMENTS)
    task = state.task
    return recovery_texts.rewrites_refused("kind", 0) if task.kind != "work" or task.checked else ""


Disposition = Literal["apply", "ask", "publish"]

ASKED_IN: Final[Mapping[Strategy, frozenset[ApprovalMode]]] = {
    "rewrite": frozenset({"interactive"}),
    "decompose": frozenset({"interactive", "approve_decompose"}),
    "defer": frozenset(),
    "skip": frozenset(),
    "escalate": frozenset({"interactive", "approve_decompose", "auto"}),
}
"""The modes in which a person is asked before a strategy is applied."""


def disposition(proposal: Proposal, mode: ApprovalMode) -> Disposition:
    """Say whether a proposal is applied at once, waits for a person, or is only published.

    A change set that needs a person waits for one in every mode, and a task that is only put off
    is tried again in every mode: nothing of what people wrote changes.
    """
    if proposal.kind == "changes":
        return "ask"
    if mode == "review_only":
        return "apply" if proposal.strategy == "defer" else "publish"
    return "ask" if mode in ASKED_IN[proposal.strategy] else "apply"


_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+(?!\[[ xX]\])(?P<text>\S.*)$")
_FILE = r"`[\w./-]{1,200}\.\w{1,8}`"
_FILES = re.compile(rf"{_FILE}(?:,?\s+and\s+{_FILE}|,\s*{_FILE})+")
_LONGEST_TITLE = 120


def parts_of(task: Task, plan: Plan | None) -> tuple[NewTask, ...]:
    """Return 2 to 5 parts in order, from its bullets, its list of files or its plan; else ().

    The last part gets all the acceptance criteria.
    """
    for parts in (_bullets(task), _files(task), _steps(plan)):
        if 2 <= len(parts) <= MOST_PARTS:
            return (*parts[:-1], replace(parts[-1], acceptance=task.acceptance))
    return ()


def _bullets(task: Task) -> list[NewTask]:
    """What is listed below the task, at the outermost level, as parts of its sentence."""
    about = unnumbered(task).partition("\n")[0].strip().rstrip(".:")[:_LONGEST_TITLE]
    return [NewTask(f"{about}: {text}") for text in _points(task)]


def _points(task: Task) -> list[str]:
    criteria = {" ".join(text.split()) for text in task.acceptance}
    found = [match for line in task.details.split("\n") if (match := _BULLET.match(line))]
    outer = min((len(match["indent"]) for match in found), default=0)
    texts = [" ".join(m["text"].split()) for m in found if len(m["indent"]) == outer]
    return [text for text in texts if _is_part(text, criteria)]


def _is_part(text: str, criteria: set[str]) -> bool:
    """A check says when it is done, and a label introduces others."""
    return text not in criteria and not text.endswith(":") and ":" not in text.split(" ")[0]


def _files(task: Task) -> list[NewTask]:
    """One part for each file of the one list of files in its sentence."""
    text = " ".join(unnumbered(task).split())
    lists = list(_FILES.finditer(text))
    if len(lists) != 1:
        return []
    before, after = text[: lists[0].start()], text[lists[0].end() :]
    files = dict.fromkeys(re.findall(_FILE, lists[0][0]))
    about = tuple(_points(task))
    return [NewTask(f"{before}{file}{after}", details=about) for file in files]


def _steps(plan: Plan | None) -> list[NewTask]:
    """The steps of its plan, if each names what it is about."""
    steps = [" ".join(step.split()) for step in plan.steps] if plan else []
    return [NewTask(step) for step in steps] if all("`" in s or "/" in s for s in steps) else []
