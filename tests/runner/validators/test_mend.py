"""Faults that are put right without a model."""

from __future__ import annotations

import pytest

from runner.findings import Complaint
from runner.validators import mend, syntax_complaint
from tests.runner.validators.trees import changes, syntax

MENDED = {
    "quote4 end": ("a.py", 'def f():\n    """Text.""""\n', 'def f():\n    """Text."""\n'),
    "quote4 both": ("a.py", 'def f():\n    """"Text.""""\n', 'def f():\n    """Text."""\n'),
    "quote4 own line": (
        "a.py",
        'def f():\n    """Text.\n\n    >>> f("")\n    \'\'\n    """"\n    return 1\n',
        'def f():\n    """Text.\n\n    >>> f("")\n    \'\'\n    """\n    return 1\n',
    ),
    "quote4 single": ("a.py", "x = '''a''''\n", "x = '''a'''\n"),
    "smart": ("a.py", "x = “a”\ny = ‘b’\n", "x = \"a\"\ny = 'b'\n"),  # noqa: RUF001
    "smart kept in strings": ("a.py", 'x = "“a”"\ny = “b”\n', 'x = "“a”"\ny = "b"\n'),
    "smart docstring": ("a.py", "def f():\n    “““Text.”””\n", 'def f():\n    """Text."""\n'),
    "tabs": (
        "a.py",
        "def f(x):\n\tif x:\n\t\treturn 1\n        return 2\n",
        "def f(x):\n    if x:\n        return 1\n        return 2\n",
    ),
    "nbsp": ("a.py", "x\u00a0= 1\n", "x = 1\n"),
    "fences": ("a.py", "```python\nx = 1\n```\n", "x = 1\n"),
    "fence at end": ("a.toml", "x = 1\n```\n", "x = 1\n"),
    "mark": ("a.json", '\ufeff{"a": 1}\n', '{"a": 1}\n'),
    "json commas": ("a.json", '{"a": [1, 2,],\n "b": ",]",\n}\n', '{"a": [1, 2],\n "b": ",]"\n}\n'),
    "two at once": (
        "a.py",
        '```\ndef f():\n    """Text.""""\n```\n',
        'def f():\n    """Text."""\n',
    ),
}


def mended(path: str, text: str):
    change = changes({path: text})
    return mend(change, [complaint] if (complaint := syntax(path, text)) else [])


@pytest.mark.parametrize("fault", [name for name in MENDED if name != "tabs"])
def test_a_mechanical_fault_is_put_right(fault):
    """The file parses afterwards, and only the fault is gone."""
    path, bad, good = MENDED[fault]

    after, notes = mended(path, bad)

    assert after.files[path].content.decode() == good
    assert syntax_complaint(path, good.encode()) is None
    assert len(notes) == 1
    assert notes[0].startswith(f"{path}: ")


def test_mixed_tabs_with_one_meaning_become_blanks():
    """When every width that compiles means the same, the indentation is put right."""
    after, notes = mended("a.py", "if x:\n        a = 1\n\tb = 2\n")

    assert after.files["a.py"].content == b"if x:\n        a = 1\n        b = 2\n"
    assert notes == ("a.py: put blanks for tabs",)


def test_mixed_tabs_with_two_meanings_are_left():
    """A file whose meaning depends on the tab's width is not guessed at."""
    path, bad, _ = MENDED["tabs"]

    after, notes = mended(path, bad)

    assert after.files[path].content.decode() == bad
    assert notes == ()


@pytest.mark.parametrize("text", ["def f()\n    return 1\n", "x = (1\n", "x = 'a\n", "print 'x'\n"])
def test_what_needs_understanding_is_left_to_the_model(text):
    """A fault that no mechanical repair cures stays as it is."""
    after, notes = mended("a.py", text)

    assert after.files["a.py"].content.decode() == text
    assert notes == ()


def test_a_good_file_is_never_touched():
    """A complaint of another kind does not change a file that parses."""
    text = 'x = """a"""\n# “quoted”\n'
    change = changes({"a.py": text})

    assert mend(change, [Complaint("a.py", "ProtectedPath", "no")]) == (change, ())
