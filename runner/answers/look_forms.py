"""Requests to look, and the form in which models ask that were trained with tools: calls as text.

That is a JSON object with a tool's name and its arguments, or tags around them. Nothing is ever
run: what they ask to see is shown, and what they ask to do is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.text.patterns import lazy_pattern
from runner.text.sanitize import sendable_values

Kind = Literal["READ", "SEARCH", "LIST"]
KINDS: tuple[Kind, ...] = ("READ", "SEARCH", "LIST")
_IN_WORDS = re.compile(r"(READ|SEARCH|LIST)(?: (.*?)(?::(-?\d+)(?:-(\d+))?)?)?")

_LONGEST_WHAT = 200
_MOST_LINE = 10**9


@dataclass(frozen=True, slots=True)
class LookRequest:
    """One request: ``what`` is a path, words or a folder.

    Lines count from 1 (0: all of it); ``first`` below 0 counts from the end.
    """

    kind: Kind
    what: str
    first: int = 0
    last: int = 0


def request(kind: Kind, what: str, first: int = 0, last: int = 0) -> LookRequest:
    """Make a request from the text: the path tidied, the lines in order, nothing endless."""
    first, last = min(first, _MOST_LINE), min(last, _MOST_LINE)
    if last and first > last:
        first, last = last, first
    if last and not first:
        first = 1
    if kind == "SEARCH":
        return LookRequest(kind, " ".join(what.split())[:_LONGEST_WHAT])
    path = what.strip().strip("`\"'").removeprefix("./")
    path = path.rstrip("/") if kind == "LIST" else path
    return LookRequest(kind, path[:_LONGEST_WHAT], first, last)


def in_words(look: LookRequest) -> str:
    """Write a request in the form that is asked for."""
    lines = f":{look.first}-{look.last}" if look.last else f":{look.first}" if look.first else ""
    return f"{look.kind} {look.what}{lines}".rstrip()


def from_words(text: str) -> LookRequest | None:
    """Read what ``in_words`` wrote."""
    found = _IN_WORDS.fullmatch(text)
    if found is None:
        return None
    kind = next(kind for kind in KINDS if kind == found[1])
    if kind != "READ":
        return LookRequest(kind, text[len(kind) :].strip())
    return LookRequest(kind, found[2], int(found[3] or 0), int(found[4] or 0))


def plausible(path: str, paths: Collection[str], *, sure: bool = False) -> bool:
    """Whether a word can be meant as a path; ``sure`` where the line says that it is one."""
    return sure or "/" in path or path in paths or re.search(r"\w\.\w", path) is not None


_NAME = ("name", "tool_name", "tool", "function", "action", "recipient_name", "type")
_ARGUMENTS = ("arguments", "parameters", "input", "args", "params", "action_input", "tool_input")
_SEVERAL = ("tool_calls", "calls", "actions", "function_calls", "tool_uses", "requests", "looks")
_WHAT: Mapping[Kind, tuple[str, ...]] = {
    "READ": ("path", "file_path", "filepath", "file", "filename", "target_file", "file_name",
             "paths", "files"),
    "SEARCH": ("query", "pattern", "regex", "search", "words", "text", "keyword", "q", "term"),
    "LIST": ("path", "folder", "directory", "dir", "dir_path", "relative_workspace_path"),
}  # fmt: skip
_FROM = ("start_line", "start", "from", "line_start", "first", "offset", "start_line_one_indexed")
_TO = ("end_line", "end", "to", "line_end", "last", "end_line_one_indexed_inclusive")
_WRITES = frozenset({"content", "contents", "new_str", "new_string", "file_text", "code", "diff",
                     "patch", "replace", "new_content", "old_str", "edits", "changes"})  # fmt: skip
_TAG = lazy_pattern(
    r"<(?:(?:antml:)?(?:invoke|function)(?:\s+name=|=)[\"']?(?P<call>\w+)[\"']?"
    r"|(?P<tool>(?:read|view|open|search|grep|find|list|ls|get)\w*))>(?P<inside>.{0,4000}?)"
    r"</(?:(?:antml:)?invoke|function|(?P=tool))>",
    re.DOTALL | re.IGNORECASE,
)
_ARGUMENT = lazy_pattern(
    r"<(?:(?:antml:)?parameter(?:\s+name=|=)[\"']?)?(\w+)[\"']?>\s*([^<]*?)\s*</"
)
_WRAPPED = lazy_pattern(
    r"<(tool_call|function_call|tool_use|tool)>\s*([{\[].*?)\s*</\1>", re.DOTALL
)


def called(text: str, blocks: Sequence[str]) -> list[LookRequest] | None:
    """Return what tool calls ask to see; None without one, or if one writes."""
    found: list[LookRequest] = []
    for name, arguments in _calls(text, blocks):
        if _WRITES & arguments.keys():
            return None
        found += _of_call(name, arguments)
    return found or None


def _calls(text: str, blocks: Sequence[str]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield names and arguments of all calls: JSON (all, a block, a line, between tags) or tags."""
    from runner.answers.json_answers import lenient_json

    whole = text.strip()
    lines = [line.strip() for line in text.split("\n") if line.strip().startswith("{")]
    wrapped = [match[2] for match in _WRAPPED.finditer(text)]
    for raw in [whole] if whole[:1] in ("{", "[") else [*wrapped, *blocks, *lines]:
        if raw.strip()[:1] in ("{", "["):
            yield from _in_json(sendable_values(lenient_json(raw)))
    for tag in _TAG.finditer(text):
        arguments = {key.lower(): value for key, value in _ARGUMENT.findall(tag["inside"])}
        yield tag["call"] or tag["tool"], arguments


