"""Python: what the compiler refuses, with its own line and column.

The grammar is that of the Python Cairn runs on; the container's own Python has the last word in
the verification. https://docs.python.org/3/library/functions.html#compile
"""

from __future__ import annotations

import warnings

from runner.findings import Complaint
from runner.text import numbered


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first syntax error of a Python file, or None. Nothing is run, nothing warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(content, path.encode("utf-8", "replace"), "exec", dont_inherit=True)
    except SyntaxError as error:
        return _complaint(path, content, error)
    except (RecursionError, MemoryError):
        return Complaint(path, "SyntaxError", "The code is nested too deeply to be compiled.")
    except ValueError as error:
        return _null_byte(path, content, error)
    return None


def _complaint(path: str, content: bytes, error: SyntaxError) -> Complaint:
    return Complaint(
        path=path,
        error=type(error).__name__,
        message=error.msg,
        line=error.lineno,
        column=error.offset if error.offset and error.offset > 0 else None,
        excerpt=numbered(content.decode("utf-8", "replace"), error.lineno or 1),
    )


def _null_byte(path: str, content: bytes, error: ValueError) -> Complaint:
    """Complain about a null byte, which the compiler reports without its place."""
    before = content.partition(b"\0")[0]
    line = before.count(b"\n") + 1
    return Complaint(path, "SyntaxError", str(error), line, len(before) - before.rfind(b"\n"))
