"""What checks say about a change set: complaints before writing, verifications after.

What a verification says in a few words, when no test is named as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from runner.text.sanitize import cut_middle


@dataclass(frozen=True, slots=True)
class Complaint:
    """One reason why a change set (or an answer) is not accepted; line and column count from 1.

    ``error`` is the field's own word (``SyntaxError``, ``JSONDecodeError``, ``UnsafePath``,
    ``UnreadableAnswer`` ...); ``excerpt`` the lines around it, numbered, for the next question.
    ``path`` is empty if the complaint is about the entire answer. People read ``message`` alone; to
    the model it is said with the ``advice`` what to do. ``said`` is what an answer says that gives
    nothing to write: for people, as the model knows it.
    """

    path: str
    error: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    said: str = ""
    advice: str = ""

    @property
    def for_model(self) -> str:
        """What is wrong, and what to do."""
        return f"{self.message} {self.advice}".rstrip()


ASKED = frozenset({"UnusedNameGone", "SignatureChanged"})
"""Complaints that ask whether something is meant: the same answer again says that it is."""

ASKED_BACK = "AskedBack"
"""The word for an answer that asks something instead of giving files."""


@dataclass(frozen=True, slots=True)
class LostName:
    """A public name that an accepted change took away, or that takes less now (``why``)."""

    path: str
    name: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class TestFailure:
    """One failing test as its own tool reported it."""

    __test__ = False  # a value, not a test class of pytest's

    test: str
    message: str
    file: str = ""
    line: int | None = None

    @property
    def is_case(self) -> bool:
        """Whether one test failed, and not an entire file that could not be loaded."""
        return "::" in self.test or "#" in self.test


LevelName = Literal["files", "syntax", "imports", "lint", "tests", "coverage", "proof", "mutants"]
"""The last three say what tests are worth."""

ADVISORY: tuple[LevelName, ...] = ("lint", "coverage", "proof", "mutants")
"""Levels that alone never fail a verification."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a verification: ``passed``, ``failed`` or ``skipped`` (``reason`` says why).

    ``seconds`` is wall time; ``output`` is cut in the middle to a bounded length. ``tool`` is what
    ran tests (a project may have several), ``passed`` how many of them its report says passed and
    ``green`` in which files, as far as it names them. ``flaky`` are tests that failed once and
    passed when they were run again. ``broken`` says why the tool could not do its work (wrong
    options, an internal error, a timeout, code that does not compile): such a failure belongs to no
    test. ``proof`` tells whether new tests fail without the change (``found``: those that do),
    ``mutants`` whether those notice small faults in the change (``passed``: so many; ``found``: the
    unnoticed ones), ``coverage`` how many changed lines tests run (``passed``; ``found``: the
    places of the others). Of a level of tests ``found`` are those that passed, as far as its report
    names them; an attempt does not keep them. None of them alone fails a verification. The
    failures of ``lint`` are findings that the tool (named in ``tool``) did not have before the
    change; each has the rule in
    place of a test. ``cause`` says what is behind a failure that names no test: a ``timeout``, or
    nothing that is known but the ``exit_code``.
    """

    name: LevelName
    result: Literal["passed", "failed", "skipped"]
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    output: str = ""
    seconds: float = 0.0
    reason: str = ""
    failures: tuple[TestFailure, ...] = ()
    tool: str = ""
    passed: int = 0
    green: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    broken: str = ""
    cause: Literal["", "timeout", "exit_code"] = ""


@dataclass(frozen=True, slots=True)
class AskedTest:
    """A test that a model was asked for apart: from the task, without the code that does it.

    It stands at ``path`` with ``content``; empty where it cannot be used, and ``why`` says so.
    ``without`` is how it fails without the change, ``failures`` how it fails with the newest one
    (none: it passes), ``same`` whether in the same way. ``told``: the author of the code has seen
    that, and nobody has to see it again.
    """

    path: str = ""
    content: bytes = b""
    why: str = ""
    without: tuple[TestFailure, ...] = ()
    failures: tuple[TestFailure, ...] = ()
    same: bool = False
    told: bool = False


VerdictKind = Literal["shown", "unbroken", "untested"]
"""``shown``: a test failed without the change and passes with it; ``unbroken``: nothing broke, and
nothing shows that the task is done; ``untested``: nothing ran."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What tests say about a change that is accepted: the one value every report shows.

    ``reason`` says why it is not ``shown``, or else by which tests it is. ``turned`` are old tests
    that failed before the change and do not any more, ``unchanged`` those that fail now and are not
    held against it. ``untested`` are the changed code files that no test uses, None if imports are
    not known.
    """

    kind: VerdictKind = "untested"
    reason: str = ""
    turned: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    untested: tuple[str, ...] | None = None

    @property
    def verified(self) -> bool:
        """Whether tests show the task to be done, as fields that programs read have it."""
        return self.kind == "shown"


@dataclass(frozen=True, slots=True)
class Verification:
    """The levels a tree was put through; ``tree`` is its git sha.

    ``verified`` is False when no test ran; whether those that ran show the *change* to work is in
    the attempt's ``Verdict``. ``extensions`` are the extension modules that were built of the tree;
    looked for only where a change writes their sources.
    """

    tree: str
    levels: tuple[Level, ...]
    extensions: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return all(level.result != "failed" for level in self.levels if level.name not in ADVISORY)

    @property
    def verified(self) -> bool:
        return self.passed and any(
            level.name == "tests" and level.result == "passed" for level in self.levels
        )

    @property
    def lean(self) -> Verification:
        """Without the names of tests that passed, as it is kept and shown."""
        levels = (replace(v, found=()) if v.name == "tests" else v for v in self.levels)
        return replace(self, levels=tuple(levels))

    @property
    def tests(self) -> tuple[Level, ...]:
        return tuple(level for level in self.levels if level.name == "tests")

    @property
    def failures(self) -> tuple[TestFailure, ...]:
        """What failed; without what linters say, which is ``findings``."""
        return tuple(f for v in self.levels if v.name != "lint" for f in v.failures)

    @property
    def findings(self) -> tuple[tuple[str, TestFailure], ...]:
        """What linters newly complain about, each with the name of the tool."""
        return tuple((v.tool, f) for v in self.levels if v.name == "lint" for f in v.failures)


_LONGEST = 300
_READ = 20_000
_HEADLINE = re.compile(
    r"^(?:E\s+)?((?:[\w.]{1,100}\.)?\w{0,60}(?:Error|Exception|Failed|Exit|Interrupt)\b[^\n]*|"
    r"assert [^\n]+|[^\n]{1,200}: Assertion `[^\n]+' failed\.?)$",
    re.MULTILINE,
)
_ERROR = re.compile(
    r"(?:[\w./-]{1,100}(?:\(\d+,\d+\)|:\d+(?::\d+)?)?(?::| -) )?(?:fatal |internal )?error\b",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"\s*(?:[.,FEsxXpP]*\s*\[\s*\d{1,3}%\]|[-=_*#~ ]+$|=+ .* =+$|(?:error: )?usage: |> )",
    re.IGNORECASE,
)


def failed_level(verification: Verification | None) -> Level | None:
    """The last level that failed, linters aside; None when none did."""
    levels = [v for v in verification.levels if v.name != "lint"] if verification else []
    return next((level for level in reversed(levels) if level.result == "failed"), None)


def outputs_of(verification: Verification | None, *, most: int) -> list[str]:
    """What the levels printed that failed without naming a test, at most ``most`` characters."""
    levels = verification.levels if verification else ()
    silent = [level for level in levels if level.result == "failed" and not level.failures]
    share = most // max(1, len(silent))
    texts = (dict.fromkeys(filter(None, [level.reason, level.output])) for level in silent)
    return [cut_middle("\n\n".join(text), share) for text in texts]


def reasons_of(verification: Verification | None) -> list[str]:
    """One line a failure; of a level that failed without naming any, why it did."""
    if verification and verification.failures:
        return [_line(f"{f.test}: {f.message}") for f in verification.failures]
    level = failed_level(verification)
    return [_line(f"{level.name}: {what_happened(level)}")] if level else []


def headline(text: str) -> str:
    """The line of a test's message that says most: what was raised last, or its first line."""
    return _telling(text) or next(_lines(text), "")


def what_happened(level: Level) -> str:
    """Say why a level failed that names no test: in our words, then in the tool's if it has any."""
    if level.broken:
        return level.broken
    own = "" if level.cause == "exit_code" else level.reason
    if own:
        return ": ".join(filter(None, (own, _telling(level.output))))
    return headline(level.output) or level.reason or f"exit code {level.exit_code}"


def _telling(text: str) -> str:
    """The line that names an error: what was raised last, or what a program calls one; or ''."""
    raised = _HEADLINE.findall(text[:_READ])
    errors = raised or [line for line in _lines(text[-_READ:]) if _ERROR.match(line)]
    return errors[-1].strip() if errors else ""


def _lines(text: str) -> Iterator[str]:
    """The lines that say something: no progress, no rulers, no usage."""
    return (line.strip() for line in text.split("\n") if line.strip() and not _NOISE.match(line))


def _line(text: str) -> str:
    return " ".join(cut_middle(text, _LONGEST).split())
