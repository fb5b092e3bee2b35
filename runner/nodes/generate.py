"""Ask for code: a first or fresh answer, a repair of what does not parse, a repair of red tests."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Literal

from runner.asking import Said, ask
from runner.changes import ChangeSet
from runner.deps import Deps
from runner.findings import Complaint
from runner.nodes.before import unproven
from runner.nodes.handed import set_aside, taken_over
from runner.nodes.hiding import put_back, still_hidden, without_excerpts
from runner.nodes.quoting import long_one, originals, quoted_changes, unseen, with_tests
from runner.nodes.required import asked_for
from runner.ports import Message
from runner.prompts import question
from runner.prompts.kinds import kind_of
from runner.reading import base_of, contents, named_in, reader
from runner.replies import Reply, parse_reply
from runner.secret_files import is_secret_file
from runner.state import Attempt, RunState, Step
from runner.strategy import MAX_REPAIRS, after_failure
from runner.texts import in_log
from runner.validators.validate import REFUSED
from runner.verdicts import outputs_of

log = logging.getLogger(__name__)

FIRST, SURGICAL, AFRESH = 0.2, 0.2, 0.7
"""Temperatures. A repair wants the same code but for the fault; a fresh start other code."""


async def execute_task(state: RunState, deps: Deps) -> Step:
    """Ask the whole question; again and warmer after failures, which are named.

    Work that people handed over is the first answer, and nothing is asked then.
    """
    log.info("Executing task %s", in_log(state.task))
    if state.attempt.handed and not state.attempt.answers:
        state = await taken_over(state, deps)
        if state.attempt.answers:
            return Step(state, "ok")
    state = set_aside(state)
    attempt = state.attempt
    newest = _newest(state)
    files = quoted_changes(newest, newest.files)
    partial = unseen(state, files)
    messages = question(
        "execute_task",
        context=attempt.context.decode(),
        avoid=attempt.avoid,
        files=files,
        partial=partial,
        kind=kind_of(state.task),
    )
    first = state.request.options.temperature
    temperature = AFRESH if attempt.answers else FIRST if first is None else first
    state, said = await ask(state, deps, messages, temperature=temperature)
    return Step(await _answered(state, deps, said, newest, CodeQuestion(messages, partial)), "ok")


def _newest(state: RunState) -> ChangeSet:
    """What a fresh answer goes on top of: nothing, but in the ralph loop what is sound by now."""
    attempt = state.attempt
    goes_on = state.request.options.loop == "ralph" and not attempt.complaints
    return attempt.changes if goes_on else ChangeSet()


async def repair_code(state: RunState, deps: Deps) -> Step:
    """Ask for exactly what the complaints name."""
    attempt = state.attempt
    log.info("Repairing code (attempt %d/%d)", attempt.code_repairs + 1, MAX_REPAIRS)
    faulty = {complaint.path for complaint in attempt.complaints}
    kept = _kept(attempt).files
    files = [
        *quoted_changes(attempt.changes, faulty),
        *(await originals(state, deps, faulty) if attempt.changes else ()),
    ] or quoted_changes(attempt.changes, attempt.changes.files)
    partial = unseen(state, files)
    messages = question(
        "repair_code",
        task=state.task,
        complaints=without_excerpts(attempt.complaints),
        context="" if attempt.changes else attempt.context.decode(),
        files=files,
        partial=partial,
        long=long_one(files),
        dropped=sorted(attempt.changes.files.keys() - kept.keys()),
    )
    state = state.with_attempt(code_repairs=attempt.code_repairs + 1)
    return await _repaired(state, deps, CodeQuestion(messages, partial))


async def repair_test(state: RunState, deps: Deps) -> Step:
    """Ask for a correction from the parsed failures, with the code and the tests they name."""
    attempt = state.attempt
    log.info("Test repair attempt %d/%d", attempt.test_repairs + 1, MAX_REPAIRS)
    verification = attempt.verification
    failures = verification.failures if verification else ()
    files = await with_tests(state, deps, [f.file for f in failures])
    messages = question(
        "repair_test",
        task=state.task,
        failures=failures[:5],
        outputs=outputs_of(verification, most=3_000),
        unproven=unproven(verification) is not None,
        files=files,
        long=long_one(files),
    )
    state = state.with_attempt(test_repairs=attempt.test_repairs + 1)
    return await _repaired(state, deps, CodeQuestion(messages, unseen(state, files)))


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """A question for code; of the files ``partial`` it shows only a part."""

    messages: tuple[Message, ...]
    partial: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(message.content for message in self.messages)


async def _repaired(state: RunState, deps: Deps, asked: CodeQuestion) -> Step:
    """A repair's answer goes on top of what it repairs; the same code again is no answer."""
    state, said = await ask(state, deps, asked.messages, temperature=SURGICAL)
    state = await _answered(state, deps, said, _kept(state.attempt), asked)
    attempt = state.attempt
    if attempt.complaints or attempt.changes.digest not in attempt.tried:
        return Step(state, "ok")
    kind: Literal["code", "test"] = "code" if state.node == "repair_code" else "test"
    decision = after_failure(attempt, kind, loop=state.request.options.loop, same=True)
    outcome = decision.outcome if decision.outcome != "rejected" else "afresh"
    return Step(state.with_attempt(reasons=(*attempt.reasons, decision.reason)), outcome)


