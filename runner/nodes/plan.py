"""Ask what the model means to do, before it does it."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from runner.checks.asked import TaskWords
from runner.code.languages import is_test_file, language_of
from runner.context.library import existing
from runner.errors import TaskError
from runner.loop.asking import answer_form, ask
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import seen_of
from runner.nodes.context import describe
from runner.nodes.people import ask_people_first
from runner.people.sentences import in_log
from runner.prompts import question, render_text
from runner.prompts.questions import Message
from runner.state.run_state import Plan, RunState, Step

log = logging.getLogger(__name__)

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class _Plan(BaseModel):
    likely_files: list[str] = []
    steps: list[str] = []
    acceptance: list[str] = []
    complexity: str = "medium"


async def plan_task(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Ask for a plan; continue without an unusable one, because the code is what counts.

    One that names no file, or none that is there or to be made, is refined once.
    """
    ask_people_first(state)
    log.info("Planning task %s", in_log(state.task))
    state, context = await describe(state, deps)
    messages = question("plan_task", **await answer_form(state, deps), context=context)
    state, reply = await ask(state, deps, messages, temperature=0.2)
    plan = read_plan(reply.text)
    unknown = await _unknown(state, deps, plan) if plan else []
    if plan and (unknown or not plan.likely_files):
        more = render_text("refine_plan", unknown=unknown)
        again = (*messages, Message("assistant", reply.text), Message("user", more))
        try:
            state, reply = await ask(state, deps, again, temperature=0.2)
        except TaskError as error:
            log.info("The plan is not refined: %s", error.message)
        plan = read_plan(reply.text) or plan
    return Step(state.updated(replace(state.attempt.planned, plan=plan)), "ok")


async def _unknown(state: RunState, deps: Deps, plan: Plan) -> list[str]:
    """The files of a plan, if none of them is there or is to be made.

    A new file has a folder that is there, or the task names it, or it is a test, or there is no
    code yet. Raises ``Outage``.
    """
    base, task = await seen_of(state, deps), TaskWords.of(state.task)
    known = {*base.entries, *task.paths}
    there = {path[:at] for path in known for at, letter in enumerate(path) if letter == "/"}
    for path in plan.likely_files:
        bare = path.rstrip("/")
        made = bare.rpartition("/")[0] in there | {""} or is_test_file(bare)
        if bare in known | there or made or task.names_file(bare) or existing([path], base):
            return []
    return list(plan.likely_files) if any(map(language_of, base.entries)) else []


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
