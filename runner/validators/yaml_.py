"""YAML: every document of the file, tags of any application allowed, keys unique (YAML 1.2 §3.2.1).

Read as a stream of events: composing nodes is recursive and deep nesting would crash the process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

from runner.findings import Complaint
from runner.text import numbered

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 200
_TEMPLATE = re.compile(r"(?:^|/)templates/")


@dataclass
class _Level:
    """One open collection; ``keys`` are the scalar keys of a mapping (None: a sequence)."""

    keys: set[str] | None
    at_key: bool = True
    seen: list[str] = field(default_factory=list)


class _Refused(Exception):
    """A document the parser accepts and we do not; ``event`` is where."""

    def __init__(self, problem: str, event: yaml.NodeEvent) -> None:
        super().__init__(problem)
        self.problem, self.problem_mark, self.context_mark = problem, event.start_mark, None


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a YAML file, or None; Helm-like templates are not YAML yet."""
    text = content.decode("utf-8", "replace")
    if _TEMPLATE.search(path) and "{{" in text:
        return None
    try:
        _walk(text)
    except (yaml.MarkedYAMLError, _Refused) as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else None
        return _complaint(path, text, error.problem or str(error), place)
    except yaml.YAMLError as error:
        return _unreadable(path, text, error)
    return None


def _walk(text: str) -> None:
    """Go through the events with a stack of our own; raise ``_Refused`` at what is wrong."""
    stack: list[_Level] = []
    anchors: set[str] = set()
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if isinstance(event, yaml.DocumentStartEvent):
            anchors = set()
        if not isinstance(event, yaml.NodeEvent):
            continue
        _check_anchor(event, anchors)
        _check_key(event, stack[-1] if stack else None)
        if isinstance(event, yaml.CollectionStartEvent):
            stack.append(_Level(set() if isinstance(event, yaml.MappingStartEvent) else None))
            if len(stack) > _DEEPEST:
                raise _Refused(f"nested deeper than {_DEEPEST} levels", event)


def _check_anchor(event: yaml.NodeEvent, anchors: set[str]) -> None:
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in anchors:
            raise _Refused(f"found undefined alias {event.anchor!r}", event)
    elif event.anchor is not None:
        anchors.add(event.anchor)


def _check_key(event: yaml.NodeEvent, level: _Level | None) -> None:
    if level is None or level.keys is None:
        return
    if level.at_key and isinstance(event, yaml.ScalarEvent):
        if event.value in level.keys and event.value != "<<":
            raise _Refused(f"the key {event.value!r} stands here twice", event)
        level.keys.add(event.value)
    level.at_key = not level.at_key


def _complaint(path: str, text: str, problem: str, place: tuple[int, int] | None) -> Complaint:
    if place is None:
        return Complaint(path, "YAMLError", problem)
    return Complaint(path, "YAMLError", problem, *place, numbered(text, place[0]))


def _unreadable(path: str, text: str, error: yaml.YAMLError) -> Complaint:
    """Complain about a character YAML forbids (the reader counts characters, not lines)."""
    at = getattr(error, "position", 0) or 0
    line = text.count("\n", 0, at) + 1
    reason = str(getattr(error, "reason", "") or str(error).split("\n")[0])
    return Complaint(path, "YAMLError", reason, line, excerpt=numbered(text, line))
