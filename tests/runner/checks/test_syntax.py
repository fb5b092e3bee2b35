"""Syntax faults are found at their exact line and column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.checks.validate import syntax_complaint
from tests.runner.checks.trees import syntax

BAD = {
    "no_colon": ("a.py", "def add(a, b)\n    return a + b\n", "SyntaxError", 1, 14),
    "bracket": ("a.py", "x = 1\ny = foo(1, 2\nz = 3\n", "SyntaxError", 2, 8),
    "bracket_doubled": ("a.py", "x = (1))\n", "SyntaxError", 1, 8),
    "quote4": ("a.py", 'def f():\n    """Text.""""\n', "SyntaxError", 2, 16),
    "open_docstring": ("a.py", 'def f():\n    """Text.\n    return 1\n', "SyntaxError", 2, 5),
    "open_string": ("a.py", "x = 'abc\n", "SyntaxError", 1, 5),
    "mixed_indent": ("a.py", "if x:\n        a = 1\n\tb = 2\n", "TabError", 3, 1),
    "bad_indent": ("a.py", "def f():\n    a = 1\n   b = 2\n", "IndentationError", 3, 9),
    "no_body": ("a.py", "def f():\n", "IndentationError", 1, 9),
    "print_statement": ("a.py", "print 'x'\n", "SyntaxError", 1, 1),
    "smart_quotes": ("a.py", "x = “a”\n", "SyntaxError", 1, 5),
    "lazy_ellipsis": ("a.py", "x = 1\n... rest of the code ...\n", "SyntaxError", 2, 5),
    "prose_inside": ("a.py", "x = 1\nThis adds two numbers.\n", "SyntaxError", 2, 6),
    "return_outside": ("a.py", "x = 1\nreturn x\n", "SyntaxError", 2, 1),
    "duplicate_argument": ("a.py", "def f(a, a): pass\n", "SyntaxError", 1, 10),
    "null_byte": ("a.py", "x = 1\ny = '\0'\n", "EncodingError", 2, 6),
    "json": ("a.json", '{\n  "a": 1,\n  "b" 2\n}\n', "JSONDecodeError", 3, 7),
    "json_trailing_comma": ("a.json", '{"a": 1,}\n', "JSONDecodeError", 1, 9),
    "json_nan": ("a.json", '{"NaN": 1,\n "b": NaN}\n', "JSONDecodeError", 2, 7),
    "json_bom": ("a.json", "\ufeff{}", "JSONDecodeError", 1, 1),
    "yaml": ("a.yml", "a: 1\nb: [1, 2\nc: 3\n", "YAMLError", 3, 2),
    "yaml_tab": ("a.yaml", "a:\n\tb: 1\n", "YAMLError", 2, 1),
    "yaml_second_document": ("a.yaml", "a: 1\n---\nb: 'x\n", "YAMLError", 4, 1),
    "toml": ("a.toml", 'a = 1\nb = "x\n', "TOMLDecodeError", 2, 7),
    "toml_end": ("a.toml", "a = ", "TOMLDecodeError", 1, 5),
    "toml_twice": ("pyproject.toml", "a = 1\na = 2\n", "TOMLDecodeError", 2, 6),
}

GOOD = {
    "python": ("a.py", "def f() -> int:\n    return 1\n"),
    "python warns": ("a.py", "x = '\\d'\nassert (x, 'always')\nx is 1\n"),
    "python empty": ("a.py", ""),
    "python bom": ("a.py", "\ufeffx = 1\n"),
    "stub": ("a.pyi", "def f() -> int: ...\n"),
    "json": ("a.json", '{"a": [1, 2.5e3, null]}'),
    "json long number": ("a.json", "1" * 5000),
    "json with comments": ("tsconfig.json", "{ // strict\n}"),
    "yaml documents": ("a.yaml", "a: 1\n---\n- b\n...\n"),
    "yaml tags": ("a.yml", "a: !Ref Bucket\nb: !!python/name:os.system\nc: !Sub\n  - x\n"),
    "yaml merge": ("a.yml", "a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n"),
    "yaml template": ("chart/templates/a.yaml", "a: {{ .Values.x }}\n"),
    "toml": ("a.toml", "[a]\nb = 1979-05-27\n"),
    "unknown language": ("a.xyz", "((("),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_fault_is_found_at_its_place(fault):
    """Error word, line and column are those of the fault."""
    path, text, error, line, column = BAD[fault]

    complaint = syntax(path, text)

    assert complaint is not None
    assert (complaint.error, complaint.line, complaint.column) == (error, line, column)


@pytest.mark.parametrize("name", GOOD)
def test_good_files_pass(name):
    """What the language's own readers take is not complained about."""
    assert syntax(*GOOD[name]) is None


def test_the_excerpt_shows_the_lines_around_the_fault():
    """The faulty line is marked and every line has its number."""
    complaint = syntax("a.py", "a = 1\nb = 2\nc = = 3\nd = 4\n")

    assert complaint.excerpt == (
        "     1 | a = 1\n     2 | b = 2\n>    3 | c = = 3\n     4 | d = 4\n     5 | "
    )


def test_bytes_that_are_no_text_are_refused_with_their_place():
    """A byte that is not UTF-8 is named with line and column."""
    complaint = syntax_complaint("a.txt", "ok\nü".encode() + b"\xff")

    assert (complaint.error, complaint.line, complaint.column) == ("EncodingError", 2, 2)


def test_python_may_declare_its_encoding():
    """A coding cookie makes Latin-1 legal Python."""
    assert syntax_complaint("a.py", b"# coding: latin-1\nx = '\xfc'\n") is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "-" * 100_000 + "1"),
        ("a.py", "(" * 1_000),
        ("a.py", "1" + "+1" * 100_000),
        ("a.json", "[" * 200_000),
        ("a.yaml", "[" * 200_000),
        ("a.yaml", "- " * 100_000),
        ("a.toml", "a = " + "[" * 100_000),
    ],
)
def test_deep_nesting_is_a_complaint_not_a_crash(path, text):
    """Hostile nesting ends in a complaint."""
    assert syntax(path, text) is not None


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["a.py", "a.json", "a.yaml", "a.toml", "a.txt"]),
    st.one_of(st.binary(), st.text(alphabet="{}[]:-\"'#&*!%@`|> \n\tabc01=.,()").map(str.encode)),
)
def test_any_bytes_are_accepted_or_complained_about(path, content):
    """No content makes a validator raise."""
    complaint = syntax_complaint(path, content)
    assert complaint is None or complaint.path == path
