"""Ask for code: a first or fresh answer, a repair of syntax, a repair of failing tests.

A model sees ``***`` in the place of a secret. If its answer repeats such a line, the file keeps its
real value: a change set never loses a value because it was hidden.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from textwrap import shorten
from typing import TYPE_CHECKING, Literal

from runner.checks.kept_names import QUESTIONS
from runner.checks.validate import REFUSED
from runner.loop.accepted import or_kept
from runner.loop.asking import ModelReply, answer_form
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, named_in, quote, reader, seen_of
from runner.loop.strategy import MAX_REPAIRS, after_failure
from runner.nodes.looking import CodeQuestion, ask_for_code, rounds_left
from runner.nodes.quoting import (
    MAX_QUOTED,
    distinct,
    long_one,
    originals,
    quoted_changes,
    unseen,
    with_tests,
)
from runner.nodes.revise import added_to, as_suggested, change_so_far
from runner.nodes.told import about_task
from runner.people.sentences import finding, in_log
from runner.prompts import question
from runner.prompts.task_kinds import kind_of
from runner.roadmap.task import files, listed_files
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint, outputs_of
from runner.state.run_state import Attempt, RunState, Step
from runner.text.encoding import GUESSED, encoding_of
from runner.text.mask import HIDDEN, Mask, hidden_lines, is_secret_file
from runner.text.sanitize import cut_middle
from runner.verify.rows import path_of

if TYPE_CHECKING:
    from runner.answers.reply import ParsedAnswer

_IN_FRONT = "+- \t"
"""What an answer may have in front of a line that it repeats: other indentation, a diff's mark."""


def put_back(answer: str, shown: Iterable[bytes], mask: Mask) -> str:
    """Return the answer with the real values of the hidden lines of these contents.

    A line that can mean two different ones stays hidden: ``still_hidden`` then refuses it.
    """
    if HIDDEN not in answer:
        return answer
    truths: dict[str, set[str]] = {}
    for content in shown:
        text = content.decode("utf-8", "replace").replace("\r\n", "\n")
        for line, truth in hidden_lines(text, mask.spans(text)).items():
            truths.setdefault(line.strip(), set()).add(truth)
    known = {line: truth.pop() for line, truth in truths.items() if len(truth) == 1}
    lines = answer.split("\n")
    for at, line in enumerate(lines):
        bare = line.lstrip(_IN_FRONT)
        if HIDDEN in line and (real := known.get(bare.strip())) is not None:
            # a block of several lines has its own indentation
            one = line[: len(line) - len(bare)] + real.strip()
            lines[at] = real if "\n" in real else one
    return "\n".join(lines)


def still_hidden(changes: ChangeSet, old: Mapping[str, bytes], mask: Mask) -> tuple[Complaint, ...]:
    """Complain about files in which ``***`` would take the place of a value that was hidden."""
    found = []
    for path, write in changes.files.items():
        before = old.get(path, b"").decode("utf-8", "replace")
        after = write.content.decode("utf-8", "replace") if write else ""
        if after.count(HIDDEN) > before.count(HIDDEN) and mask.spans(before):
            message = f"{path} has {HIDDEN} in the place of a value that was hidden."
            advice = (
                "Repeat such a line exactly as it was shown, or change the other lines by "
                "SEARCH/REPLACE."
            )
            found.append(Complaint(path, "HiddenValue", message, advice=advice))
    return tuple(found)


def without_excerpts(complaints: Iterable[Complaint]) -> tuple[Complaint, ...]:
    """Return the complaints without lines of files that are not shown."""
    return tuple(replace(c, excerpt="") if is_secret_file(c.path) else c for c in complaints)


log = logging.getLogger(__name__)

_MOST_FINDINGS = 20
_UTF8 = re.compile(r"\butf-?8\b", re.IGNORECASE)
_EXECUTABLE = re.compile(r"(?<!not )(?<!non-)\bexecutable\b|\bchmod\b|\b0?755\b", re.IGNORECASE)
_LONGEST_EXPLANATION = 1_200
_LONGEST_TALK = 160
_TALK = frozenset({"UnreadableAnswer", "Refusal"})
"""Complaints of an answer that is nothing but words, as far as can be told."""

