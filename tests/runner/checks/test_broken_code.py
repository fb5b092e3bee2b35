"""Code that parses and cannot be meant."""

from __future__ import annotations

import sys
from itertools import count

import pytest

from runner.checks.blanks import with_legal_lines
from runner.checks.undefined import defined_twice
from runner.state.changes import ChangeSet, Write


def judged(path: str, old: str, new: str) -> list[str]:
    changes = ChangeSet({path: Write(new.encode())})
    return [c.error for c in defined_twice(changes, read=lambda _: old.encode())]


TWICE = "def a():\n    return 1\n\n\ndef a():\n    return 2\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "errors"),
    [
        ("a.py", "", TWICE, ["DefinedTwice"]),
        ("a.py", TWICE, TWICE + "\nb = 1\n", []),
        ("a.py", "", "if b:\n    def a(): pass\nelse:\n    def a(): pass\n", []),
        ("a.py", "", "@overload\ndef a(b: int): ...\ndef a(b): return b\n", []),
        ("a.py", "import x.z\nx.z()\n", "from x import z\nz()\n", []),
        ("a.py", "from x import y\ny()\n", "def f(y):\n    return y\n", []),
        ("a.py", "from x import y\ny()\n", "from x import *\ny()\n", []),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(path: str, old: str, new: str, errors: list[str]) -> None:
    """And what looks like it and can."""
    assert judged(path, old, new) == errors


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        (b"# SPDX-License-Identifier: MIT\na = 1\n", b"a = 2\n",
         b"# SPDX-License-Identifier: MIT\n\na = 2\n"),
        (b"#!/bin/sh\n# Copyright 2020 A\nls\n", b"#!/bin/sh\nls -l\n",
         b"#!/bin/sh\n# Copyright 2020 A\n\nls -l\n"),
        (b"// Copyright 2020 A\n", b"// Copyright 2020 A\nb\n", b"// Copyright 2020 A\nb\n"),
        (b"a = 1\n# copyright of the text\n", b"a = 2\n", b"a = 2\n"),
    ],
)  # fmt: skip
def test_lines_about_rights_stay_at_the_top(old: bytes, new: bytes, made: bytes) -> None:
    """Those further down are code's own."""
    assert with_legal_lines("a.py", old, new) == made


def steps(path: str, old: str, new: str) -> int:
    """How many calls judging a change takes."""
    calls = count()
    sys.setprofile(lambda *_: next(calls) and None)
    try:
        assert judged(path, old, new) == []
    finally:
        sys.setprofile(None)
    return next(calls)


def test_imports_cost_what_the_file_does() -> None:
    """Twice the imports take about twice the steps, not four times: files of 650 kB have many."""

    def imports(number: int) -> int:
        text = "".join(f"import m{n}\nm{n}.f()\n" for n in range(number))
        return steps("a.py", text, text + "\n")

    assert imports(200) < 3 * imports(100)


def test_the_file_before_is_looked_at_only_for_what_is_found() -> None:
    """A change that defines nothing twice costs one look, however long the file was."""
    text = "".join(f"def f{n}(a):\n    return a\n" for n in range(100))

    assert steps("a.py", text, text + "\n") < 1.2 * steps("a.py", "", text + "\n\n")
