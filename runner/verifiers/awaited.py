"""Failing tests that wait for another task: written first, for names this task does not promise.

Pure. Where a project's tests stand before its code, most of them are red until the last task is
done; what counts is whether a test could be expected to pass after *this* one.
"""

from __future__ import annotations

import re

from runner.findings import TestFailure

# what Python and JavaScript say of a name that is not there (yet)
_MISSING = re.compile(
    r"No module named '([\w.]+)'|cannot import name '(\w+)'|has no attribute '(\w+)'"
    r"|name '(\w+)' is not defined|Cannot find (?:module|package) '([^']+)'"
    r"|does not provide an export named '(\w+)'"
)
_SPAN = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[A-Za-z_]\w+")


def awaits_another(failure: TestFailure, *, task: str, test: str) -> bool:
    """Say whether a test fails for want of something that this task does not promise.

    ``task`` is all that the task says, ``test`` the failing test's source. A missing name must
    stand in the test, so that it is the test that wants it and not the code under test.
    """
    missing = [name for names in _MISSING.findall(failure.message) for name in names if name]
    if missing:
        wanted = [_last(name) for name in missing]
        return all(_has(test, name) and not _has(task, name) for name in wanted)
    promised = {name for span in _SPAN.findall(task) for name in _names(span)}
    return bool(promised) and not any(_has(test, name) for name in promised)


def _names(span: str) -> list[str]:
    """The names in a code span; of a path only what the file is called."""
    if "/" in span or re.fullmatch(r"[\w-]+\.\w{1,4}", span):
        return [_last(span)]
    return _NAME.findall(span)


def _last(name: str) -> str:
    """The last word of a dotted name or path."""
    return re.split(r"[./]", re.sub(r"\.\w+$", "", name) if "/" in name else name)[-1]


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
