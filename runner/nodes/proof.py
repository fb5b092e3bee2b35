"""What a change's own tests show: they are run without its code, and with faults in the code."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.checks.tests_settings import acts_on_its_tests
from runner.code.inline_tests import has_inline_tests, with_tests_of
from runner.code.languages import is_test_file, language_of
from runner.nodes.assess import tests_using
from runner.nodes.steadied import MOST
from runner.nodes.subject import subject_of
from runner.nodes.work import NodeWork
from runner.ports import SandboxSession
from runner.state.changes import ChangeSet
from runner.state.findings import Level, Verification
from runner.text.patterns import lazy_pattern
from runner.verify import COMMAND, is_pytest, running
from runner.verify.assessment import Assessment, concluded
from runner.verify.commands import OwnTests, as_one_test
from runner.verify.evidence import Before, Row
from runner.verify.judging import NOT_STARTED, Tool
from runner.verify.mutants import BREAKABLE, COMPILED, Mutant, emptied, mutants
from runner.verify.rows import JudgedChange, is_test_side, missing_names, plain_id, run_by

_NOTHING = "these tests prove nothing, because they also pass without the change"
_BY_CHANCE = "the new tests fail without the change only sometimes, so they show nothing"
_BENT = "old tests were edited that, in their earlier form, fail with the change"
_SKIPPED = "the new tests are skipped without the change"
_NEW, _OLD = "new", "there before, and edited"
_MOST_NAMED = 10
_MOST_MUTANTS = 3
_LONGEST_RUN, _LEAST_SECONDS = 20.0, 20.0
"""New tests that take longer than this are not run again for each fault."""
_LONGEST_WHOLE = 60.0
"""Seconds; slower tests are not run again where they cannot be run alone."""

# what Python says of a call that a function does not take
_CALLED = lazy_pattern(
    r"unexpected keyword argument|takes .{0,80} arguments? but|required positional"
)
_REPLACE = 'cat >"./$1" && set "./$1" && rm -rf "${1%/*}/__pycache__"'


@dataclass(frozen=True, slots=True)
class _Suite:
    """The tests of one tool that are in question (ids without parameters), and what runs them.

    ``near`` are those that may only load what the change edits beside them, ``rewritten`` those
    that stood there and ask for something else now, or may do so. ``old`` are all that stood there.
    """

    tool: Tool
    ids: tuple[str, ...]
    only: tuple[str, ...]
    near: frozenset[str] = frozenset()
    rewritten: frozenset[str] = frozenset()
    old: frozenset[str] = frozenset()


async def proved(work: NodeWork, found: Assessment, change: JudgedChange) -> Assessment:
    """Return an accepted assessment with what the tests say that the change adds or edits.

    They are run on the base with only the change's tests laid over it. Small faults in the changed
    lines tell whether they notice anything; where a change writes only tests, the code that they
    use is emptied instead.
    """
    levels: list[Level] = []
    rows: dict[str, Row] = {row.test: row for row in found.rows}
    for suite in _suites(work, found, change):
        run = _Proof(work, suite, change)
        levels += await run.levels()
        for row in [row for row in rows.values() if plain_id(row.test) in suite.ids]:
            rows[row.test] = run.row(row)
    if levels:
        verification = replace(found.verification, levels=(*found.verification.levels, *levels))
        await work.tell(verification, "proof")
        found = replace(found, verification=verification)
    for suite in await _beside(work, found, change, rows.values()):
        for test in await _Proof(work, suite, change).bent():
            rows |= {
                name: replace(row, edited=True, rewritten=True)
                for name, row in rows.items()
                if plain_id(name) == test
            }
    return concluded(found, tuple(rows.values()), change)


async def _beside(
    work: NodeWork, found: Assessment, change: JudgedChange, rows: Iterable[Row]
) -> list[_Suite]:
    """The old tests of pytest that passed and pass, and load what the change writes beside them.

    What they load may put something else into the place of what they test. None where only tests
    are written, and where they take too long to be run again.
    """
    seconds = sum(level.seconds for level in found.verification.tests)
    if change.only_tests or seconds > _LONGEST_WHOLE:
        return []
    written = {p: w.content for p, w in work.changes.files.items() if w and is_test_file(p)}
    old = await work.contents(written)
    acting = {p for p, text in written.items() if acts_on_its_tests(old.get(p, b""), text)}
    everywhere = change.shared or not acting <= old.keys()
    held = {
        plain_id(row.test): row
        for row in rows
        if row.before == row.after == "passed" and not row.rewritten and (row.old or not row.edited)
    }
    loading = {
        test
        for test, row in held.items()
        if everywhere or row.edited or test.partition("::")[0] in acting
    }
    suites = []
    for tool in filter(is_pytest, work.tools):
        levels = [level for level in found.verification.tests if level.tool == tool.name]
        ids = tuple(sorted(loading & {plain_id(t) for level in levels for t in level.found}))
        suites += [_Suite(tool, ids, tuple(sorted(_files(ids))))] if ids else []
    return suites


def _suites(work: NodeWork, found: Assessment, change: JudgedChange) -> Iterator[_Suite]:
    asked = {row.test for row in found.rows if row.edited and row.before == "not run"}
    rewritten = frozenset(plain_id(row.test) for row in found.rows if row.rewritten)
    old = frozenset(plain_id(row.test) for row in found.rows if row.old)
    near = _near(work, found, change)
    if not asked | near:
        return
    tools = {tool.name: tool for tool in work.tools}
    if work.own:
        tools[COMMAND] = OwnTests(work.own, work.paths, work.tools)
    by_tool: dict[str, list[Level]] = {}
    for level in found.verification.tests:
        by_tool.setdefault(level.tool, []).append(level)
    for name, ran in by_tool.items():
        # beside commands that name their tests, new ones are nothing to one that never does
        levels = [level for level in ran if level.found] or list(map(as_one_test, ran))
        all_found = [test for level in levels for test in level.found]
        ids = tuple(dict.fromkeys(plain_id(test) for test in all_found if test in asked))
        beside = tuple(dict.fromkeys(plain_id(test) for test in all_found if test in near))
        tool = tools.get(name)
        if tool is None or not (ids or beside):
            continue
        suite = _Suite(
            tool, (*ids, *beside), (), frozenset(beside), frozenset({*rewritten, *beside}), old
        )
        if is_pytest(tool):
            yield replace(suite, only=(*ids, *sorted(_files(beside))))
            continue
        files = sorted(_files(suite.ids))
        alone = next(
            (some for _, some in running([tool], files, work.paths, work.read) if some), ()
        )
        if set(files) <= set(alone):
            # a panic ends all tests of a package in Go, where some can be run by name
            by_name = all(file.endswith(".go") for file in files)
            yield replace(suite, only=suite.ids if by_name else tuple(alone))
        elif sum(level.seconds for level in levels) <= _LONGEST_WHOLE:
            yield suite


def _near(work: NodeWork, found: Assessment, change: JudgedChange) -> set[str]:
    """The tests that may load a sample which the change edits: a file of data, or code below them.

    Those of the nearest folder above it that has any, where that is not too much to run again. What
    is loaded by all of them, as a conftest or a helper is, shows nothing of its own.
    """
    seconds = sum(level.seconds for level in found.verification.tests)
    if change.only_tests or seconds > _LONGEST_WHOLE:
        return set()
    rows = {row.test for row in found.rows if row.before == row.after == "passed"}
    folders = {test.partition("::")[0].rpartition("/")[0] for test in rows}
    near = set[str]()
    for path in change.written:
        folder, _, name = path.rpartition("/")
        beside = name == "conftest.py" or (folder in folders and language_of(path))
        if beside or is_test_file(path) or not is_test_side(path):
            continue
        while folder and not any(test.startswith(f"{folder}/") for test in rows):
            folder = folder.rpartition("/")[0]
        near |= {test for test in rows if not folder or test.startswith(f"{folder}/")}
    return near


class _Proof:
    """The runs of one suite, and what they say of each of its tests."""

    def __init__(self, work: NodeWork, suite: _Suite, change: JudgedChange) -> None:
        self._work, self._suite, self._change = work, suite, change
        self._changes = work.changes
        self._run_by = {path for test in suite.ids for path in run_by(test, change.written)}
        self._before: dict[str, Before] = dict.fromkeys(suite.ids, "passed")
        self._lacked: set[str] = set()
        self._behaved: set[str] = set()
        self._noticed: set[str] | None = None
        self._whole = True
        self._extended: set[str] = set()
        self._only = suite.only

    def row(self, row: Row) -> Row:
        """The row of a test, with what was found about it."""
        test = plain_id(row.test)
        noticed = self._noticed or set()
        told = self._noticed is not None and (self._whole or test in noticed)
        if test in self._suite.near and self._before[test] != "failed":
            return row
        return replace(
            row,
            edited=True,
            before=self._before[test],
            lacked=test in self._lacked,
            notices=test in noticed if told else None,
            rewritten=test in self._suite.rewritten - self._extended,
        )

    async def levels(self) -> list[Level]:
        """Run what tells; the levels say how it went."""
        if self._change.only_tests:
            await self._try_faults(await self._of_tested_code())
            return []
        proof = await self._without_code()
        if proof is None:
            return []
        await self._with_old_tests()
        if proof.result == "failed" or proof.seconds > _LONGEST_RUN:
            return [proof]
        bent = self._suite.rewritten - self._extended
        if bent & set(proof.found):  # what they ask for now is the change's own word
            telling = tuple(test for test in proof.found if test not in bent)
            result = proof.result if telling else "skipped"
            proof = replace(proof, found=telling, result=result, reason="" if telling else _BENT)
        subject = await subject_of(self._work)
        self._whole = subject.whole
        await self._try_faults([subject.faults] if subject.faults else [])
        if (noticed := self._noticed) is None or self._behaved & set(proof.found) - noticed:
            await self._try_faults([subject.loud] if subject.loud else [])
            if noticed is not None:  # what could not be called yet did nothing wrong
                noticed |= (self._noticed or set()) & self._behaved
        noticed = self._noticed if noticed is None else noticed
        if noticed is not None and subject.heads and self._behaved & set(proof.found) - noticed:
            await self._try_faults([subject.heads])
            noticed |= (self._noticed or set()) & self._behaved
        level = await self._try_faults(await self._faults())
        self._noticed = self._noticed if noticed is None else noticed
        return [proof, *([level] if level else [])]

    async def _without_code(self) -> Level | None:
        ran = await self._on_base(self._suite.only)
        said = dict(_failing(self._suite.ids, ran)) if ran.cause != "timeout" else {}
        passed = {plain_id(name) for name in ran.found}
        for test in self._suite.ids:
            self._before[test] = (
                "failed" if test in said else "passed" if test in passed else "not run"
            )
        self._lacked = {test for test, message in said.items() if missing_names(message)}
        # it ran on the base, and what failed there is what the code did
        ran_red = {
            plain_id(f.test) for f in ran.failures if f.is_case and not _CALLED.search(f.message)
        }
        self._behaved = ran_red - self._lacked
        for test in self._suite.ids:  # beside code that is not there, it could not even begin
            path = test.partition("::")[0]
            if has_inline_tests(path) and path not in self._work.base.entries:
                self._before[test] = "failed"
                self._lacked.add(test)
                said.setdefault(test, "")
        # what stands as it was is no new test, whatever is edited that it loads
        as_it_was = self._suite.near | set(map(plain_id, self._change.same))
        own = [test for test in self._suite.ids if test not in as_it_was or test in said]
        if not own:
            return None
        if self._suite.near:
            self._only = tuple(own)
        level = Level("proof", "passed", command=ran.command, seconds=ran.seconds)
        by_chance = await self._passing_again(said.keys() - self._lacked)
        for test in by_chance:
            self._before[test] = "not run"
            del said[test]
        if by_chance and not said:
            return replace(level, result="skipped", reason=_BY_CHANCE)
        idle = [test for test in own if self._before[test] == "passed"]
        if said:
            return replace(level, found=tuple(said), passed=len(idle))
        if not idle:
            return replace(level, result="skipped", reason=_SKIPPED)
        named: dict[str, list[str]] = {}
        for test in idle[:_MOST_NAMED]:
            named.setdefault(_OLD if test in self._suite.old else _NEW, []).append(test)
        output = "\n".join(f"{what}: {', '.join(tests)}" for what, tests in named.items())
        return replace(level, result="failed", reason=_NOTHING, output=output)

    async def _on_base(self, only: Sequence[str]) -> Level:
        """Run tests on the base, with only the change's tests laid over it."""
        session = await self._work.session(await self._half(tests=True))
        seconds, tool = self._work.seconds, self._suite.tool
        if is_pytest(tool):
            # no test of it is known where a file is not loaded; of a new file all are in question
            new = _files(only) - self._work.base.entries.keys()
            old = [test for test in only if not _files([test]) <= new]
            ran = await tool.run(session, timeout=seconds, only=[*sorted(new), *old])
            if old and ran.broken and ran.cause != "timeout":
                ran = await tool.run(session, timeout=seconds, only=sorted(_files(only)))
        else:
            ran = await tool.run(session, timeout=seconds, only=only)
        return as_one_test(ran)

    async def _half(self, *, tests: bool) -> ChangeSet:
        """The change's tests without its code, or the other way round."""
        written, old = self._changes.files, await self._work.contents(self._changes.files)
        files = {
            path: write
            for path, write in written.items()
            if (is_test_side(path) or path in self._run_by) == tests
        }
        for path, content in old.items():
            if has_inline_tests(path) and not is_test_side(path) and (write := written[path]):
                parts = (content, write.content) if tests else (write.content, content)
                files[path] = replace(write, content=with_tests_of(path, *parts))
        return ChangeSet(files)

    async def _passing_again(self, failed: Collection[str]) -> set[str]:
        """Those of failing tests that pass on the base as well: what turns by chance shows nothing.

        A missing name is no chance, and more tests than these do not all turn by chance.
        """
        if not 0 < len(failed) <= MOST:
            return set()
        ids = sorted(failed)
        again = await self._on_base(ids if is_pytest(self._suite.tool) else self._only)
        red = {test for test, _ in _failing(ids, again)}
        return {plain_id(name) for name in again.found} & set(ids) - red

    async def _with_old_tests(self) -> None:
        """Find the edited old tests whose old text passes as well: they only ask for more now."""
        known = {test for test, result in self._before.items() if result != "not run"}
        # one whose subtests fail is reported by them alone
        above = {test.rpartition("/")[0] for test in known}
        bent = sorted(self._suite.rewritten & (known | above))
        if not bent:
            return
        session = await self._work.session(await self._half(tests=False))
        tool = self._suite.tool
        only = tuple(bent) if is_pytest(tool) else self._suite.only
        ran = as_one_test(await tool.run(session, timeout=self._work.seconds, only=only))
        red = {test for test, _ in _failing(bent, ran)}
        passing = {plain_id(name) for name in ran.found} - red
        # a new subtest asks for more if the test that it is part of passes in its earlier form
        self._extended = {test for test in bent if {test, test.rpartition("/")[0]} & passing}

    async def bent(self) -> set[str]:
        """The tests that do not pass with the change's code as they stood, for what it does.

        One that calls what has another name now, or takes other arguments, shows nothing wrong.
        """
        session = await self._work.session(await self._half(tests=False))
        left, only = set(self._suite.ids), self._suite.only
        for _ in range(2):  # what fails once may be flaky
            ran = as_one_test(
                await self._suite.tool.run(session, timeout=self._work.seconds, only=only)
            )
            said = _failing(sorted(left), ran)
            left = {t for t, why in said if not (missing_names(why) or _CALLED.search(why))}
            only = tuple(sorted(left))
            if not left:
                break
        return left

    async def _try_faults(self, faults: Sequence[Mapping[Mutant, bytes]]) -> Level | None:
        """Run the tests with each group of faults alone; None where none could be put there."""
        session = await self._work.session() if faults else None
        clock = asyncio.get_running_loop()
        began, seconds = clock.time(), min(_LEAST_SECONDS, self._work.seconds)
        tried, missed, whole = 0, list[str](), dict[str, bytes]()
        for group in faults:
            files = whole | {fault.path: fault.content for fault in group}
            whole = {fault.path: content for fault, content in group.items()}
            if session is None or not all([await _write(session, *file) for file in files.items()]):
                continue
            compiled = any(language_of(fault.path) in COMPILED for fault in group)
            noticed, left = set[str](), self._only
            while True:
                ran = as_one_test(await self._suite.tool.run(session, timeout=seconds, only=left))
                red = {test for test, _ in _failing(self._suite.ids, ran)}
                missing = set(self._suite.ids) - {plain_id(name) for name in ran.found}
                # a panic ends all of a test in Go, also the subtests that had not begun
                ended = _above(red)
                red |= {test for test in missing if not ended.isdisjoint(_above([test]))}
                noticed |= red
                # and the others of its package, which are run without what ended them
                rest = tuple(t for t in left if t in missing - noticed and ".go::" in t)
                late = clock.time() - began > _LONGEST_WHOLE
                if late or not red or not 0 < len(rest) < len(left):
                    break
                left = rest
            if ran.result == "failed" and compiled and not any(f.is_case for f in ran.failures):
                continue  # it was not built
            self._noticed = (self._noticed or set()) | noticed
            tried += 1
            missed += [] if noticed else map(str, group)
        return (
            Level(
                "mutants",
                "failed" if missed else "passed",
                passed=tried - len(missed),
                seconds=clock.time() - began,
                reason=f"{len(missed)} of {tried} small faults not noticed" if missed else "",
                output="\n".join(missed),
                found=tuple(missed),
            )
            if tried
            else None
        )

    async def _faults(self) -> list[dict[Mutant, bytes]]:
        """Faults in the changed lines of the code, the same ones for the same change."""
        new = {
            path: write.content
            for path, write in self._changes.files.items()
            if write and language_of(path) in BREAKABLE
            if not is_test_side(path) and path not in self._run_by
        }
        old = await self._work.contents(new)
        found: list[dict[Mutant, bytes]] = []
        for path, content in new.items():
            was = with_tests_of(path, old.get(path, b""), content)
            made = await asyncio.to_thread(
                mutants, path, was, content, most=_MOST_MUTANTS - len(found)
            )
            found += [{each: content} for each in made]
        return found

    async def _of_tested_code(self) -> list[dict[Mutant, bytes]]:
        """The code that tests of the suite use, emptied: what a task names comes first."""
        files = _files(self._suite.ids)
        using = await tests_using(self._work, files)
        # whose imports are not followed: a test of Rust has a crate, in the folder above its own
        crates = tuple(f"{f.rpartition('tests/')[0]}src/" for f in files if f.endswith(".rs"))
        using += [p for p in self._work.entries if p.endswith(".rs") and p.startswith(crates)]
        paths = sorted(using, key=lambda path: (path not in self._change.words, path))
        old = await self._work.contents(paths[:_MOST_MUTANTS])
        made = {
            path: emptied(path, code, range(code.count(b"\n") + 2)) for path, code in old.items()
        }
        return [{each: old[path]} for path, each in made.items() if each]


