"""Before the first question of a run: can the tests of its base start at all?

If not, every task would cost money and none could be verified. So Cairn asks nothing, and people
read what was seen and what to do about it. A repository without tests is not an error.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import MutableSet, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from runner.checks.asked import TaskWords, is_text
from runner.code.languages import is_test_file
from runner.config.model import parse_config
from runner.errors import TaskError
from runner.loop.at_work import AtWork
from runner.loop.deps import Deps, TaskSandbox
from runner.loop.driver import would_do
from runner.loop.reading import contents
from runner.nodes.work import NodeWork, work_on
from runner.people.trust import verdict_of
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import VerdictKind
from runner.state.run_state import RunState
from runner.verify import Commands, configuration, start_tests, tools_of
from runner.verify.commands import known_programs
from runner.verify.starting import Obstacle, obstacle

if TYPE_CHECKING:
    from runner.verify.proposed_setup import ProposedLine

log = logging.getLogger(__name__)

_MOST_SECONDS = 300.0
_FILE = ".github/cairn.yml"
_ALL = "The tests cannot start, with or without a change"
_SOME = "Most tests start; some cannot, with or without a change"
_NOBODY_ASKED = "No model was asked."
_RED = (
    "If these are failing tests of the project, runs take them into account. Otherwise correct "
    "verify.commands."
)


@dataclass(frozen=True, slots=True)
class CannotStart:
    """``seen`` says why the tests cannot start, ``todo`` what to do about it.

    ``proposed`` is the text of a ``.github/cairn.yml`` that may help, '' where there is none, and
    ``why`` the reason for each of its lines; ``otherwise`` is a second one, without the lock file's
    installer. ``guessed`` says what to do about Python packages that seem to be missing and that no
    file of the repository names. ``red`` says that the repository's commands start, and fail,
    ``partly`` that most of the tests start.
    """

    seen: str
    todo: str
    proposed: str = ""
    why: tuple[ProposedLine, ...] = ()
    guessed: str = ""
    otherwise: str = ""
    red: bool = False
    partly: bool = False

    def __str__(self) -> str:
        """All of it, as a terminal shows it."""
        lines = f"{self.seen} {self.todo}"
        return f"{lines}\n\n{self.proposed}".rstrip() if self.proposed else lines


async def preflight(
    state: RunState, deps: Deps, started: MutableSet[str], sandbox: TaskSandbox
) -> CannotStart | None:
    """Return what keeps the tests of the run's base from starting; None where they can.

    ``state`` is that of a run whose roadmap was read. ``started`` are the bases whose tests have
    been seen to start; they are not looked at again. ``sandbox`` stays open for the first task. Any
    other error is left to the tasks, which meet it and report it. Raises ``Outage`` when the engine
    is gone.
    """
    if state.problem or not would_do(state):
        return None
    try:
        return await first_look(state, deps, started, sandbox)
    except TaskError as error:
        log.info("Cairn cannot tell whether the tests start: %s", error.message)
        return None


async def first_look(
    state: RunState, deps: Deps, started: MutableSet[str], sandbox: TaskSandbox | None = None
) -> CannotStart | None:
    """Look whether the tests can start where that is not known yet, whatever there is to do.

    Raises ``Outage`` and ``TaskError`` as ``cannot_start`` does.
    """
    base = await deps.repository.snapshot(state.stack.tip)
    # what the answer depends on: the tree, and where its tests run
    where, commands = state.request.options.sandbox, state.request.options.verify.verify_commands
    project = state.request.options.projects.folder
    parts = (base.tree, deps.sandbox.name, where.image, where.setup, commands, project)
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
    found = None if key in started else await cannot_start(state, deps, sandbox=sandbox)
    if found and found.partly:
        log.info("%s", found.seen)
    elif found:
        return found
    started.add(key)
    return None


async def cannot_start(
    state: RunState, deps: Deps, *, starts: bool = False, sandbox: TaskSandbox | None = None
) -> CannotStart | None:
    """Look whether the tests of the commit a run builds on can start.

    The repository's own commands are started only where ``starts`` asks for it: they may take long.
    A ``sandbox`` that is given is left to its owner.
    Raises ``Outage``, and ``TaskError`` for what is wrong with neither the tests nor the sandbox.
    """
    base = await deps.repository.snapshot(state.stack.tip)
    if not verifies(state) or not await has_tests(state, deps, base):
        return None
    used = sandbox or TaskSandbox({})
    try:
        work = await work_on(state, deps, used, base, configured(state))
        found = await _obstacle(work, starts=starts)
        return await _advice(work, found) if found else None
    except TaskError as error:
        if error.kind != "sandbox":
            raise
        return CannotStart(f"{_ALL}: {error.message.rstrip('.')}.", _NOBODY_ASKED)
    finally:
        if sandbox is None:
            await used.close()


def verifies(state: RunState) -> bool:
    """Say whether a run has to be able to run tests."""
    verify = state.request.options.verify
    return verify.verify_mode not in ("syntax", "off") and verify.verify_require != "none"


async def has_tests(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Say whether a commit has tests that Cairn can find, or its own commands verify it."""
    old = await contents(deps, base, configuration(base.entries))
    return bool(configured(state) or tools_of(base.entries, old.get))


