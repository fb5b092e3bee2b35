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

    ``task`` is all that the task says, ``test`` the failing test's source with the helpers it uses.
    A missing name must stand in the test and be missed there: what the code under test misses is
    the code's fault. A test that fails otherwise is the task's if it uses what the task makes or
    changes: its functions, where it names any, for the files and classes around serve others too.
    """
    missing = [name for names in _MISSING.findall(failure.message) for name in names if name]
    if missing:
        wanted = [_last(name) for name in missing]
        there = failure.file in ("", failure.test.split("::")[0])
        return there and all(_has(test, name) and not _has(task, name) for name in wanted)
    spans = _SPAN.findall(task)
    files = {_last(span) for span in spans if _is_path(span)}
    names = {name for span in spans if not _is_path(span) for name in _called(span)}
    promised = {name for name in names if not name[0].isupper()} or names or files
    return bool(promised) and not any(_has(test, name) for name in promised)


def _is_path(span: str) -> bool:
    return "/" in span or re.fullmatch(r"[\w-]+\.\w{1,4}", span) is not None


def _called(span: str) -> list[str]:
    """The names in a code span; of a call not its arguments, which are anybody's words."""
    return _NAME.findall(span.partition("(")[0])


def _last(name: str) -> str:
    """The last word of a dotted name or path."""
    return re.split(r"[./]", re.sub(r"\.\w+$", "", name) if "/" in name else name)[-1]


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
