"""From a comment to commands: its command lines, as CommonMark reads it, and their arguments.

A command counts only where a person addresses us: at the very start of a line of a top-level
paragraph. In quotes, lists, code (fenced, indented or inline), tables and HTML it is talk about
the command; in the copy of a mail that some programs leave unquoted below a reply, it is another's.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handlers.grammar import Command, CommandRow, Commands, Misunderstood, Option
from handlers.texts import replies
from runner.roadmap.plans import form_of

MOST_COMMANDS = 3
"""How many commands of one comment are looked at; the rest is ignored."""

Values = dict[str, str | int | bool]

_TASK_OF_PROJECT = re.compile(r"[A-Za-z][\w-]*#[^#]+")
_LONGEST_LINE = 2000
_LONGEST_PATH = 255
_LONGEST_ID = 100
# Blanks other than ASCII's, and characters that nobody sees, as keyboards, editors and copies from
# web pages leave them (general categories Zs and Cf, and two that only look blank):
# https://www.unicode.org/reports/tr44/#General_Category_Values. U+2028 and U+2029 are none: they
# end a line, and what is behind them is not at the start of one.
_BLANKS = " \t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u3164"
_UNSEEN = "\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_GAP = f"[{_BLANKS}{_UNSEEN}]"

# phones turn two hyphens into one dash
_DASHES = ("-", "–", "—")  # noqa: RUF001


def parse(body: str, rows: Commands) -> tuple[Command | Misunderstood, ...]:
    """Return what the first few commands of a comment ask for; () for none.

    Hostile text can take most of a second: call it in a thread.
    """
    lines = _command_lines(body, rows)
    if not lines and _goes_on_below(body, rows):
        return (Misunderstood(replies.long_comment(LONGEST), rows[0].usage),)
    short = {f"/{row.name}": row for row in rows if row.short}
    return tuple(
        _understand(
            replace(line, trigger=row.trigger, text=f"{row.name} {line.text}")
            if (row := short.get(line.trigger))
            else line,
            rows,
        )
        for line in lines[:MOST_COMMANDS]
    )


def _understand(line: CommandLine, rows: Commands) -> Command | Misunderstood:
    """Return what one command line asks for."""
    own = next(row for row in rows if row.trigger == line.trigger)
    if takes_text := _takes_text(line, rows):
        return _with_text(*takes_text, line)
    if len(line.text) > _LONGEST_LINE:
        return Misunderstood(replies.long_line(), own.usage)
    if words_of := next((a for a in own.arguments if a.kind == "words"), None):
        return own.makes(**{words_of.field: line.text})
    words = _split_words(line.text)
    if words is None:
        return Misunderstood(replies.open_quote(), own.usage)
    row, arguments = _row(own, words, rows)
    if row is None:
        return replace(_unknown_word(words[0], rows), **_of_project(own, words, line))
    if not line.whole and any(argument.kind == "below" for argument in row.arguments):
        return Misunderstood(replies.long_comment(LONGEST), row.usage)
    values = _read_arguments(row, arguments, line)
    return values if isinstance(values, Misunderstood) else row.makes(**values)


def _takes_text(line: CommandLine, rows: Commands) -> tuple[CommandRow, str] | None:
    """Return the row that takes everything after its name as it is written, and that."""
    same = [row for row in rows if row.trigger == line.trigger]
    first, *rest = line.text.split(None, 1) or [""]
    for row in same:
        if any(argument.kind == "text" for argument in row.arguments):
            if not row.name:
                return row, line.text
            if first == row.name:
                return row, "".join(rest)
    return None


def _with_text(row: CommandRow, text: str, line: CommandLine) -> Command | Misunderstood:
    if not line.whole:
        return Misunderstood(replies.long_comment(LONGEST), row.usage)
    field = next(a.field for a in row.arguments if a.kind == "text")
    return row.makes(**{field: f"{text.strip()}\n{line.below}".strip()})


def _row(own: CommandRow, words: list[str], rows: Commands) -> tuple[CommandRow | None, list[str]]:
    """Find the row the first word names; a path has a dot or a slash in it (``./help``).

    An issue that is the plan has a #.
    """
    same = [row for row in rows if row.trigger == own.trigger]
    if len(same) == 1 or not words or words[0].startswith(_DASHES):
        return own, words
    named = next((row for row in same if row.name == words[0]), None)
    if named:
        return named, words[1:]
    is_path = set(words[0]) & set("./\\~#") and not _TASK_OF_PROJECT.fullmatch(words[0])
    return (own, words) if is_path else (None, words)


def _of_project(own: CommandRow, words: list[str], line: CommandLine) -> dict[str, Any]:
    """What a command means if its first word is a project, or a task of one (``api#1.2``)."""
    project, _, task = words[0].partition("#")
    if not any(argument.kind == "path" for argument in own.arguments):
        return {}
    values = _read_arguments(own, [*(["--task", task] if task else []), *words[1:]], line)
    if isinstance(values, Misunderstood):
        return {"project": project, "meant": values}
    return {"project": project, "meant": own.makes(**values | {"path": project})}


def _unknown_word(word: str, rows: Commands) -> Misunderstood:
    known = {row.name or row.trigger.lstrip("/"): row.words for row in rows[1:]}
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return Misunderstood(replies.unknown_word(word), known[(near or ["help"])[0]])


def _split_words(text: str) -> list[str] | None:
    """Split at blanks, heeding quotation marks; None when one is not closed."""
    text = re.sub(f"[{_UNSEEN}]", "", re.sub(f"[{_BLANKS}]", " ", text))
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _read_arguments(row: CommandRow, words: list[str], line: CommandLine) -> Values | Misunderstood:
    """Return the command's fields, or the first thing that is wrong."""
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
        if argument.kind == "below":
            values[argument.field] = line.below
        elif argument.required and argument.field not in values:
            return Misunderstood(replies.missing_argument(row, argument), row.example)
    return values


def _check_path(path: str, row: CommandRow) -> str | Misunderstood:
    """Return the path without ``./``, or why it names no roadmap or plan of the repository."""
    parts = PurePosixPath(path).parts
    problem = None
    if len(path) > _LONGEST_PATH or not path.isprintable():
        problem = replies.unreadable_path(path)
    elif path.startswith(("/", "~")) or set(path) & set("\\:") or {"..", ".git"} & set(parts):
        problem = replies.path_outside(path)
    elif form_of(path).read is not None:
        pass  # a plan that is no Markdown
    elif not path.lower().endswith(".md") or len(PurePosixPath(path).name) <= len(".md"):
        problem = replies.no_markdown_path(path)
    if problem:
        return Misunderstood(problem, row.example)
    return str(PurePosixPath(path))


def _check_id(word: str, row: CommandRow) -> str | Misunderstood:
    """Return a name of a task or proposal, or why it can be none."""
    if len(word) > _LONGEST_ID or not word.isprintable():
        return Misunderstood(replies.unreadable_id(word), row.example)
    return word


def _take_argument(row: CommandRow, word: str, values: Values) -> Misunderstood | None:
    argument = next((each for each in row.arguments if each.kind in ("path", "id")), None)
    if argument is None:
        return Misunderstood(replies.takes_no_argument(row, word), row.usage)
    if argument.field in values:
        return Misunderstood(replies.one_argument_only(argument, word), row.usage)
    value = _check_path(word, row) if argument.kind == "path" else _check_id(word, row)
    if isinstance(value, Misunderstood):
        return value
    values[argument.field] = value
    return None


def _take_option(
    row: CommandRow, word: str, rest: deque[str], values: Values
) -> Misunderstood | None:
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


def _unknown_option(row: CommandRow, name: str) -> Misunderstood:
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


LONGEST = 20_000
"""Characters of a comment that are read: a command's own lines and the list of an ``/edit``.

GitHub takes 65,536, and a Markdown parser can be made slow by fewer.
"""

_COMMAND = "cairn_command"

# inline parsing takes quadratic time for hostile text: look at so much of a comment only
_MOST_PARAGRAPHS = 5
_LONGEST_PARAGRAPH = 8000

_MAIL = re.compile(r"Reply to this email directly|You are receiving this because", re.IGNORECASE)
"""What GitHub writes below every notification, in whatever language it is answered."""
_BLANK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command line: what follows the ``trigger`` on it, and the lines ``below`` it, raw.

    ``whole`` is False if the comment continues beyond what is read.
    """

    trigger: str
    text: str
    below: str = ""
    whole: bool = True


def may_hold_command(body: str, rows: Commands) -> bool:
    """Say, at the cost of one search, whether a line of a comment begins like a command.

    Only a parser knows whether it is one.
    """
    return bool(_line_start(rows).search(_unix(body)))


def _goes_on_below(body: str, rows: Commands) -> bool:
    """Say whether a line begins like a command beyond what is read of a comment."""
    text = _own(_unix(body))
    return bool(_line_start(rows).search(text[len(_beginning(text)) :]))


def _line_start(rows: Commands) -> re.Pattern[str]:
    short = (f"/{row.name}" for row in rows if row.short)
    return _compiled(tuple(dict.fromkeys((*(row.trigger for row in rows), *short))))


@cache
def _compiled(triggers: tuple[str, ...]) -> re.Pattern[str]:
    """How a line begins that can be a command."""
    names = "|".join(map(re.escape, triggers))
    return re.compile(rf"^({names})(?:{_GAP}+|(?=\n)|\Z)", re.MULTILINE)


def _command_lines(body: str, rows: Commands) -> tuple[CommandLine, ...]:
    """Return the command lines in order of appearance, in the first ``LONGEST`` characters."""
    full, start = _own(_unix(body)), _line_start(rows)
    text = _beginning(full)
    if not start.search(text):
        return ()
    markdown, env = _markdown(), {_COMMAND: start}
    lines = text.split("\n")
    candidates = islice(_candidates(markdown.parse(text, env), lines, start), _MOST_PARAGRAPHS)
    return tuple(
        CommandLine(
            trigger, words, "\n".join(lines[first + nth + 1 :]), whole=len(text) == len(full)
        )
        for paragraph, first, at_start in candidates
        for trigger, words, nth in _in_paragraph(paragraph, at_start, markdown, env)
    )


def _unix(body: str) -> str:
    """A comment's text with line feeds alone.

    str.splitlines would also break at U+2028, form feeds and more, and obey quoted commands; a lone
    carriage return is not a break either. What nobody sees before a command is not there; ASCII
    blanks before it are seen, and make it talk about the command.
    """
    return _UNSEEN_START.sub("", body.replace("\r\n", "\n").replace("\r", " "))


_UNSEEN_START = re.compile(rf"^(?![ \t]){_GAP}+(?=[/@])", re.MULTILINE)


def _beginning(text: str) -> str:
    """As much of a text as is read, in complete lines if it has any."""
    if len(text) <= LONGEST:
        return text
    end = text.rfind("\n", 0, LONGEST)
    return text[: end if end > 0 else LONGEST]


def _own(text: str) -> str:
    """The words of who wrote it: above the copy of a mail at most the first paragraph is theirs."""
    return _BLANK.split(text.lstrip("\n"), maxsplit=1)[0] if _MAIL.search(text) else text


def _candidates(
    tokens: list[Token], lines: list[str], start: re.Pattern[str]
) -> Iterator[tuple[str, int, bool]]:
    """Yield each top-level paragraph with a trigger, its first line, and whether that may be one.

    The parser strips a paragraph, of U+2028 too, so that the first line is looked at in the source.
    """
    for opening, inline in pairwise(tokens):
        paragraph = opening.type == "paragraph_open" and opening.level == 0
        if paragraph and opening.map and start.search(inline.content):
            first = opening.map[0]
            yield inline.content, first, bool(start.match(lines[first]))


def _in_paragraph(
    content: str, at_start: bool, markdown: MarkdownIt, env: dict[str, Any]
) -> list[tuple[str, str, int]]:
    """Return trigger, words and number of each command line of a paragraph."""
    if len(content) > _LONGEST_PARAGRAPH:
        end = content.rfind("\n", 0, _LONGEST_PARAGRAPH)
        content = content[: end if end > 0 else _LONGEST_PARAGRAPH]
    tokens: list[Token] = []
    markdown.inline.parse(content, markdown, env, tokens)
    found = [token for token in tokens if token.type == _COMMAND]
    return [
        (token.markup, token.content, content.count("\n", 0, token.meta["start"]))
        for token in found
        if at_start or token.meta["start"] > 0
    ]


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table").disable("inline")
    markdown.inline.ruler.before("text", _COMMAND, _command_rule)
    return markdown


def _command_rule(state: StateInline, silent: bool) -> bool:
    """Take a command line as one token (an inline rule of markdown-it).

    Code spans, inline HTML and links that began on an earlier line have consumed their text
    before this rule sees it; ``silent`` and ``linkLevel`` mean that a link's text is being read.
    The environment holds the pattern of a line's beginning.
    """
    at_start = state.pos == 0 or state.src[state.pos - 1] == "\n"
    if silent or state.linkLevel or not at_start:
        return False
    trigger = state.env[_COMMAND].match(state.src, state.pos)
    if not trigger:
        return False
    end = state.src.find("\n", state.pos)
    end = state.posMax if end < 0 else end
    token = state.push(_COMMAND, "", 0)
    token.markup = trigger[1]
    token.content = state.src[trigger.end() : end].strip(" \t")
    token.meta = {"start": state.pos}
    state.pos = end
    return True
