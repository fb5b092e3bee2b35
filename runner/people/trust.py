"""How far a task's change is verified: built from its attempt, for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from runner.checks.asked import is_text
from runner.state.findings import Level, LostName, Verdict, Verification
from runner.state.run_state import Attempt, Status
from runner.state.status_words import CHECKS
from runner.state.trust import LintSummary, Share, Trust, Trusts
from runner.text.sanitize import as_code, as_codes, cut_middle, inert_line, plain_line

HEADING = "How far this is verified"
"""The heading over it, wherever it is shown."""

_REASON = 240
_MOST_NAMED = 10
_MOST_IN_LINE = 3


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
    lines, asked = _level(verification, "coverage"), attempt.tested.asked_test
    found = Trust(
        task=attempt.task,
        result="verified" if verdict.verified else "not_verified",
        verdict=verdict.kind,
        reason=verdict.reason,
        tests_ran=bool(verification and verification.verified),
        red=bool(verification and any(v.result == "failed" for v in verification.tests)),
        turned=_turned(verdict, proof),
        unchanged=verdict.unchanged,
        proof=proof.result == "passed" if proof and proof.result != "skipped" else None,
        idle=proof.passed if proof else 0,
        faults=_share(mutants) if mutants else None,
        lines=_share(lines) if lines and lines.result != "skipped" else None,
        lost_names=attempt.checked.lost_names,
        linters=_lint_of(verification),
        unverified=_unverified(attempt, verdict),
        warnings=len(attempt.checked.warnings),
        apart=bool(asked and asked.failures and asked.same),
    )
    return replace(found, result="verified_with_warnings") if _has_warnings(found) else found


def is_doubtful(trust: Trust) -> bool:
    """Whether no passing test runs the changed code, so that a pull request begins as a draft."""
    if trust.verdict == "shown":
        return False
    if trust.verdict == "unbroken" and trust.lines is not None:
        return trust.apart or not trust.lines.good
    return not all(map(is_text, trust.unverified or ()))


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


def trust_section(trust: Trust) -> str:
    """The summary as a part of a pull request: the result, then what it rests on."""
    return "\n\n".join([f"### {HEADING}", *_body(trust)])


def _body(trust: Trust) -> list[str]:
    points = "\n".join(f"- {line}" for line in _points(trust))
    return [_headline(trust), *([points] if points else [])]


def _headline(trust: Trust) -> str:
    if trust.result == "not_verified":
        word = result_word(trust).capitalize()
        return f"**{word}:** {inert_line(cut_middle(trust.reason, _REASON))}."
    return f"**Verified by tests{', with warnings' if trust.result != 'verified' else ''}.**"


def _points(trust: Trust) -> Iterator[str]:
    """What was found, a sentence each; last what was not measured."""
    if trust.verdict == "shown" and trust.reason:
        yield f"Shown {inert_line(trust.reason)}."
    if count := len(trust.turned):
        what = "1 test fails" if count == 1 else f"{count:,} tests fail"
        passes = "passes" if count == 1 else "pass"
        yield f"{what} without this change and {passes} with it: {_named(trust.turned)}."
    if trust.unchanged:
        yield f"Failed before this change and still fail: {_named(trust.unchanged)}."
    if trust.proof is False:
        yield "The new tests also pass without the change, so they prove nothing about it."
    if trust.idle:
        what = "1 new test passes" if trust.idle == 1 else f"{trust.idle:,} new tests pass"
        yield f"{what} without this change as well, and so prove{'s' * (trust.idle == 1)} nothing."
    if trust.faults:
        yield f"{_faults(trust.faults)}."
    if trust.lines:
        missing = (
            f"; not these: {_named(line_ranges(trust.lines.missing))}"
            if trust.lines.missing
            else ""
        )
        yield f"The tests run {_of(trust.lines)} changed lines{missing}."
    if trust.lost_names is not None:
        yield f"Public names: {_lost(trust.lost_names) or 'all kept'}."
    if trust.linters:
        yield f"Linters: {_linters(trust.linters)}."
    if trust.unverified:
        what = "them" if len(trust.unverified) > 1 else "it"
        known = trust.tests_ran and trust.verdict != "untested"
        why = f", because no test uses {what}" if known else ""
        yield f"Nobody verified {_named(trust.unverified)}{why}."
    if missing_measures := not_measured(trust):
        yield f"Not measured: {', '.join(_MEASURES[name] for name in missing_measures)}."


def _faults(share: Share) -> str:
    """How many of the small faults the new tests notice."""
    return f"The new tests notice {_of(share)} small faults put into the changed lines"


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


def _of(share: Share) -> str:
    return f"{share.good:,} of {share.of:,}"


def _lost(names: Sequence[LostName]) -> str:
    items = [
        f"{as_code(each.name)} in {as_code(each.path)} {inert_line(each.why) or 'is gone'}"
        for each in names[:_MOST_NAMED]
    ]
    more = len(names) - len(items)
    return "; ".join([*items, *([f"and {more} more"] if more else [])])


def _linters(summary: LintSummary) -> str:
    reason = inert_line(cut_middle(summary.reason, _REASON))
    return CHECKS[summary.result] + (f" ({reason})" if reason else "")


_MEASURES = {
    "red_to_green": "whether new tests fail without the change",
    "faults": "whether the new tests notice small faults in the change",
    "changed_lines": "how many of the changed lines the tests run",
    "nobody_verified": "which changed files no test uses",
}


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


def trust_line(trust: Trust) -> str:
    """The summary on one line, as the trailer ``Cairn-Trust`` and reports have it."""
    return "; ".join([result_word(trust), *_brief(trust)])


def _brief(trust: Trust) -> Iterator[str]:
    if count := len(trust.turned):
        yield f"{_tests(count)} red to green"
    if count := len(trust.unchanged):
        yield f"{_tests(count)} red as before"
    if trust.proof is False:
        yield "new tests prove nothing"
    if trust.faults:
        yield f"{_of(trust.faults)} {'fault' if trust.faults.of == 1 else 'faults'} noticed"
    if trust.lines:
        yield f"{_of(trust.lines)} changed {'line' if trust.lines.of == 1 else 'lines'} tested"
    if trust.lost_names:
        yield "public names lost: " + as_codes(
            [each.name for each in trust.lost_names], _MOST_IN_LINE
        )
    if trust.linters and trust.linters.result == "failed":
        yield "new findings of linters"
    if trust.unverified:
        yield f"nobody verified {as_codes(trust.unverified, _MOST_IN_LINE)}"


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count:,} tests"


def _named(names: Sequence[str]) -> str:
    return as_codes(names, _MOST_NAMED)


def trust_title(trusts: Iterable[Trust]) -> str:
    """What it comes to for one task or several: the worst of their results."""
    trusts = list(trusts)
    results = {trust.result for trust in trusts}
    doubts = sorted({result_word(t) for t in trusts if t.result == "not_verified"})
    if doubts:
        alone = len(doubts) == len(results) == 1
        return doubts[0].capitalize() if alone else f"Some tasks are {' or '.join(doubts)}"
    return f"Verified by tests{', with warnings' if results != {'verified'} else ''}"


def trust_summaries(trusts: Trusts) -> str:
    """The summaries of tasks below their titles, which only several need."""
    sections = [(f"### {title}", "\n\n".join(_body(trust))) for title, trust in trusts]
    if len(sections) == 1:
        return sections[0][1]
    return "\n\n".join("\n\n".join(each) for each in sections)


def trust_json(trust: Trust) -> dict[str, object]:
    """The summary as programs read it; null is what was not measured."""
    return {
        "task": trust.task,
        "verdict": trust.verdict,
        "result": trust.result,
        "reason": "" if trust.verdict == "shown" else trust.reason,
        "shown": trust.reason if trust.verdict == "shown" else "",
        "red_to_green": list(trust.turned),
        "still_red": list(trust.unchanged),
        "new_tests_prove_it": trust.proof,
        "new_tests_that_prove_nothing": trust.idle,
        "faults": _share_json(trust.faults, "noticed", "unnoticed"),
        "changed_lines": _share_json(trust.lines, "run", "not_run"),
        "public_names_lost": _names_json(trust.lost_names),
        "linters": asdict(trust.linters) if trust.linters else None,
        "nobody_verified": None if trust.unverified is None else list(trust.unverified),
        "warnings": trust.warnings,
        "not_measured": list(not_measured(trust)),
    }


def _share_json(share: Share | None, good: str, missing: str) -> dict[str, object] | None:
    return (
        None if share is None else {good: share.good, "of": share.of, missing: list(share.missing)}
    )


def _names_json(names: Sequence[LostName] | None) -> list[dict[str, str]] | None:
    return None if names is None else [asdict(each) for each in names]
