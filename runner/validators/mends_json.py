"""Repairs for JSON: trailing commas, Python literals."""

from __future__ import annotations

import ast
import json
import re
import warnings

from runner.validators.mends_text import Mend

_LARGEST = 64 << 10
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*"?)|,(\s*[\]}])', re.DOTALL)


def drop_trailing_commas(_path: str, text: str) -> str | None:
    """Drop commas before a closing bracket; strings are left alone."""
    return _TRAILING.sub(lambda found: found[1] or found[2], text)


def from_python(_path: str, text: str) -> str | None:
    """Write a Python literal (single quotes, ``None``) as the JSON that means the same."""
    if len(text) > _LARGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text.strip())
        if not isinstance(value, dict | list):
            return None
        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


JSON_MENDS: tuple[tuple[str, Mend], ...] = (
    ("dropped trailing commas", drop_trailing_commas),
    ("wrote a Python literal as JSON", from_python),
)
