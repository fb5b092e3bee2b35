"""What a verification says in a few words, when no test is named as well."""

from __future__ import annotations

from runner.findings import Level, Verification
from runner.text import cut_middle

_LONGEST = 300


def failed_level(verification: Verification | None) -> Level | None:
    """The last level that failed; None when none did."""
    levels = verification.levels if verification else ()
    return next((level for level in reversed(levels) if level.result == "failed"), None)


def outputs_of(verification: Verification | None, *, most: int) -> list[str]:
    """What the levels printed that failed without naming a test, at most ``most`` characters."""
    levels = verification.levels if verification else ()
    silent = [level for level in levels if level.result == "failed" and not level.failures]
    share = most // max(1, len(silent))
    return [cut_middle(level.output or level.reason, share) for level in silent]


def reasons_of(verification: Verification | None) -> list[str]:
    """One line a failure; of a level that failed without naming any, why it did."""
    if verification and verification.failures:
        return [_line(f"{f.test}: {f.message}") for f in verification.failures]
    level = failed_level(verification)
    return [_line(f"{level.name}: {_why(level)}")] if level else []


def _why(level: Level) -> str:
    code = f"exit code {level.exit_code}"
    if level.reason and not level.reason.endswith(code):
        return level.reason
    return level.output.strip() or level.reason or code


def _line(text: str) -> str:
    return cut_middle(text, _LONGEST).replace("\n", " ")
