"""The table that says what tests show about a change: one row a test, before and after it. Pure.

*Before* is the base; for a test that the change adds or edits it is the base with only the
change's tests laid over it. Names, paths and ids are compared letter by letter; what a task says
in a natural language is never read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Before = Literal["passed", "failed", "new", "not run"]
After = Literal["passed", "failed", "gone", "not run"]
"""``gone``: it is skipped, or not there any more."""

Owner = Literal["", "this task", "another task", "nobody"]
"""Which open task a test or a missing name stands in, letter by letter; '' is neither, or both.

``nobody``: what is missing is of the surroundings (a plug-in's fixture), and no task speaks of it.
"""

Meaning = Literal[
    "shown",  # failed before, passes now: the change does what the test asks for
    "holds",  # passed and passes
    "shows nothing",  # new, and passes without the change as well, or is skipped
    "broken",  # passed before, fails now and when run again
    "gone",  # passed before, and does not run any more
    "went along",  # the change takes it away, or what it tests
    "own failure",  # the task's own: red
    "in the way",  # an old failure in code that the change touches: one repair is asked for it
    "as before",  # it stayed so after that repair
    "not this change's",  # an old failure that runs nothing of the change
    "waits",  # for what another open task brings, what tests written first await, or a build
    "not run",  # takes no part
]
"""What a row of the table comes to."""

RED: Final[frozenset[Meaning]] = frozenset({"broken", "gone", "own failure", "in the way"})
LISTED: Final[frozenset[Meaning]] = frozenset({"as before", "not this change's", "waits"})
"""Fails with the change, and is not held against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One test: how it ended, and what is known about it.

    ``edited``: the change adds or edits it. ``same_error``: it fails as it did before, or fails in
    another way each time on the base alone. ``declared`` says whose test it is, ``lacks`` whose
    name or file it misses. ``reaches``: it runs a changed line, as far as can be known.
    ``repaired``: the author was shown this failure once. ``lacked``: without the change it failed
    only because a name or file was missing. ``notices``: it fails where the functions that the task
    is about are emptied (None: that could not be tried). ``taken``: the change itself takes the
    test or what it tests away. ``rewritten``: it stood there, asserts something else now, and fails
    with the change as it stood. ``stood``: a command that names no tests, and failed without any of
    the change as well. ``unbuilt``: all code that the change writes has to be built, and was not.
    ``old``: a test of this name stood there.
    """

    test: str
    before: Before
    after: After
    edited: bool = False
    same_error: bool = False
    declared: Owner = ""
    lacks: Owner = ""
    reaches: bool = True
    repaired: bool = False
    lacked: bool = False
    notices: bool | None = None
    taken: bool = False
    rewritten: bool = False
    stood: bool = False
    unbuilt: bool = False
    old: bool = False

    @property
    def asks_less(self) -> bool:
        """What it asks for held without the change; what it asked for before does not any more."""
        return self.rewritten and self.edited and self.before == self.after == "passed"


def meaning(row: Row, *, only_tests: bool) -> Meaning:
    """Return what a test says about a change; ``only_tests``: the change writes nothing else."""
    if "not run" in (row.before, row.after):
        return "not run"
    if row.after == "passed":
        return _of_passing(row, only_tests=only_tests)
    if row.after == "gone":
        if row.before != "passed":
            return "shows nothing"
        return "went along" if row.taken else "gone"
    if row.before == "passed":
        return "broken"
    if row.unbuilt:
        return "waits"
    if row.before == "new" or row.edited:
        awaited = only_tests and (row.lacks not in ("", "nobody") or row.repaired)
        return "waits" if awaited else "own failure"
    return _of_old_failure(row)


def _of_passing(row: Row, *, only_tests: bool) -> Meaning:
    if row.before == "failed":
        if row.edited and row.rewritten and not row.lacked:
            return "shows nothing"  # bent to the answer, or meant by the task: a person has to say
        unnoticed = row.edited and row.notices is False and not row.stood
        return "shows nothing" if unnoticed else "shown"
    if row.before == "passed" and not row.edited:
        return "holds"
    return "shown" if only_tests and row.notices else "shows nothing"


def _of_old_failure(row: Row) -> Meaning:
    """It failed before and fails now."""
    if row.lacks == "nobody" and row.same_error:
        return "not this change's"
    if "another task" in (row.lacks, row.declared):
        return "waits"
    if "this task" in (row.lacks, row.declared):
        return "own failure"
    if not row.reaches:
        return "not this change's"
    if not row.same_error:
        return "own failure"
    return "as before" if row.repaired else "in the way"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What all rows come to: each test by its meaning, and whether the change is red."""

    tests: dict[Meaning, tuple[str, ...]]

    @property
    def red(self) -> tuple[str, ...]:
        """The tests that refuse the change.

        What stayed as it was after a repair does so only where nothing shows the change to work.
        """
        found = [test for each in sorted(RED) for test in self.tests.get(each, ())]
        return (*found, *(() if self.shown else self.tests.get("as before", ())))

    @property
    def shown(self) -> tuple[str, ...]:
        """The tests that show the change to work."""
        return self.tests.get("shown", ())

    @property
    def listed(self) -> tuple[str, ...]:
        """The tests that fail and are not held against the change."""
        return tuple(test for each in sorted(LISTED) for test in self.tests.get(each, ()))


def evidence(rows: Sequence[Row], *, only_tests: bool) -> Evidence:
    """Put each test into the table."""
    found: dict[Meaning, list[str]] = {}
    for row in rows:
        found.setdefault(meaning(row, only_tests=only_tests), []).append(row.test)
    return Evidence({key: tuple(tests) for key, tests in found.items()})
