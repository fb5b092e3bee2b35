"""Assess what the tests say: against the tests before the change, and by who uses what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from runner.checks.asked import TaskWords
from runner.checks.tests_inventory import standing_tests, unchanged_tests
from runner.checks.tests_scripts import SCRIPTS
from runner.checks.tests_settings import deceives, meddling
from runner.checks.tests_titles import changed_cases
from runner.code.inline_tests import has_inline_tests, unchanged_functions
from runner.code.languages import (
    is_among_tests,
    is_code,
    is_pytest_module,
    is_test_file,
    language_of,
)
from runner.context.facts import MINIFIED, NOTHING, facts_of
from runner.context.library import MAX_FILE, chosen
from runner.context.rank import Importers, followed, importers_of, names_of
from runner.loop.at_work import AtWork
from runner.loop.reading import compiled_files
from runner.nodes.context import facts_of_tree
from runner.nodes.people import excused
from runner.nodes.work import NodeWork
from runner.recovery.facts import open_others
from runner.roadmap.task import Task
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, TreeEntry, tree_sha
from runner.state.findings import Verification
from runner.verify import (
    COMMAND,
    PATIENT,
    TOOLS,
    concerned,
    run_tests,
    verify,
)
from runner.verify.assessment import Assessment, assess, needs_base
from runner.verify.commands import as_one_test
from runner.verify.levels import imports_level, without
from runner.verify.project import OnlyFiles
from runner.verify.rows import JudgedChange, is_test_side, red_tests
from runner.verify.set_up import built_extensions
from runner.verify.tools.python import PLAIN

_FILES = (FILE, EXECUTABLE)
_LARGEST, _MOST_LARGE = 1_000_000, 100
"""Bytes and number of long files that are read to see what they import."""

_MOST_TEXTS = 500
"""Test files whose text is searched for the name of a file that no import leads to."""


async def assessed(
    work: NodeWork,
    after: Verification,
    *,
    only: OnlyFiles = (),
    unsteady: frozenset[str] = frozenset(),
    apart: frozenset[str] = frozenset(),
) -> tuple[Assessment, JudgedChange]:
    """Return what a verification means, and what it was judged by; the base's tests are run.

    ``only`` are the test files that were run, by tool, if not all were: the base runs no others
    then. ``unsteady`` are tests whose result on the base is another each time, ``apart`` failing
    ones that run no changed line. Raises as ``verify`` does.
    """
    after = await _without_old_imports(work, after)
    graph = await _graph(work)
    change = await _change(work, after, graph)
    change = replace(change, unsteady=unsteady, apart=apart, selected=bool(only))
    before = Verification(work.base.tree, ())
    if wanted := needs_base(after, {tool.name for tool in work.tools_before} | {COMMAND}, change):
        before = await run_base_tests(work, wanted, only=only)
    found = await asyncio.to_thread(assess, after, before, change)
    if found.outcome != "green":
        return found, change
    untested = await _untested(work, change.tests, graph)
    testers = sorted(p for p in (change.users or ()) if is_pytest_module(p) and p in change.tests)
    verdict = replace(found.verdict, untested=untested)
    return replace(found, verdict=verdict, testers=tuple(testers)), change


async def run_levels(work: NodeWork, *, seconds: float, only: OnlyFiles = ()) -> Verification:
    """Run every level over the change: the tests of what it concerns, or ``only`` these files.

    ``seconds`` bounds each level. Raises as ``verify`` does.
    """
    changes = work.changes.files
    session = await work.session()
    async with AtWork(work.state, work.deps, "Running the tests with the change"):
        found = await verify(
            session,
            tree=work.tree,
            paths=work.paths,
            changed=sorted(path for path, write in changes.items() if write),
            read=work.read,
            mode=work.state.request.options.verify.verify_mode,
            timeout=seconds,
            tools=PATIENT if seconds == work.seconds else TOOLS,
            own=work.own,
            tested=bool(concerned(work.tools_before, changes)),
            touched=changes,
            only=only,
        )
    if changes.keys().isdisjoint(await compiled_files(work.deps, work.base, work.changes)):
        return found
    return replace(found, extensions=await built_extensions(session, work.entries))


async def _same_tests(work: NodeWork, after: Verification) -> frozenset[str]:
    """The tests that a change left as they were, in files that it writes and elsewhere."""
    changes = work.changes.files
    by_file: dict[str, list[str]] = {}
    names = {name for level in after.tests for name in level.found}
    for test in names | {failure.test for failure in red_tests(after)}:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    old = await work.contents(by_file.keys() & changes.keys())

    def same() -> frozenset[str]:
        found: set[str] = set()
        for path, tests in by_file.items():
            write = changes.get(path)
            inline = has_inline_tests(path)
            if path not in changes or not (inline or is_test_side(path) or path.endswith(".py")):
                found.update(tests)  # tests in a file of code: it is no edit of theirs
            elif write is None or path not in old:
                continue
            elif inline or path.endswith(".go"):
                kept = unchanged_functions(path, old[path], write.content)
                found |= {t for t in tests if t.rpartition("::")[2].partition("/")[0] in kept}
            elif path.endswith(".py"):
                kept = unchanged_tests(old[path], write.content)
                found |= {t for t in tests if t.partition("::")[2].partition("[")[0] in kept}
            elif path.endswith(SCRIPTS):
                names = [test.partition("::")[2] for test in tests]
                changed = changed_cases(path, old[path], write.content, names)
                found |= {t for t in tests if t.partition("::")[2] not in changed}
        return frozenset(found)

    return await asyncio.to_thread(same)


async def run_base_tests(
    work: NodeWork,
    tools: Collection[str],
    *,
    only: OnlyFiles = (),
    now: bool = False,
) -> Verification:
    """Run the base's tests, once for all answers that build on it.

    They have run already where the base is the change of the task before, but for its tick.
    ``only`` are the test files to be run, by tool, as far as the base has them: none
    are run that the base's whole suite has run before. ``now`` runs them in any case, because it
    is the time they take that is asked for.
    """
    known, base = work.sandbox.verified, work.base
    earlier = known.get(without_ticks(work, base.entries))
    if earlier and not now and set(tools) <= {v.tool for v in earlier.tests} - timed_out(earlier):
        return earlier
    key = " ".join((base.tree, *sorted(tools), str(work.own)))
    if key in known and not now:
        return known[key]
    if only:
        there = [(tool, [p for p in files if p in base.entries]) for tool, files in only]
        only = [(tool, files) for tool, files in there if files]
        key = " ".join((key, *(path for _, files in only for path in files)))
        if not only or (key in known and not now):
            return known.get(key) or Verification(base.tree, ())
    session = await work.session(ChangeSet())
    async with AtWork(work.state, work.deps, "Running the tests as they are before the change"):
        before = await run_tests(
            session,
            tree=base.tree,
            of=tools,
            paths=sorted(base.entries),
            read=work.settings.get,
            timeout=work.seconds,
            tools=PATIENT,
            own=work.own,
            only=only,
        )
    await work.tell(before, "before")
    known.setdefault(key, before)
    return before


def without_ticks(work: NodeWork, entries: Mapping[str, TreeEntry]) -> str:
    """What the tests of a tree depend on that is committed with the ticks of its tasks."""
    roadmap = work.state.request.roadmap
    rest = {path: entry for path, entry in entries.items() if path != roadmap}
    return f"{tree_sha(rest)} {work.own}"


def timed_out(verification: Verification) -> frozenset[str]:
    """The tools whose tests did not end in time."""
    return frozenset(level.tool for level in verification.tests if level.cause == "timeout")


async def _without_old_imports(work: NodeWork, after: Verification) -> Verification:
    """The verification without complaints about imports that the base gives rise to as well."""
    found = next((v for v in after.levels if v.name == "imports" and v.result == "failed"), None)
    there = sorted({f.file for f in found.failures} & work.base.entries.keys()) if found else []
    if found is None or not there:
        return after
    old = await imports_level(await work.session(ChangeSet()), there, timeout=work.seconds)
    return replace(after, levels=tuple(without(v, old) if v is found else v for v in after.levels))


async def _change(work: NodeWork, after: Verification, graph: _Graph | None) -> JudgedChange:
    state, changes, base = work.state, work.changes.files, work.base
    tests = _tests_among(work.entries)
    compiled = await compiled_files(work.deps, base, work.changes) & changes.keys()
    by_cargo = any(level.tool.startswith("cargo") and level.passed for level in after.tests)
    doubtful = {f.file for v in after.levels if v.name == "imports" for f in v.failures}
    newest = state.attempt.tested.verification
    levels = map(as_one_test, newest.tests if newest else ())
    seen = {failure.test for level in levels for failure in level.failures}
    modules = [path for path in changes if is_pytest_module(path)]
    new = {path: write.content for path in modules if (write := changes[path])}
    old = await work.contents(modules)
    own = {state.current, *state.attempt.planned.members}
    # a repair of failing checks is also about what they say, which names tests
    revision = state.attempt.planned.revision
    points = revision.points if revision and revision.fixes else ()
    plain = {path for path in changes if path.endswith(".py") and not is_test_side(path)}
    before = await work.contents(plain)
    return JudgedChange(
        deceiving=tuple(
            path
            for path, names in meddling(work.changes, read=before.get)
            if path in plain and deceives(names)
        ),
        unmade=tuple(
            path
            for path in sorted(TaskWords(_words(state.task), state.task.files).paths)
            if is_test_file(path) and not {path} & (base.entries.keys() | work.entries.keys())
        ),
        words="\n".join((_words(state.task), *(point.text for point in points))),
        others="\n".join(_words(task) for task in open_others(state) if task.key not in own),
        written=frozenset(changes),
        unbuilt=frozenset(
            path
            for path in compiled
            if not (after.extensions or is_test_side(path) or (by_cargo and path.endswith(".rs")))
        ),
        users=await _users(work, tests, graph),
        loading={path: graph.users([path]) for path in doubtful} if graph else None,
        tests=tests,
        same=await _same_tests(work, after),
        standing=await asyncio.to_thread(standing_tests, old, new) if old else {},
        shared=any(is_test_side(path) and not is_test_file(path) for path in changes),
        repaired=excused(state) | seen,
        rewritten=frozenset(mark.rpartition(" ")[0] for mark in state.attempt.checked.other_tests),
    )


def _tests_among(paths: Collection[str]) -> frozenset[str]:
    return frozenset(path for path in paths if is_test_file(path) or path in PLAIN)


async def tests_of(work: NodeWork) -> frozenset[str] | None:
    """The test files that use what changes; None if imports are not known."""
    tests = _tests_among(work.entries)
    users = await _users(work, tests, await _graph(work))
    return None if users is None else users & tests


async def tests_using(work: NodeWork, files: Collection[str]) -> list[str]:
    """The files of code that these test files use; none if imports are not known."""
    graph = await _graph(work)
    if graph is None:
        return []
    code = (p for p in work.entries if language_of(p) and not is_test_side(p))
    return [path for path in code if graph.users([path]) & set(files)]


@dataclass(frozen=True, slots=True)
class _Graph:
    """What the files of a tree import; ``whole`` if all of them were read.

    What an ``unread`` one imports nobody looked at, as it is probably generated: it may use all.
    """

    importers: Importers
    whole: bool
    unread: frozenset[str]

    def users(self, touched: Collection[str]) -> frozenset[str]:
        return self.importers.users(touched) | self.unread


async def _graph(work: NodeWork) -> _Graph | None:
    """Who imports whom with the change; None if it touches code whose imports are not known."""
    changes, base = work.changes.files, work.base
    if not all(followed(path) for path in changes if is_code(path)):
        return None
    kept = {p: e for p, e in base.entries.items() if p not in changes and followed(p)}
    large = [p for p, e in kept.items() if MAX_FILE < e.size <= _LARGEST and e.mode in _FILES]
    paths = [*chosen(kept, text="", first=()), *large[:_MOST_LARGE]]
    facts = await facts_of_tree(work.deps, base, paths)
    new = {p: write.content for p, write in changes.items() if write and followed(p)}
    facts |= await asyncio.to_thread(lambda: {p: facts_of(p, text) for p, text in new.items()})
    after = frozenset(work.entries)
    importers = await asyncio.to_thread(importers_of, facts, after | changes.keys())
    unread = frozenset(p for p in paths if facts.get(p) == NOTHING and kept[p].size > MINIFIED)
    return _Graph(importers, after & kept.keys() <= facts.keys(), unread)


async def _users(
    work: NodeWork, tests: Collection[str], graph: _Graph | None
) -> frozenset[str] | None:
    """The files that use what changed; None if that is not known.

    Where no test is among them, a test that names a changed file in its text counts as one.
    """
    if graph is None:
        return None
    changes = work.changes.files
    found = await asyncio.to_thread(graph.users, list(changes))
    if found & set(tests):
        return found
    found |= _naming(changes, await work.contents(sorted(tests)[:_MOST_TEXTS]))
    known = graph.whole and len(tests) <= _MOST_TEXTS
    return found if known or found & set(tests) else None


async def _untested(
    work: NodeWork, tests: Collection[str], graph: _Graph | None
) -> tuple[str, ...] | None:
    """The changed code files that no test uses or names; None if that is not known of all."""
    if graph is None:
        return None
    changes = work.changes.files
    code = [
        path
        for path, write in changes.items()
        if write and write.content.strip() and is_code(path) and not is_among_tests(path)
    ]
    alone = [path for path in code if not graph.users([path]) & set(tests)]
    texts = await work.contents(sorted(tests)[:_MOST_TEXTS]) if alone else {}
    texts |= {path: write.content for path, write in changes.items() if write and path in tests}
    found = [path for path in alone if not _naming([path], texts)]
    known = graph.whole and len(tests) <= _MOST_TEXTS
    return tuple(sorted(found)) if known or not found else None


def _naming(touched: Collection[str], texts: Mapping[str, bytes]) -> frozenset[str]:
    """The test files that start or read a file by its name."""
    names = [name for path in touched for name in names_of(path)]
    return frozenset(
        path for path, text in texts.items() if any(name.encode() in text for name in names)
    )


def _words(task: Task) -> str:
    """All that a task says."""
    return "\n".join((task.text, task.details, *task.acceptance, *task.files))
