"""Languages without a Python parser: faults at their place, and valid code let through."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.checks.validate import BY_SUFFIX, syntax_complaint, validate
from runner.code.languages import LANGUAGES, language_of
from runner.state.changes import ChangeSet, Snapshot, Write
from tests.runner.checks.trees import complaints, syntax

_LARGEST = LANGUAGES["javascript"].largest
SAMPLES = Path(__file__).parent / "samples"
VALID = {sample.name: sample.read_text() for sample in sorted(SAMPLES.iterdir())}

BAD = {
    "js behind a blank line": ("a.js", "\nf(;\n", 2, 3, "')' is missing here"),
    "js brackets": ("a.js", "f(a, {\n  b: [1, 2],\n  c: {},\n", 3, 9, "'{' of line 1"),
    "js paren": ("a.js", "const x = foo(1, 2;\n", 1, 19, "')' is missing here"),
    "js brace": ("a.mjs", "function f() {\n  if (a) {\n    b();\n}\n", 4, 2, "never closed"),
    "js extra brace": ("a.js", "f();\n}\n", 2, 1, "unexpected '}'"),
    "js string": ("a.js", "const a = 'abc;\nlet b = 1;\n", 1, 11, "never closed"),
    "js after umlaut": ("a.js", "const é = 1, b = = 2;\n", 1, 18, "unexpected '='"),
    "js crlf": ("a.js", "\ufeffconst a = 1;\r\nlet b = ;\r\n", 2, 9, "unexpected ';'"),
    "js prose": ("a.js", "f();\nThis is the end.\n", 2, 6, "unexpected"),
    "jsx": ("a.jsx", "const a = <p>b</q>;\n", 1, 17, "</p> is expected"),
    "ts": ("a.ts", "const x: number = ;\n", 1, 19, "unexpected ';'"),
    "ts interface": (
        "a.ts",
        "interface A {\n a: string\n b number\n}\n",
        3,
        4,
        "unexpected 'number'",
    ),
    "tsx": ("a.tsx", "const a = <ul><li></ul>;\n", 1, 25, "end of file"),
    "go": ("a.go", "package a\n\nfunc f() {\n\tx := 1 +\n}\n", 5, 1, "unexpected '}'"),
    "go parameters": ("a.go", "package a\nfunc f( {\n}\n", 2, 8, "')' is missing here"),
    "rust semicolon": ("a.rs", "fn f() {\n    let x = 1\n    x + 1;\n}\n", 2, 14, "';' is missing"),
    "rust type": ("a.rs", "fn f() -> { 1 }\n", 1, 11, "unexpected '{'"),
    "java semicolon": ("A.java", "class A {\n  int x = 1\n  int y;\n}\n", 2, 12, "';' is missing"),
    "java brace": ("A.java", "class A {\n  void f() {\n    f();\n  }\n", 4, 4, "'{' of line 1"),
    "c# semicolon": ("A.cs", "class A {\n  int x = 1\n  int y;\n}\n", 2, 12, "';' is missing"),
    "c# brace": ("A.cs", "class A {\n  void F() {\n    F();\n  }\n", 4, 4, "'{' of line 1"),
    "ruby": ("a.rb", "def f\n  if x\n    1\nend\n", 4, 4, "unexpected end of file"),
    "php": ("a.php", "<?php\n$a = 1\n$b = 2;\n", 2, 7, "';' is missing here"),
    "shell fi": ("a.sh", "if [ -f a ]; then\n  echo a\n", 2, 9, "'fi' is missing here"),
    "shell quote": ("a.sh", "echo 'abc\n", 1, 6, "never closed"),
    "shell done": ("a.bash", "for a in b; do echo $a; fi\n", 1, 27, "'done' is missing here"),
    "css brace": ("a.css", "a {\n  color: red;\n", 2, 14, "'{' of line 1"),
    "css extra brace": ("a.css", "a { color: red; }}\n", 1, 18, "unexpected '}'"),
    "css comment": ("a.css", "a {}\n/* b\n", 2, 1, "comment"),
    "css text": ("a.css", 'a { content: "b;\n}\n', 1, 14, "never closed"),
    "sql": ("a.sql", "SELECT 1;\nSELECT * FORM a;\n", 2, 15, "unexpected 'a'"),
    "sql comma": ("a.sql", "CREATE TABLE a (\n  b INT\n  c INT\n);\n", 3, 3, "at 'c'"),
    "sql two commas": ("a.sql", "SELECT a,, b FROM c;\n", 1, 9, "','"),
    "sql paren": ("a.sql", "INSERT INTO a VALUES (1, 2;\n", 1, 26, "expecting )"),
    "sql quote": ("a.sql", "SELECT 1;\nSELECT 'abc;\n", 2, 8, "never closed"),
    "sql dialect": (
        "a.sql",
        "SELECT 1;\nDELETE FROM a USING b;\n\nSELECT x y z FROM a;\n",
        4,
        12,
        "unexpected 'z'",
    ),
    "sql tag": ("a.sql", "SELECT $a$ ( $a$;\nSELECT * FORM a;\n", 2, 15, "unexpected 'a'"),
    "sql word": ("a.sql", "SELEC * FROM a\n", 1, 9, "missing here at 'FROM'"),
}
LET_BE = {
    "declarations": ("a.d.ts", "export default function (): { a: ((;\n"),
    "flow": ("a.js", "// @flow\nconst a = (b: number): string => c;\n"),
    "zsh": ("a.sh", "#!/bin/zsh\nfor x (a b) echo $x\n"),
    "sql template": ("a.sql", "SELECT * FROM {{ ref('a') }} WHERE (\n"),
    "psql": ("a.sql", "\\echo 'a\nSELECT 1;\n"),
    "procedure": ("a.sql", "CREATE FUNCTION f() RETURNS int AS $$ BEGIN; ( $$ LANGUAGE x\n"),
    "css to come": ("a.css", "@new-rule (a < ) { b { c ?: d } }\n"),
    "java types": ("A.java", "a<b<" * 4_000),
    "c# types": ("A.cs", "a<b<" * 4_000),
    "large": ("a.js", "(" * (_LARGEST + 1)),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_fault_is_found_at_its_place(fault):
    """Line and column are those of the fault, and the message names it."""
    path, text, line, column, said = BAD[fault]

    complaint = syntax(path, text)

    assert complaint is not None
    assert (complaint.line, complaint.column) == (line, column)
    assert said in complaint.message
    assert f">{line:5} | " in complaint.excerpt


def test_every_language_has_its_examples():
    """A language without a valid file in ``samples/`` or a fault in ``BAD`` is named here."""
    valid = {language_of(path) for path in VALID}
    faults = {language_of(path) for path, *_ in BAD.values()}
    tested_elsewhere = {"python", "c", "cpp", "html"}  # or not checked

    assert LANGUAGES.keys() - valid - tested_elsewhere == set()
    assert LANGUAGES.keys() - faults - tested_elsewhere == set()


@pytest.mark.parametrize("path", VALID)
def test_valid_code_passes(path):
    """Ordinary and recent syntax is not complained about."""
    assert syntax(path, VALID[path]) is None


@pytest.mark.parametrize("path", VALID)
def test_valid_code_passes_with_other_line_ends(path):
    """The same code with CRLF is as valid."""
    assert syntax(path, VALID[path].replace("\n", "\r\n")) is None


@pytest.mark.parametrize("path", sorted(VALID.keys() - {"a.css"}))
def test_code_that_stops_in_the_middle_is_noticed(path):
    """The first half of a sample and an opening bracket is no whole file."""
    text = VALID[path]
    half = text[: text.rindex("(", 0, len(text) * 2 // 3) + 1]

    assert syntax(path, half) is not None


@pytest.mark.parametrize("name", LET_BE)
def test_what_a_grammar_cannot_judge_is_let_be(name):
    """Templates, macros, other dialects and very large files are left to their own tools."""
    assert syntax(*LET_BE[name]) is None


OLD = "const a = (;\nconst b = 1;\n"


def test_errors_that_were_there_before_are_not_held_against_an_answer():
    """A grammar that already stumbled over the old file may stumble over the new one."""
    assert complaints({"a.js": OLD + "f();\n"}, {"a.js": OLD}) == []


def test_more_errors_than_before_are_said():
    """A file that was broken may not get worse; a good one may not break."""
    assert complaints({"a.js": OLD + "f(;\n"}, {"a.js": OLD}) == [("a.js", "SyntaxError")]
    assert complaints({"a.js": OLD}, {"a.js": "f();\n"}) == [("a.js", "SyntaxError")]


def test_a_broken_python_file_is_never_excused():
    """Where the language's own parser speaks, what was before does not count."""
    assert complaints({"a.py": "x = (\ny\n"}, {"a.py": "x = (\n"}) == [("a.py", "SyntaxError")]


