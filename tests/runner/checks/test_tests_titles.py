"""Which tests of a JavaScript file are new or changed, by the names that reports give them."""

from __future__ import annotations

import pytest

from runner.checks.tests_titles import changed_cases

OLD = b"""\
import { describe, it, test } from 'vitest';

test('is alone', () => {
  expect(add(1, 1)).toBe(2);
});

describe('add', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it.each([[1, 2, 3]])('adds %i and %i', (a, b, sum) => {
    expect(add(a, b)).toBe(sum);
  });
});

describe('sub', () => {
  it('adds', () => {
    expect(sub(1, 2)).toBe(-1);
  });
});
"""
NAMES = ("is alone", "add > adds", "add > adds 1 and 2", "sub > adds")


def changed(was: str, now: str, names: tuple[str, ...] = NAMES, path: str = "a.test.ts") -> object:
    """Those of the names that count after this was replaced."""
    assert was in OLD.decode()
    return changed_cases(path, OLD, OLD.decode().replace(was, now).encode(), names)


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("(1, 1)).toBe(2)", "(1, 2)).toBe(3)", ("is alone",)),
        ("sub(1, 2)", "sub(2, 3)", ("sub > adds",)),
        ("[1, 2, 3]", "[1, 2, 3], [2, 2, 4]", ("add > adds 1 and 2",)),
        ("expect(add(1, 2))", "\n\n      expect( add(1, 2) )", ()),
        ("import {", "import { other } from './other';\nimport {", ()),
    ],
)
def test_only_tests_with_other_code_count(was: str, now: str, expected: tuple[str, ...]) -> None:
    """A test of the same title in another block does not, and neither do blanks."""
    assert changed(was, now) == expected


def test_a_new_test_counts_and_so_do_all_of_a_new_file() -> None:
    """Whatever they are called."""
    more = "it('adds none', () => {\n    expect(add()).toBe(0);\n  });\n  it('adds', "
    names = (*NAMES, "add > adds none")

    assert "add > adds none" in changed("it('adds', ", more, names)  # type: ignore[operator]
    assert changed_cases("a.test.ts", b"", OLD, NAMES) == NAMES


def test_names_of_mocha_and_subtests_of_node_are_known() -> None:
    """Mocha writes a blank between titles; a subtest is a call of its test's argument."""
    old = b"test('user', async (t) => {\n  await t.test('it\\'s named', () => named(1));\n});\n"
    new = old.replace(b"named(1)", b"named(2)")

    assert changed("sub(1, 2)", "sub(2, 3)", ("add adds", "sub adds")) == ("sub adds",)
    assert changed_cases("a.test.js", old, new, ["user > it's named"]) == ("user > it's named",)
    assert changed_cases("a.test.js", old, old, ["user > it's named", "user"]) == ()


def test_other_calls_are_no_tests() -> None:
    """A regular expression has a method of that name; what cannot be parsed shows nothing."""
    old = b"test('matches', () => {\n  assert(/a/.test('b'));\n});\n"
    new = b"const found = pattern.test('matches');\n" + old

    assert changed_cases("a.test.js", old, new, ["matches"]) == ()
    assert changed_cases("a.test.js", OLD, b"{" * 2_000, ["is alone"]) == ()


def test_a_test_within_another_may_be_named_by_its_own_title() -> None:
    """As tape does; a title that stands in two blocks says nothing of either."""
    more = b"""\
test('parse()', (t) => {
  t.test('one', (s) => s.ok(1));
  t.test('two', (s) => s.ok(%d));
});
"""

    assert changed_cases("a.js", more % 1, more % 2, ("one", "two")) == ("two",)
