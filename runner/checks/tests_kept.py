"""Existing tests stay as strong as they were, whatever a task says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.checks.tests_inventory import TestCode, bent_tests, inventory, lost
from runner.checks.tests_scripts import SCRIPTS, script_inventory
from runner.checks.tests_settings import loosened
from runner.code.languages import is_other_test, is_pytest_module, is_test_file
from runner.code.symbols import symbols_of
from runner.state.changes import ChangeSet, blob_sha
from runner.state.findings import Complaint

Read = Callable[[str], bytes | None]
Tests = Mapping[str, TestCode]

_ERROR = "WeakenedTest"
_GO_ON = "Repair the code, not the test."
_NO_FILES: Mapping[str, bytes] = {}
_ALIKE = 0.5


def weakened_tests(
    changes: ChangeSet,
    *,
    read: Read,
    repairing: bool,
    accepted: Collection[str] = (),
    others: Mapping[str, bytes] = _NO_FILES,
) -> tuple[Complaint, ...]:
    """Return complaints about tests that are weaker than before.

    ``read`` returns what a file held before this change (None: it is new). A first answer may
    change what a test asserts, for the task may mean another result, but not how much. A repair
    may not, but what was ``accepted`` before (see ``changed_tests``) stays so. Tests go only where
    the code that they use goes, or where one of the test files that stay (``others``) has them.
    """
    found: list[Complaint] = []
    judged = _read_all(changes, read)
    pool = _Pool.of(judged, others)
    case = _Case(_vanished(changes, read), frozenset(accepted), _spare(judged))
    for path, write in changes.files.items():
        old = read(path)
        if path in judged:
            before, after = judged[path]
            if before and write is None:
                tests = [(name, test) for name, test in before.items() if name]
                if not all(pool.successor(*each) or case.excuses(each[1]) for each in tests):
                    gone = f"The test file {path} would be deleted."
                    found.append(Complaint(path, _ERROR, gone, advice="Keep it."))
            else:
                found += _weaker(path, before, after, pool, case, strict=repairing)
                found += _switched_off(path, before, after)
        elif is_other_test(path) and old is not None:
            why = lost(old, write.content, checks=repairing) if write else "would be deleted"
            what = f"The test file {path} {why}."
            found += [Complaint(path, _ERROR, what, advice=_GO_ON)] if why else []
        else:
            advice = "Repair the code, not how it is tested."
            found += [
                Complaint(path, _ERROR, f"{path} {why}.", advice=advice)
                for why in loosened(path, old or b"", write.content if write else b"")
            ]
    return tuple(found)


def tests_gone(changes: ChangeSet, *, read: Read) -> frozenset[str]:
    """Return the names of the tests that their own files no longer have."""
    judged = _read_all(changes, read).values()
    return frozenset(
        _plain(name) for before, after in judged for name in before.keys() - after.keys() - {""}
    )


def changed_tests(changes: ChangeSet, *, read: Read) -> tuple[str, ...]:
    """Return marks of the existing tests that assert something else than before.

    In Python also of those that assert it about something else: other rows, constants or values.
    """
    found: list[str] = []
    for path, (before, after) in sorted(_read_all(changes, read).items()):
        old, write = read(path), changes.files[path]
        bent = bent_tests(old, write.content) if old and write and path.endswith(".py") else ()
        found += [
            _mark(path, name, after[name])
            for name in sorted(before.keys() & after.keys())
            if name in bent or before[name].checks - after[name].checks
        ]
    return tuple(found)


def weaker_asserts(changes: ChangeSet, *, read: Read) -> tuple[str, ...]:
    """Return sentences about existing tests that assert something else now, for a reviewer."""
    found = []
    for path, (before, after) in _read_all(changes, read).items():
        for name in before.keys() & after.keys() - {""}:
            gone = before[name].checks - after[name].checks
            come = after[name].checks - before[name].checks
            if gone and come:
                found.append(
                    f"The test {name} in {path} asserts something else now: "
                    f"`{min(come)}` in place of `{min(gone)}`."
                )
    return tuple(sorted(found))


def _read_all(changes: ChangeSet, read: Read) -> dict[str, tuple[Tests, Tests]]:
    """The tests of every changed test file that can be read, before and after."""
    found: dict[str, tuple[Tests, Tests]] = {}
    for path, write in changes.files.items():
        old = read(path)
        before = _tests_of(path, old) if old is not None else {}
        after = _tests_of(path, write.content) if write else {}
        if (
            before is not None
            and after is not None
            and (is_pytest_module(path) or _is_script(path))
        ):
            found[path] = (before, after)  # else the syntax check has the word
    return found


def _is_script(path: str) -> bool:
    return path.endswith((*SCRIPTS, "_test.go")) and is_other_test(path)


def _tests_of(path: str, content: bytes) -> Tests | None:
    if is_pytest_module(path):
        return inventory(content)
    return script_inventory(path, content) if _is_script(path) else None


@dataclass
class _Pool:
    """What the change set's test files newly assert: where a lost test or check may have gone.

    A new test replaces one lost test, or several if it runs with as many cases as they had
    together; ``taken`` counts the cases of the lost ones. ``stay`` are the tests of files that
    do not change, by name: what another file says as well is not lost.
    """

    tests: list[tuple[str, TestCode]]
    checks: Counter[str]
    stay: Mapping[str, Sequence[TestCode]]
    taken: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, judged: Mapping[str, tuple[Tests, Tests]], others: Mapping[str, bytes]) -> _Pool:
        """Collect what is new in all test files, and what stays in the others."""
        fresh = [
            (name, test)
            for before, after in judged.values()
            for name, test in after.items()
            if name and name not in before
        ]
        gained: Counter[str] = Counter()
        for before, after in judged.values():
            for name, test in after.items():
                gained += test.checks - (before[name].checks if name in before else Counter())
        stay: dict[str, list[TestCode]] = {}
        for path, content in others.items():
            tests = _tests_of(path, content) or {}
            if not ("" in tests and tests[""].skips):
                for name, test in tests.items():
                    stay.setdefault(_plain(name), []).append(test)
        return cls(fresh, gained, stay)

    def successor(self, name: str, test: TestCode) -> TestCode | None:
        """The new test that takes a lost one's place: moved, renamed, or much like it."""
        for other in self.stay.get(_plain(name), ()) if name else ():
            if not _changed(test, other) and other.skips <= test.skips:
                return other
        cases = max(1, test.cases)
        free = [
            at
            for at, (_, new) in enumerate(self.tests)
            if not self.taken[at] or self.taken[at] + cases <= new.cases
        ]
        same = [at for at in free if _plain(self.tests[at][0]) == _plain(name)]
        likeness = [(_alike(test, self.tests[at][1]), at) for at in free]
        alike = [at for value, at in sorted(likeness, reverse=True) if value >= _ALIKE]
        found = next(iter([*same, *alike]), None)
        if found is None:
            return None
        self.taken[found] += cases
        return self.tests[found][1]


