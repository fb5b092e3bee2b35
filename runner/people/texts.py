"""Texts that people read, as templates: a file for each subject, a macro for each sentence.

The files are ``templates/*.md.j2`` of a package. A value is never read as a template, whatever is
in it; foreign text is made harmless by the filters of ``runner/text/sanitize.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from runner.loop.schedule import missing
from runner.money import cost_brief, cost_text, dollars, percentages, tokens_text, total
from runner.people.history_sentences import strategy_here
from runner.people.sentences import new_evidence, title_of, warnings_of
from runner.people.trust import line_ranges, not_measured, result_word, trust_of, verdict_of
from runner.state.findings import headline
from runner.state.recoveries import outcome_of
from runner.state.status_words import CHECKS, OUTCOMES, PROPOSALS, RUNS, run_word, task_word
from runner.text.compiled import Compiled
from runner.text.counting import counted
from runner.text.sanitize import (
    as_code,
    as_codes,
    cut_middle,
    inert_line,
    plain_line,
    quotation,
    sanitize,
)

_LONGEST_SUBJECT = 100
"""Characters of a commit's first line; what is longer stands below it."""


def environment(package: str, below: Environment | None = None) -> Environment:
    """Return the templates of a package, which may use those ``below`` it.

    They are strict: a name that is not given is a bug.
    """
    if below is not None:
        return below.overlay(loader=ChoiceLoader([PackageLoader(package), _loader(below)]))
    found = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, whose foreign text goes through a filter
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,
        bytecode_cache=Compiled(),
    )
    found.filters |= {
        # making the text of others harmless
        "cell": lambda text: plain_line(text).replace("|", "\\|"),
        "code": as_code,
        "codes": as_codes,
        "in_fence": in_fence,
        "inert": inert_line,
        "plain": plain_line,
        "prose": lambda text: sanitize(text, plain=True),
        "quotation": quotation,
        "sanitize": sanitize,
        "sentence": whole_sentence,
        # putting texts together
        "count": counted,
        "cut": cut_middle,
        "ended": ended,
        "line_ranges": line_ranges,
        "number": "{:,}".format,
        "part": lambda text: f"{text}\n\n" if text else "",
        "quoted_lines": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
        "shortened": lambda text: textwrap.shorten(text, _LONGEST_SUBJECT, placeholder=" …"),
        "some": some,
        # what is known of tasks, attempts and what they used
        "cost": cost_text,
        "cost_brief": cost_brief,
        "dollars": dollars,
        "headline": headline,
        "missing": missing,
        "new_evidence": new_evidence,
        "not_measured": not_measured,
        "outcome": lambda attempt: outcome_of(attempt, attempt.proposal),
        "percentages": percentages,
        "result_word": result_word,
        "run_word": run_word,
        "strategy_here": strategy_here,
        "task_word": task_word,
        "title": title_of,
        "tokens": tokens_text,
        "total": total,
        "trust": trust_of,
        "verdict": verdict_of,
        "warnings": warnings_of,
    }
    found.globals |= {
        "CHECKS": CHECKS,
        "OUTCOMES": OUTCOMES,
        "PROPOSALS": PROPOSALS,
        "RUNS": RUNS,
    }
    return found


def _loader(environment: Environment) -> BaseLoader:
    assert environment.loader is not None  # noqa: S101 - every one of ours has one
    return environment.loader


class Texts:
    """The texts of one template: each of its macros, called like a function.

    Blank lines around a text are taken away, so that its last part may be missing.
    """

    def __init__(self, environment: Environment, name: str) -> None:
        self._environment = environment
        self._name = name

    def __getattr__(self, macro: str) -> Callable[..., str]:
        def text(*values: object, **named: object) -> str:
            # compiled when one of its texts is needed: most commands need few of them
            template = self._environment.get_template(f"{self._name}.md.j2")
            found: str = getattr(template.module, macro)(*values, **named)
            return found.strip()

        return text


def some(names: Sequence[str], most: int) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def ended(text: str) -> str:
    """A complete sentence, on one line."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?")) else f"{line}."


def whole_sentence(why: str) -> str:
    """Make a reason a sentence of its own, with nothing active in it."""
    text = plain_line(why)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def in_fence(text: str, most: int) -> str:
    """Show the text of others as a block of code, cut in the middle."""
    inner = cut_middle(text.rstrip("\n"), most).replace("````", "` ` ` `")
    return sanitize(f"````\n{inner}\n````")


PEOPLE = environment("runner.people")

analysis_texts = Texts(PEOPLE, "analysis")
commit_texts = Texts(PEOPLE, "commit")
fix_texts = Texts(PEOPLE, "fix")
pull_texts = Texts(PEOPLE, "pull_request")
recovery_texts = Texts(PEOPLE, "recovery")
report_texts = Texts(PEOPLE, "report")
revision_texts = Texts(PEOPLE, "revision")
trust_texts = Texts(PEOPLE, "trust")
undo_texts = Texts(PEOPLE, "undo")
verification_texts = Texts(PEOPLE, "verification")
