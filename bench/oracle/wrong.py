"""Wrong versions of a true change, which the tests that come with it notice."""

from __future__ import annotations

from dataclasses import replace

from bench.oracle.catalogue import Change
from bench.oracle.fetching import NoSource
from bench.oracle.hunks import applied, hunks
from runner.checks.blanks import added_lines
from runner.code.inline_tests import with_tests_of
from runner.code.languages import language_of
from runner.verify.mutants import emptied, mutants
from runner.verify.rows import is_test_side

KINDS = ("tests", "less", "fault", "empty")


def made_wrong(change: Change, kind: str) -> Change:
    """Return the change without its code, without its last edit, with a fault, or emptied.

    Raises ``NoSource`` where it has nothing that can be made wrong in this way.
    """
    code = [path for path in change.paths if language_of(path) and not is_test_side(path)]
    after = dict(change.after)
    before = {  # with the tests that stand beside the code, as in Rust
        path: with_tests_of(path, change.base[path], after.get(path, b""))
        for path in code
        if path in change.base
    }
    if kind in ("tests", "less"):
        found = hunks(before, after, code)
        if kind == "less" and len(found) < 2:
            raise NoSource("one edit only")
        rest = {path: content for path, content in after.items() if path not in code}
        after = applied({**rest, **before}, found[:-1] if kind == "less" else [])
    else:
        versions = [(path, before.get(path), after[path]) for path in code if path in after]
        faults = (mutants(*each, most=1) for each in versions)
        empty = (emptied(path, new, _added(old or b"", new)) for path, old, new in versions)
        broken = [each for some in faults for each in some] if kind == "fault" else [*empty]
        if not any(broken):
            raise NoSource(f"nothing to make wrong ({kind})")
        first = next(each for each in broken if each)
        after[first.path] = first.content
    return replace(change, after=after)


def _added(old: bytes, new: bytes) -> frozenset[int]:
    return added_lines(new.decode("utf-8", "replace"), old.decode("utf-8", "replace"))