HOSTILE = [
    "(", "{", "([{", "a<", "a<b<", "<a>", "<<A\n", "`${", '"', "if a then ", "#if 0\n", "- ", "/*",
    "<%", "{%", "fn a(", "a:b{", "SELECT (", "$a$", "=>",
]  # fmt: skip
FIRST_SUFFIXES = [row.suffixes[0] for name, row in LANGUAGES.items() if name != "python"]
SUFFIXES = sorted({suffix for suffix in BY_SUFFIX if suffix not in {".py", ".pyi"}})


@pytest.mark.sample(12, "takes seconds for each language")
@pytest.mark.parametrize("suffix", [*FIRST_SUFFIXES, ".sql"])
@pytest.mark.parametrize("size", [
    4 << 10, pytest.param(16 << 10, marks=pytest.mark.nightly("takes seconds for each language")),
])  # fmt: skip
def test_hostile_files_cost_seconds_at_most(suffix, size):
    """Openings of every kind, and noise, are answered in bounded time and end no process."""
    noise = random.Random(1)  # noqa: S311 - no secret
    texts = [(piece * size)[:size] for piece in HOSTILE]
    texts.append("".join(noise.choices("(){}[]<>;:'\"`$#= \nabc01/*", k=size)))

    for text in texts:
        began = time.thread_time()
        syntax("a" + suffix, text)
        # 3.5 s at most on a quiet machine, and three times that while coverage is measured
        assert time.thread_time() - began < 40, text[:20]


