"""The plans of other tools: each form is a module here and its line in ``FORMS``.

What is special to a form lives in its module; to delete a form, delete its module and its line.
"""

from __future__ import annotations

from runner.roadmap.plans.form import ROADMAP, PlanForm
from runner.roadmap.plans.gsd import GSD
from runner.roadmap.plans.issue import ISSUE
from runner.roadmap.plans.kiro import KIRO
from runner.roadmap.plans.openspec import OPENSPEC
from runner.roadmap.plans.ralph import RALPH
from runner.roadmap.plans.spec_kit import SPEC_KIT
from runner.roadmap.plans.task_master import TASK_MASTER

FORMS: tuple[PlanForm, ...] = (KIRO, OPENSPEC, SPEC_KIT, GSD, TASK_MASTER, RALPH, ISSUE)
"""The first one whose pattern a path has is the file's."""


def form_of(path: str) -> PlanForm:
    """Return the form of the plan at a path: that of a tool, or a roadmap."""
    return next((form for form in FORMS if form.has(path)), ROADMAP)
