"""What a verification says in a few words, when no test is named as well."""

from __future__ import annotations

from runner.findings import Level, Verification
from runner.text import cut_middle

_LONGEST = 300


def failed_level(verification: Verification | None) -> Level | None:
    """The last level that failed; None when none did."""
    levels = verification.levels if verification else ()
    return next((level for level in reversed(levels) if level.result == "failed"), None)


def reasons_of(verification: Verification | None) -> list[str]:
    """One line a failure; of a level that failed without naming any, its reason or output."""
    if verification and verification.failures:
        return [_line(f"{f.test}: {f.message}") for f in verification.failures]
    level = failed_level(verification)
    if level is None:
        return []
    said = level.reason or level.output.strip() or f"exit code {level.exit_code}"
    return [_line(f"{level.name}: {said}")]


def _line(text: str) -> str:
    return cut_middle(text, _LONGEST).replace("\n", " ")