def _in_json(value: object, depth: int = 0) -> Iterator[tuple[str, Mapping[str, object]]]:
    if isinstance(value, list) and depth < 3:
        for each in value[:20]:
            yield from _in_json(each, depth + 1)
    if not isinstance(value, dict):
        return
    from runner.answers.json_answers import lenient_json

    several = [value[key] for key in _SEVERAL if isinstance(value.get(key), list)]
    if several:
        yield from _in_json(several[0], depth + 1)
        return
    inner = value.get("function")
    call: dict[object, object] = inner if isinstance(inner, dict) else value
    name = next((call[key] for key in _NAME if isinstance(call.get(key), str)), "")
    arguments = next((call[key] for key in _ARGUMENTS if key in call), call)
    arguments = sendable_values(
        lenient_json(arguments) if isinstance(arguments, str) else arguments
    )
    if isinstance(arguments, dict):
        yield str(name), {str(key).lower(): each for key, each in arguments.items()}


def _of_call(name: str, arguments: Mapping[str, object]) -> Iterator[LookRequest]:
    """What one call asks to see: by the name of its tool, else by its keys."""
    kind = _kind(name)
    for key, each in arguments.items():
        own = {"read": "READ", "search": "SEARCH", "list": "LIST"}.get(key)
        if not name and own and isinstance(each, str | list):
            kind, arguments = _kind(key), {"path": each, "query": each}
    if kind:
        what = next((arguments[key] for key in _WHAT[kind] if arguments.get(key)), "")
        several = what if isinstance(what, list) else [what]
        lines = _range(arguments) if kind == "READ" else (0, 0)
        texts = [each for each in several if isinstance(each, str) and (each or kind == "LIST")]
        yield from (request(kind, each, *lines) for each in texts)


def _kind(name: str) -> Kind | None:
    """What a tool of this name does; None where it does not look, or does more than that."""
    words = re.split(r"[_\W]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    if {"write", "edit", "create", "delete", "replace", "update", "run", "apply"} & set(words):
        return None
    for kind, known in _TOOLS.items():
        if known & set(words):
            return kind
    return None


_TOOLS: Mapping[Kind, frozenset[str]] = {
    "SEARCH": frozenset({"search", "grep", "find", "query", "rg"}),
    "LIST": frozenset({"list", "ls", "dir", "directory", "tree", "glob"}),
    "READ": frozenset({"read", "view", "open", "cat", "show", "fetch", "get", "file"}),
}


def _range(arguments: Mapping[str, object]) -> tuple[int, int]:
    both = arguments.get("view_range") or arguments.get("lines") or arguments.get("range")
    numbers = [int(n) for n in re.findall(r"\d{1,9}", str(both))[:2]] if both else []
    first, last = (_number(arguments, keys) for keys in (_FROM, _TO))
    if numbers:
        first, last = numbers[0], numbers[-1]
    limit = _number(arguments, ("limit", "line_count", "num_lines"))
    if limit and not last:
        first, last = max(first, 1), max(first, 1) + limit - 1
    return (first or 1, last) if last else (first, _MOST_LINE if first else 0)


def _number(arguments: Mapping[str, object], keys: Sequence[str]) -> int:
    number = str(next((arguments[key] for key in keys if key in arguments), 0))
    return int(number) if re.fullmatch(r"\d{1,9}", number) else 0
