"""The repository of the demo: a small calculator whose roadmap has five open tasks."""

from __future__ import annotations

ROADMAP = """\
# Roadmap of calc

## Phase 1: arithmetic

Every module has its tests beside it in `tests/`.

- [x] 1.0 Divide two numbers
- [ ] 1.1 Add `calc/multiply.py` with `multiply(a, b)`, and its tests in `tests/test_multiply.py`
- [ ] 1.2 Add `calc/palindrome.py` with `is_palindrome(text)`, and its tests
  - upper and lower case are the same, blanks do not count
- [ ] 1.3 Make `divide` in `calc/divide.py` return 0 when the divisor is 0

## Phase 2: statistics

- [ ] 2.1 Add `calc/mean.py` with `mean(numbers)` that uses `divide`, and its tests
- [ ] 2.2 Add `calc/report.py` with `report(numbers)` that shows the mean, and its tests
"""

FILES: dict[str, object] = {
    "ROADMAP.md": ROADMAP.encode(),
    "README.md": b"# calc\r\n\r\nA small calculator. (This file has CRLF line ends.)\r\n",
    "calc/__init__.py": b'"""A small calculator."""\n',
    "calc/divide.py": b'''"""Division."""


def divide(a: float, b: float) -> float:
    """Return a divided by b."""
    return a / b
''',
    "tests/test_divide.py": b'''"""Tests of division."""

import pytest

from calc.divide import divide


def test_divides():
    assert divide(6, 3) == 2


def test_division_by_zero_is_an_error():
    with pytest.raises(ZeroDivisionError):
        divide(1, 0)
''',
    "scripts/check.sh": ("100755", b"#!/bin/sh\nexec python3 -m pytest -q\n"),
    "CHECK": ("120000", b"scripts/check.sh"),
    ".gitattributes": b"tests/ export-ignore\nREADME.md -text\n",
}
"""Path → content, or (mode, content); with CRLF, a link, a script and an export-ignored folder."""
