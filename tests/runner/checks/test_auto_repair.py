"""Faults that are put right without a model."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.checks.auto_repair import auto_repair
from runner.checks.validate import syntax_complaint
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint
from tests.runner.checks.trees import changes, syntax

REPAIRED = {
    "quote4 end": ("a.py", 'def f():\n    """Text.""""\n', 'def f():\n    """Text."""\n'),
    "quote4 both": ("a.py", 'def f():\n    """"Text.""""\n', 'def f():\n    """Text."""\n'),
    "quote4 own line": (
        "a.py",
        'def f():\n    """Text.\n\n    >>> f("")\n    \'\'\n    """"\n    return 1\n',
        'def f():\n    """Text.\n\n    >>> f("")\n    \'\'\n    """\n    return 1\n',
    ),
    "quote4 single": ("a.py", "x = '''a''''\n", "x = '''a'''\n"),
    "two at once": (
        "a.py",
        '```\ndef f():\n    """Text.""""\n```\n',
        'def f():\n    """Text."""\n',
    ),
    "smart": ("a.py", "x = “a”\ny = ‘b’\n", "x = \"a\"\ny = 'b'\n"),  # noqa: RUF001
    "smart kept in strings": ("a.py", 'x = "“a”"\ny = “b”\n', 'x = "“a”"\ny = "b"\n'),
    "smart docstring": ("a.py", "def f():\n    “““Text.”””\n", 'def f():\n    """Text."""\n'),
    "nbsp": ("a.py", "x\u00a0= 1\n", "x = 1\n"),
    "fences": ("a.py", "```python\nx = 1\n```\n", "x = 1\n"),
    "fence at end": ("a.toml", "x = 1\n```\n", "x = 1\n"),
    "mark": ("a.json", '\ufeff{"a": 1}\n', '{"a": 1}\n'),
    "json commas": ("a.json", '{"a": [1, 2,],\n "b": ",]",\n}\n', '{"a": [1, 2],\n "b": ",]"\n}\n'),
}


def repaired(path: str, text: str):
    change = changes({path: text})
    return auto_repair(change, [complaint] if (complaint := syntax(path, text)) else [])


@pytest.mark.parametrize("fault", REPAIRED)
def test_a_mechanical_fault_is_put_right(fault):
    """The file parses afterwards, and only the fault is gone."""
    path, bad, good = REPAIRED[fault]

    after, notes = repaired(path, bad)

    assert after.files[path].content.decode() == good
    assert syntax_complaint(path, good.encode()) is None
    assert len(notes) == 1
    assert notes[0].startswith(f"{path}: ")


@pytest.mark.parametrize(
    "text",
    [
        "x = (1\n",
        "x = 'a\n",
        "def f()\n    return (\n",
        "print >>f, 'x'\n",
        "print 'x',\n",
        "print 'x'  # y\n",
        "x = 2 * (1) + 3)\n",
        "for x in y:\n        if x:\n            a()\n      b()\n",
        "print 'a', x\n",
        'def f(x):\n    """Add one.\n    return x + 1\n',
        "x = 1\n... rest of the code ...\n",
        "x = 1\nThe rest of the code remains unchanged.\n",
        "def f():\n    This function adds two numbers.\n",
        'def f():\n    """Add.\n    Example\n    return 1\n',
        'x = """a\ny = 1\n',
        "def f(:\n    pass\n",
        "if x = 1:\n    pass\n",
        "class A:\n",
    ],
)
def test_what_needs_understanding_is_left_to_the_model(text):
    """A fault with two readings, or with none, stays as it is."""
    after, notes = repaired("a.py", text)

    assert after.files["a.py"].content.decode() == text
    assert notes == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.json", "{'a': {1, 2}}"), ("a.json", "'a'"), ("a.json", "{'a': 1"), ("a.js", "f(;\n")],
)
def test_other_languages_are_guessed_at_no_more(path, text):
    """What is no slip of the pen stays as it is in JSON and elsewhere, too."""
    assert repaired(path, text)[1] == ()


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["a.py", "a.json", "a.js", "a.yaml", "a.sh", "a.sql", "a.txt"]),
    st.one_of(
        st.binary(max_size=200),
        st.lists(
            st.sampled_from(
                ["def f()", "\n", "    ", "\t", '"""', "print 'a'", "if x", ":", "return 1",
                 ")", "(", "“", "&lt;", "+", "1 | ", "```", "This is some long prose.", "x = 1",
                 "{", "}"]
            ),
            max_size=25,
        ).map("".join).map(str.encode),
    ),
)  # fmt: skip
def test_a_mended_file_parses_and_any_bytes_are_answered(path, content):
    """Nothing is raised; what is changed parses, and what parses is not changed."""
    change = ChangeSet({path: Write(content)})
    before = syntax_complaint(path, content)

    after, notes = auto_repair(change, [before] if before else [])

    assert (after != change) == bool(notes)
    if notes:
        assert before is not None
        assert syntax_complaint(path, after.files[path].content) is None


def test_a_good_file_is_never_touched():
    """A complaint of another kind does not change a file that parses."""
    text = 'x = """a"""\n# “quoted”\n'
    change = changes({"a.py": text})

    assert auto_repair(change, [Complaint("a.py", "ProtectedPath", "no")]) == (change, ())
