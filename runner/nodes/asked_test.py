"""Ask for a test apart, where nothing shows that a change does its task.

It comes from the task and the interfaces, by a model that does not see the change. It is no gate:
if it passes with the change and fails without it, it is evidence and is committed; otherwise it is
shown once to the author of the code, and then to people.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq

from runner.answers.reply import parse_reply
from runner.checks.asked import has_word
from runner.checks.destructive import destructive
from runner.checks.paths import asked_about, protect_file
from runner.checks.uses import family_of
from runner.checks.validate import validate
from runner.code.languages import is_among_tests, is_pytest_module, is_test_file, language_of
from runner.code.symbols import symbols_of
from runner.context.compose import signatures
from runner.errors import Outage, TaskError
from runner.loop.asking import answer_form, ask
from runner.loop.reading import quote
from runner.nodes.assess import tests_using
from runner.nodes.proof import proved
from runner.nodes.revise import change_so_far
from runner.nodes.told import about_task
from runner.nodes.work import NodeWork
from runner.prompts import question
from runner.prompts.questions import Message
from runner.prompts.task_kinds import kind_of
from runner.recovery.facts import open_others
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.findings import AskedTest, Level, TestFailure, Verification, headline
from runner.state.run_state import RunState
from runner.verify import concerned, running
from runner.verify.assessment import Assessment, concluded
from runner.verify.commands import as_one_test
from runner.verify.evidence import Row, meaning
from runner.verify.judging import Tool
from runner.verify.mutants import BREAKABLE
from runner.verify.rows import (
    FIXTURE,
    JudgedChange,
    is_test_side,
    last_name,
    missing_names,
    path_of,
    told_in_one_line,
)

log = logging.getLogger(__name__)

BY_ASKED_TEST = "by a test that was asked for separately"
_FAMILIES = frozenset({"python", "javascript", "go"})
"""Languages whose runners name the tests of one file, which they can run alone."""
_NONE = re.compile(r"\W*NONE\W*", re.IGNORECASE)
_ENDING = re.compile(r"(?:[._-](?:tests?|specs?))?\.[cm]?[jt]sx?$")
_TEMPERATURE = 0.2
_MOST_FILES, _MOST_NAMES, _LONGEST_EXAMPLE, _LONGEST_RUN = 5, 30, 2_500, 60.0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the test is to stand, what runs it there, and the test file that it is to resemble."""

    path: str
    tool: Tool
    only: Sequence[str]
    example: str


@dataclass(frozen=True, slots=True)
class KnownInterface:
    """What a changed file defined before, and which new names of it the task has."""

    path: str
    lines: Sequence[str]
    new: Sequence[str]


def without_asked_test(state: RunState) -> RunState:
    """Return the state with the change alone: the test that was asked for is judged apart."""
    asked, changes = state.attempt.tested.asked_test, state.attempt.answered.changes
    if asked is None or asked.path not in changes.files:
        return state
    files = {path: write for path, write in changes.files.items() if path != asked.path}
    return state.with_changes(ChangeSet(files))


async def by_asked_test(
    work: NodeWork, found: Assessment, change: JudgedChange
) -> tuple[RunState, Assessment]:
    """Return an accepted assessment with what a test says of it that is asked for apart.

    It is asked for once; the same one judges later answers. Raises ``Outage``.
    """
    state, asked = work.state, work.state.attempt.tested.asked_test
    code = [
        path
        for path, write in work.changes.files.items()
        if write and language_of(path) in BREAKABLE and not is_test_side(path)
    ]
    if not _is_wanted(state, found) or change.unbuilt or (asked and not asked.content):
        return state, found
    place = _place(work, code, first=found.testers)
    interfaces = await _interfaces(work, code, change.words)
    new = {name for each in interfaces for name in each.new}
    if place is None or (asked is None and _left_to_another(state, code, new)):
        return state, found
    if asked is None:
        state, asked = await _asked(work, place, interfaces)
        work = replace(work, state=state)
        if asked.content:
            asked = await _without(work, place, asked, change)
        if asked.why:
            log.info("A test that was asked for separately is not used: %s", asked.why)
        work = replace(
            work,
            state=state.updated(replace(state.attempt.tested, asked_test=asked)),
        )
    if not asked.content:
        return work.state, found
    return await _judged(work, place, asked, found, change)


