"""Read YAML as a configuration needs it, and report each problem with its line and key.

Only ``true`` and ``false`` are booleans (``off`` is a word here, as in YAML 1.2), numbers are
decimal, dates are words. Anchors, aliases, tags and duplicate keys are refused, so that a small
file can neither grow nor mean something other than it shows.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

LARGEST = 64 * 1024
DEEPEST = 20
Path = tuple[str | int, ...]


class Unreadable(Exception):
    """The text is not a configuration; ``line`` counts from 1, ``key`` is where, if known."""

    def __init__(self, line: int, message: str, key: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.key = key


@dataclass(frozen=True)
class Document:
    """The values of a file, and the line of each (by its path of keys)."""

    values: Mapping[str, Any]
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of the value at ``path``, or of what is around it."""
        return self.lines.get(self.written(path), 1)

    def written(self, path: Path) -> Path:
        """Return as much of ``path`` as the file itself has; the rest is how the value is read."""
        while path and path not in self.lines:
            path = path[:-1]
        return path


class _Loader(yaml.SafeLoader):
    """Knows null, true, false, decimal numbers and words."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|)$"), None)
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|false)$"), None)
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"-?(?:0|[1-9]\d{0,17})$"), None)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"-?(?:0|[1-9]\d{0,17})\.\d{1,18}$"), None
)


def dotted(path: Path) -> str:
    """Write a path of keys as people do; what cannot be printed becomes a question mark."""
    text = ".".join(str(part) for part in path)
    return "".join(c if c.isprintable() else "?" for c in text)[:100]


def read_yaml(content: bytes) -> Document:
    """Read a configuration of at most ``LARGEST`` bytes. Raises ``Unreadable`` with the line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(line, "This line is not UTF-8; save the file as UTF-8.") from error
    try:
        _look(text)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None or node.tag.endswith(":null"):
                return Document({})
            if not isinstance(node, yaml.MappingNode):
                why = "The file is not a mapping; write settings as `key: value`."
                raise Unreadable(_line(node), why)
            lines: dict[Path, int] = {}
            return Document(_value(loader, node, (), lines), lines)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark, found = error.problem_mark or error.context_mark, str(error.problem or error.context)
        line = mark.line + 1 if mark else 1
        why = f"This is not YAML: {_MISTAKES.get(found, found)}."
        raise Unreadable(line, why) from error
    except yaml.YAMLError as error:
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        raise Unreadable(line, "There is a control character here; remove it.") from error