def test_the_deepest_nesting_ends_no_process():
    """As many open brackets as a file may have are taken down without an end of the stack."""
    for suffix in (".js", ".java", ".cs", ".php", ".css"):
        start = "<?php " if suffix == ".php" else ""
        assert syntax("a" + suffix, start + "([{" * ((_LARGEST - 9) // 3)) is not None


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SUFFIXES),
    st.one_of(
        st.binary(max_size=300),
        st.lists(st.sampled_from([*HOSTILE, ")", "}", "]", ";", "\n", "x", "1"]), max_size=40)
        .map("".join)
        .map(str.encode),
    ),
)
def test_any_bytes_are_accepted_or_complained_about(suffix, content):
    """No content makes a checker raise, and a place lies within the file."""
    complaint = syntax_complaint("a" + suffix, content)

    assert complaint is None or complaint.path == "a" + suffix
    if complaint and complaint.line and "a" + suffix not in {"a.yaml", "a.yml"}:
        assert 1 <= complaint.line <= content.count(b"\n") + 1


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["a" + suffix for suffix in SUFFIXES] + ["a.py", "Gemfile"]),
        st.lists(
            st.sampled_from([*HOSTILE, ")", "}", "]", ";", "\n", "x = 1\n", "\xff"]), max_size=8
        ).map(lambda pieces: "".join(pieces).encode("latin-1")),
        max_size=4,
    )
)
def test_a_change_that_passes_has_no_file_its_checker_refuses(files):
    """``validate`` says nothing exactly when each new file passes alone."""
    change = ChangeSet({path: Write(content) for path, content in files.items()})

    found = validate(change, Snapshot("", "", {}), read=lambda _path: None)

    broken = {path for path, content in files.items() if syntax_complaint(path, content)}
    assert {complaint.path for complaint in found} == broken
