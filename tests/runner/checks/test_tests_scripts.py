"""What the tests of JavaScript, TypeScript and Go demand: less than before is refused."""

from __future__ import annotations

import re

import pytest

from runner.checks.tests_kept import weakened_tests
from tests.runner.checks.trees import changes

SCRIPT = "import { add } from '../add.js';\n\ntest('adds', () => {\n%s\n});\n"
GO = "package a\n\nfunc TestAdd(t *testing.T) {\n%s\n}\n"
GO_SUM = '\tif Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}'


def loss(path: str, before: str, after: str) -> str:
    """What a first answer may not do to a test file, as its one complaint says; '' for nothing."""
    found = weakened_tests(changes({path: after}), read=lambda _: before.encode(), repairing=False)
    said = "".join(complaint.message for complaint in found)
    return re.split(r"[`(:.]", re.sub(r"^The (?:test file|test|module) \S+ ", "", said))[0].strip()


BODIES = {
    "expect(add(1, 2)).toBe(4);": "",
    "expect(add(1, 2)).toBeTruthy();": "would demand less",
    "expect(add(1, 2)).not.toBe(4);": "would demand less",
    "expect(3).toBe(3);": "would lose the check",
    "expect(add).toBe(add);": "would lose the check",
    "expect(add(1)).toBe(add(1));": "",
    "assert(add(1, 2) === 3);": "",
    "assert(add(1, 2));": "would demand less",
    "assert.ok(add(1, 2));": "would demand less",
    "assert.equal(add(1, 2), 3);": "",
    "add(1, 2).should.equal(3);": "",
    "request(app).get('/').expect(200);": "",
    "t.is(add(1, 2), 3);": "",
    "t.plan(3);": "would lose the check",
    "expect.assertions(1);": "would lose the check",
    "if (false) {\n  expect(add(1, 2)).toBe(3);\n}": "would lose the check",
    "if (false) {\n} else {\n  expect(add(1, 2)).toBe(3);\n}": "",
    "if (x) {\n  expect(add(1, 2)).toBe(3);\n}": "",
    "return;\nexpect(add(1, 2)).toBe(3);": "would lose the check",
    "throw x;\nexpect(add(1, 2)).toBe(3);": "would lose the check",
    "return expect(add(1, 2)).toBe(3);": "",
    "try {\n  expect(add(1, 2)).toBe(3);\n} catch (e) {\n}": "would lose the check",
    "try {\n  expect(add(1, 2)).toBe(3);\n} catch (e) {\n  throw e;\n}": "",
    "try {\n  expect(add(1, 2)).toBe(3);\n} catch (e) {\n  fail(e);\n}": "",
    "try {\n  expect(add(1, 2)).toBe(3);\n} finally {\n}": "",
    "// expect(add(1, 2)).toBe(3);": "would lose the check",
    "checkSum(add(1, 2), 3);": "",
    "same(add(1, 2), 3);": "would lose the check",
    "this.skip();\nexpect(add(1, 2)).toBe(3);": "would be skipped",
    "expect(add(1, 2)).toBeDefined();": "would demand less",
    "expect(add()).toMatchSnapshot();": "",
    "expect(add(1,\n  2)).toBe(3);": "",
}


@pytest.mark.parametrize("after", BODIES)
def test_what_a_body_demands(after: str) -> None:
    """In the words of every runner; what is not reached, or caught, demands nothing."""
    before = SCRIPT % "expect(add(1, 2)).toBe(3);"
    assert loss("test/a.test.js", before, SCRIPT % after) == BODIES[after]


CHANGES = {
    "another word for a test": ("test(", "it(", ""),
    "skipped": ("test(", "test.skip(", "would be skipped"),
    "skipped by a letter": ("test(", "xtest(", "would be skipped"),
    "to be done": ("test(", "test.todo(", "would be skipped"),
    "alone": ("test(", "test.only(", ""),
    "skipped by an option": ("s', ", "s', { skip: true }, ", "would be skipped"),
    "not skipped by an option": ("s', ", "s', { skip: false }, ", ""),
    "another option": ("s', ", "s', { timeout: 1 }, ", ""),
    "another title": ("'adds'", "'sums'", ""),
    "a title in other quotes": ("'adds'", "`adds`", ""),
    "a title with a name in it": ("'adds'", "'adds' + x", ""),
    "with rows": ("test(", "test.each([[1, 2]])(", ""),
    "in a group": ("test(", "describe('all', () => test(", ""),
    "in a group that is skipped": ("test(", "xdescribe('all', () => test(", "would be skipped"),
    "no test any more": ("test(", "beforeEach(", "would be deleted"),
    "no code": (SCRIPT, "const x = 1;\n", "would be deleted"),
    "broken": (SCRIPT, "const (", "would lose the test"),
    "an end before it": ("test(", "process.exit(0);\ntest(", "would be skipped"),
    "the assertion in a helper": (
        "test('adds', () => {\n%s",
        "const same = (a, b) => expect(a).toBe(b);\ntest('adds', () => {\nsame(add(1, 2), 3);",
        "",
    ),
    "the assertion in a function": (
        "test('adds', () => {\n%s",
        "function same(a) { expect(a).toBe(3); }\ntest('adds', () => {\nsame(add(1, 2));",
        "",
    ),
}


