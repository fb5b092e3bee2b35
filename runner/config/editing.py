"""Set keys in the text of ``.github/cairn.yml``: comments, order and everything else stay. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import yaml

from runner.config.model import RepositoryConfig, parse_config
from runner.config.reading import ConfigError

Path = tuple[str, ...]
Value = str | int

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9._/-]*")


def with_keys(content: bytes, changes: Sequence[tuple[Path, Value]]) -> bytes | None:
    """Return the file with keys of the top level or of a group set; None if that is not possible.

    What results is read again: it must be valid, and differ in these keys only.
    """
    try:
        text = content.decode("utf-8")
        for path, value in changes:
            text = _with_key(text, path, value)
        parse_config(text.encode())
        wanted = yaml.safe_load(content) or {}
        for path, value in changes:
            _put(wanted, path, value)
        return text.encode() if yaml.safe_load(text) == wanted else None
    except (UnicodeDecodeError, yaml.YAMLError, ConfigError, _NotEditable):
        return None


def with_values(
    config: RepositoryConfig, changes: Sequence[tuple[Path, Value]]
) -> RepositoryConfig:
    """Return a configuration with keys of the top level or of a group set."""
    for path, value in changes:
        name, inside = path[0], path[1:]
        new: object = value
        if inside:
            new = getattr(config, name).model_copy(update={inside[0]: value})
        config = config.model_copy(update={name: new})
    return config


class _NotEditable(Exception):
    """The file is written in a way that is not edited here."""


def _put(values: dict[str, Any], path: Path, value: Value) -> None:
    group, inside = path[0], path[1:]
    if not inside:
        values[group] = value
    elif group == "model" and isinstance(values.get(group), str) and inside == ("name",):
        values[group] = value  # one name alone is the model that writes
    elif group == "model" and isinstance(values.get(group), str):
        values[group] = {"name": values[group], inside[0]: value}
    else:
        values[group] = {**(values.get(group) or {}), inside[0]: value}


def _with_key(text: str, path: Path, value: Value) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise _NotEditable
    group = _child(root, path[0])
    if group is None:
        return _appended(text, root, path, value, end)
    if len(path) == 1 or (path == ("model", "name") and _is_name(group)):
        return _replaced(text, group, value)
    if path[0] == "model" and _is_name(group):
        start, stop = group.start_mark.index, group.end_mark.index
        named = f"{{name: {text[start:stop]}, {path[1]}: {_written(value)}}}"
        return text[:start] + named + text[stop:]
    if isinstance(group, yaml.MappingNode) and group.value:
        there = _child(group, path[1])
        if there is not None:
            return _replaced(text, there, value)
        return _inserted(text, group, path[1], value, end)
    raise _NotEditable


def _is_name(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str"


def _child(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def _replaced(text: str, node: yaml.Node, value: Value) -> str:
    """Put a value where another one stands, whose text has no line break."""
    start, stop = node.start_mark.index, node.end_mark.index
    if not isinstance(node, yaml.ScalarNode) or start == stop or "\n" in text[start:stop]:
        raise _NotEditable
    return text[:start] + _written(value) + text[stop:]


def _inserted(text: str, group: yaml.MappingNode, key: str, value: Value, end: str) -> str:
    """Put a key before the first one of a group, written as that one is."""
    first: yaml.Node = group.value[0][0]
    at, column = first.start_mark.index, first.start_mark.column
    line = f"{key}: {_written(value)}"
    between = ", " if group.flow_style else end + " " * column
    return text[:at] + line + between + text[at:]


def _appended(text: str, root: yaml.Node | None, path: Path, value: Value, end: str) -> str:
    """Put a group, or a key of the top level, at the end of the file."""
    if isinstance(root, yaml.MappingNode) and root.flow_style:
        raise _NotEditable
    lines = [f"{path[0]}: {_written(value)}"]
    if len(path) > 1:
        lines = [f"{path[0]}:", f"  {path[1]}: {_written(value)}"]
    before = text if not text or text.endswith("\n") else text + end
    return before + end.join(lines) + end


def _written(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    is_plain = _PLAIN.fullmatch(value) and yaml.safe_load(value) == value
    return value if is_plain else json.dumps(value)
