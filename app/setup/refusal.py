"""Why the set-up, or a step of it, is not taken. Every one is a sentence that says what to do."""

from __future__ import annotations


class Unusable(ValueError):
    """What was asked for cannot be used; nothing has begun."""


class Refusal(Exception):
    """A sentence for the person in front of the browser, and the status of its page."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