def _plain(name: str) -> str:
    return name.rpartition("::")[2].rpartition(" > ")[2]


def _alike(one: TestCode, other: TestCode) -> float:
    both = one.checks & other.checks
    if both:
        return max(both.total() / one.checks.total(), _jaccard(one.names, other.names))
    return _jaccard(one.names, other.names)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


@dataclass
class _Case:
    """What excuses tests that go or change.

    ``vanished`` are names that the changed source no longer defines, ``kept`` marks of tests that
    were accepted before. ``spare`` is how often the new tests of a file assert a value, by path: as
    many may replace tests that are gone.
    """

    vanished: frozenset[str]
    kept: frozenset[str]
    spare: Counter[str]

    def excuses(self, test: TestCode) -> bool:
        """Whether a test may go: it uses code that goes."""
        return bool(self.vanished & test.names)

    def replaced(self, path: str, count: int) -> bool:
        """Whether new tests of the file take a place; they take each place once."""
        if self.spare[path] < count:
            return False
        self.spare[path] -= count
        return True


def _weaker(
    path: str, before: Tests, after: Tests, pool: _Pool, case: _Case, *, strict: bool
) -> Iterator[Complaint]:
    for name, test in before.items():
        now = after.get(name) or (pool.successor(name, test) if name else None)
        why = _gone(test, now)
        if now is not None and not why:
            accepted = _mark(path, name, now) in case.kept
            why = _loss(test, now, pool) if accepted or not strict else _changed(test, now)
        if not why or case.excuses(test):
            continue
        lost = test.cases - now.cases if now else test.cases
        places = max(1, lost) * max(1, test.checks.total())
        moved = now is None or (0 < now.cases < test.cases and not test.checks - now.checks)
        if moved and not strict and case.replaced(path, places):
            continue
        what = f"The test {name}" if name else f"The module {path}"
        yield Complaint(path, _ERROR, f"{what} {why}.", (now or test).line, advice=_GO_ON)


