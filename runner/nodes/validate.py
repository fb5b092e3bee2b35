"""Look at the change set before anything is written: nothing that fails here reaches a file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from runner.changes import ChangeSet
from runner.deps import Deps
from runner.findings import Complaint
from runner.nodes.asking_first import needs_a_person
from runner.nodes.judging import judged
from runner.nodes.kept import kept_names
from runner.nodes.required import missing_files
from runner.nodes.trimming import without_the_unasked
from runner.nodes.unfinished import undone
from runner.reading import Read, base_of, contents, reader
from runner.snapshot import Snapshot
from runner.state import Options, RunState, Step
from runner.texts import refusal_in_log
from runner.validators.asked import TaskWords
from runner.validators.destructive import Destructive, destructive, log_line
from runner.validators.limits import Limits
from runner.validators.mend import mend
from runner.validators.protected import asked_about, protect_file
from runner.validators.tests_kept import changed_tests, told_of_tests, weakened_tests
from runner.validators.validate import validate

log = logging.getLogger(__name__)


async def validate_code(state: RunState, deps: Deps) -> Step:
    """Mend what can be mended without a model, then check; ``ok`` only without complaints."""
    base = await base_of(state, deps)
    attempt = state.attempt
    changes = attempt.changes.effective(base)
    read = reader(await contents(deps, base, _touched(changes, base)))
    reduced = await without_the_unasked(state, deps, changes, base, read)
    # in a thread: a hostile answer may cost seconds, and other runs must not wait for it
    changes, found, notes = await asyncio.to_thread(_mended, state, reduced.changes, base, read)
    names = await kept_names(state, deps, changes, base, read)
    left_undone = await undone(state, deps, changes, base, read)
    complaints = (
        *attempt.complaints,
        *reduced.complaints,
        *found,
        *names.complaints,
        *left_undone,
    )
    left_out = {**attempt.left_out, **reduced.left_out}
    state = state.with_attempt(
        changes=changes,
        complaints=complaints,
        mended=tuple(dict.fromkeys((*attempt.mended, *reduced.notes, *notes))),
        left_out={path: why for path, why in left_out.items() if path not in changes.files},
        warnings=(*attempt.warnings, *names.warnings),
        asked=(*attempt.asked, *names.asked),
    )
    if not complaints and changes and changes.digest not in attempt.tried:
        return await asyncio.to_thread(_cleared, state, read)
    for complaint in complaints:
        log.info("Validation failed: %s", refusal_in_log(complaint))
    same = not complaints
    if same:
        state = state.with_attempt(complaints=(_nothing_new(changes),))
    return judged(state, "code", same=same)


def _cleared(state: RunState, read: Read) -> Step:
    """Let a sound change set be written, unless people want to be asked about what it does.

    What a person agreed to is not asked again: the agreement is bound to this very change set.
    """
    changes = state.attempt.changes
    about = asking(state, changes, read)
    state = state.with_attempt(
        other_tests=changed_tests(changes, read=read),
        warnings=(*state.attempt.warnings, *told_of_tests(changes, read=read)),
    )
    if state.attempt.approved == changes.digest or not any(about):
        return Step(state, "ok")
    return Step(state.with_attempt(**needs_a_person(state, *about)), "approve")


def asking(
    state: RunState, changes: ChangeSet, read: Read
) -> tuple[Sequence[Destructive], Sequence[str]]:
    """Return what people want to be asked about: operations that destroy, and paths."""
    found = destructive(changes, read)
    if found:
        log.info("%s", log_line(found))
    options = state.request.options
    paths = asked_about(options.pause_protected, changes.files)
    return found if options.pause_destructive else (), paths


def _mended(
    state: RunState, changes: ChangeSet, base: Snapshot, read: Read
) -> tuple[ChangeSet, tuple[Complaint, ...], tuple[str, ...]]:
    """Put right what can be, and return what is still wrong and what was done."""
    found = complaints_of(state, changes, base, read)
    mended, notes = mend(changes, found)
    mended = mended.effective(base)
    return mended, complaints_of(state, mended, base, read) if notes else found, notes


def complaints_of(
    state: RunState, changes: ChangeSet, base: Snapshot, read: Read
) -> tuple[Complaint, ...]:
    """Return all that is wrong with a change set of the task in hand."""
    options = state.request.options
    protect = (*options.protect, protect_file(state.request.roadmap))
    repairing = state.attempt.verification is not None
    return (
        *validate(changes, base, read=read, protect=protect, limits=_limits(options)),
        *weakened_tests(
            changes,
            read=read,
            repairing=repairing,
            asked=TaskWords.of(state.task),
            accepted=state.attempt.other_tests,
        ),
        *missing_files(state.task, changes, base),
    )


def _limits(options: Options) -> Limits:
    return replace(Limits(), files=options.max_files, total_bytes=options.max_bytes)


def _nothing_new(changes: ChangeSet) -> Complaint:
    if changes:
        return Complaint("", "SameAnswer", "this answer was tried before and did not work")
    return Complaint("", "EmptyAnswer", "the answer changes nothing")


def _touched(changes: ChangeSet, base: Snapshot) -> list[str]:
    """Changed paths that the base has: their old contents are what checks may ask for."""
    return [path for path in changes.files if path in base.entries]
