"""Write the tree into the task's sandbox session and run the project's own tests there.

A repository's own commands, or one that a model proposes, can take the place of the tests that are
found. A model is asked for a command once per attempt; its exit code decides.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from runner.checks.destructive_commands import judge_text
from runner.code.languages import is_test_file
from runner.errors import Outage, TaskError
from runner.loop.accepted import asks_for_better, kept, may_repair, or_kept, settled
from runner.loop.asking import answer_form, ask
from runner.loop.at_work import AtWork
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import base_of, compiled_files, prepared_image
from runner.loop.schedule import upcoming
from runner.loop.strategy import given_up, judged
from runner.nodes.asked_test import by_asked_test, without_asked_test
from runner.nodes.assess import assessed, run_levels, timed_out, without_ticks
from runner.nodes.covered import apart_from, beside_the_task, covered
from runner.nodes.evidence import gathered
from runner.nodes.first_tests import first_tests, suite_seconds, time_needed, whole_seconds
from runner.nodes.format import formatted
from runner.nodes.lint import lint_levels, with_linters
from runner.nodes.people import excused, stands_in_the_way
from runner.nodes.preflight import configured, falls_short
from runner.nodes.proof import proved, unnoticed, unproven
from runner.nodes.steadied import TIMES, steadied, turned_by_chance, unsteady_on_base
from runner.nodes.work import NodeWork, laid_out, work_on
from runner.people.sentences import new_findings
from runner.people.texts import pull_texts, verification_texts
from runner.prompts import question
from runner.recovery.classify import unrepairable
from runner.state.changes import ChangeSet
from runner.state.findings import Level, Verdict, Verification, reasons_of
from runner.state.run_state import RunState, Step
from runner.verify import Commands, tools_of
from runner.verify.assessment import Assessment
from runner.verify.judging import Read
from runner.verify.rows import JudgedChange, plain_id, red_tests

_LONGEST = 500
_SOON = 10
"""After this part of the time that tests may take they are compared with those of the base."""

_WORTH = "Running the tests without the change, and with faults in it"

_FENCE = re.compile(r"^\s*(?:```\w*|\$ )?\s*|\s*$")
# what always exits with 0, whatever the code does
_IDLE = frozenset({"true", ":", "echo", "exit", "pwd", "ls", "cat", "printf", "test", "["})
_HIDDEN = re.compile(r"(\|\||;)\s*(true|:|exit 0|echo\b.*)\s*$")


async def own_commands(
    state: RunState, deps: Deps, *, paths: Collection[str], read: Read
) -> tuple[RunState, Commands | None]:
    """Return what to verify with (None: what the tree shows), and the state.

    Raises as ``ask`` does when a model is asked.
    """
    options = state.request.options
    if own := configured(state):
        return state, own
    if options.verify.verify_mode != "agent" or tools_of(paths, read):
        return state, None
    if state.attempt.tested.command is None:
        state = await _proposed(state, deps)
    line = state.attempt.tested.command
    return state, Commands((("sh", "-c", line),), proposed=True) if line else None


async def _proposed(state: RunState, deps: Deps) -> RunState:
    attempt = state.attempt
    messages = question(
        "propose_verification",
        **await answer_form(state, deps),
        context=attempt.planned.context.decode(),
        changed=sorted(path for path, write in attempt.answered.changes.files.items() if write),
    )
    state, reply = await ask(state, deps, messages, temperature=0.0, max_tokens=300)
    command, refused = read_command(reply.text)
    if refused:
        reason = f"the proposed verification `{command}` was not run: {refused}"
        state = state.noted(reason)
    return state.updated(replace(state.attempt.tested, command="" if refused else command))


def read_command(text: str) -> tuple[str, str]:
    """Return the command of an answer (or '') and why it is refused (or '')."""
    lines = [_FENCE.sub("", line).strip("`") for line in text.split("\n")]
    found = [line for line in lines if line]
    if len(found) != 1 or found[0].upper().rstrip(".") == "NONE":
        return "", ""
    command = found[0]
    if len(command) > _LONGEST or not command.isprintable():
        return command[:_LONGEST], "it is not a single line of plain text"
    if destroyed := next(judge_text(command), None):
        return command, f"it destroys something ({destroyed[1]})"
    if command.split()[0] in _IDLE or _HIDDEN.search(command):
        return command, "it always exits with 0, whatever the code does"
    return command, ""


log = logging.getLogger(__name__)


@or_kept
async def write_files(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Format the changed lines, then make the workspace equal to base + change set."""
    with _asked_once(state):
        here = await work_on(state, deps, work.sandbox, await base_of(state, deps))
        try:
            here = replace(here, state=await formatted(here))
            lines = here.changes.lines_changed(await here.contents(here.changes.files))
            answered = replace(here.state.attempt.answered, lines=lines)
            here = replace(here, state=here.state.updated(answered))
            await here.filled()
        except TaskError as error:
            if not await _breaks_the_build(here, error):
                raise
            level = Level("syntax", "failed", reason=error.message, output=error.message)
            found = Verification(here.tree, (level,))
            await here.tell(found, "change")
            tested = replace(here.state.attempt.tested, verification=found, verdict=None)
            return judged(here.state.updated(tested), "test")
    return Step(here.state, "ok")


