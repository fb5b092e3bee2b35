"""How far a change is verified, as one value: pull requests, reports and commits show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.state.findings import LostName, VerdictKind

TrustResult = Literal["verified", "verified_with_warnings", "not_verified"]
"""What it comes to, in the words that programs read."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of how many (``of``), and which are missing: small faults, or changed lines."""

    good: int
    of: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LintSummary:
    """What linters said about a change."""

    result: Literal["passed", "failed", "skipped"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What was shown about the change of one task (its key), and what nobody has shown.

    None means that it was not measured. ``verdict`` is what tests come to, ``result`` the same
    with what is worth a look, ``red`` says that tests
    fail because of the change. ``reason`` says why it is not verified, or by which tests it is.
    ``turned`` are tests that fail without the change and pass with it, of which ``stood`` stood
    there; ``unchanged`` are those that fail with it as without it. ``proof`` says whether new tests
    fail without the change, ``idle`` how many pass without it where others fail. ``faults`` counts
    small faults in the changed lines that the new tests noticed, ``lines`` changed lines that tests
    ran.
    ``lost_names`` are public names that are gone or take less. ``unverified`` are
    changed files that nobody verified: where tests ran, code that no test uses. ``warnings``
    counts what is worth a look. ``doubtful``: no test shows the changed code to do its task, so
    that a pull request begins as a draft.
    """

    task: str
    result: TrustResult
    verdict: VerdictKind = "untested"
    reason: str = ""
    tests_ran: bool = False
    red: bool = False
    turned: tuple[str, ...] = ()
    stood: int = 0
    unchanged: tuple[str, ...] = ()
    proof: bool | None = None
    idle: int = 0
    faults: Share | None = None
    lines: Share | None = None
    lost_names: tuple[LostName, ...] | None = None
    linters: LintSummary | None = None
    unverified: tuple[str, ...] | None = None
    warnings: int = 0
    doubtful: bool = False


Trusts = tuple[tuple[str, Trust], ...]
"""The titles of tasks, which several may share, each with how far its change is verified."""
