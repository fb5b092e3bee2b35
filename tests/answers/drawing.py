"""Cases drawn by a seed, and the forms that are held out from the tests."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tests.answers import (
    forms_edit,
    forms_talk,
    forms_whole,
    go_tasks,
    harms_elided,
    harms_lost,
    harms_tests,
    harms_unrelated,
    harms_wrong,
    irrelevant,
    javascript_tasks,
    python_tasks,
)
from tests.answers.forms import Form
from tests.answers.harms import Harm, Harmful
from tests.answers.projects import LANGUAGES, Change, Language, Task

RIGHT: dict[str, Form] = {
    form.id: form for module in (forms_whole, forms_talk, forms_edit) for form in module.FORMS.all
}
HARMS: dict[str, Harm] = {
    harm.id: harm
    for module in (harms_elided, harms_tests, harms_lost, harms_unrelated, harms_wrong)
    for harm in module.HARMS.all
}
TASKS: dict[Language, tuple[Task, ...]] = {
    "python": python_tasks.TASKS,
    "javascript": javascript_tasks.TASKS,
    "go": go_tasks.TASKS,
}
TOOLS: dict[Language, str] = {"python": "python3", "javascript": "node", "go": "go"}
_HELD_OUT = 0.3
_SEED = "answers"
_APART = ("right", "none", "vacuous")


@dataclass(frozen=True)
class RightCase:
    """A task answered right, in one form."""

    task: Task
    form: Form

    @property
    def id(self) -> str:
        """Language, task and form."""
        return f"{self.task.name}={self.form.id}"


@dataclass(frozen=True)
class HarmCase:
    """A task answered with harm; ``stubborn`` when the model says the same whatever it is asked."""

    task: Task
    harm: Harm
    harmful: Harmful
    stubborn: bool

    @property
    def id(self) -> str:
        """Language, task, harm, and what the model does when it is asked again."""
        return f"{self.task.name}={self.harm.id}{'+again' if self.stubborn else '+right'}"


@dataclass(frozen=True)
class IrrelevantCase:
    """A task answered, each time, with what has nothing to do with it.

    ``apart`` is the test that is asked for: right, none, or one that passes with any code.
    """

    task: Task
    kind: str
    change: Change
    apart: str

    @property
    def id(self) -> str:
        """Language, task, kind, and what became of the test."""
        return f"{self.task.name}={self.kind}+{self.apart}"


def drawn(*words: object) -> random.Random:
    """Return draws that are the same for the same words."""
    return random.Random(" ".join(map(str, words)))  # noqa: S311 - no secret


def held_out(id: str) -> bool:
    """Tell whether only the bench uses a form: three of ten, the same for ever."""
    return drawn(_SEED, id).random() < _HELD_OUT


def missing(language: Language) -> str:
    """Say why a language cannot be played here; nothing when it can."""
    tool = TOOLS[language]
    return "" if shutil.which(tool) else f"{tool} is not installed"


def right_cases(seed: int = 0, languages: Sequence[Language] = LANGUAGES) -> Iterator[RightCase]:
    """Yield each form once in each language, on a task that is drawn from those it fits."""
    for form in RIGHT.values():
        for language in languages:
            draw = drawn(seed, form.id, language)
            if fitting := [task for task in TASKS[language] if form.fits(task)]:
                yield RightCase(draw.choice(fitting), form)


def harm_cases(seed: int = 0, languages: Sequence[Language] = LANGUAGES) -> Iterator[HarmCase]:
    """Yield each harm in each language, on a task it fits, with both ways to go on."""
    for harm, language in product(HARMS.values(), languages):
        if case := harm_case(harm, language, seed):
            yield case
            yield replace(case, stubborn=True)


def harm_case(
    harm: Harm, language: Language, seed: int, *, stubborn: bool = False
) -> HarmCase | None:
    """Do a harm to a task that is drawn from those it fits; None where it fits none."""
    results = [(task, made(harm, task, seed)) for task in TASKS[language]]
    fitting = [(task, harmful) for task, harmful in results if harmful is not None]
    if not fitting:
        return None
    task, harmful = drawn(seed, harm.id, language).choice(fitting)
    return HarmCase(task, harm, harmful, stubborn)


def irrelevant_cases(
    seed: int = 0, languages: Sequence[Language] = LANGUAGES
) -> Iterator[IrrelevantCase]:
    """Yield each kind in each language, on three tasks, one with each kind of test apart."""
    for (kind, make), language in product(irrelevant.KINDS.items(), languages):
        tasks = [task for task in TASKS[language] if irrelevant.is_for_code(task)]
        made = [(task, change) for task in tasks if (change := make(task)) is not None]
        some = drawn(seed, kind, language).sample(made, min(len(made), len(_APART)))
        for (task, change), apart in zip(some, _APART, strict=False):
            yield IrrelevantCase(task, kind, change, apart)


def made(harm: Harm, task: Task, seed: int) -> Harmful | None:
    """Do the harm to a task; the same for the same seed."""
    return harm.make(task, drawn(seed, harm.id, task.name))