def _is_wanted(state: RunState, found: Assessment) -> bool:
    """Whether nothing shows the change; what people wrote or approved is theirs to judge."""
    attempt, verify = state.attempt, state.request.options.verify
    by_people = attempt.agreed.approved or (
        attempt.planned.by_people and not verify.verify_regression
    )
    return (
        verify.verify_ask
        and not verify.verify_commands
        and attempt.tested.command is None
        and not attempt.answered.pattern
        and (found.verdict.kind == "unbroken" or _lacks_regression_test(state, found))
        and not by_people
    )


def _lacks_regression_test(state: RunState, found: Assessment) -> bool:
    """Whether tests show the task of a checkpoint, and none what failing checks said of it.

    A test that they name is one: it failed on the head of the branch, and passes now.
    """
    revision = state.attempt.planned.revision
    repairs = state.request.options.verify.verify_regression and revision and revision.repairs
    if not revision or not repairs or found.verdict.kind != "shown":
        return False
    said = "\n".join(point.text for point in revision.points)
    return not any(
        row.after == "passed" and has_word(said, last_name(row.test)) for row in found.rows
    )


def _left_to_another(state: RunState, code: Sequence[str], names: Collection[str]) -> bool:
    """Whether another open task declares the tests of this code."""
    stems = {_stem(path) for path in code}
    own = {state.current, *state.attempt.planned.members}
    for task in (each for each in open_others(state) if each.key not in own):
        tests = {re.sub(r"^test_|_test$|[._-](?:test|spec)s?$", "", _stem(p)) for p in task.files
                 if is_test_file(p)}  # fmt: skip
        text = "\n".join((task.text, task.details, *task.acceptance))
        about = kind_of(task) == "tests" and any(has_word(text, each) for each in {*names, *code})
        if tests & stems or about:
            return True
    return False


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _place(work: NodeWork, code: Sequence[str], *, first: Collection[str]) -> _Place | None:
    """Beside the test file that is nearest to the code, if a runner names the tests there."""
    asked, paths = work.state.attempt.tested.asked_test, work.paths
    tools = concerned(work.tools, work.changes.files)
    for path in code:
        folder = path.split("/")[:-1]
        near = [
            each
            for each in work.base.entries
            if is_test_file(each)
            and family_of(each) == family_of(path)
            and family_of(path) in _FAMILIES
        ]
        shared = {each: sum(map(eq, folder, each.split("/"))) for each in near}
        near.sort(key=lambda each: (each not in first, -shared[each], each))
        for example in near[:1]:
            word = (
                "regression" if work.state.request.options.verify.verify_regression else "as_asked"
            )
            wanted = asked.path if asked else _name(path, example, paths, word)
            for tool, only in running(tools, [wanted], [*paths, wanted], work.read):
                return _Place(wanted, tool, only, example)
    return None


def _name(code: str, example: str, paths: Collection[str], word: str) -> str:
    """The path of the new test: named after the code, in the manner of the example."""
    folder, _, like = (code if code.endswith(".go") else example).rpartition("/")
    stem = _stem(code) if _stem(code) != "__init__" else code.split("/")[-2]
    for number in ("", *map(str, range(2, 9))):
        name = f"{stem}_{word}{number}"
        if code.endswith(".go"):
            name = f"{name}_test.go"
        elif is_pytest_module(example):
            name = f"test_{name}.py" if like.startswith("test_") else f"{name}_test.py"
        else:
            ending = _ENDING.search(like)
            name += ending[0] if ending else ".js"
        path = f"{folder}/{name}" if folder else name
        if path not in paths:
            break
    return path