def _mark(path: str, name: str, test: TestCode) -> str:
    digest = blob_sha("\0".join(sorted(test.checks.elements())).encode())[:12]
    return f"{path}::{name} {digest}"


def _vanished(changes: ChangeSet, read: Read) -> frozenset[str]:
    """The names that changed source files defined, and that none of them defines now."""
    before: set[str] = set()
    after: set[str] = set()
    for path, write in changes.files.items():
        if not is_test_file(path):
            before |= {each.name for each in symbols_of(path, read(path) or b"").definitions}
            after |= {
                each.name for each in symbols_of(path, write.content if write else b"").definitions
            }
    return frozenset(before - after)


def _spare(judged: Mapping[str, tuple[Tests, Tests]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for path, (before, after) in judged.items():
        for name in after.keys() - before.keys():
            found[path] += after[name].demands.values.total() * max(1, after[name].cases)
    return found


def _gone(before: TestCode, after: TestCode | None) -> str:
    """Say why a test would no longer run ('' if it would)."""
    if after is None:
        return "would be deleted"
    new = after.skips - before.skips
    return f"would be skipped ({', '.join(sorted(new))})" if new else ""


def _changed(before: TestCode, after: TestCode) -> str:
    """Say which check a test loses, whatever comes in its place ('' when none)."""
    lost_checks = before.checks - after.checks
    if lost_checks:
        return f"would lose the check `{min(lost_checks)}`"
    return _fewer_cases(before, after)


def _loss(before: TestCode, after: TestCode, pool: _Pool) -> str:
    """Say how a test would demand less ('' when it demands as much)."""
    gone, come = before.checks - after.checks, after.checks - before.checks
    gone -= pool.checks - come  # moved into another test
    room = after.room
    if gone.total() > come.total() + room:
        return f"would lose the check `{min(gone)}`"
    values = Counter({text: n for text, n in gone.items() if text in before.demands.values})
    others = Counter({text: n for text, n in come.items() if text in after.demands.values})
    if values.total() > others.total() + room:
        return f"would demand less: `{min(come)}` in place of `{min(values)}`"
    return "" if room > before.room else _fewer_cases(before, after)


def _fewer_cases(before: TestCode, after: TestCode) -> str:
    if 0 < after.cases < before.cases:
        return f"would run with {after.cases} cases instead of {before.cases}"
    return ""


def _switched_off(path: str, before: Tests, after: Tests) -> Iterator[Complaint]:
    """Complain of a file that becomes a test file, and keeps tests from running."""
    if "" not in before and "" in after and not is_pytest_module(path):
        for word in sorted(after[""].skips):
            if not word.startswith("//"):
                yield Complaint(path, _ERROR, f"{path} would keep tests from running ({word}).")
