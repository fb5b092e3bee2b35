"""How far a task's change is verified: built from its attempt, for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from runner.checks.asked import is_text
from runner.code.languages import is_code
from runner.state.findings import Level, Verdict, Verification
from runner.state.run_state import Attempt, Status
from runner.state.trust import LintSummary, Share, Trust
from runner.text.sanitize import cut_middle, inert_line, plain_line

_REASON = 240


def verdict_of(attempt: Attempt) -> Verdict:
    """What tests say about an attempt's change; one kept by an older version knows less."""
    if attempt.tested.verdict is not None:
        return attempt.tested.verdict
    found = attempt.tested.verification
    if found is None:
        return Verdict(reason="nothing was run")
    reasons = [level.reason for level in found.tests if level.reason]
    return Verdict("shown" if found.verified else "untested", next(iter(reasons), "no test ran"))


MADE = frozenset({Status.COMPLETED, Status.IN_REVIEW})
"""What an attempt is whose change is committed: its box is ticked, or waits for a person."""


def doubt_of(attempt: Attempt | None) -> str:
    """Why a change that was made is not verified, safe to publish, on one line; '' where it is."""
    if attempt is None or attempt.status not in MADE:
        return ""
    verdict = verdict_of(attempt)
    return "" if verdict.verified else inert_line(cut_middle(verdict.reason, _REASON))


def verified_trailer(verdict: Verdict) -> str:
    """The value of a commit's trailer ``Cairn-Verified``: ``yes``, or ``no`` and why."""
    return "yes" if verdict.verified else f"no ({plain_line(cut_middle(verdict.reason, _REASON))})"


def trust_of(attempt: Attempt) -> Trust:
    """Build the summary of an attempt's change; the only place that does."""
    verdict, verification = verdict_of(attempt), attempt.tested.verification
    proof, mutants = _level(verification, "proof"), _level(verification, "mutants")
    lines = _level(verification, "coverage")
    found = Trust(
        task=attempt.task,
        result="verified" if verdict.verified else "not_verified",
        verdict=verdict.kind,
        reason=verdict.reason,
        tests_ran=bool(verification and verification.verified),
        red=bool(verification and any(v.result == "failed" for v in verification.tests)),
        turned=_turned(verdict, proof),
        stood=len(verdict.turned),
        unchanged=verdict.unchanged,
        proof=proof.result == "passed" if proof and proof.result != "skipped" else None,
        idle=proof.passed if proof else 0,
        faults=_share(mutants) if mutants else None,
        lines=_share(lines) if lines and lines.result != "skipped" else None,
        lost_names=attempt.checked.lost_names,
        linters=_lint_of(verification),
        unverified=_unverified(attempt, verdict),
        warnings=len(attempt.checked.warnings),
    )
    found = replace(found, doubtful=_is_doubtful(attempt, found))
    return replace(found, result="verified_with_warnings") if _has_warnings(found) else found


def _is_doubtful(attempt: Attempt, found: Trust) -> bool:
    """Whether code (or a test) is changed and nothing shows its task, or a test of it still fails.

    That its lines are run and their faults noticed says nothing of the task: so they are where
    another feature comes with good tests.
    """
    asked = attempt.tested.asked_test
    code = any(map(is_code, attempt.answered.changes.files))
    still = asked and asked.failures and asked.same  # as it fails without the change
    untested = not all(map(is_text, found.unverified or ()))
    return found.verdict != "shown" and bool(code or still or untested)


def _has_warnings(found: Trust) -> bool:
    faults = bool(found.faults and found.faults.missing)
    linters = bool(found.linters and found.linters.result == "failed")
    doubtful = found.warnings or found.lost_names or found.unverified or found.proof is False
    return found.result == "verified" and bool(doubtful or faults or linters)


def _turned(verdict: Verdict, proof: Level | None) -> tuple[str, ...]:
    """The tests that turned green; of a new file its tests, not the file that could not load."""
    new = proof.found if proof else ()
    files = {test.partition("::")[0] for test in new}
    return tuple(dict.fromkeys((*(t for t in verdict.turned if t not in files), *new)))


def _unverified(attempt: Attempt, verdict: Verdict) -> tuple[str, ...] | None:
    if verdict.kind != "untested":
        return verdict.untested
    return tuple(sorted(attempt.answered.changes.files))


def _level(verification: Verification | None, name: str) -> Level | None:
    levels = verification.levels if verification else ()
    return next((level for level in levels if level.name == name), None)


def _lint_of(verification: Verification | None) -> LintSummary | None:
    """What all linters say together; None where the repository configures none."""
    levels = [v for v in verification.levels if v.name == "lint"] if verification else []
    results = {level.result for level in levels}
    lines = [f"{v.tool}: {v.reason or 'nothing new'}" if v.tool else v.reason for v in levels]
    for result in ("failed", "passed", "skipped"):
        if result in results:
            return LintSummary(result, "; ".join(filter(None, lines)))
    return None


def _share(level: Level) -> Share:
    return Share(level.passed, level.passed + len(level.found), level.found)


def line_ranges(places: Sequence[str]) -> list[str]:
    """Places as ``path:line``, with lines that follow each other as ``path:first-last``."""
    runs: list[tuple[str, int, int]] = []
    for place in places:
        path, _, line = place.rpartition(":")
        last = runs[-1] if runs else None
        if last and last[0] == path and last[2] + 1 == int(line):
            runs[-1] = (path, last[1], int(line))
        else:
            runs.append((path, int(line), int(line)))
    return [f"{path}:{a}" if a == b else f"{path}:{a}-{b}" for path, a, b in runs]


def not_measured(trust: Trust) -> tuple[str, ...]:
    """Which parts could not be measured although tests ran, by their names in the JSON."""
    measured = {
        "red_to_green": trust.proof is not None or bool(trust.turned),
        "faults": trust.faults is not None,
        "changed_lines": trust.lines is not None,
        "nobody_verified": trust.unverified is not None,
    }
    return tuple(name for name, done in measured.items() if not done and trust.tests_ran)


def result_word(trust: Trust) -> str:
    """The result in a few words, as tables show it: how it is verified, else the verdict."""
    if trust.result == "not_verified":
        return "not verified" if trust.red else trust.verdict
    return trust.result.replace("_", " ")


def trust_json(trust: Trust) -> dict[str, object]:
    """The summary as programs read it; null is what was not measured."""
    names = trust.lost_names
    return {
        "task": trust.task,
        "verdict": trust.verdict,
        "result": trust.result,
        "reason": "" if trust.verdict == "shown" else trust.reason,
        "shown": trust.reason if trust.verdict == "shown" else "",
        "red_to_green": list(trust.turned),
        "tests_that_stood_there": trust.stood,
        "still_red": list(trust.unchanged),
        "new_tests_prove_it": trust.proof,
        "new_tests_that_prove_nothing": trust.idle,
        "faults": _share_json(trust.faults, "noticed", "unnoticed"),
        "changed_lines": _share_json(trust.lines, "run", "not_run"),
        "public_names_lost": None if names is None else [asdict(each) for each in names],
        "linters": asdict(trust.linters) if trust.linters else None,
        "nobody_verified": None if trust.unverified is None else list(trust.unverified),
        "warnings": trust.warnings,
        "not_measured": list(not_measured(trust)),
    }


def _share_json(share: Share | None, good: str, missing: str) -> dict[str, object] | None:
    return (
        None if share is None else {good: share.good, "of": share.of, missing: list(share.missing)}
    )