def _files(ids: Iterable[str]) -> set[str]:
    """The files of tests."""
    return {test.partition("::")[0] for test in ids}


def _failing(ids: Collection[str], ran: Level) -> Iterator[tuple[str, str]]:
    """The tests that failed with what was said: by name, all of a file, or all of a run."""
    if ran.result != "failed":
        return
    red = {plain_id(failure.test): failure.message for failure in ran.failures}
    above = _above(red)  # Go tells of their failing subtests only
    files = {f.test: f.message for f in ran.failures if not f.is_case}
    passed = {plain_id(name) for name in ran.found}
    # what is not compiled takes along all that stands with it
    unbuilt = [f.message for f in ran.failures if not f.is_case and language_of(f.file) in COMPILED]
    stopped = ran.cause != "timeout" and not 0 < (ran.exit_code or 0) < NOT_STARTED
    for test in ids:
        path = test.partition("::")[0]
        if test in red or path in files or test in above:
            yield test, red.get(test, files.get(path, ""))
        elif unbuilt and test not in passed:
            yield test, "\n".join(unbuilt)
        elif ran.broken and not stopped and test not in passed:
            yield test, ran.broken


def _above(tests: Iterable[str]) -> set[str]:
    """The tests that these are subtests of, in Go."""
    return {
        f"{path}::{name[:end]}"
        for path, _, name in (test.partition("::") for test in tests)
        for end, sign in enumerate(name)
        if sign == "/" and path.endswith(".go")
    }


async def _write(session: SandboxSession, path: str, content: bytes) -> bool:
    """Replace a file, and say whether that was possible: tests may do anything to their tree."""
    ran = await session.run(["sh", "-c", _REPLACE, "sh", path], stdin=content, timeout=60)
    return ran.exit_code == 0 and not ran.timed_out


def unproven(verification: Verification | None) -> Level | None:
    """The level that says that the new tests prove nothing; None where none says so."""
    return _failed(verification, "proof")


def unnoticed(verification: Verification | None) -> Level | None:
    """The level that says which faults the new tests do not notice; None where none says so."""
    return _failed(verification, "mutants")


def _failed(verification: Verification | None, name: str) -> Level | None:
    levels = verification.levels if verification else ()
    return next((each for each in levels if each.name == name and each.result == "failed"), None)
