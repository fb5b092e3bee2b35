"""Files as a repair question quotes them: of long ones, the places that the repair is about."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from runner.checks.blanks import added_lines
from runner.checks.tests_inventory import source_of
from runner.code.symbols import symbols_of
from runner.context.cut import around, cut, wanted_by
from runner.loop.deps import Deps
from runner.loop.reading import Quoted, base_of, contents, quote, seen_of
from runner.state.changes import ChangeSet
from runner.state.findings import TestFailure
from runner.state.run_state import RunState
from runner.text.encoding import text_of

MAX_QUOTED = 12_000
LONG = 50
"""Lines of a file from which on a repair is asked for the lines that change alone."""

_MOST_TEST_FILES = 3
_MOST_FAILURES = 5
_VARIES = re.compile(r"0x[0-9a-fA-F]{4,}|\b\d+(?:\.\d+)? ?(?:ms|s|seconds)\b|/tmp/\S+")


async def quoted_changes(
    state: RunState, deps: Deps, changes: ChangeSet, wanted: Iterable[str]
) -> list[Quoted]:
    """Files of the change set as they are quoted back: of a long one what changed in it.

    The lines that complaints and failing tests name are shown as well.
    """
    chosen = [path for path in changes.files if path in set(wanted)]
    old = await contents(deps, await base_of(state, deps), chosen)
    named = _named_lines(state)
    return [
        _changed(path, write.content, old.get(path), named.get(path, set()))
        for path in chosen
        if (write := changes.files[path]) is not None
    ]


def _changed(path: str, content: bytes, old: bytes | None, named: Collection[int]) -> Quoted:
    text = text_of(path, content)
    if len(text) <= MAX_QUOTED:
        return quote(path, text, limit=MAX_QUOTED)
    before = text_of(path, old or b"")
    shown = around(text, {*added_lines(text, before), *named}, limit=MAX_QUOTED)
    return replace(quote(path, shown, limit=MAX_QUOTED), partial=True)


def _named_lines(state: RunState) -> Mapping[str, set[int]]:
    """The lines that complaints and failures name, by path."""
    found: dict[str, set[int]] = {}
    for complaint in state.attempt.checked.complaints:
        found.setdefault(complaint.path, set()).add(complaint.line or 0)
    verification = state.attempt.tested.verification
    for _, finding in verification.findings if verification else ():
        found.setdefault(finding.file, set()).add(finding.line or 0)
    for failure in verification.failures if verification else ():
        found.setdefault(failure.file, set()).add(failure.line or 0)
        for path, line in _PLACE.findall(failure.message):
            found.setdefault(path, set()).add(int(line))
    return found


_PLACE = re.compile(r"([\w./-]{1,200}\.\w{1,5})[\":,]{1,2} ?(?:line )?(\d{1,6})\b")


async def with_tests(state: RunState, deps: Deps, failures: Sequence[TestFailure]) -> list[Quoted]:
    """The changed files, and of the test files that the change leaves alone the failing tests."""
    changes = state.attempt.answered.changes
    tests = dict.fromkeys(f.file for f in failures if f.file not in changes.files)
    found = await contents(deps, await base_of(state, deps), list(tests)[:_MOST_TEST_FILES])
    quoted = await quoted_changes(state, deps, changes, changes.files)
    for path, content in found.items():
        names = [f.test.partition("::")[2] for f in failures if f.file == path]
        quoted.append(await asyncio.to_thread(_failing, path, content, names))
    return quoted


def _failing(path: str, content: bytes, names: Sequence[str]) -> Quoted:
    """A test file; of a long one the failing tests with the helpers they use."""
    limit = MAX_QUOTED // 2
    if len(content) <= limit:
        return quote(path, text_of(path, content), limit=limit)
    sources = dict.fromkeys(source_of(content, name) for name in names[:_MOST_FAILURES] if name)
    shown = "\n\n[... left out ...]\n\n".join(sources) or text_of(path, content)
    return replace(quote(path, shown, limit=limit), partial=True)


def distinct(failures: Iterable[TestFailure]) -> list[TestFailure]:
    """Return one failure of each kind, with the tests that fail in the same way named beside it.

    Addresses and times in a message make no other kind.
    """
    kinds: dict[str, list[TestFailure]] = {}
    for failure in failures:
        kinds.setdefault(_VARIES.sub("", failure.message), []).append(failure)
    return [
        replace(first, test=", ".join([first.test, *(f.test for f in rest[:_MOST_FAILURES])]))
        for first, *rest in list(kinds.values())[:_MOST_FAILURES]
    ]


async def originals(state: RunState, deps: Deps, paths: Iterable[str]) -> list[Quoted]:
    """Files of the base whose new version was refused; of a long one what the task is about."""
    changes = state.attempt.answered.changes.files
    base = await seen_of(state, deps)
    found = await contents(deps, base, sorted({path for path in paths if path not in changes}))
    about = wanted_by(f"{state.task.text}\n{state.task.details}")

    def original(path: str, content: bytes) -> Quoted:
        text = text_of(path, content)
        shown = cut(text, symbols_of(path, content), about=about, limit=MAX_QUOTED, count=len)
        return replace(quote(path, shown, limit=MAX_QUOTED), partial=shown != text)

    return [await asyncio.to_thread(original, *each) for each in found.items()]


def long_one(files: Iterable[Quoted]) -> str:
    """The path of a file that is too long to repeat for a small correction, or ''."""
    return next((f.path for f in files if f.partial or f.text.count("\n") >= LONG), "")


def unseen(state: RunState, files: Iterable[Quoted]) -> tuple[str, ...]:
    """Paths of which the model saw only a part, in the context or in these files of a question."""
    partial = set(state.attempt.planned.partial)
    for file in files:
        partial = partial | {file.path} if file.partial else partial - {file.path}
    return tuple(sorted(partial))