async def _interfaces(work: NodeWork, code: Sequence[str], words: str) -> list[KnownInterface]:
    """The signatures of the base; of what is new only the names that the task has."""
    old = await work.contents(code)

    def found() -> Iterator[KnownInterface]:
        for path in code[:_MOST_FILES]:
            before = symbols_of(path, old.get(path, b"")).definitions
            write = work.changes.files[path]
            after = symbols_of(path, write.content if write else b"").definitions
            names = {each.name for each in after} - {each.name for each in before}
            new = sorted(name for name in names if has_word(words, name))
            label = path if path in old else f"{path} (new)"
            yield KnownInterface(label, signatures(before, most=_MOST_NAMES), new[:_MOST_NAMES])

    return await asyncio.to_thread(lambda: list(found()))


async def _asked(
    work: NodeWork, place: _Place, interfaces: Sequence[KnownInterface]
) -> tuple[RunState, AskedTest]:
    """Ask for the test, and read the answer. Raises ``Outage``, except for a spent budget."""
    state, deps, base = work.state, work.deps, work.base
    revision, shown = state.attempt.planned.revision, await work.contents([place.example])
    text = shown.get(place.example, b"").decode("utf-8", "replace")
    messages = question(
        "ask_test",
        **await answer_form(state, deps),
        **about_task(state.task),
        points=revision.points if revision and revision.repairs else (),
        interfaces=interfaces,
        example=quote(place.example, text, limit=_LONGEST_EXAMPLE),
        path=place.path,
    )
    safe = tuple(Message(each.role, deps.mask(each.content)) for each in messages)
    try:
        state, reply = await ask(state, deps, safe, temperature=_TEMPERATURE)
    except TaskError as error:
        return state, AskedTest(why=error.message)
    except Outage as outage:
        if outage.kind != "budget":
            raise
        return state, AskedTest(why=outage.message)
    if _NONE.fullmatch(reply.text):
        return state, AskedTest(why="the model says that the task does not say what to test")
    old = await work.contents([place.path])
    parsed = await asyncio.to_thread(  # a hostile answer may cost seconds
        parse_reply,
        reply.text,
        paths=base.entries.keys(),
        expected=[place.path],
        named=[place.path],
        read=old.get,
        truncated=reply.truncated,
    )
    if parsed.complaints:
        return state, AskedTest(why=parsed.complaints[0].message)
    return state, await asyncio.to_thread(_read, state, base, place, parsed.changes)


def _read(state: RunState, base: Snapshot, place: _Place, given: ChangeSet) -> AskedTest:
    """The test of an answer; one that does anything else is dropped."""
    ((path, write), *others) = given.files.items()
    new = path == place.path or (path not in base.entries and is_test_file(path))
    if others or not new or write is None or write.mode or _ending(path) != _ending(place.path):
        return AskedTest(why=f"the answer is not one new file of tests ({', '.join(given.files)})")
    approvals = state.request.options.approvals
    changes = ChangeSet({place.path: write})
    protect = (*approvals.protect, protect_file(state.request.roadmap))
    if wrong := validate(changes, base, read=lambda _: None, protect=protect):
        return AskedTest(why=wrong[0].message)
    if destructive(changes, lambda _: None) or asked_about(approvals.pause_protected, [place.path]):
        return AskedTest(why="a person would have to approve it")
    code = state.attempt.answered.changes.files
    own = {each.name for each in symbols_of(place.path, write.content).definitions}
    for other, version in code.items():
        if version and not is_among_tests(other):
            copied = own & {each.name for each in symbols_of(other, version.content).definitions}
            if named := sorted(name for name in copied if has_word(state.task.text, name)):
                return AskedTest(why=f"it has its own {named[0]} in place of the project's")
    return AskedTest(place.path, write.content)


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


