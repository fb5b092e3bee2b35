"""Check YAML (1.2, any tags), TOML (1.0) and JSON (RFC 8259) files.

YAML is read as a stream of events, because composing nodes is recursive and deep nesting would
crash the process. JSON files whose readers allow comments are left alone.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable

import yaml

from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import numbered

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 200
_TEMPLATE = lazy_pattern(r"(?:^|/)templates/")


def check_yaml(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a YAML file, or None; Helm-like templates are not YAML yet."""
    text = content.decode("utf-8", "replace")
    if _TEMPLATE.search(path) and "{{" in text:
        return None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                return Complaint(path, "YAMLError", f"nested deeper than {_DEEPEST} levels")
    except yaml.MarkedYAMLError as error:
        mark, said = error.problem_mark or error.context_mark, error.problem or str(error)
        if mark is None:
            return Complaint(path, "YAMLError", said)
        line, excerpt = mark.line + 1, numbered(text, mark.line + 1)
        return Complaint(path, "YAMLError", said, line, mark.column + 1, excerpt)
    except yaml.YAMLError as error:  # a character that is not allowed, counted from the beginning
        line = text.count("\n", 0, getattr(error, "position", 0) or 0) + 1
        reason = str(getattr(error, "reason", "") or str(error).split("\n")[0])
        return Complaint(path, "YAMLError", reason, line, excerpt=numbered(text, line))
    return None


# the standard library takes quadratic time for them
_LONG_KEY = lazy_pattern(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")
_PLACE = lazy_pattern(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def check_toml(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a TOML file, or None."""
    text = content.decode("utf-8", "replace")
    if _LONG_KEY.search(text):
        return Complaint(path, "TOMLDecodeError", "A key has more than 100 parts.")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _toml_complaint(path, text, str(error))
    except RecursionError:
        return Complaint(path, "TOMLDecodeError", "The document is nested too deeply.")
    except ValueError as error:
        # a number or date that the grammar allows and Python cannot hold
        return Complaint(path, "TOMLDecodeError", str(error))
    return None


def _toml_complaint(path: str, text: str, words: str) -> Complaint:
    place = _PLACE.search(words)
    message = _PLACE.sub("", words)
    if place and place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        message += " at the end of the file"
    return Complaint(path, "TOMLDecodeError", message, line, column, numbered(text, line))


# read with comments and trailing commas by their own tools
_WITH_COMMENTS = lazy_pattern(
    r"(?:^|/)(?:[tj]sconfig[^/]*\.json|\.vscode/[^/]*|devcontainer\.json|\.devcontainer[^/]*/[^/]*"
    r"|\.eslintrc\.json|\.swcrc|api-extractor\.json|[^/]*\.code-workspace)$"
)
_STRING_OR_CONSTANT = lazy_pattern(r'"(?:\\.|[^"\\])*"?|(-?Infinity|NaN)')


def check_json(path: str, content: bytes) -> Complaint | None:
    """Return the first error of a JSON file, or None."""
    if _WITH_COMMENTS.search(path):
        return None
    text = content.decode("utf-8", "replace")
    try:
        json.loads(text, parse_constant=_refuse(text), parse_int=str)
    except json.JSONDecodeError as error:
        excerpt = numbered(text, error.lineno)
        kind = "JSONDecodeError"
        return Complaint(path, kind, error.msg, error.lineno, error.colno, excerpt)
    except RecursionError:
        return Complaint(path, "JSONDecodeError", "The document is nested too deeply.")
    return None


def _refuse(text: str) -> Callable[[str], object]:
    """Return what ``json`` calls on NaN and Infinity, which it reads but JSON has not."""

    def refuse(constant: str) -> object:
        places = _STRING_OR_CONSTANT.finditer(text)
        start = next((m.start() for m in places if m[1] == constant), 0)
        raise json.JSONDecodeError(f"{constant} is not JSON", text, start)

    return refuse