def configured(state: RunState) -> Commands | None:
    """The repository's own commands, None where its tests are found."""
    verify = state.request.options.verify
    folder = verify.verify_folder
    return Commands(verify.verify_commands, verify.verify_report, folder=folder) or None


async def _obstacle(work: NodeWork, *, starts: bool) -> Obstacle | None:
    paths = sorted(work.base.entries)
    tasks = [task for task in work.state.tasks if not task.checked]
    words = "\n".join("\n".join((t.text, t.details, *t.acceptance, *t.files)) for t in tasks)
    if folder := work.state.request.options.projects.folder:
        words = f"{folder}/\n{words}"
    try:
        session = await work.session(ChangeSet())
        async with AtWork(work.state, work.deps, "Checking whether the tests start"):
            found = await start_tests(
                session,
                tree=work.base.tree,
                paths=paths,
                read=work.settings.get,
                timeout=min(work.seconds, _MOST_SECONDS),
                own=work.own,
                words=words,
                starts=starts,
            )
    except TaskError as error:
        if error.kind != "environment":
            raise
        return Obstacle(error.message)
    return obstacle(found, words=words, paths=paths)


async def _advice(work: NodeWork, found: Obstacle) -> CannotStart:
    from runner.verify.proposed_setup import READ, proposed_setup

    if found.red:
        return CannotStart(found.seen, _RED, red=True)
    seen = f"{_SOME if found.partly else _ALL}: {found.seen.rstrip('.')}."
    if found.wanted:
        return CannotStart(seen, f"{_NOBODY_ASKED} Do what it says, then start again.")
    there = work.base.entries
    old = await work.contents({*READ, *(path for path in there if path.startswith("requirements"))})
    setup, by_pip = (
        proposed_setup(there, old.get, found.packages, pytest=found.pytest, by_pip=way)
        for way in (False, True)
    )
    if setup.text and not await _has_programs(work, setup.text):
        other = await _has_programs(work, by_pip.text)
        setup = by_pip = by_pip if other else replace(setup, text="", lines=())
    # a file that is there is somebody's: it is not to be replaced
    file = f"add this to {_FILE}:" if _FILE in there else f"commit this as {_FILE}:"
    guessed = _guessed(setup.unnamed)
    if not setup.text:
        file = f"name an image that has it in {_FILE} (sandbox.image)."
    here = f"Install what the tests need in the environment that you start Cairn from, or {file}"
    apart = f"{'To install' if setup.text else 'For'} what the tests need, {file}"
    todo = here if work.deps.sandbox.installed else apart
    return CannotStart(
        seen,
        " ".join(filter(None, ("" if found.partly else _NOBODY_ASKED, guessed, todo))),
        setup.text,
        setup.lines,
        guessed,
        by_pip.text if by_pip.text != setup.text else "",
        partly=found.partly,
    )


async def _has_programs(work: NodeWork, text: str) -> bool:
    """Whether the sandbox has what a proposed file starts; so where nobody can look."""
    try:
        session = await work.session(ChangeSet())
    except TaskError:
        return True
    try:
        await known_programs(session, Commands(parse_config(text.encode()).sandbox.setup))
    except TaskError:
        return False
    return True


def _guessed(names: Sequence[str]) -> str:
    """What to do about packages that only the tests' output speaks of; '' for none."""
    if not names:
        return ""
    it = "it" if len(names) == 1 else "them"
    return (
        f"No file of the repository names {', '.join(names)}, so Cairn does not install {it}. If "
        f"the tests need {it}, add {it} to the requirements."
    )


_ENOUGH: dict[str, tuple[VerdictKind, ...]] = {
    "shown": ("shown",),
    "unbroken": ("shown", "unbroken"),
    "any": ("shown", "unbroken", "untested"),
}
"""The verdicts with which a checkout's box is ticked, by ``verify.tick``."""


async def is_done(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether the task's box is ticked with its change, and not left to a person.

    Merging a pull request says that the task is done. On a checkout tests have to show it, or a
    person to have approved this change; where no test can ever show it, nobody is asked.
    """
    attempt, options = state.attempt, state.request.options.verify
    if state.stack.base or verdict_of(attempt).kind in _ENOUGH[options.verify_tick]:
        return True
    approved = attempt.agreed.approved == attempt.answered.changes.digest
    return approved or not await _can_be_shown(state, deps, base)


async def falls_short(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether an accepted change is sent back because tests have to show that it does its task.

    What people wrote or approved is theirs to judge.
    """
    attempt = state.attempt
    if state.request.options.verify.verify_require != "shown" or verdict_of(attempt).verified:
        return False
    approved = attempt.agreed.approved == attempt.answered.changes.digest
    if attempt.planned.human_commits is not None or approved:
        return False
    return await _can_be_shown(state, deps, base)


async def _can_be_shown(state: RunState, deps: Deps, base: Snapshot) -> bool:
    """Whether a test could show the change to do its task: there are tests, and it is no text."""
    task, changed = state.task, state.attempt.answered.changes.files
    text_only = all(map(is_text, (*changed, *task.files)))
    if text_only and not (changed.keys().isdisjoint(task.files) and TaskWords.of(task).names):
        return False  # the task names that text, or no code
    return any(map(is_test_file, base.entries)) or await has_tests(state, deps, base)