@pytest.mark.parametrize("how", CHANGES)
def test_whether_a_test_runs(how: str) -> None:
    """Under its title, in a group, with rows; what skips it, or all of the file, is named."""
    old, new, expected = CHANGES[how]
    after = SCRIPT.replace(old, new)
    after = after.replace("() => test(", "() => { test(") + "});\n" * ("'all'" in after)
    sure = "expect(add(1, 2)).toBe(3);"
    assert loss("test/a.test.ts", SCRIPT % sure, after.replace("%s", sure)) == expected


ROWS = {
    "test.each([[1], [2], [3]])": "",
    "test.each([[1], [2]])": "would lose the check",
    "test.each(rows)": "would lose the check",
    "test": "would lose the check",
}


@pytest.mark.parametrize("after", ROWS)
def test_rows_of_scripts(after: str) -> None:
    """Three assertions may become one with three rows."""
    sums = "".join(f"  expect(add({n})).toBe({n});\n" for n in (1, 2, 3))
    body = f"{after}('adds', (a) => {{\n  expect(add(a)).toBe(a);\n}});\n"
    assert loss("test/a.test.js", f"test('adds', () => {{\n{sums}}});\n", body) == ROWS[after]


GO_BODIES = {
    '\tif Add(1, 2) != 4 {\n\t\tt.Fatalf("no")\n\t}': "",
    '\tif Add(1, 2) != nil {\n\t\tt.Error("no")\n\t}': "would demand less",
    '\tif Add(1, 2) != true {\n\t\tt.Error("no")\n\t}': "would demand less",
    '\tif 1 != 2 {\n\t\tt.Error("no")\n\t}': "would lose the check",
    '\tif false {\n\t\tt.Error("no")\n\t}': "would lose the check",
    '\tif true {\n\t\tt.Error("no")\n\t}': "would lose the check",
    '\tif a != a {\n\t\tt.Error("no")\n\t}': "would lose the check",
    "\tassert.Equal(t, 3, Add(1, 2))": "",
    "\tassert.Equal(t, 3, 3)": "would lose the check",
    "\trequire.NotNil(t, Add(1, 2))": "would demand less",
    "\tassert.True(t, Add(1, 2))": "would demand less",
    "\tt.Log(Add(1, 2))": "would lose the check",
    '\tt.Skip()\n\tif Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}': "would be skipped",
    '\treturn\n\tif Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}': "would lose the check",
    '\tt.Run("a", func(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n\t})': "",
    "\tsame(t, Add(1, 2), 3)": "would lose the check",
    "\tcheckSum(t, Add(1, 2), 3)": "",
    '\tfmt.Errorf("x")': "would lose the check",
    '\tif false {\n\t} else if Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}': "",
}


@pytest.mark.parametrize("after", GO_BODIES)
def test_what_a_body_of_go_demands(after: str) -> None:
    """By its condition and what fails under it, or by testify's words."""
    assert loss("a_test.go", GO % GO_SUM, GO % after) == GO_BODIES[after]


MAIN = "func TestMain(m *testing.M) {\n\tos.Exit(%s)\n}\n\nfunc TestAdd"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("package a", "//go:build never\n\npackage a", "would be skipped"),
        ("package a", "// +build never\n\npackage a", "would be skipped"),
        ("package a", "// built never\n\npackage a", ""),
        ("func TestAdd", MAIN % "0", "would be skipped"),
        ("func TestAdd", MAIN % "m.Run()", ""),
        ("TestAdd", "testAdd", "would be deleted"),
        ("testing.T", "testing.B", "would be deleted"),
        ("TestAdd", "TestSum", ""),
    ],
)
def test_whether_a_test_of_go_runs(old: str, new: str, expected: str) -> None:
    """By its name and what it takes; a build tag or a ``TestMain`` may keep it from running."""
    assert loss("a_test.go", GO % GO_SUM, (GO % GO_SUM).replace(old, new)) == expected


HELPER = (
    GO % "\tsame(t, Add(1, 2), 3)"
    + "\nfunc same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Error(a)\n\t}\n}\n"
)
TABLE = GO % (
    "\tfor _, row := range []struct{ a, b int }{{1, 2}, {2, 3}, {3, 4}} {\n"
    "\t\tif Next(row.a) != row.b {\n\t\t\tt.Error(row)\n\t\t}\n\t}"
)
THREE = GO % "\n".join(f'\tif Next({n}) != {n + 1} {{\n\t\tt.Error("no")\n\t}}' for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (HELPER, HELPER.replace("\t\tt.Error(a)\n", ""), "would lose the check"),
        (HELPER, GO % GO_SUM, ""),
        (GO % GO_SUM, HELPER, ""),
        (TABLE, TABLE.replace(", {3, 4}", ""), "would run with 2 cases instead of 3"),
        (TABLE, TABLE.replace("{3, 4}", "{3, 4}, {4, 5}"), ""),
        (TABLE, THREE, "would run with 1 cases instead of 3"),
        (THREE, TABLE, ""),
        (THREE, TABLE.replace(", {2, 3}, {3, 4}", ""), "would lose the check"),
    ],
)
def test_helpers_and_tables_of_go(before: str, after: str, expected: str) -> None:
    """A helper asserts for who calls it, a table once for each of its rows."""
    assert loss("a_test.go", before, after) == expected
