"""Small faults in changed lines."""

from __future__ import annotations

import pytest

from runner.verify.mutants import emptied, mutants

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
    ],
)
def test_what_is_no_logic_is_left_alone(path: str, code: str) -> None:
    """Imports, stars of arguments, texts and comments."""
    assert lines(path, None, code) == []


@pytest.mark.parametrize(
    ("path", "code", "broken"),
    [
        ("a.js", "export const ok = (a, b) => a && b;\n", "export const ok = (a, b) => a || b;"),
        ("a.go", "package a\n\nfunc F(a int) bool { return a <= b }\n",
         "func F(a int) bool { return a < b }"),
        ("a.py", "def f(a):\n    return any(a)\n", "return all(a)"),
    ],
)  # fmt: skip
def test_other_languages_are_broken_as_well(path: str, code: str, broken: str) -> None:
    """What their grammar still reads."""
    assert lines(path, None, code) == [broken]


def test_a_function_is_emptied_whose_name_or_body_was_changed() -> None:
    """Others stay as they are."""
    old = b"def calc(a):\n    return a\n\n\ndef kept(a):\n    return -a\n"
    found = emptied("a.py", old, old.replace(b"calc", b"total_of"))

    assert found is not None
    assert found.content == old.replace(b"calc(a):\n    return a", b"total_of(a):\n    pass", 1)
    assert emptied("a.py", old, old + b"\n") is None
