"""From the text of a comment to what it asks for. Never raises: what is wrong is a value."""

from __future__ import annotations

import difflib

from handlers import replies
from handlers.arguments import Values, read_arguments, split_words
from handlers.comments import command_lines
from handlers.orders import Misunderstood, Order
from handlers.table import COMMANDS, START, Command

MOST_COMMANDS = 3
"""How many commands of one comment are looked at; the rest is ignored."""

_LONGEST_LINE = 2000


def parse(body: str) -> tuple[Order, ...]:
    """Return what the first few commands of a comment ask for; () when there is none."""
    return tuple(understand(line) for line in command_lines(body)[:MOST_COMMANDS])


def understand(line: str) -> Order:
    """Return what one command line asks for (the text after the trigger)."""
    words = split_words(line) if len(line) <= _LONGEST_LINE else None
    if words is None:
        problem = replies.open_quote() if len(line) <= _LONGEST_LINE else replies.long_line()
        return Misunderstood(problem, START.usage)
    row, arguments = _row(words)
    if row is None:
        return _unknown_word(words[0])
    values = read_arguments(row, arguments)
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
    names = [row.name for row in COMMANDS if row.name]
    near = difflib.get_close_matches(word.lower(), names, n=1)
    return Misunderstood(
        replies.unknown_word(word),
        next(r.words for r in COMMANDS if r.name == (near or ["help"])[0]),
    )


def _order(row: Command, values: Values) -> Order:
    return row.makes(**values)
