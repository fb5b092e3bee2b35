"""What pull requests say about their stack and about proposals."""

from __future__ import annotations

from app.github.conflicts import MOST
from handlers.texts import HANDLERS
from runner.people.texts import Texts, environment

_GITHUB = environment("app.github", HANDLERS)
_GITHUB.globals["MOST_CONFLICTS"] = MOST
stack_texts = Texts(_GITHUB, "stack")
proposal_texts = Texts(_GITHUB, "proposal")
