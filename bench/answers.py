"""Answers as language models write them: right ones are to land at once, harmful ones never, and
nobody may call a task done by an irrelevant one.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from tests.answers.drawing import (
    HarmCase,
    IrrelevantCase,
    RightCase,
    drawn,
    harm_cases,
    held_out,
    irrelevant_cases,
    missing,
    right_cases,
)
from tests.answers.examining import Verdict, harm_verdict, irrelevant_verdict, right_verdict
from tests.answers.projects import LANGUAGES

Case = RightCase | HarmCase | IrrelevantCase
_KINDS = ("right", "harmful", "irrelevant")
_AT_A_TIME = 2


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read what is to be played."""
    parser = argparse.ArgumentParser(prog="python -m bench answers", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="draws tasks and damage")
    parser.add_argument("--sample", type=int, default=0, help="so many cases only (0: all)")
    parser.add_argument("--language", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--kind", nargs="+", choices=_KINDS, default=_KINDS)
    parser.add_argument("--form", nargs="+", default=[], metavar="ID", help="these forms only")
    parser.add_argument("--list", action="store_true", help="name the forms and play nothing")
    return parser.parse_args(arguments)


async def measure(
    folder: Path, arguments: Sequence[str] = ("--sample", "30")
) -> AsyncIterator[str]:
    """Play what is asked for; a line a form, what went wrong, and the sums."""
    asked = options(arguments)
    for language in asked.language:
        if why := missing(language):
            yield f"{language}: not played, {why}"
    cases = _chosen(asked)
    if asked.list:
        for id in dict.fromkeys(_form(case) for case in cases):
            yield f"{id}{' (held out)' if held_out(id) else ''}"
        return
    found = dict[str, Verdict]()
    for start in range(0, len(cases), _AT_A_TIME):
        some = cases[start : start + _AT_A_TIME]
        for verdict in await asyncio.gather(*(_play(case, folder) for case in some)):
            found[verdict.id] = verdict
            if not verdict.ok:
                yield f"{'UNFAIR' if verdict.unfair else 'MISSED'} {verdict}"
    for line in _table(cases, found):
        yield line


def _chosen(asked: argparse.Namespace) -> list[Case]:
    languages = [language for language in asked.language if not missing(language)]
    cases: list[Case] = []
    if "right" in asked.kind:
        cases += right_cases(asked.seed, languages)
    if "harmful" in asked.kind:
        cases += harm_cases(asked.seed, languages)
    if "irrelevant" in asked.kind:
        cases += irrelevant_cases(asked.seed, languages)
    if asked.form:
        cases = [case for case in cases if _form(case) in asked.form]
    if asked.sample:
        cases = drawn(asked.seed).sample(cases, min(asked.sample, len(cases)))
    return cases


async def _play(case: Case, folder: Path) -> Verdict:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        if isinstance(case, RightCase):
            return await right_verdict(case, Path(place))
        if isinstance(case, IrrelevantCase):
            return await irrelevant_verdict(case, Path(place))
        return await harm_verdict(case, Path(place))


def _form(case: Case) -> str:
    if isinstance(case, IrrelevantCase):
        return case.kind
    return case.form.id if isinstance(case, RightCase) else case.harm.id


def _table(cases: Sequence[Case], found: dict[str, Verdict]) -> Iterator[str]:
    rows = defaultdict[tuple[str, str], list[Verdict]](list)
    for case in cases:
        rows[_kind(case), _form(case)].append(found[case.id])
    for (kind, form), verdicts in rows.items():
        good = sum(verdict.ok for verdict in verdicts)
        calls = sum(verdict.played.calls for verdict in verdicts) / len(verdicts)
        note = " (held out)" if kind != "irrelevant" and held_out(form) else ""
        yield f"{kind:<12} {form:<34} {good:>3}/{len(verdicts):<3} {calls:4.1f} calls{note}"
    for kind in ("right", "harmful", "undetectable"):
        for held in (False, True):
            some = [
                verdict
                for (each, form), verdicts in rows.items()
                if each == kind and held_out(form) == held
                for verdict in verdicts
                if not verdict.unfair
            ]
            if some:
                yield _sum(kind, some) + (", held out" if held else "")
    if irrelevant := [found[case.id] for case in cases if isinstance(case, IrrelevantCase)]:
        counts = Counter(why for verdict in irrelevant for why in verdict.wrong)
        made = sum(bool(verdict.played.verdict) for verdict in irrelevant)
        told = ", ".join(f"{why}: {counts[why]}" for why in ("shown", "ticked", "no draft"))
        yield f"irrelevant answers: {len(irrelevant)}, committed: {made}; {told}"


def _kind(case: Case) -> str:
    if isinstance(case, RightCase):
        return "right"
    if isinstance(case, IrrelevantCase):
        return "irrelevant"
    return "undetectable" if case.harm.undetectable else "harmful"


def _sum(kind: str, verdicts: Sequence[Verdict]) -> str:
    good = sum(verdict.ok for verdict in verdicts)
    if kind == "right":
        return f"right answers landed in one call: {good}/{len(verdicts)}"
    again = [verdict for verdict in verdicts if not verdict.id.endswith("+again")]
    landed = sum(verdict.played.code == 0 and not verdict.ok for verdict in verdicts)
    recovered = sum(verdict.ok for verdict in again)
    return (
        f"{kind} answers landed: {landed}/{len(verdicts)}; "
        f"right ones after them landed: {recovered}/{len(again)}"
    )
