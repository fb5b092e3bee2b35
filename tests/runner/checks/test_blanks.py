"""Changes of blanks alone: which mean nothing, and which do."""

from __future__ import annotations

import pytest

from runner.checks.blanks import same_but_for_blanks, without_blank_changes

PYTHON = "def f(a, b=1):\n    # why\n    return a\n\n\ndef g():\n    return 'x y'\n"
GO = 'package a\n\nfunc F(a int) string {\n\treturn "x y"\n}\n'
SCRIPT = "export function f(a) {\n  return `x\n  y`;\n}\n"
SAME = {
    "blank lines": ("a.py", PYTHON, PYTHON.replace("\n\n\n", "\n\n\n\n")),
    "blanks in a line": ("a.py", PYTHON, PYTHON.replace("a, b=1", "a,b = 1")),
    "deeper, but the same": ("a.py", PYTHON, PYTHON.replace("    ", "        ")),
    "line ends": ("notes.txt", "a\nb\n", "a\r\nb\r\n"),
    "no newline at the end": ("a.md", "a\n", "a"),
    "tabs in Go": ("a.go", GO, GO.replace("\t", "    ")),
    "layout of a script": ("a.js", SCRIPT, SCRIPT.replace("{\n  return", "{\n\n    return")),
    "JSON": ("a.json", '{"a": [1, 2]}', '{\n  "a": [1,2]\n}\n'),
}
OTHER = {
    "a string": ("a.py", PYTHON, PYTHON.replace("x y", "x  y")),
    "another block": ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
    "a file that did not parse": ("a.py", "if a:\nb()\n", "if a:\n    b()\n"),
    "a Markdown break": ("a.md", "a\nb\n", "a  \nb\n"),
    "YAML": ("a.yaml", "a:\n b: 1\nc: 2\n", "a:\n b: 1\n c: 2\n"),
    "a Makefile's tab": ("Makefile", "all:\n    echo\n", "all:\n\techo\n"),
    "a Go string": ("a.go", GO, GO.replace("x y", "xy")),
    "a template": ("a.ts", SCRIPT, SCRIPT.replace("x\n  y", "x\n y")),
    "a statement that ends": ("a.js", "f = () => {\n return a\n}", "f = () => {\n return\n a\n}"),
    "a selector": ("a.css", ".a .b { c: d }\n", ".a.b { c: d }\n"),
    "a fixture": ("tests/fixtures/a.py", PYTHON, PYTHON.replace("\n\n\n", "\n")),
    "a shell script's line ends": ("a.sh", "a\n", "a\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("how", SAME)
def test_blanks_that_mean_nothing(how: str) -> None:
    """The file says the same as before."""
    path, old, new = SAME[how]
    assert same_but_for_blanks(path, old.encode(), new.encode())


@pytest.mark.parametrize("how", OTHER)
def test_blanks_that_mean_something(how: str) -> None:
    """It does not, or nobody can tell."""
    path, old, new = OTHER[how]
    assert not same_but_for_blanks(path, old.encode(), new.encode())


MANY = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(8))


def test_blanks_far_from_the_change_are_put_back() -> None:
    """The change itself stays as it was answered, with the blanks around it."""
    real = MANY.replace("return a + 6\n", "b = a\n\n    return b + 6\n")
    answered = real.replace("def f0(a):", "def f0( a ):").replace("def f2", "\n\ndef f2")

    assert without_blank_changes("a.py", MANY.encode(), answered.encode()) == real.encode()


def test_blanks_that_the_change_needs_stay() -> None:
    """Lines that went into a block are indented for it."""
    old = "".join(f"step({n})\n" for n in range(12))
    new = "if ready:\n" + "".join(f"    step({n})\n" for n in range(12))

    assert without_blank_changes("a.py", old.encode(), new.encode()) == new.encode()
