"""Collect what is known of a failed attempt, and ask why where no pattern is sure."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from runner.errors import TaskError
from runner.loop.asking import ask
from runner.loop.deps import Deps
from runner.loop.reading import base_of, contents, reader
from runner.prompts import render_text
from runner.prompts.questions import Message
from runner.recovery.classify import believed, classify
from runner.recovery.facts import MANIFESTS, FailureFacts, facts_of, failure_of
from runner.recovery.reading import read_reason
from runner.state.proposal import Classification
from runner.state.run_state import Failure, RunState
from runner.text.sanitize import cut_middle

SHORT = 2048
"""Tokens of an answer that is a word or a few tasks; a model that reasons needs most of them."""

_LONGEST_MANIFEST = 100_000
_LONGEST_TASK = 2_000
_LONGEST_LINE = 300
_MOST_OTHERS, _MOST_LINES = 8, 10


async def gathered(state: RunState, deps: Deps) -> FailureFacts:
    """Return the facts; a tree that cannot be read has no files. Raises ``Outage``."""
    try:
        base = await base_of(state, deps)
        old = await contents(deps, base, MANIFESTS)
    except TaskError:
        return await asyncio.to_thread(facts_of, state, (), {})
    read = reader(old, state.attempt.answered.changes)
    found = {path: text for path in MANIFESTS if (text := read(path)) is not None}
    manifests = {p: t[:_LONGEST_MANIFEST].decode("utf-8", "replace") for p, t in found.items()}
    return await asyncio.to_thread(facts_of, state, base.entries, manifests)


async def explained_failure(state: RunState, deps: Deps) -> tuple[RunState, Failure]:
    """Name the failure and its reason: by patterns, else by one question, else unknown."""
    facts = await gathered(state, deps)
    failure = failure_of(state.attempt)
    found = await asyncio.to_thread(classify, facts)
    proposes = state.request.options.approvals.recovery and not state.attempt.planned.revision
    if found is None and proposes:
        state, found = await _asked(state, deps, facts, failure)
    found = found or Classification("unknown", (), by="nobody")
    return state, replace(
        failure,
        reason=found.reason,
        evidence=tuple(dict.fromkeys((*found.evidence, *failure.evidence))),
        found_by=found.by,
        waits_for=found.waits_for,
    )


async def _asked(
    state: RunState, deps: Deps, facts: FailureFacts, failure: Failure
) -> tuple[RunState, Classification]:
    """Ask a closed question; anything but one of its answers is unknown."""
    text = render_text(
        "classify_failure",
        task=task_text(facts),
        others=[f"{t.name} {t.title}"[:_LONGEST_LINE] for t in facts.others[:_MOST_OTHERS]],
        evidence=list(lines(failure)),
    )
    try:
        messages = (Message("user", text),)
        state, reply = await ask(state, deps, messages, temperature=0.0, max_tokens=SHORT)
    except TaskError:
        return state, Classification("unknown", (), by="nobody")
    return state, believed(read_reason(reply.text), facts)


def task_text(facts: FailureFacts) -> str:
    """The task as a question shows it."""
    task = facts.task
    return cut_middle(f"{task.text}\n{task.details}".rstrip(), _LONGEST_TASK)


def lines(failure: Failure) -> Iterator[str]:
    """What was seen as a question shows it: short lines, the summary first."""
    seen = (line for line in failure.evidence[:_MOST_LINES] if line not in failure.message)
    for line in dict.fromkeys((failure.message, *seen)):
        yield cut_middle(" ".join(line.split()), _LONGEST_LINE).replace("\n", " ")