async def _breaks_the_build(work: NodeWork, error: TaskError) -> bool:
    """Whether setup, which compiles what the change writes, fails with the change only."""
    compiled = await compiled_files(work.deps, work.base, work.changes)
    if error.kind != "environment" or compiled.isdisjoint(work.changes.files):
        return False
    try:
        await prepared_image(work.state, work.deps, work.base, ChangeSet())
    except TaskError:
        return False
    return True


@or_kept
async def verify_task(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Run the levels; failures that were there before the change are not the task's."""
    with _asked_once(state):
        here = await work_on(state, deps, work.sandbox, await base_of(state, deps))
        return await _judged(here)


def told_once(state: RunState, found: Assessment) -> Step | None:
    """Show the author of an accepted change once that a test which was asked for apart fails.

    Where it fails as it does without the change, the change does not touch what the task is about,
    and is refused; given again, it is taken. Otherwise it is kept meanwhile. None where there is
    nothing to show, or no call is left for it: such a test is no gate.
    """
    asked = state.attempt.tested.asked_test
    if asked is None or not asked.failures or asked.told:
        return None
    level = Level(
        "tests",
        "failed",
        reason=verification_texts.as_without() if asked.same else "",
        failures=asked.failures,
    )
    verification = replace(found.verification, levels=(*found.verification.levels, level)).lean
    state = state.updated(replace(state.attempt.tested, asked_test=replace(asked, told=True)))
    if not asked.same:
        state = accepted(state, found)
        if not may_repair(state):
            return None
        return kept(state, "what a test says that was asked for separately", verification)
    tried = state.attempt.answered.tried
    tested = replace(state.attempt.tested, verification=verification, verdict=None)
    step = judged(state.updated(tested), "test")
    if step.outcome == "exhausted":
        return None
    for reason in reasons_of(Verification("", (level,))):
        log.info("A test that was asked for separately fails: %s", reason)
    answered = replace(step.state.attempt.answered, tried=tried)
    return replace(step, state=step.state.updated(answered))


@contextmanager
def _asked_once(state: RunState) -> Iterator[None]:
    """Pause a run at the second task that the environment fails for the same reason.

    Every further task would fail like it. The answer that is paid for is verified when the run goes
    on.
    """
    try:
        yield
    except TaskError as error:
        others = (a.failure for key, a in state.attempts.items() if key != state.current)
        before = (f.message for f in others if f and f.type == error.kind == "environment")
        if error.message not in before:
            raise
        raise Outage("environment", f"{error.message} Two tasks failed for this reason") from error


async def _judged(work: NodeWork) -> Step:
    state, deps, base = work.state, work.deps, work.base
    require = state.request.options.verify.verify_require
    try:
        state, found = await measured(work)
    except TaskError as error:
        if error.kind != "environment" or require != "none":
            raise
        nothing = Verification(work.tree, ())
        found = Assessment("unverifiable", nothing, Verdict(reason=error.message))
    if found.outcome == "unverifiable":
        if require != "none":
            why = f"Cairn cannot verify the change: {found.verdict.reason}."
            raise TaskError("environment", why)
        # what was run, without tests that could not start
        left = (level for level in found.verification.levels if level.name != "tests")
        levels = (*left, Level("tests", "skipped", reason=found.verdict.reason))
        verification = replace(found.verification, levels=levels)
        found = replace(found, outcome="green", verification=verification)
    verification = found.verification
    shown = found.otherwise if found.outcome == "red" else None
    if shown and shown.verdict.verified:
        state = accepted(state, shown)
        if may_repair(state):
            return kept(state, "what failed before and fails now", verification.lean)
        found = shown
        verification = found.verification
    if found.outcome == "green":
        if told := told_once(state, found):
            return told
        state = accepted(state, found)
        if not await falls_short(state, deps, base):
            return kept(state) if asks_for_better(state) else settled(state)
        missing = Level("tests", "failed", reason=verification_texts.not_shown())
        verification = replace(verification, levels=(*verification.levels, missing))
    state = state.updated(
        replace(state.attempt.tested, verification=verification.lean, verdict=None)
    )
    for reason in reasons_of(verification):
        log.info("Test failed: %s", deps.mask(reason))
    # a deferred task comes back once
    to_come = {task.key for task in upcoming(state)} if state.attempt.number == 1 else ()
    if unrepairable(await gathered(state, deps), to_come=to_come):
        return given_up(state, "the task asks for a module that no repair can provide")
    red = {failure.test for failure in verification.failures}
    if found.stays and not state.attempt.planned.revision:
        return stands_in_the_way(state, found.stays)
    step = judged(state, "test")
    if found.in_the_way and red <= set(found.in_the_way):
        # only old failures: the same answer again says that they are none of its business
        answered = replace(step.state.attempt.answered, tried=state.attempt.answered.tried)
        step = replace(step, state=step.state.updated(answered))
    return step


async def measured(work: NodeWork) -> tuple[RunState, Assessment]:
    """Judge the current attempt's change; where it is accepted, also what its tests are worth."""
    work = replace(work, state=without_asked_test(work.state))
    state, own = await own_commands(work.state, work.deps, paths=work.paths, read=work.read)
    if own:
        own = replace(laid_out(own, work.base, work.settings), before=work.base.entries.keys())
    work, found, change = await _assessed(replace(work, state=state, own=own))
    if change and found.outcome == "red" and (shown := found.otherwise):
        async with AtWork(work.state, work.deps, _WORTH):
            return work.state, replace(found, otherwise=await proved(work, shown, change))
    if found.outcome != "green" or change is None:
        return work.state, found
    async with AtWork(work.state, work.deps, _WORTH):
        found = replace(found, verification=await covered(work, found))
        found = await proved(work, found, change)
    red = None if found.verdict.verified else found.otherwise
    if red and not set(red.stays) <= excused(work.state):
        return work.state, red
    state, found = await by_asked_test(work, found, change)
    if beside := await beside_the_task(replace(work, state=state), found):
        found = replace(found, hints=(verification_texts.nothing_leads_to(beside), *found.hints))
    return state, found


async def _assessed(work: NodeWork) -> tuple[NodeWork, Assessment, JudgedChange | None]:
    """Judge the change by its own tests where those of all take long, and then by all."""
    known = _key(work) in work.sandbox.verified
    linters = await lint_levels(work)
    if not known and (early := await first_tests(work)):
        both = with_linters(early.verification, linters)
        if linters:
            await work.tell(both, "change")
        return work, replace(early, verification=both), None
    verification = with_linters(await _verified(work), linters)
    if linters and not known:
        await work.tell(verification, "change")
    if seconds := whole_seconds(verification):
        tested = replace(work.state.attempt.tested, suite_seconds=seconds)
        work = replace(work, state=work.state.updated(tested))
    found, change = await assessed(work, verification)
    left = {failure.test for failure in red_tests(found.verification)}
    if (
        found.outcome == "red"
        and left
        and left < {failure.test for failure in red_tests(verification)}
    ):
        # among others that failed before, a flaky one was not run again
        again = await steadied(work, verification, among=left)
        if again != verification:
            verification = again
            found, change = await assessed(work, again)
    unsteady = frozenset[str]()
    if found.outcome == "red":
        red, sometimes = await unsteady_on_base(work, found)
        again = verification
        if sometimes:
            again = await steadied(work, verification, among=sometimes, times=TIMES)
        if red or again != verification:
            unsteady = red
            verification = again
            found, change = await assessed(work, again, unsteady=unsteady)
    if apart := await apart_from(work, found):
        found, change = await assessed(work, verification, unsteady=unsteady, apart=apart)
    again = await turned_by_chance(work, verification, found, change.users or ())
    if again != verification:
        found, change = await assessed(work, again, unsteady=unsteady, apart=apart)
    return work, found, change


def accepted(state: RunState, found: Assessment) -> RunState:
    """Return the state with what tests say about a change that is accepted."""
    reasons, verification = state.attempt.spent.reasons, found.verification
    if found.verdict.unchanged:
        reasons = (*reasons, "the failing tests also failed before this change")
    parts = (verification_texts.unproven(),) if unproven(verification) else ()
    if weak := unnoticed(verification):
        parts = (*parts, verification_texts.faults_unnoticed(weak))
    # test files that the task names and in which nothing changed or turned green
    changed = state.attempt.answered.changes.files
    turned = {test.partition("::")[0] for test in found.verdict.turned}
    named = filter(is_test_file, state.task.files)
    if left := [path for path in named if path not in changed and path not in turned]:
        parts = (*parts, verification_texts.tests_left(left))
    if (asked := state.attempt.tested.asked_test) and asked.failures:
        parts = (*parts, pull_texts.apart(asked))
    parts = (*new_findings(verification), *parts)
    gone = [row.test for row in found.rows if row.after == "gone" and row.taken]
    first = (verification_texts.went_along(gone),) if gone else ()
    left_out = [row.test for row in found.rows if row.after == "gone" and row.before == "failed"]
    first = (*first, verification_texts.not_run_any_more(left_out)) if left_out else first
    held = [row.test for row in found.rows if row.stood and row.before == row.after == "passed"]
    first = (*first, verification_texts.turned_without_code(held)) if held else first
    told = {mark.rpartition(" ")[0] for mark in state.attempt.checked.other_tests}
    fit = [row.test for row in found.rows if row.rewritten and row.after == "passed"]
    if bent := [test for test in fit if plain_id(test) not in told]:
        first = (*first, verification_texts.turned_to_fit(bent))
    return state.updated(
        replace(state.attempt.tested, verification=verification.lean, verdict=found.verdict),
        replace(state.attempt.spent, reasons=reasons),
        replace(
            state.attempt.checked,
            warnings=tuple(
                dict.fromkeys((*first, *found.hints, *state.attempt.checked.warnings, *parts))
            ),
        ),
    )


async def _verified(work: NodeWork) -> Verification:
    """Verify a tree once: the same commands say the same about it."""
    key, known = _key(work), work.sandbox.verified
    if key in known:
        return known[key]
    verification = await _bounded(work)
    await work.tell(verification, "change")
    verification = await steadied(work, verification)
    known[key] = known[without_ticks(work, work.entries)] = verification
    return verification


def _key(work: NodeWork) -> str:
    """What the verification of a tree depends on: also what runs there, and in which image."""
    sandbox = work.state.request.options.sandbox
    return json.dumps((work.tree, str(work.own), sandbox.image, sandbox.setup))


async def _bounded(work: NodeWork) -> Verification:
    """Run the levels; code that never ends costs seconds, and slow tests get their time.

    Tests that are not done after a short time are compared with those of the base: where the base
    ends long before that time, the change does not end; otherwise the tests, or the machine, are
    slow.
    """
    longest = work.seconds
    short = longest if suite_seconds(work.state) > longest / _SOON else longest / _SOON
    verification = await run_levels(work, seconds=short)
    if not timed_out(verification) or short == longest:
        return verification
    needed = await time_needed(work, verification, within=short)
    return await run_levels(work, seconds=needed) if needed > short else verification
