"""What checks say about a change set: complaints before writing, verifications after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Complaint:
    """One reason why a change set (or an answer) is not accepted; line and column count from 1.

    ``error`` is the field's own word (``SyntaxError``, ``JSONDecodeError``, ``UnsafePath``,
    ``UnreadableAnswer`` ...); ``excerpt`` the lines around it, numbered, for the next question.
    ``path`` is empty when the complaint is about the answer as a whole.
    """

    path: str
    error: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class TestFailure:
    """One failing test as its own tool reported it."""

    __test__ = False  # a value, not a test class of pytest's

    test: str
    message: str
    file: str = ""
    line: int | None = None


LevelName = Literal["files", "syntax", "imports", "tests", "proof"]


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a verification: ``passed``, ``failed`` or ``skipped`` (``reason`` says why).

    ``seconds`` is wall time; ``output`` is cut in the middle to a bounded length. ``tool`` is what
    ran tests (a project may have several), ``passed`` how many of them its report says passed
    and ``green`` in which files, as far as it names them.
    ``broken`` says why the tool could not do its work (wrong options, an internal error, a timeout,
    code that does not compile): such a failure is no test's. ``proof`` tells whether new tests fail
    without the change: it never fails a verification by itself.
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
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What tests say about a change that is accepted: the one value every report shows.

    ``reason`` says why it is not ``verified`` ('' where it is). ``turned`` are tests that failed
    before the change and do not any more, ``unchanged`` those that fail now as they did before.
    """

    verified: bool
    reason: str = ""
    turned: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The levels a tree was put through; ``tree`` is its git sha.

    ``verified`` is False when no test ran; whether those that ran show the *change* to work is in
    the attempt's ``Verdict``.
    """

    tree: str
    levels: tuple[Level, ...]

    @property
    def passed(self) -> bool:
        return all(level.result != "failed" for level in self.levels if level.name != "proof")

    @property
    def verified(self) -> bool:
        return self.passed and any(
            level.name == "tests" and level.result == "passed" for level in self.levels
        )

    @property
    def tests(self) -> tuple[Level, ...]:
        return tuple(level for level in self.levels if level.name == "tests")

    @property
    def failures(self) -> tuple[TestFailure, ...]:
        return tuple(f for level in self.levels for f in level.failures)
