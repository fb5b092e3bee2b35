"""Code that answers the cases of the tests that were there, one by one."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.copied import copied_cases
from tests.runner.checks.trees import changes

SAID = "Fix `price` in `a.py`: half a cent is rounded up"
GENERAL = "    return cents * percent // 100\n"
PYTHON = f"def price(cents, percent):\n{GENERAL}"
PYTHON_TESTS = (
    "from a import price\n\n\ndef test_price():\n    assert price(99, 50) == 50\n"
    "    assert price(505, 10) == 51\n    assert price(7, 7) == 49\n"
)
SLUG = "export function slug(text, by) {\n  return text.split(' ').join(by);\n}\n"
SLUG_TESTS = (
    "import { slug } from './a.js';\n\ntest('slug', () => {\n"
    "  assert.equal(slug('one -- two', '-'), 'one-two');\n"
    "  expect(slug('one & two', '_')).toBe('one_two');\n});\n"
)
GO = "package a\n\nfunc Days(year int) int {\n\treturn count(year)\n}\n"
GO_TESTS = (
    "package a\n\nfunc TestDays(t *testing.T) {\n\tfor _, c := range []struct{ in, out int }{\n"
    "\t\t{1900, 365},\n\t\t{2024, 366},\n\t} {\n\t\tif got := Days(c.in); got != c.out {\n"
    "\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n"
)
GO_CALLS = (
    "package a\n\nfunc TestDays(t *testing.T) {\n\tif got := Days(1900); got != 365 {\n"
    "\t\tt.Error(got)\n\t}\n\tif got := Days(2024); got != 366 {\n\t\tt.Error(got)\n\t}\n}\n"
)


def refused(path: str, new: str, test: str, old: str, said: str = SAID) -> list[int | None]:
    """The lines of the complaints about a new version, with a test of the base."""
    tests = {"tests/test_a.py" if path.endswith(".py") else "a.test.js": test.encode()}
    if path.endswith(".go"):
        tests = {"a_test.go": test.encode()}
    found = list(
        copied_cases(changes({path: new}), TaskWords(said), old={path: old.encode()}, tests=tests)
    )
    assert all(each.error == "CopiedFromTests" and each.path == path for each in found)
    return [each.line for each in found]


def python(body: str, said: str = SAID, tests: str = PYTHON_TESTS) -> list[int | None]:
    """The same for the body of a function of Python, in front of its general way."""
    return refused("a.py", PYTHON.replace(GENERAL, body + GENERAL), tests, PYTHON, said)


TABLE = "    known = {(99, 50): 50, (505, 10): 51, (990, 5): 941}\n"
LOOKED_UP = "    if (cents, percent) in known:\n        return known[cents, percent]\n"
IFS = (
    "    if cents == 99 and percent == 50:\n        return 50\n"
    "    if (cents, percent) == (505, 10):\n        return 51\n"
)


@pytest.mark.parametrize("body", [TABLE + LOOKED_UP, IFS, IFS.replace("    if (", "    elif (")])
def test_cases_of_a_test_in_a_function_of_python(body: str) -> None:
    """In a table, or as conditions in front of the general way."""
    assert python(body) == [2]


def test_a_table_of_the_module_counts_where_a_function_uses_it() -> None:
    """What it is called is what connects the two."""
    table = TABLE.strip() + "\n\n\n"
    code = PYTHON.replace(GENERAL, LOOKED_UP + GENERAL)

    assert refused("a.py", table + code, PYTHON_TESTS, PYTHON) == [1]
    assert refused("a.py", table.replace("known", "other") + code, PYTHON_TESTS, PYTHON) == []


FEW = "    known = {(99, 50): 50, (505, 10): 51, (1, 3): 4, (3, 4): 5, (5, 6): 7}\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (FEW + LOOKED_UP, SAID),
        ("    if cents == 99 and percent == 50:\n        return 50\n", SAID),
        (IFS, f"{SAID}: 99 and 50 give 50, 505 and 10 give 51"),
        (TABLE + LOOKED_UP, f"{SAID}; keep the table of known prices"),
        ("    if cents % 99 == 50:\n        return 50\n    if cents % 505 == 10:\n"
         "        return 51\n", SAID),
        ("    if cents == 99:\n        return cents + 50\n    if cents == 505:\n"
         "        return percent * 51\n", SAID),
        ("    if cents > 99:\n        return 50\n    if cents > 505:\n        return 51\n", SAID),
        ("    if not (cents == 99):\n        return 50\n    if not cents == 505:\n"
         "        return 51\n", SAID),
        ("    if cents == 0:\n        return 1\n    if cents == 1:\n        return 2\n", SAID),
        ("", SAID),
    ],
)  # fmt: skip
def test_what_python_may_have(body: str, said: str) -> None:
    """A table of more, one case, what the task says, and conditions that work something out."""
    assert python(body, said) == []


def test_small_numbers_alone_are_no_copy() -> None:
    """Where a series begins is written down in any program, and the tests try just that."""
    body = "    if cents == 0:\n        return 1\n    if cents == 1:\n        return 2\n"
    tests = (
        "from a import price\n\n\ndef test_price():\n    assert price(0, 7) == 1\n"
        "    assert price(1, 7) == 2\n"
    )

    assert python(body, tests=tests) == []
    assert python(
        body.replace("0", "40").replace("2", "42"),
        tests=tests.replace("price(0", "price(40").replace("== 2", "== 42"),
    ) == [2]


def test_a_table_of_all_there_is_has_no_general_way() -> None:
    """A mapping may be tested as a whole."""
    code = "KNOWN = {'low': 'green', 'high': 'red'}\n\n\ndef colour(of):\n    return KNOWN[of]\n"
    tests = (
        "def test_it():\n    assert colour('low') == 'green'\n    assert colour('high') == 'red'\n"
    )

    assert refused("a.py", code, tests, "") == []
    general = code.replace("return KNOWN[of]", "return KNOWN.get(of) or mixed(of)")
    assert refused("a.py", general, tests, "") == [1]


@pytest.mark.parametrize(
    ("guard", "lines"),
    [
        ("if (text.includes('--') || text.includes('&')) {\n    return `one${by}two`;\n  }", [2]),
        ("if (text === 'one -- two') return 'one-two';\n  if (text === 'one & two') {\n"
         "    // here\n    return 'one_two';\n  }", [2]),
        ("const known = { 'one -- two': 'one-two', 'one & two': 'one_two' };\n"
         "  if (known[text]) return known[text];", [2]),
        ("if (text.includes('--')) {\n    return `one${by}two`;\n  }", []),
        ("if (text.includes('--') || text.includes('&')) {\n    return join(text, by);\n  }", []),
        ("if (text.length === 2) return 'one-two';", []),
        ("if (text.at(0) === '--' || text.at(1) === '&') return 'one_two';", []),
    ],
)  # fmt: skip
def test_cases_of_a_test_in_javascript(guard: str, lines: list[int]) -> None:
    """Also parts of what goes in, and of what is expected."""
    code = SLUG.replace("  return", f"  {guard}\n  return", 1)
    assert refused("a.js", code, SLUG_TESTS, SLUG) == lines
    assert refused("a.ts", code, SLUG_TESTS, SLUG) == lines


@pytest.mark.parametrize("tests", [GO_TESTS, GO_CALLS])
@pytest.mark.parametrize(
    ("guard", "lines"),
    [
        ("\tif year == 1900 {\n\t\treturn 365\n\t}\n\tif year == 2024 {\n\t\treturn 366\n\t}\n",
         [4]),
        ("\tknown := map[int]int{1900: 365, 2024: 366}\n\tif d, ok := known[year]; ok {\n"
         "\t\treturn d\n\t}\n", [4]),
        ("\tif year%400 == 0 {\n\t\treturn 366\n\t}\n\tif year%100 == 0 {\n\t\treturn 365\n\t}\n",
         []),
    ],
)  # fmt: skip
def test_cases_of_a_test_in_go(guard: str, lines: list[int], tests: str) -> None:
    """In a table of tests, or in calls."""
    code = GO.replace("\treturn", f"{guard}\treturn", 1)
    assert refused("a.go", code, tests, GO) == lines


def test_what_was_there_before_is_nobodys_fault() -> None:
    """Only new branches count, and tests only of what the file defines."""
    there = PYTHON.replace(GENERAL, IFS + GENERAL)

    assert refused("a.py", there + "\n\nX = 1\n", PYTHON_TESTS, there) == []
    assert python(IFS, tests=PYTHON_TESTS.replace("price", "other")) == []
    assert python(IFS, tests="def test(:\n") == []