FIRST, SURGICAL, AFRESH = 0.2, 0.2, 0.7
"""Temperatures. A repair wants the same code without the fault; a fresh start wants other code."""


async def execute_task(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Ask the whole question; again and warmer after failures, which are named.

    Work that people handed over is the first answer, and nothing is asked then.
    """
    log.info("Executing task %s", in_log(state.task))
    begins = not state.attempt.answered.answers
    if begins and state.request.options.scope.again:
        from runner.nodes.again import kept_again

        state = await kept_again(state, deps)
    elif state.attempt.planned.human_commits:
        from runner.nodes.human_commits import set_aside, taken_over

        state = await taken_over(state, deps) if begins else set_aside(state)
    elif state.attempt.planned.revision and begins:
        state = await as_suggested(state, deps)
    elif begins:
        from runner.nodes.pattern import by_pattern

        state = await by_pattern(state, deps)
    if begins and state.attempt.answered.answers:
        return Step(state, "ok")
    if state.request.options.agents.agent != "cairn":
        return Step(await _agents(state, deps), "ok")
    attempt = state.attempt
    revises = attempt.planned.revision is not None  # then its files are in the context
    # what a fresh answer is added to: in the ralph loop what is sound by now
    goes_on = state.request.options.loop == "ralph" and not attempt.checked.complaints
    newest = attempt.answered.changes if goes_on else ChangeSet()
    if revises:
        newest = await change_so_far(state, deps)
    files = [] if revises else await quoted_changes(state, deps, newest, newest.files)
    partial = unseen(state, files)
    messages = question(
        "execute_task",
        **await answer_form(state, deps),
        context=attempt.planned.context.decode(),
        avoid=attempt.answered.avoid,
        files=files,
        partial=partial,
        long=attempt.planned.long,
        looks=await _offered(state, deps),
        kind=kind_of(state.task),
        revising=revises,
        repairing=bool(attempt.planned.revision and attempt.planned.revision.repairs),
        redoing=bool(attempt.planned.revision and attempt.planned.revision.conflict),
    )
    first = state.request.options.models.temperature
    temperature = AFRESH if attempt.answered.answers else FIRST if first is None else first
    asked = CodeQuestion(messages, partial, whole=True)
    state, reply, asked = await ask_for_code(state, deps, asked, temperature=temperature)
    return Step(await _answered(state, deps, reply, newest, asked), "ok")


async def _offered(state: RunState, deps: Deps) -> bool:
    """Whether the model may ask to see more: if it was not shown everything."""
    return state.attempt.planned.more and await rounds_left(state, deps) > 0


async def repair_code(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Ask for exactly what the complaints name."""
    attempt = state.attempt
    log.info("Repairing code (attempt %d/%d)", attempt.answered.code_repairs + 1, MAX_REPAIRS)
    repairs = attempt.answered.code_repairs + 1
    state = state.updated(replace(attempt.answered, code_repairs=repairs))
    if state.request.options.agents.agent != "cairn":
        return _unless_repeated(await _agents(state, deps))
    faulty = {complaint.path for complaint in attempt.checked.complaints}
    kept = _kept(attempt).files
    changes = attempt.answered.changes
    files = [
        *await quoted_changes(state, deps, changes, faulty),
        *(await originals(state, deps, faulty) if changes else ()),
    ] or await quoted_changes(state, deps, changes, changes.files)
    partial = unseen(state, files)
    messages = question(
        "repair_code",
        **await answer_form(state, deps),
        **about_task(state.task),
        complaints=without_excerpts(attempt.checked.complaints),
        context="" if changes else attempt.planned.context.decode(),
        files=files,
        partial=partial,
        long=attempt.planned.long if not changes else (),
        edit=long_one(files),
        looks=await _offered(state, deps),
        dropped=sorted(changes.files.keys() - kept.keys()),
        left_out=attempt.answered.left_out,
    )
    return await _repaired(state, deps, CodeQuestion(messages, partial, whole=not changes))


@or_kept
async def repair_test(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Ask for a correction from the parsed failures, with the code and the tests they name.

    Where the tests accept the change, it asks only about what linters say, about tests that failed
    before as well, or for better ones.
    """
    attempt = state.attempt
    log.info("Test repair attempt %d/%d", attempt.answered.test_repairs + 1, MAX_REPAIRS)
    repairs = attempt.answered.test_repairs + 1
    state = state.updated(replace(attempt.answered, test_repairs=repairs))
    if state.request.options.agents.agent != "cairn":
        return _unless_repeated(await _agents(state, deps))
    verification, linted = attempt.tested.verification, attempt.accepted is not None
    asked = attempt.tested.asked_test
    failed = verification.failures if verification else ()
    apart = asked if asked and any(path_of(each) == asked.path for each in failed) else None
    findings = verification.findings[:_MOST_FINDINGS] if verification and not apart else ()
    files = await with_tests(state, deps, failed)
    if apart:
        files.append(quote(apart.path, apart.content.decode("utf-8", "replace"), limit=MAX_QUOTED))
    messages = question(
        "repair_test",
        **await answer_form(state, deps),
        **about_task(state.task),
        failures=distinct(failed),
        outputs=[] if apart or (linted and findings) else outputs_of(verification, most=3_000),
        apart=apart.path if apart else "",
        earlier=linted and bool(failed) and not apart,
        unproven=linted and not (findings or failed),
        linted=linted and bool(findings),
        findings=[f"{finding(each)} ({tool})" for tool, each in findings],
        files=files,
        left_out=attempt.answered.left_out,
        edit=long_one(files),
        looks=await _offered(state, deps),
    )
    return await _repaired(state, deps, CodeQuestion(messages, unseen(state, files)))


async def _agents(state: RunState, deps: Deps) -> RunState:
    from runner.nodes.agent import by_agent

    return await by_agent(state, deps)


async def _repaired(state: RunState, deps: Deps, asked: CodeQuestion) -> Step:
    """Add a repair's answer to what it repairs; the same code again is not an answer."""
    state, reply, asked = await ask_for_code(state, deps, asked, temperature=SURGICAL)
    return _unless_repeated(await _answered(state, deps, reply, _kept(state.attempt), asked))


def _unless_repeated(state: RunState) -> Step:
    attempt = state.attempt
    if attempt.checked.complaints or attempt.answered.changes.digest not in attempt.answered.tried:
        return Step(state, "ok")
    kind: Literal["code", "test"] = "code" if state.node == "repair_code" else "test"
    log.info("The repair is code that was judged before, so it is not judged again")
    options = state.request.options
    decision = after_failure(attempt, kind, loop=options.loop, same=True, never=options.retry.never)
    if decision.outcome == "exhausted":
        log.info("Max repairs exceeded, classifying failure")
    return Step(
        state.noted(decision.reason),
        "afresh" if decision.outcome == "rejected" else decision.outcome,
    )


async def _answered(
    state: RunState, deps: Deps, answer: ModelReply, before: ChangeSet, asked: CodeQuestion
) -> RunState:
    """Turn an answer into a change set; what cannot be understood becomes complaints."""
    base = await seen_of(state, deps)
    named = named_in(answer.text, sorted(base.entries))
    old = await contents(deps, base, named)
    written = [write.content for write in before.files.values() if write]
    text = await asyncio.to_thread(put_back, answer.text, [*old.values(), *written], deps.mask)

    from runner.answers.edits import has_edits
    from runner.answers.reply import parse_reply

    said = f"{state.task.text}\n{state.task.details}"

    def parsed(before: ChangeSet) -> ParsedAnswer:
        return parse_reply(
            text,
            paths={*base.entries, *before.files},
            expected=_expected(state, before),
            named=state.task.files,
            partial=(*asked.partial, *filter(is_secret_file, old)),
            seen=asked.text,
            read=reader(old, before),
            modes={path: entry.mode for path, entry in base.entries.items()},
            executable=_EXECUTABLE.search(said) is not None,
            in_utf8=_UTF8.search(said) is not None,
            truncated=answer.truncated,
        )

    reply = await asyncio.to_thread(parsed, before)  # a hostile answer may cost seconds
    unmatched = {c.path for c in reply.complaints if c.error in ("EditNotFound", "AmbiguousEdit")}
    unmatched |= {p for p, w in reply.changes.files.items() if before.files.get(p) == w}
    if unmatched & before.files.keys():  # they may be edits of the original, which is shown as well
        rest = ChangeSet({p: w for p, w in before.files.items() if p not in unmatched})
        other = await asyncio.to_thread(parsed, rest)
        before, reply = (before, reply) if other.complaints else (rest, other)
    complaints = (_REFUSED,) if answer.refused and not reply.changes else reply.complaints
    complaints += await asyncio.to_thread(still_hidden, reply.changes, old, deps.mask)
    if not reply.changes and (talk := deps.mask(" ".join(answer.text.split()))):
        said = cut_middle(talk, _LONGEST_TALK).replace("\n", " ")
        complaints = tuple(replace(c, said=said) if c.error in _TALK else c for c in complaints)
    # a file that was asked about stays changed only if the model says so again
    asked_back = {c.path for c in state.attempt.checked.complaints if c.error in QUESTIONS}
    kept = {p: w for p, w in before.files.items() if p not in asked_back or not reply.changes}
    changes = ChangeSet(kept).merged(reply.changes)
    if state.attempt.planned.revision:
        changes = await added_to(state, deps, changes)
    # what the model said about the change so far; a fresh answer begins anew
    afresh = state.node == "execute_task" and state.attempt.planned.revision
    earlier = state.attempt.answered.explanation if before and not afresh else ""
    explanation = f"{earlier} {reply.explanation}"
    return state.put(
        replace(
            state.attempt,
            failure=None,
            answered=replace(
                state.attempt.answered,
                answers=state.attempt.answered.answers + 1,
                changes=changes,
                auto_repairs=(*state.attempt.answered.auto_repairs, *reply.repairs),
                explanation=shorten(explanation, _LONGEST_EXPLANATION, placeholder=" …"),
                form="edits" if has_edits(answer.text.split("\n")) else "files",
                pattern="",
            ),
            checked=replace(
                state.attempt.checked,
                complaints=complaints,
                warnings=tuple(_read_as(changes, old)),  # in place of those of the answer before
            ),
        )
    )


_REFUSED = Complaint("", "Refusal", "the model refused to answer (content filter)")


def _kept(attempt: Attempt) -> ChangeSet:
    """What a repair is added to: the change set without the files that may not be written."""
    refused = {c.path for c in attempt.checked.complaints if c.error in REFUSED}
    return ChangeSet({p: w for p, w in attempt.answered.changes.files.items() if p not in refused})


def _expected(state: RunState, before: ChangeSet) -> list[str]:
    """Paths an answer without a path can be meant for."""
    faulty = [c.path for c in state.attempt.checked.complaints if c.path and c.error not in REFUSED]
    if faulty and before:
        return list(dict.fromkeys(faulty))
    plan = state.attempt.planned.plan
    listed = listed_files("\n".join((state.task.text, state.task.details)))
    meant = listed or files(state.task.text) or state.task.files
    named = [*meant, *(plan.likely_files if plan else ())]
    return [path for path in dict.fromkeys(named) if not path.endswith("/")]


def _read_as(changes: ChangeSet, old: Mapping[str, bytes]) -> Iterator[str]:
    """Say of changed files that do not say how they are encoded how they were read and written."""
    for path, write in changes.files.items():
        before = old.get(path, b"")
        if write and write.content != before and encoding_of(path, before).said_by == GUESSED:
            kept = encoding_of(path, write.content).said_by == GUESSED
            now = "and is kept so" if kept else "and is now UTF-8"
            yield f"{path} does not say how it is encoded, was read as Windows-1252, {now}"
