"""Small faults in changed lines."""

from __future__ import annotations

import re

import pytest

from runner.verify.mutants import emptied, lines_outside, mutants

OLD = "def fee(total):\n    return 1\n"
NEW = '''def fee(total):
    """Is 3 + 4 == 7?"""
    if total > 100 and total != 200:  # over 100 == rich
        return total * 2
    return 1
'''


def lines(path: str, old: str | None, new: str, most: int = 9) -> list[str]:
    """The changed line of each broken version."""
    found = mutants(path, old.encode() if old is not None else None, new.encode(), most=most)
    for each in found:
        before, after = new.split("\n"), each.content.decode().split("\n")
        assert [n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b] == [
            each.line
        ]
    return [each.content.decode().split("\n")[each.line - 1].strip() for each in found]


def test_only_changed_code_is_broken_and_each_line_once() -> None:
    """Neither the docstring nor the comment, nor the line that was there before."""
    found = lines("fees.py", OLD, NEW)

    assert len(found) == 2
    assert "return total * 3" in found
    assert all("over 100 == rich" in line for line in found if line.startswith("if"))


def test_the_same_change_is_broken_in_the_same_way() -> None:
    """A second verification of the same tree asks the same of its tests."""
    assert lines("fees.py", OLD, NEW) == lines("fees.py", OLD, NEW)
    assert len(lines("fees.py", OLD, NEW, most=1)) == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", "import a1\nfrom b import c\n"),
        ("a.py", "@cache\ndef f(*args, **kwargs):\n    return g(*args)\n"),
        ("a.py", "text = 'a < b and 3'\n"),
        ("a.js", "const text = `a ${1 + 1}`; // 3 < 4\n"),
        ("a.go", "package a\n\n/* 1 < 2 */\n"),
        ("a.ts", "const né: string = 'é';\nexport const minor = /^(a|and|é|or|[0-9]{1,3})$/i;\n"),
    ],
)
def test_what_is_no_logic_is_left_alone(path: str, code: str) -> None:
    """Imports, stars of arguments, texts, patterns and comments."""
    assert lines(path, None, code) == []


@pytest.mark.parametrize(
    ("path", "code", "broken"),
    [
        ("a.js", "export const ok = (a, b) => a && b;\n", "export const ok = (a, b) => a || b;"),
        ("a.js", "/* é */ const p = /é and/; const two = (a) => a && p;\n",
         "/* é */ const p = /é and/; const two = (a) => a || p;"),
        ("a.go", "package a\n\nfunc F(a int) bool { return a <= b }\n",
         "func F(a int) bool { return a < b }"),
        ("a.py", "def f(a):\n    return any(a)\n", "return all(a)"),
    ],
)  # fmt: skip
def test_other_languages_are_broken_as_well(path: str, code: str, broken: str) -> None:
    """What their grammar still reads."""
    assert lines(path, None, code) == [broken]


@pytest.mark.parametrize(
    ("path", "code", "lines", "broken"),
    [
        ("a.py", "def a(x):\n    return x\n\n\ndef b(x):\n    return -x\n", {1}, 1),
        ("a.py", 'def a(x):\n    """Say x."""\n    if x:\n        return x\n', {4}, 1),
        ("a.py", "def a(x): return x\n", {1}, 1),
        (
            "a.py",
            "class A:\n    def a(self):\n        def b():\n            yield 1\n        return b\n",
            {4},
            1,
        ),
        ("a.js", "export function a(x) {\n  return x\n}\n", {2}, 1),
        ("a.go", "package a\n\nfunc A(x int) int {\n\treturn x\n}\n", {4}, 1),
        ("a.rs", "fn a(x: i32) -> i32 { x }\n", {1}, 1),
        ("a.py", "A = 1\n\n\ndef a():\n    return A\n", {1}, 0),
        ("a.py", 'def a():\n    """Nothing."""\n', {1, 2}, 0),
        ("a.c", "int a() { return 1; }\n", {1}, 0),
    ],
)
def test_functions_with_these_lines_end_at_once(
    path: str, code: str, lines: set[int], broken: int
) -> None:
    """All their text is there still: a test that reads it notices nothing."""
    found = emptied(path, code.encode(), lines)

    assert (found is not None) == bool(broken)
    if found:
        ends = re.findall(
            r"\breturn(?:;|\n|\b; )|return \*new\(int\);|return Default::default\(\);",
            found.content.decode(),
        )
        assert len(ends) == broken
        kept = found.content.decode().replace(ends[0], "", 1)
        assert kept.split() == code.split()


def test_lines_outside_of_functions_are_those_that_run_when_a_file_is_loaded() -> None:
    """Neither imports nor texts."""
    code = b'"""Text."""\nimport os\n\nA = 1\n\n\ndef a():\n    return A\n\n\n# end\n'

    assert lines_outside("a.py", code, range(20)) == {4}


@pytest.mark.parametrize(
    ("path", "head", "ends"),
    [
        ("a.go", "func A(x int)", "return;"),
        ("a.go", "func A(x int) (int, error)", "return *new(int), *new(error);"),
        ("a.go", "func A(x int) (n int, err error)", "return;"),
        ("a.go", "func (s *S) A() []T", "return *new([]T);"),
        ("a.rs", "fn a()", "return;"),
        ("a.rs", "fn a() -> Vec<u8>", "return Default::default();"),
        ("a.rs", "fn a() -> io::Result<u8>", "return Ok(Default::default());"),
        ("a.ts", "function a(): number", "return;"),
    ],
)
def test_an_empty_function_returns_nothing_of_its_type(path: str, head: str, ends: str) -> None:
    """What only calls it does not notice; a loud one fails whoever calls it."""
    first = "package a\n" if path == "a.go" else ""
    code = f"{first}{head} {{\n    run();\n}}\n".encode()
    quiet, loud = (emptied(path, code, {1, 2}, loud=loud) for loud in (False, True))

    assert quiet
    assert quiet.content.decode() == f"{first}{head} {{ {ends}\n    run();\n}}\n"
    assert loud
    assert re.search(rb"(?:panic!?|Error)\(\"emptied\"\)", loud.content)
