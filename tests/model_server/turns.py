"""What was asked, and rules that say what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.model_server.faults import Fault
from tests.model_server.replies import Reply


@dataclass(frozen=True, eq=False)
class Held:
    """An answer that is kept back: ``asked`` is set when it is asked for, ``go`` lets it go."""

    reply: str | Reply | Fault
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)


Turn = str | Reply | Fault | Held
"""One answer of a script; a plain text is an answer that ended by itself."""


@dataclass(frozen=True)
class Asked:
    """One request as it came in; ``body`` is all of it, ``key`` what the header bore."""

    body: Mapping[str, object]
    key: str = ""

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> tuple[Mapping[str, str], ...]:
        """The conversation, each with role and content."""
        messages = self.body.get("messages", [])
        return tuple(messages) if isinstance(messages, list) else ()

    @property
    def prompt(self) -> str:
        """Every message's text, one after the other."""
        return "\n".join(str(message.get("content") or message) for message in self.messages)


@dataclass(frozen=True)
class Rule:
    """Answers for every prompt that has all words of ``contains`` and none of ``without``.

    Upper and lower case are the same. Each answer is given once, in order; with ``repeat_last``
    the last one is given again whenever the rule is asked more often.
    """

    contains: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    answers: tuple[Turn, ...] = ()
    repeat_last: bool = False

    def matches(self, prompt: str) -> bool:
        """Tell whether this rule speaks for a prompt."""
        text = prompt.casefold()
        has = [word.casefold() in text for word in self.contains]
        return all(has) and not any(word.casefold() in text for word in self.without)

    def answer(self, used: int) -> Turn | None:
        """Return the answer after ``used`` ones were given, None when there is none left."""
        if used < len(self.answers):
            return self.answers[used]
        return self.answers[-1] if self.repeat_last and self.answers else None
