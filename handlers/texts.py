"""The texts that GitHub users read from the handlers; they are in ``templates/``."""

from __future__ import annotations

import re

from handlers.grammar import TRIGGER
from runner.people.texts import PEOPLE, Texts, environment
from runner.text.sanitize import sanitize

_SHOWN = 80


def quoted(text: str) -> str:
    """Show a user's text as inline code on one line, cut, with nothing active in it."""
    line = " ".join(sanitize(text, plain=True).split()).replace("`", "'").replace("|", "¦")
    return f"`{line[:_SHOWN] + '…' if len(line) > _SHOWN else line or ' '}`"


HANDLERS = environment("handlers", PEOPLE)
HANDLERS.filters |= {
    "quoted": quoted,
    "words_only": lambda text: re.sub(r"[^A-Za-z0-9-]", "", text),
}
HANDLERS.globals["TRIGGER"] = TRIGGER

replies = Texts(HANDLERS, "replies")
decision_replies = Texts(HANDLERS, "decision_replies")
stack_replies = Texts(HANDLERS, "stack_replies")