async def _without(
    work: NodeWork, place: _Place, asked: AskedTest, change: JudgedChange
) -> AskedTest:
    """The test with how it fails on the base; dropped where it does not, or by a fault of its own.

    It may miss what the task or the change brings, and nothing else. What checks failed on is not
    the base, but what the pull request has so far.
    """
    revision, before = work.state.attempt.planned.revision, ChangeSet()
    if revision and revision.repairs:
        before = await change_so_far(work.state, work.deps)
    level = await _ran(work, place, before, asked)
    failures = _failures(level, asked.path)
    if not failures:
        why = (
            "it also passes without the change" if level.found else level.reason or "it did not run"
        )
        return AskedTest(why=why)
    known = {_stem(path) for path in change.written} | {
        each.name
        for path, write in work.changes.files.items()
        for each in symbols_of(path, write.content if write else b"").definitions
    }
    for failure in failures:
        missing = [last_name(name) for name in missing_names(failure.message)]
        foreign = [n for n in missing if n not in known and not has_word(change.words, n)]
        itself = not failure.is_case and not missing
        if foreign or itself or FIXTURE.search(failure.message):
            return AskedTest(why=f"it cannot run: {headline(failure.message)}")
    return replace(asked, without=failures)


async def _ran(work: NodeWork, place: _Place, changes: ChangeSet, asked: AskedTest) -> Level:
    """Run the test alone, with these changes."""
    changes = changes.merged(ChangeSet({asked.path: Write(asked.content)}))
    session = await work.session(changes)
    seconds = min(_LONGEST_RUN, work.seconds)
    try:
        ran = as_one_test(await place.tool.run(session, timeout=seconds, only=place.only))
    except TaskError as error:
        return Level("tests", "skipped", reason=error.message, tool=place.tool.name)
    level = replace(
        ran,
        failures=_failures(ran, asked.path),
        found=tuple(test for test in ran.found if test.partition("::")[0] == asked.path),
    )
    await work.tell(Verification(changes.tree(work.base), (level,)), "proof")
    return level


def _failures(level: Level, path: str) -> tuple[TestFailure, ...]:
    return tuple(failure for failure in level.failures if path_of(failure) == path)


async def _judged(
    work: NodeWork, place: _Place, asked: AskedTest, found: Assessment, change: JudgedChange
) -> tuple[RunState, Assessment]:
    """Run the test with the change: evidence, a failure to be told, or nothing."""
    state, changes = work.state, work.changes
    level = await _ran(work, place, changes, asked)
    if level.failures:
        was = {each.test: told_in_one_line(each) for each in asked.without}
        same = all(told_in_one_line(each) == was.get(each.test) for each in level.failures)
        same = same and not was.keys() & set(level.found)
        asked = replace(asked, failures=level.failures, same=same)
        return state.updated(replace(state.attempt.tested, asked_test=asked)), found
    rows = tuple(Row(test=t, before="not run", after="passed", edited=True) for t in level.found)
    both = changes.merged(ChangeSet({asked.path: Write(asked.content)}))
    merged = state.updated(
        replace(state.attempt.answered, changes=both),
        replace(state.attempt.tested, asked_test=replace(asked, failures=(), same=False)),
    )
    levels = (*found.verification.levels, level)
    alone = replace(found, rows=rows, verification=replace(found.verification, levels=levels))
    proof = await proved(replace(work, state=merged), alone, change)
    shown = [r for r in proof.rows if meaning(r, only_tests=False) == "shown"]
    if not shown or all(row.notices is False for row in shown):
        why = "it notices no fault that is put into the change" if shown else "it shows nothing"
        log.info("A test that was asked for separately is not used: %s", why)
        return state.updated(replace(state.attempt.tested, asked_test=AskedTest(why=why))), found
    # what its own tests are worth stands behind what this one is
    old = [v for v in found.verification.levels if v.name in ("proof", "mutants")]
    kept = [v for v in proof.verification.levels if v not in old]
    verification = Verification(both.tree(work.base), (*kept, *old))
    before = found.verdict
    found = concluded(replace(proof, verification=verification), (*found.rows, *proof.rows), change)
    used = await tests_using(replace(work, state=merged), {asked.path})
    left = None if found.verdict.untested is None else {*found.verdict.untested} - {*used}
    untested = None if left is None else tuple(sorted(left))
    reason = f"{before.reason} and {BY_ASKED_TEST}" if before.verified else BY_ASKED_TEST
    verdict = replace(found.verdict, reason=reason, untested=untested)
    return merged, replace(found, verdict=verdict)
