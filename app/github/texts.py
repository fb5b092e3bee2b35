"""The texts about stacks of pull requests; they are in ``templates/``."""

from __future__ import annotations

from app.github.conflicts import MOST
from handlers.texts import HANDLERS
from runner.people.texts import Texts, environment

GITHUB = environment("app.github", HANDLERS)
GITHUB.globals["MOST_CONFLICTS"] = MOST

stack_texts = Texts(GITHUB, "stack")
