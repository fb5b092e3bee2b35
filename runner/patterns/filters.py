"""What the templates of patterns can do with a text. Pure; no result is much longer than it.

A file that is not written in the usual way is not edited: ``NotEditable``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

from runner.config.reading import Unreadable, read_yaml


class NotEditable(ValueError):
    """A value has no certain place in a file."""


def dotted(path: str) -> str:
    """Return the name by which Python imports a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def stem(path: str) -> str:
    """Return the name of a file without folder and ending."""
    return PurePosixPath(path).stem


def quoted(text: str) -> str:
    """Return a text as a string of Python, JavaScript, JSON, TOML or YAML."""
    return json.dumps(text, ensure_ascii=False)


def with_value(old: str, path: str, value: str, *keys: str) -> str:
    """Return a JSON, YAML or TOML file (``path`` says which) with a value set; all else stays.

    ``keys`` are the way to it, each may be dotted. What results is read again: it must differ in
    this value only.
    """
    kind = PurePosixPath(path).suffix.lstrip(".").replace("yml", "yaml")
    if kind not in _WRITERS:
        raise NotEditable(f"{path} is neither JSON, YAML nor TOML")
    try:
        way, plain = ".".join(keys).split("."), re.fullmatch(r"true|false|0|-?[1-9]\d{0,15}", value)
        wanted = _read(kind, old)
        there: Any = wanted
        for each in way[:-1]:
            there = there[each]
        there[way[-1]] = json.loads(value) if plain else value
        new = _WRITERS[kind](old, way, value if plain else quoted(value), wanted)
        if _read(kind, new) != wanted:
            raise NotEditable("the key has no certain place")
    except (
        Unreadable,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
        yaml.YAMLError,
    ) as error:
        raise NotEditable(f"{path} cannot be edited: {error}") from error
    return new


def _read(kind: str, text: str) -> dict[str, Any]:
    if kind == "json":
        return dict(json.loads(text))
    return tomllib.loads(text) if kind == "toml" else dict(read_yaml(text.encode()).values)


def _in_json(old: str, keys: list[str], value: str, wanted: Mapping[str, Any]) -> str:
    found = re.search(r"\n([ \t]+)\"", old)
    indent = found[1] if found else None

    def written(values: Mapping[str, Any]) -> str:
        return json.dumps(values, indent=indent, ensure_ascii=False) + "\n" * old.endswith("\n")

    if written(json.loads(old)) != old:
        raise NotEditable("it is formatted in a way of its own")
    return written(wanted)


def _in_yaml(old: str, keys: list[str], value: str, wanted: Mapping[str, Any]) -> str:
    node: Any = yaml.compose(old, Loader=yaml.SafeLoader)
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((inner for name, inner in pairs if name.value == key), None)
    if isinstance(node, yaml.ScalarNode):
        return old[: node.start_mark.index] + value + old[node.end_mark.index :]
    if len(keys) > 1:
        raise NotEditable("the key is not there")
    return old + "\n" * bool(old and not old.endswith("\n")) + f"{keys[0]}: {value}\n"


def _in_toml(old: str, keys: list[str], value: str, wanted: Mapping[str, Any]) -> str:
    lines, at, table = old.split("\n"), None, list[str]()
    for number, line in enumerate(lines):
        if head := re.match(r"\s*\[([^\[\]]+)\]", line):
            table = [part.strip().strip('"') for part in head[1].split(".")]
        if table != keys[:-1]:
            continue
        if line.strip():
            at = number
        if re.match(rf"\s*\"?{re.escape(keys[-1])}\"?\s*=", line):
            lines[number] = f"{line.partition('=')[0]}= {value}"
            return "\n".join(lines)
    lines.insert(0 if at is None else at + 1, f"{keys[-1]} = {value}")
    return "\n".join(lines)


_WRITERS = {"json": _in_json, "yaml": _in_yaml, "toml": _in_toml}


def with_status(old: str, name: str, status: str) -> str:
    """Return a Markdown text whose table says another status of what its first column names.

    The status is in the column of that name, else in the last one.
    """
    lines, column, found = old.split("\n"), -1, list[tuple[int, list[str], int]]()
    for number, line in enumerate(lines):
        cells = line.strip().strip("|").split("|")
        if not line.lstrip().startswith("|"):
            column = -1
        elif (words := [cell.strip(" `*").casefold() for cell in cells]) and "status" in words:
            column = words.index("status")
        elif words[0] == name.casefold() and len(cells) > 1:
            found.append((number, cells, column))
    if len(found) != 1:
        raise NotEditable(f"{name} is in {len(found)} rows of tables, not in one")
    number, cells, column = found[0]
    cells[column] = f" {status} "
    lines[number] = f"{lines[number].partition('|')[0]}|{'|'.join(cells)}|"
    return "\n".join(lines)
