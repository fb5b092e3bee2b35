"""The slash commands: what a comment can ask for, the command table, and the parser."""

from __future__ import annotations

import difflib
import re
import shlex
from collections import deque
from pathlib import PurePosixPath

from handlers import replies
from handlers.commands import COMMANDS, START, TRIGGER, Command, Misunderstood, Option, Order
from handlers.comments import CommandLine, command_lines, goes_on_below

Values = dict[str, str | int | bool]

_LONGEST_PATH = 255
_LONGEST_ID = 100
# phones turn two hyphens into one dash
_DASHES = ("-", "–", "—")  # noqa: RUF001


def split_words(text: str) -> list[str] | None:
    """Split at blanks, heeding quotation marks; None when one is not closed."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        return list(lexer)
    except ValueError:
        return None


def read_arguments(row: Command, words: list[str], line: CommandLine) -> Values | Misunderstood:
    """Return the order's fields, or the first thing that is wrong."""
    values: Values = {}
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word.startswith(_DASHES):
            problem = _take_option(row, word, rest, values)
        else:
            problem = _take_argument(row, word, values)
        if problem:
            return problem
    for argument in row.arguments:
        if argument.required and argument.field not in values:
            return Misunderstood(replies.missing_argument(row, argument), row.example)
        if argument.kind == "below":
            values[argument.field] = line.below
    return values


def check_path(path: str, row: Command) -> str | Misunderstood:
    """Return the path without ``./``, or why it names no Markdown file of the repository."""
    parts = PurePosixPath(path).parts
    problem = None
    if len(path) > _LONGEST_PATH or not path.isprintable():
        problem = replies.unreadable_path(path)
    elif path.startswith(("/", "~")) or set(path) & set("\\:") or {"..", ".git"} & set(parts):
        problem = replies.path_outside(path)
    elif not path.lower().endswith(".md") or len(PurePosixPath(path).name) <= len(".md"):
        problem = replies.no_markdown_path(path)
    if problem:
        return Misunderstood(problem, row.example)
    return str(PurePosixPath(path))


def check_id(word: str, row: Command) -> str | Misunderstood:
    """Return a name of a task or proposal, or why it can be none."""
    if len(word) > _LONGEST_ID or not word.isprintable():
        return Misunderstood(replies.unreadable_id(word), row.example)
    return word


def _take_argument(row: Command, word: str, values: Values) -> Misunderstood | None:
    argument = next((each for each in row.arguments if each.kind in ("path", "id")), None)
    if argument is None:
        return Misunderstood(replies.takes_no_argument(row, word), row.usage)
    if argument.field in values:
        return Misunderstood(replies.one_argument_only(argument, word), row.usage)
    value = check_path(word, row) if argument.kind == "path" else check_id(word, row)
    if isinstance(value, Misunderstood):
        return value
    values[argument.field] = value
    return None


def _take_option(row: Command, word: str, rest: deque[str], values: Values) -> Misunderstood | None:
    name, equals, given = word.partition("=")
    option = next((option for option in row.options if option.name == name), None)
    if option is None:
        return _unknown_option(row, name)
    if option.field in values:
        return Misunderstood(replies.given_twice(option), row.usage)
    if option.kind == "flag":
        values[option.field] = True
        return Misunderstood(replies.flag_with_value(option), option.name) if equals else None
    if not equals:
        given = rest.popleft() if rest and not rest[0].startswith("--") else ""
    value = _value(option, given)
    if isinstance(value, Misunderstood):
        return value
    values[option.field] = value
    return None


def _unknown_option(row: Command, name: str) -> Misunderstood:
    names = [option.name for option in row.options]
    near = difflib.get_close_matches(name, names, n=1)
    suggestion = f"{row.words} {near[0]}" if near else row.usage
    return Misunderstood(replies.unknown_option(row, name), suggestion)


def _value(option: Option, given: str) -> str | int | Misunderstood:
    form = f"{option.name} {option.value}"
    if not given:
        return Misunderstood(replies.missing_value(option), form)
    if option.kind == "count":
        return _count(option, given)
    if option.kind == "choice":
        return _choice(option, given)
    if len(given) > option.maximum or not given.isprintable():
        return Misunderstood(replies.bad_text(option), form)
    return given


def _choice(option: Option, given: str) -> str | Misunderstood:
    word = given.lower().replace("-", "_")
    if word in option.choices:
        return word
    near = difflib.get_close_matches(word, option.choices, n=1) or option.choices[:1]
    return Misunderstood(replies.no_choice(option, given), f"{option.name} {near[0]}")


def _count(option: Option, given: str) -> int | Misunderstood:
    # ASCII digits only, and few: int() takes other scripts and refuses thousands of digits
    if not re.fullmatch(r"[0-9]+", given):
        return Misunderstood(replies.not_a_number(option, given), f"{option.name} 3")
    digits = given.lstrip("0")
    if len(digits) > len(str(option.maximum)) or int(digits or "0") > option.maximum:
        return Misunderstood(replies.too_large(option, given), f"{option.name} {option.maximum}")
    if not digits:
        return Misunderstood(replies.not_a_number(option, given), f"{option.name} 1")
    return int(digits)


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


def understand(line: CommandLine) -> Order:
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