def _look(text: str) -> None:
    """Go through the file without building anything, and stop at what is not plain."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Unreadable(
                line, "Anchors and aliases (& and *) are not supported; repeat the value."
            )
        if getattr(event, "tag", None):
            raise Unreadable(line, "Tags (!) are not supported; put a word with ! in quotes.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise Unreadable(line, "This is nested too deeply; no setting needs it.")


def _value(loader: _Loader, node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    lines.setdefault(path, _line(node))
    if isinstance(node, yaml.MappingNode):
        made: dict[str, Any] = {}
        for key, inner in node.value:
            line = _line(key)
            if not isinstance(key, yaml.ScalarNode):
                raise Unreadable(line, "A key must be a word.")
            here = (*path, key.value)
            if here in lines:
                why = f"It is given twice, first in line {lines[here]}."
                raise Unreadable(line, why, dotted(here))
            lines[here] = line
            value = _value(loader, inner, here, lines)
            if value is not None:  # an empty value means the default
                made[key.value] = value
        return made
    if isinstance(node, yaml.SequenceNode):
        items = enumerate(node.value)
        return [_value(loader, item, (*path, number), lines) for number, item in items]
    return loader.construct_object(node)


def _line(thing: yaml.Event | yaml.Node) -> int:
    return thing.start_mark.line + 1 if thing.start_mark else 1


_MISTAKES = {
    "found character '\\t' that cannot start any token": "lines are indented with spaces, not tabs",
    "mapping values are not allowed here": 'a value with ": " in it must be in quotes',
}
"""What PyYAML says about the two mistakes that people make most, and what it means."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One thing to change; ``line`` counts from 1, ``key`` is dotted ('' for the file itself).

    Line 0 means the entire file.
    """

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        name = f"`{self.key}`: " if self.key else ""
        return f"line {self.line}: {name}{self.message}" if self.line else self.message


class ConfigError(Exception):
    """The configuration cannot be used; ``problems`` are in the order of the file."""

    def __init__(self, problems: Sequence[ConfigProblem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def not_a_file(what: str) -> ConfigError:
    """Make the error for a folder, a link or a submodule instead of the file."""
    message = f"It is {what}. Replace it with a file, or remove it to use the default settings."
    return ConfigError([ConfigProblem(0, "", message)])


def check_size(size: int) -> None:
    """Raise ``ConfigError`` when a file of so many bytes is not even read."""
    if size > LARGEST:
        raise ConfigError(
            [ConfigProblem(0, "", f"It has {size} bytes; at most {LARGEST} are read.")]
        )


def problems_of(
    error: ValidationError, document: Document, model: type[BaseModel]
) -> list[ConfigProblem]:
    """Turn what pydantic found into problems of the file."""
    found: dict[Path, str] = {}
    for detail in error.errors(include_url=False, include_input=False):
        path = document.written(detail["loc"])
        message = _message(detail, path, model)
        # a value that may be one of several kinds has one problem with each of them
        if path in found and (other := message.removeprefix(_SHOULD)) != message:
            message = f"{found[path].removesuffix('.')} or {other}"
        elif path in found:
            message = found[path]
        found[path] = message
    return [ConfigProblem(document.line(path), dotted(path), text) for path, text in found.items()]


_SHOULD = "This should be "


def _message(detail: Mapping[str, Any], path: Path, model: type[BaseModel]) -> str:
    match detail["type"]:
        case "extra_forbidden":
            return f"There is no such setting. {_did_you_mean(path, model)}"
        case "missing":
            return f"This needs a `{detail['loc'][-1]}`."
        case "value_error":
            return f"This {detail['ctx']['error']}."
        case "model_type":
            return "This is a group; write its settings below it, indented."
        case "string_pattern_mismatch":
            return "This has a character that is not allowed here."
        case "string_too_short":
            return "This must not be empty."
        case "greater_than_equal":
            return f"{_SHOULD}at least {_amount(detail['ctx']['ge'])}."

        case "less_than_equal":
            return f"{_SHOULD}at most {_amount(detail['ctx']['le'])}."
        case kind if kind in _KINDS:
            return f"{_SHOULD}{_KINDS[kind]}."
        case _:
            return str(detail["msg"]).replace("Input should", "This should", 1).rstrip(".") + "."


_KINDS = {
    "tuple_type": "a list",
    "too_short": "a list that is not empty",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text; put it in quotes",
}
"""What a value should be, by the type of pydantic's error."""

_MIB = 1 << 20


def _amount(bound: float) -> str:
    """A bound as people write it: sizes in megabytes."""
    if bound != int(bound):
        return str(bound)
    size = bound >= _MIB and bound % _MIB == 0
    return f"{int(bound) // _MIB}m" if size else str(int(bound))


def _did_you_mean(path: Path, model: type[BaseModel]) -> str:
    known = list(_keys(model))
    key = dotted(tuple(part for part in path if isinstance(part, str)))
    group, _, last = key.rpartition(".")
    siblings = [name for name in known if name.rpartition(".")[0] == group]
    # what all have in front says nothing about how near they are
    ends = [name.rpartition(".")[2] for name in siblings]
    close = [siblings[ends.index(end)] for end in difflib.get_close_matches(last, ends, n=1)]
    if near := [name for name in known if name.rpartition(".")[2] == last] or close:
        return f"Did you mean `{near[0]}`?"
    names = ", ".join(name.rpartition(".")[2] for name in siblings)
    return f"The only one here is {names}." if len(siblings) == 1 else f"Possible are: {names}."


def _keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield above + name
        for inner in (info.annotation, *get_args(info.annotation)):  # a group, or a list of them
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from _keys(inner, f"{above}{name}.")
