"""Assess what the tests say: against the tests before the change, and by who uses what changed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from runner.checks.tests_inventory import standing_tests, unchanged_tests
from runner.checks.tests_scripts import SCRIPTS
from runner.checks.tests_titles import changed_cases
from runner.code.languages import is_among_tests, is_pytest_module, is_test_file, language_of
from runner.context.facts import FileFacts, facts_of
from runner.context.library import MAX_FILE, chosen
from runner.context.rank import Importers, followed, importers_of, names_of
from runner.loop.at_work import AtWork
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import compiled_files, contents, everything, prepared_image, reader
from runner.loop.workspace import materialise, restore
from runner.nodes.context import facts_of_tree
from runner.nodes.people import excused
from runner.ports import SandboxSession
from runner.recovery.facts import open_others
from runner.roadmap.task import Task
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot, TreeEntry, tree_sha
from runner.state.events import verified
from runner.state.findings import Verification
from runner.state.run_state import RunState
from runner.verify import (
    COMMAND,
    PATIENT,
    TOOLS,
    Commands,
    concerned,
    configuration,
    run_tests,
    tools_of,
    verify,
)
from runner.verify.assessment import (
    Assessment,
    JudgedChange,
    assess,
    is_test_side,
    needs_base,
    red_tests,
)
from runner.verify.commands import as_one_test
from runner.verify.levels import imports_level, without
from runner.verify.project import OnlyFiles
from runner.verify.python_layout import MANIFESTS, PythonLayout, layout_of
from runner.verify.set_up import built_extensions, set_up, set_up_session
from runner.verify.tools.python import PLAIN


async def filled(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, changes: ChangeSet
) -> SandboxSession:
    """Return a session that holds this tree and in which nothing has run; fill it where needed.

    Whoever runs anything in it sets ``work.sandbox.holds`` to '', so that the next one gets a fresh
    session.
    """
    image = await prepared_image(state, deps, base, changes)
    session = await work.sandbox.session(state, deps.sandbox, image)
    tree, layout = changes.tree(base), await _layout(deps, base, changes)
    if work.sandbox.holds != tree:
        work.sandbox.holds = ""
        files = await everything(deps, base, changes)
        await materialise(session, files, work.sandbox.left)
        work.sandbox.left = files
        if state.request.options.sandbox.setup or deps.sandbox.installed:
            await restore(session)
        if layout:
            await set_up(session, layout)
        work.sandbox.holds = tree
    return set_up_session(session, layout) if layout else session


async def _layout(deps: Deps, base: Snapshot, changes: ChangeSet) -> PythonLayout:
    """How the project is imported; an answer cannot replace an installed module."""
    old = await contents(deps, base, MANIFESTS)
    before = layout_of(base.entries, old.get)
    after = layout_of(changes.entries(base), reader(old, changes))
    return replace(after, own=tuple(name for name in after.own if name in before.own))


_OTHER_CODE = re.compile(
    r"\.(?:kts?|scala|groovy|swift|exs?|erl|hs|ml|lua|pl|zig|dart|vue|svelte)$"
)
"""Code in languages that Cairn does not parse."""
_FILES = (FILE, EXECUTABLE)
_LARGEST, _MOST_LARGE = 1_000_000, 100
"""Bytes and number of long files that are read to see what they import."""

_MOST_TEXTS = 500
"""Test files whose text is searched for the name of a file that no import leads to."""


async def assessed(
    state: RunState,
    deps: Deps,
    work: TaskWork,
    base: Snapshot,
    after: Verification,
    *,
    own: Commands | None,
    only: OnlyFiles = (),
    unsteady: frozenset[str] = frozenset(),
    apart: frozenset[str] = frozenset(),
) -> tuple[Assessment, JudgedChange]:
    """Return what a verification means, and what it was judged by; the base's tests are run.

    ``only`` are the test files that were run, by tool, if not all were: the base runs no others
    then. ``unsteady`` are tests whose result on the base is another each time, ``apart`` failing
    ones that run no changed line. Raises as ``verify`` does.
    """
    changes = state.attempt.answered.changes
    old = await contents(deps, base, configuration(base.entries))
    there = {tool.name for tool in tools_of(sorted(base.entries), old.get)} | {COMMAND}
    after = await _imports(state, deps, work, base, after)
    graph = await _graph(deps, base, changes)
    change = await _change(state, deps, base, after, graph)
    change = replace(change, unsteady=unsteady, apart=apart, selected=bool(only))
    before = Verification(base.tree, ())
    if wanted := needs_base(after, there, change):
        before = await run_base_tests(state, deps, work, base, wanted, own, only=only)
    found = await asyncio.to_thread(assess, after, before, change)
    if found.outcome != "green":
        return found, change
    untested = await _untested(deps, base, changes, change.tests, graph)
    testers = sorted(p for p in (change.users or ()) if is_pytest_module(p) and p in change.tests)
    verdict = replace(found.verdict, untested=untested)
    return replace(found, verdict=verdict, testers=tuple(testers)), change


async def run_levels(
    state: RunState,
    deps: Deps,
    work: TaskWork,
    base: Snapshot,
    own: Commands | None,
    *,
    seconds: float,
    only: OnlyFiles = (),
) -> Verification:
    """Run every level over the change: the tests of what it concerns, or ``only`` these files.

    ``seconds`` bounds each level; ``own`` are the repository's own commands, in place of tests that
    are found. Raises as ``verify`` does.
    """
    changes = state.attempt.answered.changes
    old = await contents(deps, base, configuration(base.entries))
    session = await filled(state, deps, work, base, changes)
    work.sandbox.holds = ""
    found = await verify(
        session,
        tree=changes.tree(base),
        paths=sorted(changes.entries(base)),
        changed=sorted(path for path, write in changes.files.items() if write),
        read=reader(old, changes),
        mode=state.request.options.verify.verify_mode,
        timeout=seconds,
        tools=PATIENT if seconds == state.request.options.sandbox.test_timeout else TOOLS,
        own=own,
        tested=bool(concerned(tools_of(base.entries, old.get), changes.files)),
        touched=changes.files,
        only=only,
    )
    if changes.files.keys().isdisjoint(await compiled_files(deps, base, changes)):
        return found
    extensions = await built_extensions(session, changes.entries(base))
    return replace(found, extensions=extensions)


async def _same_tests(
    deps: Deps, base: Snapshot, changes: ChangeSet, after: Verification
) -> frozenset[str]:
    """The tests that a change left as they were, in files that it writes and elsewhere."""
    ids = {name for level in after.tests for name in level.found}
    ids |= {failure.test for failure in red_tests(after)}
    by_file: dict[str, list[str]] = {}
    for test in ids:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    old = await contents(deps, base, by_file.keys() & changes.files.keys())

    def same() -> frozenset[str]:
        found: set[str] = set()
        for path, tests in by_file.items():
            write = changes.files.get(path)
            if path not in changes.files or not (is_test_side(path) or path.endswith(".py")):
                found.update(tests)  # tests in a file of code, as in Rust: it is no edit of theirs
            elif write is None or path not in old:
                continue
            elif path.endswith(".py"):
                kept = unchanged_tests(old[path], write.content)
                found |= {t for t in tests if t.partition("::")[2].partition("[")[0] in kept}
            elif path.endswith(SCRIPTS):
                names = [test.partition("::")[2] for test in tests]
                changed = changed_cases(path, old[path], write.content, names)
                found |= {t for t in tests if t.partition("::")[2] not in changed}
        return frozenset(found)

    return await asyncio.to_thread(same)


async def _standing(deps: Deps, base: Snapshot, changes: ChangeSet) -> Mapping[str, frozenset[str]]:
    paths = [path for path in changes.files if is_pytest_module(path)]
    new = {path: write.content for path in paths if (write := changes.files[path])}
    old = await contents(deps, base, [path for path in paths if path in base.entries])
    return await asyncio.to_thread(standing_tests, old, new) if old else {}


async def run_base_tests(
    state: RunState,
    deps: Deps,
    work: TaskWork,
    base: Snapshot,
    tools: Collection[str],
    own: Commands | None,
    *,
    within: float | None = None,
    only: OnlyFiles = (),
    now: bool = False,
) -> Verification:
    """Run the base's tests, once for all answers that build on it.

    They have run already where the base is the change of the task before, but for its tick.
    ``within`` (seconds) bounds them below the sandbox's own limit; what does not end in that time
    is not kept. ``only`` are the test files to be run, by tool, as far as the base has them: none
    are run that the base's whole suite has run before. ``now`` runs them in any case, because it
    is the time they take that is asked for.
    """
    earlier = work.sandbox.verified.get(without_ticks(state, base.entries, own))
    if earlier and not now and set(tools) <= {v.tool for v in earlier.tests} - timed_out(earlier):
        return earlier
    key = " ".join((base.tree, *sorted(tools), str(own)))
    if (known := work.sandbox.verified.get(key)) and not now:
        return known
    if only:
        there = [(tool, [p for p in files if p in base.entries]) for tool, files in only]
        only = [(tool, files) for tool, files in there if files]
        key = " ".join((key, *(path for _, files in only for path in files)))
        known = work.sandbox.verified.get(key)
        if not only or (known and not now):
            return known or Verification(base.tree, ())
    session = await filled(state, deps, work, base, ChangeSet())
    work.sandbox.holds = ""
    old = await contents(deps, base, configuration(base.entries))
    async with AtWork(state, deps, "Running the tests as they are before the change"):
        before = await run_tests(
            session,
            tree=base.tree,
            of=tools,
            paths=sorted(base.entries),
            read=old.get,
            timeout=within or state.request.options.sandbox.test_timeout,
            tools=TOOLS if within else PATIENT,
            own=own,
            only=only,
        )
    if within and timed_out(before):
        return before
    await deps.events.emit(verified(state, before, "before"))
    work.sandbox.verified.setdefault(key, before)
    return before


def without_ticks(state: RunState, entries: Mapping[str, TreeEntry], own: Commands | None) -> str:
    """What the tests of a tree depend on that is committed with the ticks of its tasks."""
    rest = {path: entry for path, entry in entries.items() if path != state.request.roadmap}
    return f"{tree_sha(rest)} {own}"


def timed_out(verification: Verification) -> frozenset[str]:
    """The tools whose tests did not end in time."""
    return frozenset(level.tool for level in verification.tests if level.cause == "timeout")


async def _imports(
    state: RunState, deps: Deps, work: TaskWork, base: Snapshot, after: Verification
) -> Verification:
    """The verification without complaints about imports that the base gives rise to as well."""
    found = next((v for v in after.levels if v.name == "imports" and v.result == "failed"), None)
    there = sorted({f.file for f in found.failures} & base.entries.keys()) if found else []
    if found is None or not there:
        return after
    session = await filled(state, deps, work, base, ChangeSet())
    work.sandbox.holds = ""
    old = await imports_level(session, there, timeout=state.request.options.sandbox.test_timeout)
    return replace(after, levels=tuple(without(v, old) if v is found else v for v in after.levels))


async def _change(
    state: RunState, deps: Deps, base: Snapshot, after: Verification, graph: _Graph | None
) -> JudgedChange:
    changes = state.attempt.answered.changes
    tests = _tests_among(changes.entries(base))
    compiled = await compiled_files(deps, base, changes) & changes.files.keys()
    by_cargo = any(level.tool.startswith("cargo") and level.passed for level in after.tests)
    doubtful = {f.file for v in after.levels if v.name == "imports" for f in v.failures}
    newest = state.attempt.tested.verification
    levels = map(as_one_test, newest.tests if newest else ())
    seen = {failure.test for level in levels for failure in level.failures}
    return JudgedChange(
        words=_asked(state),
        others="\n".join(map(_words, _others(state))),
        written=frozenset(changes.files),
        unbuilt=frozenset(
            path
            for path in compiled
            if not (after.extensions or is_test_side(path) or (by_cargo and path.endswith(".rs")))
        ),
        users=await _users(deps, base, changes, tests, graph),
        loading={path: graph.users([path]) for path in doubtful} if graph else None,
        tests=tests,
        same=await _same_tests(deps, base, changes, after),
        standing=await _standing(deps, base, changes),
        shared=any(is_test_side(path) and not is_test_file(path) for path in changes.files),
        repaired=excused(state) | seen,
        rewritten=frozenset(mark.rpartition(" ")[0] for mark in state.attempt.checked.other_tests),
    )


def _tests_among(paths: Collection[str]) -> frozenset[str]:
    return frozenset(path for path in paths if is_test_file(path) or path in PLAIN)


async def tests_of(deps: Deps, base: Snapshot, changes: ChangeSet) -> frozenset[str] | None:
    """The test files that use what changes; None if imports are not known."""
    tests = _tests_among(changes.entries(base))
    users = await _users(deps, base, changes, tests, await _graph(deps, base, changes))
    return None if users is None else users & tests


async def tests_using(
    deps: Deps, base: Snapshot, changes: ChangeSet, files: Collection[str]
) -> list[str]:
    """The files of code that these test files use; none if imports are not known."""
    graph = await _graph(deps, base, changes)
    if graph is None:
        return []
    code = (p for p in changes.entries(base) if language_of(p) and not is_test_side(p))
    return [path for path in code if graph.users([path]) & set(files)]


@dataclass(frozen=True, slots=True)
class _Graph:
    """What the files of a tree import; ``whole`` if all of them were read."""

    importers: Importers
    whole: bool

    def users(self, touched: Collection[str]) -> frozenset[str]:
        return self.importers.users(touched)


async def _graph(deps: Deps, base: Snapshot, changes: ChangeSet) -> _Graph | None:
    """Who imports whom with the change; None if it touches code whose imports are not known."""
    if not all(followed(path) for path in changes.files if _is_code(path)):
        return None
    kept = {p: e for p, e in base.entries.items() if p not in changes.files and followed(p)}
    large = [p for p, e in kept.items() if MAX_FILE < e.size <= _LARGEST and e.mode in _FILES]
    paths = [*chosen(kept, text="", first=()), *large[:_MOST_LARGE]]
    facts = await facts_of_tree(deps, base, paths)
    new = {p: write.content for p, write in changes.files.items() if write and followed(p)}
    facts |= await asyncio.to_thread(_facts, new)
    after = frozenset(changes.entries(base))
    importers = await asyncio.to_thread(importers_of, facts, after | changes.files.keys())
    return _Graph(importers, whole=after & kept.keys() <= facts.keys())


async def _users(
    deps: Deps, base: Snapshot, changes: ChangeSet, tests: Collection[str], graph: _Graph | None
) -> frozenset[str] | None:
    """The files that use what changed; None if that is not known.

    Where no test is among them, a test that names a changed file in its text counts as one.
    """
    if graph is None:
        return None
    found = await asyncio.to_thread(graph.users, list(changes.files))
    if found & set(tests):
        return found
    found |= _naming(changes.files, await _texts(deps, base, tests))
    known = graph.whole and len(tests) <= _MOST_TEXTS
    return found if known or found & set(tests) else None


async def _untested(
    deps: Deps, base: Snapshot, changes: ChangeSet, tests: Collection[str], graph: _Graph | None
) -> tuple[str, ...] | None:
    """The changed code files that no test uses or names; None if that is not known of all."""
    if graph is None:
        return None
    code = [
        path
        for path, write in changes.files.items()
        if write and write.content.strip() and _is_code(path) and not is_among_tests(path)
    ]
    alone = [path for path in code if not graph.users([path]) & set(tests)]
    new = {path: write.content for path, write in changes.files.items() if write and path in tests}
    texts = await _texts(deps, base, tests) | new if alone else new
    found = [path for path in alone if not _naming([path], texts)]
    known = graph.whole and len(tests) <= _MOST_TEXTS
    return tuple(sorted(found)) if known or not found else None


def _is_code(path: str) -> bool:
    return language_of(path) not in ("", "css", "html") or bool(_OTHER_CODE.search(path))


def _facts(files: Mapping[str, bytes]) -> dict[str, FileFacts]:
    return {path: facts_of(path, content) for path, content in files.items()}


async def _texts(deps: Deps, base: Snapshot, tests: Collection[str]) -> dict[str, bytes]:
    """What test files say."""
    return await contents(deps, base, sorted(tests)[:_MOST_TEXTS])


def _naming(touched: Collection[str], texts: Mapping[str, bytes]) -> frozenset[str]:
    """The test files that start or read a file by its name."""
    names = [name for path in touched for name in names_of(path)]
    return frozenset(
        path for path, text in texts.items() if any(name.encode() in text for name in names)
    )


def _others(state: RunState) -> Iterator[Task]:
    own = {state.current, *state.attempt.planned.members}
    return (task for task in open_others(state) if task.key not in own)


def _asked(state: RunState) -> str:
    """All that the task says; of a repair also what the failing checks say, which name tests."""
    revision = state.attempt.planned.revision
    points = revision.points if revision and revision.fixes else ()
    return "\n".join((_words(state.task), *(point.text for point in points)))


def _words(task: Task) -> str:
    """All that a task says."""
    return "\n".join((task.text, task.details, *task.acceptance, *task.files))
