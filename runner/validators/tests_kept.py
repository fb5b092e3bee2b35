"""During a repair existing tests stay as strong as they were: no test lost, skipped or softened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from runner.changes import ChangeSet, Write
from runner.findings import Complaint
from runner.validators.tests_config import loosened
from runner.validators.tests_inventory import TestCode, inventory
from runner.validators.tests_lines import is_other_test, lost

_ERROR = "WeakenedTest"


def weakened_tests(
    changes: ChangeSet,
    *,
    read: Callable[[str], bytes | None],
    repairing: bool,
    allowed: Collection[str] = (),
) -> tuple[Complaint, ...]:
    """Return complaints about tests that existed before and are weaker now.

    ``read`` returns what a file held before this change (None: it is new); ``allowed`` are the
    test files the task itself is about. A first answer may change what a test checks (a task may
    mean to), a repair may not; neither may take tests away.
    """
    found: list[Complaint] = []
    for path, write in changes.files.items():
        if path not in allowed:
            found += _weaker(path, read(path), write, repairing=repairing)
    return tuple(found)


def is_test(path: str) -> bool:
    """Whether pytest takes the file for a test module by its name."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _weaker(
    path: str, old: bytes | None, write: Write | None, *, repairing: bool
) -> Iterator[Complaint]:
    if is_test(path):
        yield from _weaker_tests(path, old, write, repairing=repairing)
    elif is_other_test(path) and old is not None:
        why = lost(old, write.content, checks=repairing) if write else "would be deleted"
        if why:
            message = f"The test file {path} {why}. Repair the code, not the test."
            yield Complaint(path, _ERROR, message)
    else:
        for why in loosened(path, old or b"", write.content if write else b""):
            message = f"{path} {why}. Repair the code, not how it is tested."
            yield Complaint(path, _ERROR, message)


def _weaker_tests(
    path: str, old: bytes | None, write: Write | None, *, repairing: bool
) -> Iterator[Complaint]:
    if old is None:
        return
    before = inventory(old)
    if write is None:
        yield Complaint(path, _ERROR, f"The test file {path} would be deleted. Keep it.")
        return
    after = inventory(write.content)
    if before is None or after is None:
        return  # the syntax check has the word
    for name, test in before.items():
        why = _gone(test, after.get(name)) or (repairing and _loss(test, after[name]))
        if why:
            what = f"The test {name}" if name else f"The module {path}"
            message = f"{what} {why}. Repair the code, not the test."
            yield Complaint(path, _ERROR, message, (after.get(name) or test).line)


def _gone(before: TestCode, after: TestCode | None) -> str:
    """Say how a test would not run any more ('' when it would)."""
    if after is None:
        return "would be deleted"
    if after.skips - before.skips:
        return f"would be skipped ({', '.join(sorted(after.skips - before.skips))})"
    return ""


def _loss(before: TestCode, after: TestCode) -> str:
    """Say how a test got weaker ('' when it did not)."""
    lost = before.checks - after.checks
    if lost:
        return f"would lose the check `{min(lost)}`"
    if after.cases < before.cases:
        return f"would run with {after.cases} cases instead of {before.cases}"
    return ""