async def _answered(
    state: RunState, deps: Deps, said: Said, before: ChangeSet, asked: CodeQuestion
) -> RunState:
    """Turn an answer into a change set; what cannot be understood becomes complaints."""
    base = await base_of(state, deps)
    old = await contents(deps, base, named_in(said.text, sorted(base.entries)))
    written = [write.content for write in before.files.values() if write]
    text = await asyncio.to_thread(put_back, said.text, [*old.values(), *written], deps.mask)

    def parsed(before: ChangeSet) -> Reply:
        return parse_reply(
            text,
            paths={*base.entries, *before.files},
            expected=_expected(state, before),
            named=state.task.files,
            partial=(*asked.partial, *filter(is_secret_file, old)),
            seen=asked.text,
            read=reader(old, before),
            truncated=said.truncated,
        )

    reply = await asyncio.to_thread(parsed, before)  # a hostile answer may cost seconds
    misfits = {c.path for c in reply.complaints if c.error in ("EditNotFound", "AmbiguousEdit")}
    misfits |= {p for p, w in reply.changes.files.items() if before.files.get(p) == w}
    if misfits & before.files.keys():  # they may be edits of the original, which is shown as well
        rest = ChangeSet({p: w for p, w in before.files.items() if p not in misfits})
        other = await asyncio.to_thread(parsed, rest)
        before, reply = (before, reply) if other.complaints else (rest, other)
    complaints = (_REFUSED,) if said.refused and not reply.changes else reply.complaints
    complaints += await asyncio.to_thread(still_hidden, reply.changes, old, deps.mask)
    return state.with_attempt(
        answers=state.attempt.answers + 1,
        changes=before.merged(reply.changes),
        complaints=complaints,
        mended=(*state.attempt.mended, *reply.repairs),
        warnings=(),  # those of the answer before
        failure=None,
    )


_REFUSED = Complaint("", "Refusal", "the model refused to answer (content filter)")


def _kept(attempt: Attempt) -> ChangeSet:
    """What a repair goes on top of: the change set without the files that may not be written."""
    refused = {c.path for c in attempt.complaints if c.error in REFUSED}
    return ChangeSet({p: w for p, w in attempt.changes.files.items() if p not in refused})


def _expected(state: RunState, before: ChangeSet) -> list[str]:
    """Paths an answer without a path can be meant for."""
    faulty = [c.path for c in state.attempt.complaints if c.path and c.error not in REFUSED]
    if faulty and before:
        return list(dict.fromkeys(faulty))
    plan = state.attempt.plan
    meant = [path for path in state.task.files if asked_for(path, state.task)]
    named = [*(meant or state.task.files), *(plan.likely_files if plan else ())]
    return [path for path in dict.fromkeys(named) if not path.endswith("/")]
