"""Texts that people read, as templates: a file for each subject, a macro for each sentence.

The files are ``templates/*.md.j2`` of a package. A value is never read as a template, whatever is
in it; foreign text is made harmless by the filters of ``runner/text/sanitize.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from runner.money import cost_brief, cost_text, tokens_text
from runner.state.status_words import CHECKS, OUTCOMES, PROPOSALS, RUNS, run_word, task_word
from runner.text.sanitize import (
    as_code,
    as_codes,
    cut_middle,
    inert_line,
    plain_line,
    quotation,
    sanitize,
)


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
    )
    found.filters |= {
        "cell": lambda text: plain_line(text).replace("|", "\\|"),
        "code": as_code,
        "codes": as_codes,
        "cost": cost_text,
        "cost_brief": cost_brief,
        "count": counted,
        "cut": cut_middle,
        "inert": inert_line,
        "number": "{:,}".format,
        "plain": plain_line,
        "prose": lambda text: sanitize(text, plain=True),
        "quotation": quotation,
        "run_word": run_word,
        "sanitize": sanitize,
        "some": some,
        "task_word": task_word,
        "tokens": tokens_text,
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
        template = self._environment.get_template(f"{self._name}.md.j2")
        found: Callable[..., str] = getattr(template.module, macro)
        return lambda *values, **named: found(*values, **named).strip()


def counted(number: int, one: str, many: str = "") -> str:
    """So many of something: ``1 test``, ``2,000 tests``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def some(names: Sequence[str], most: int) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


PEOPLE = environment("runner.people")
