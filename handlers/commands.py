"""From the text of a comment to what it asks for. Never raises: what is wrong is a value."""

from __future__ import annotations

import difflib

from handlers import replies
from handlers.arguments import Values, read_arguments, split_words
from handlers.comments import Line, command_lines, goes_on_below
from handlers.orders import Misunderstood, Order
from handlers.table import COMMANDS, START, TRIGGER, Command

MOST_COMMANDS = 3
"""How many commands of one comment are looked at; the rest is ignored."""

_LONGEST_LINE = 2000


def parse(body: str) -> tuple[Order, ...]:
    """Return what the first few commands of a comment ask for; () when there is none.

    Hostile text can take most of a second: call it in a thread.
    """
    lines = command_lines(body)
    if not lines and goes_on_below(body):
        return (Misunderstood(replies.long_comment(), START.usage),)
    return tuple(understand(line) for line in lines[:MOST_COMMANDS])


def understand(line: Line) -> Order:
    """Return what one command line asks for."""
    own = next(row for row in COMMANDS if row.trigger == line.trigger)
    if len(line.text) > _LONGEST_LINE:
        return Misunderstood(replies.long_line(), own.usage)
    if words_of := next((a for a in own.arguments if a.kind == "words"), None):
        return _order(own, {words_of.field: line.text})
    if not line.whole and any(argument.kind == "below" for argument in own.arguments):
        return Misunderstood(replies.long_comment(), own.usage)
    words = split_words(line.text)
    if words is None:
        return Misunderstood(replies.open_quote(), own.usage)
    row, arguments = (own, words) if line.trigger != TRIGGER else _row(words)
    if row is None:
        return _unknown_word(words[0])
    values = read_arguments(row, arguments, line)
    return values if isinstance(values, Misunderstood) else _order(row, values)


def _row(words: list[str]) -> tuple[Command | None, list[str]]:
    """Find the row the first word names; a path has a dot or a slash in it (``./help``)."""
    if not words or words[0].startswith(("-", "–", "—")):  # noqa: RUF001
        return START, words
    named = next((row for row in COMMANDS if row.name == words[0]), None)
    if named:
        return named, words[1:]
    return (START, words) if set(words[0]) & set("./\\~") else (None, words)


def _unknown_word(word: str) -> Misunderstood:
    rows = {row.name or row.trigger.lstrip("/"): row.words for row in COMMANDS[1:]}
    near = difflib.get_close_matches(word.lower(), rows, n=1)
    return Misunderstood(replies.unknown_word(word), rows[(near or ["help"])[0]])


def _order(row: Command, values: Values) -> Order:
    return row.makes(**values)
