"""Check the change set before anything is written: nothing that fails here reaches a file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from runner.checks.asked import TaskWords, guidance_among, says_what_is_installed
from runner.checks.auto_repair import auto_repair
from runner.checks.destructive import Destructive, destructive, log_line
from runner.checks.guarded import MAX_SECONDS, said_by, time_for_checks
from runner.checks.kept_names import NameFindings, are_compared, losses, verdict
from runner.checks.paths import asked_about, protect_plan
from runner.checks.reach import DELETION, Trimmed, trimmed
from runner.checks.stubs import stubs
from runner.checks.tests_kept import changed_tests, tests_gone, weakened_tests, weaker_asserts
from runner.checks.tests_settings import meddling
from runner.checks.undefined import (
    OtherFiles,
    defined_twice,
    other_files,
    undefined_names,
    unknown_names,
)
from runner.checks.uses import CodeFiles, family_of
from runner.checks.validate import Limits, validate
from runner.code.languages import is_test_file, names_a_file, python_tree
from runner.loop.accepted import or_kept
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import Read, as_texts, base_of, contents, reader, texts
from runner.loop.strategy import MAX_CALLS, given_up, judged
from runner.nodes.already import already_there
from runner.nodes.people import needs_a_person
from runner.nodes.touched import UNTOUCHED, code_among, untouched
from runner.people.sentences import refusal_in_log
from runner.people.texts import verification_texts
from runner.recovery.facts import reading_of
from runner.recovery.patterns.tasks import is_vague
from runner.roadmap.task import Task, listed_files
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import ASKED_BACK, Complaint
from runner.state.run_state import Attempt, Failure, RunState, Step
from runner.text.sanitize import has_unseen


async def without_the_unasked(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> Trimmed:
    """Return the change set without what the task did not ask for.

    What people pushed, and what reviewers ask for, is their own: nothing of it is left out. Raises
    ``Outage``.
    """
    if state.attempt.planned.by_people or not changes:
        return Trimmed(changes)
    guidance = await contents(deps, base, guidance_among(base.entries))
    found = await asyncio.to_thread(  # a hostile answer may cost seconds
        trimmed,
        changes,
        TaskWords.of(state.task),
        paths=changes.entries(base).keys(),
        read=read,
        guidance=guidance,
        roadmap=state.request.roadmap,
    )
    for path, why in found.left_out.items():
        log.info("Left out %s: %s", path, why)
    return found


async def kept_names(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> NameFindings:
    """Return complaints about names that are gone or take less, and warnings for people.

    The repository is read only when there are some. What people pushed is their own decision.
    """
    attempt = state.attempt
    if attempt.planned.human_commits:
        return NameFindings()
    found = await asyncio.to_thread(said_by, losses, changes, read=read)
    if not found:
        return NameFindings(lost=() if are_compared(changes, read=read) else None)
    families = {family_of(loss.path) for loss in found}
    paths = [path for path in code_among(base, families) if path not in changes.files]
    files = await texts(deps, base, paths)
    files |= {path: write.content for path, write in changes.files.items() if write}
    task = TaskWords.of(state.task)
    gone = {path for path, write in changes.files.items() if write is None}
    if len(gone) < len(changes.files):  # not all that the answer is about
        gone = {path for path in gone if task.names_file(path)}
    return await asyncio.to_thread(
        verdict,
        found,
        CodeFiles(files),
        task=task,
        asked=attempt.checked.asked,
        last=attempt.calls >= MAX_CALLS,
        gone=gone,
        tests=[path for path, write in changes.files.items() if write and is_test_file(path)],
    )


async def _beside(
    deps: Deps, changes: ChangeSet, read: Read, base: Snapshot
) -> tuple[OtherFiles, Contents]:
    """What the files that stay say of names that the change does not define, and of tests that go.

    They are read only where there are such names.
    """
    others, tests = OtherFiles(), dict[str, bytes]()
    stay = [path for path in code_among(base) if path not in changes.files]
    if names := await asyncio.to_thread(unknown_names, changes, read=read):
        found = await texts(deps, base, [path for path in stay if path.endswith(".py")])
        others = await asyncio.to_thread(other_files, found, names)
    if gone := await asyncio.to_thread(tests_gone, changes, read=read):
        found = await texts(deps, base, filter(is_test_file, stay))
        tests = {p: t for p, t in found.items() if any(name.encode() in t for name in gone)}
    return others, tests


async def undone(
    state: RunState,
    deps: Deps,
    changes: ChangeSet,
    base: Snapshot,
    read: Read,
    others: OtherFiles,
) -> tuple[Complaint, ...]:
    """Return what the answer leaves undone, or breaks although it parses.

    What people pushed is their own decision, and where code belongs that reviewers ask for is
    theirs. Raises ``Outage``.
    """
    planned = state.attempt.planned
    if planned.human_commits is not None or not changes:
        return ()

    def found() -> tuple[Complaint, ...]:
        return (
            *said_by(stubs, changes, TaskWords.of(state.task), read=read),
            *said_by(defined_twice, changes, read=read),
            *said_by(undefined_names, changes, read=read, others=others),
        )

    complaints = await asyncio.to_thread(found)
    elsewhere = None if planned.revision else await untouched(state, deps, changes, base, read)
    return (*complaints, *([elsewhere] if elsewhere else ()))


def missing_files(task: Task, changes: ChangeSet, base: Snapshot) -> tuple[Complaint, ...]:
    """Complain of files after "Files:" that neither the base has nor the answer makes.

    A file of the same name elsewhere counts; one that the answer deletes or moves was there.
    """
    there = {*base.entries, *changes.entries(base)}
    names = {path.rpartition("/")[2] for path in there}
    listed = listed_files("\n".join((task.text, task.details, *task.acceptance)))
    return tuple(
        Complaint(path, "MissingFile", "the task lists this file, but the answer does not have it")
        for path in listed
        if names_a_file(path) and path.rpartition("/")[2] not in names
    )


log = logging.getLogger(__name__)


Contents = Mapping[str, bytes]

AutoRepaired = tuple[ChangeSet, tuple[Complaint, ...], tuple[str, ...]]
"""A change set, what is still wrong with it, and notes on what was put right."""

AutoRepair = Callable[[RunState, ChangeSet, Snapshot, Read, Contents], AutoRepaired]


def auto_repaired(
    state: RunState,
    changes: ChangeSet,
    base: Snapshot,
    read: Read,
    tests: Contents,
) -> AutoRepaired:
    """Repair what can be repaired; return what is still wrong and what was done."""
    found = complaints_of(state, changes, base, read, tests)
    repaired, notes = auto_repair(changes, found)
    repaired = repaired.effective(base)
    return repaired, complaints_of(state, repaired, base, read, tests) if notes else found, notes


@or_kept
async def validate_code(
    state: RunState,
    deps: Deps,
    work: TaskWork,
    *,
    repair: AutoRepair = auto_repaired,
    seconds: float = MAX_SECONDS,
) -> Step:
    """Repair what needs no model, then check; ``ok`` only without complaints.

    A check that takes more than ``seconds`` is left out, which is a warning.
    """
    with time_for_checks(seconds) as used:
        step = await _validated(state, deps, work, repair)
    python_tree.cache_clear()
    if not used.left_out:
        return step
    warnings = (
        *step.state.attempt.checked.warnings,
        verification_texts.checks_left_out(used.left_out),
    )
    return replace(
        step,
        state=step.state.updated(replace(step.state.attempt.checked, warnings=warnings)),
    )


async def _validated(state: RunState, deps: Deps, work: TaskWork, repair: AutoRepair) -> Step:
    base = await base_of(state, deps)
    attempt = state.attempt
    changes = attempt.answered.changes.effective(base)
    is_same = not changes
    read = reader(await contents(deps, base, changes.files))
    reduced = await without_the_unasked(state, deps, changes, base, read)
    # in a thread: a hostile answer may cost seconds, and other runs must not wait for it
    others, tests = await _beside(deps, *as_texts(reduced.changes, read), base)
    changes, found, notes = await asyncio.to_thread(
        repair, state, reduced.changes, base, read, tests
    )
    plain, before = as_texts(changes, read)
    names = await kept_names(state, deps, plain, base, before)
    left_undone = await undone(state, deps, plain, base, before, others)
    complaints = (*attempt.checked.complaints, *found, *names.complaints, *left_undone)
    words = {each.error for each in complaints}
    if changes.digest == attempt.agreed.approved:  # a person saw what these say
        complaints = tuple(each for each in complaints if each.error not in ASKS_A_PERSON)
        words -= ASKS_A_PERSON
    elif UNTOUCHED in words and UNTOUCHED not in attempt.checked.asked:
        changes = (
            changes if attempt.calls >= MAX_CALLS else ChangeSet()
        )  # no repair goes on from it
    left_out = {**attempt.answered.left_out, **reduced.left_out}
    left_out = {path: why for path, why in left_out.items() if path not in changes.files}
    stay = [path for path, why in left_out.items() if why == DELETION]
    undeleted = (verification_texts.undeleted(stay),) if stay else ()
    # after whose second time the model is not asked again
    once = [word for word in (ASKED_BACK, UNTOUCHED) if word in words]
    state = state.updated(
        replace(
            state.attempt.answered,
            changes=changes,
            auto_repairs=tuple(
                dict.fromkeys((*attempt.answered.auto_repairs, *reduced.notes, *notes))
            ),
            left_out=left_out,
        ),
        replace(
            state.attempt.checked,
            complaints=complaints,
            warnings=(*attempt.checked.warnings, *undeleted, *names.warnings),
            lost_names=names.lost,
            asked=(*attempt.checked.asked, *names.asked, *once),
        ),
    )
    if ASKED_BACK in words:  # otherwise the model is told to answer its question itself
        if await asyncio.to_thread(lambda: is_vague(state.task, reading_of(state))):
            return given_up(state, "the task is vague, and the model asked what it means")
        if ASKED_BACK in attempt.checked.asked:
            return given_up(state, "the model asked a question twice")
    if (
        is_same
        and words <= _NOTHING
        and (seen := await already_there(state, deps, work, base, code_among(base)))
    ):
        failure = Failure("done", seen[0], node="validate_code", evidence=seen)
        state = state.put(replace(state.attempt, failure=failure))
        return given_up(state, "the base has what the task asks for")
    if not complaints and changes and changes.digest not in attempt.answered.tried:
        return await asyncio.to_thread(_cleared, state, read)
    same = not complaints
    if same:
        complaints = (_nothing_new(attempt, changes),)
        state = state.updated(replace(state.attempt.checked, complaints=complaints))
    for complaint in complaints:
        log.info("Validation failed: %s", refusal_in_log(complaint))
    step = judged(state, "code", same=same)
    known = UNTOUCHED in attempt.checked.asked or step.outcome == "exhausted"
    if known and changes and all(each.error in ASKS_A_PERSON for each in complaints):
        return await asyncio.to_thread(
            _cleared, state, read, [complaint.message for complaint in complaints]
        )
    return step


ASKS_A_PERSON = frozenset({UNTOUCHED, "LostName", "ChangedSignature", "StubBody", "WeakenedTest"})
"""Complaints that a person may overrule, when the model stays with its answer."""


_NOTHING = frozenset({"EmptyAnswer", "UnreadableAnswer"})
"""Complaints of an answer in which nothing was found to write."""


def _cleared(state: RunState, read: Read, doubts: Sequence[str] = ()) -> Step:
    """Let a sound change set be written, unless people want to be asked about what it does.

    ``doubts`` are what checks say of it, which a person may overrule. What a person agreed to
    is not asked again: the agreement is bound to this very change set.
    """
    changes = state.attempt.answered.changes
    found, paths, unasked = asking(state, changes, read)
    installed = sorted(path for path in changes.files if says_what_is_installed(path))
    unseen = sorted(
        path
        for path, write in changes.files.items()
        if write and has_unseen(write.content) and not has_unseen(read(path) or b"")
    )
    plain, seen = as_texts(changes, read)
    state = state.updated(
        replace(
            state.attempt.checked,
            other_tests=said_by(changed_tests, plain, read=seen),
            warnings=(
                *([verification_texts.installed(installed)] if installed else ()),
                *([verification_texts.unseen(unseen)] if unseen else ()),
                *state.attempt.checked.warnings,
                *said_by(weaker_asserts, plain, read=seen),
                *(
                    verification_texts.meddling(path, names)
                    for path, names in said_by(meddling, plain, read=seen)
                ),
                *unasked,
            ),
        )
    )
    if state.attempt.agreed.approved == changes.digest or not any((found, paths, doubts)):
        return Step(state, "ok")
    return needs_a_person(state, found, paths, doubts)


def asking(
    state: RunState, changes: ChangeSet, read: Read
) -> tuple[Sequence[Destructive], Sequence[str], tuple[str, ...]]:
    """Return what people want to be asked about: operations that destroy, and paths.

    Third is the warning of operations that they do not want to be asked about, if there are any.
    """
    found = destructive(*as_texts(changes, read))
    if found:
        log.info("%s", log_line(found))
    approvals = state.request.options.approvals
    paths = asked_about(approvals.pause_protected, changes.files)
    if approvals.pause_destructive or not found:
        return found, paths, ()
    return (), paths, (verification_texts.destructive_unasked(found),)


def complaints_of(
    state: RunState, changes: ChangeSet, base: Snapshot, read: Read, tests: Contents
) -> tuple[Complaint, ...]:
    """Return everything that is wrong with a change set of the current task.

    ``tests`` are test files that do not change and may have tests that go elsewhere.
    """
    options = state.request.options
    words = f"{state.task.text}\n{state.task.details}"
    protect = (*options.approvals.protect, *protect_plan(state.request.roadmap, words))
    limits = Limits(files=options.limits.max_files, total_bytes=options.limits.max_bytes)
    plain, seen = as_texts(changes, read)
    missing = missing_files(state.task, changes, base)
    if revision := state.attempt.planned.revision:
        effective = changes.effective(base).files
        paths = revision.conflict.paths if revision.conflict else ()
        missing = tuple(
            Complaint(
                path,
                "MissingFile",
                "what the pull request did in this file is missing.",
                advice="Do it again here.",
            )
            for path in paths
            if path not in effective
        )
    return (
        *validate(changes, base, read=read, protect=protect, limits=limits),
        *weakened_tests(  # never left out: it keeps tests safe
            plain,
            read=seen,
            repairing=state.attempt.tested.verification is not None,
            accepted=state.attempt.checked.other_tests,
            others=tests,
        ),
        *missing,
    )


def _nothing_new(attempt: Attempt, changes: ChangeSet) -> Complaint:
    if attempt.planned.revision and changes.digest == attempt.answered.tried[0]:
        return Complaint("", "EmptyAnswer", "the answer changes nothing of the pull request")
    if changes:
        return Complaint("", "SameAnswer", "this answer was tried before and did not work")
    return Complaint(
        "",
        "EmptyAnswer",
        "the answer changes nothing: what it gives is equal to the repository's",
    )
