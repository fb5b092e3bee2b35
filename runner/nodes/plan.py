"""Ask what the model means to do, before it does it."""

from __future__ import annotations

import json
import logging
import re

from pydantic import BaseModel, ValidationError

from runner.loop.asking import ask
from runner.loop.deps import Deps, TaskWork
from runner.nodes.context import describe
from runner.nodes.unclear import ask_people_first
from runner.people.sentences import in_log
from runner.prompts import question
from runner.prompts.forms import form
from runner.state.run_state import Plan, RunState, Step

log = logging.getLogger(__name__)

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class _Plan(BaseModel):
    likely_files: list[str] = []
    steps: list[str] = []
    acceptance: list[str] = []
    complexity: str = "medium"


async def plan_task(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Ask for a plan; continue without an unusable one, because the code is what counts."""
    ask_people_first(state)
    log.info("Planning task %s", in_log(state.task))
    state, context = await describe(state, deps)
    messages = question("plan_task", context=context)
    state, reply = await ask(state, deps, messages, temperature=0.2, form=form("plan"))
    return Step(state.with_attempt(plan=read_plan(reply.text)), "ok")


def read_plan(text: str) -> Plan | None:
    """Read the JSON object of an answer, wherever it is; None if none is usable."""
    found = _OBJECT.search(text)
    if found is None:
        return None
    try:
        plan = _Plan.model_validate(json.loads(found[0]))
    except (json.JSONDecodeError, ValidationError, RecursionError):
        return None
    complexity = plan.complexity if plan.complexity in ("low", "medium", "high") else "medium"
    return Plan(
        likely_files=tuple(plan.likely_files[:20]),
        steps=tuple(plan.steps[:20]),
        acceptance=tuple(plan.acceptance[:20]),
        complexity=complexity,
    )
