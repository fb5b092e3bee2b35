"""YAML as a configuration needs it: plain values, each with its line, and nothing else.

Only ``true`` and ``false`` are booleans (``off`` is a word here, as in YAML 1.2), numbers are
decimal, dates are words. Anchors, aliases, tags and keys given twice are refused, so that a
small file can neither grow nor mean something else than it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

LARGEST = 64 * 1024
DEEPEST = 20
Path = tuple[str | int, ...]


class Unreadable(Exception):
    """The text is no configuration; ``line`` counts from 1, ``key`` is where if it is known."""

    def __init__(self, line: int, message: str, key: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.key = key


@dataclass(frozen=True)
class Document:
    """The values of a file, and the line on which each stands (by its path of keys)."""

    values: Mapping[str, Any]
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of the value at ``path``, or of what is around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


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
    text = _text(content)
    try:
        _look(text)
        loader = _Loader(text)
        try:
            return _document(loader, loader.get_single_node())
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _unreadable(error, text) from error


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(line, "This line is not UTF-8; save the file as UTF-8.") from error


def _look(text: str) -> None:
    """Go through the file without building anything, and stop at what is not plain."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Unreadable(line, "Anchors and aliases (& and *) are not taken; write it out.")
        if getattr(event, "tag", None):
            raise Unreadable(line, "Tags (!) are not taken; put a word with ! into quotes.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise Unreadable(line, "This is nested too deeply; no setting needs it.")


def _document(loader: _Loader, node: yaml.Node | None) -> Document:
    if node is None or node.tag.endswith(":null"):
        return Document({})
    if not isinstance(node, yaml.MappingNode):
        line = _line(node)
        raise Unreadable(line, "The file is no mapping; write settings as `key: value`.")
    lines: dict[Path, int] = {}
    return Document(_value(loader, node, (), lines), lines)


def _value(loader: _Loader, node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    lines.setdefault(path, _line(node))
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(loader, node, path, lines))
    if isinstance(node, yaml.SequenceNode):
        items = enumerate(node.value)
        return [_value(loader, item, (*path, number), lines) for number, item in items]
    return loader.construct_object(node)


def _pairs(
    loader: _Loader, node: yaml.MappingNode, path: Path, lines: dict[Path, int]
) -> Iterator[tuple[str, Any]]:
    for key, value in node.value:
        line = _line(key)
        if not isinstance(key, yaml.ScalarNode):
            raise Unreadable(line, "A key must be a word.")
        here = (*path, key.value)
        if here in lines:
            raise Unreadable(line, f"It is given twice, first in line {lines[here]}.", dotted(here))
        lines[here] = line
        made = _value(loader, value, here, lines)
        if made is not None:  # an empty value means the default
            yield key.value, made


def _line(thing: yaml.Event | yaml.Node) -> int:
    return thing.start_mark.line + 1 if thing.start_mark else 1


def _unreadable(error: yaml.YAMLError, text: str) -> Unreadable:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return Unreadable(line, f"This is not YAML: {error.problem or error.context}.")
    position = getattr(error, "position", 0)
    line = text.count("\n", 0, position) + 1
    return Unreadable(line, "There is a control character here; remove it.")
