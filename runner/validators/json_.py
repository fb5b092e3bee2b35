"""JSON as RFC 8259 has it; files whose readers allow comments are left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from runner.findings import Complaint
from runner.text import numbered

# read with comments and trailing commas by their own tools
_WITH_COMMENTS = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*\.json|\.vscode/[^/]*|devcontainer\.json|\.devcontainer[^/]*/[^/]*"
    r"|\.eslintrc\.json|\.swcrc|api-extractor\.json|[^/]*\.code-workspace)$"
)
_STRING_OR_CONSTANT = re.compile(r'"(?:\\.|[^"\\])*"?|(-?Infinity|NaN)')


def check(path: str, content: bytes) -> Complaint | None:
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
