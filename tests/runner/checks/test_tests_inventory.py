"""What counts as a test, as its assertions, as what skips it, and as settings that hide it."""

from __future__ import annotations

import re

import pytest

from runner.checks.tests_inventory import bent_tests, inventory, standing_tests, unchanged_tests
from runner.checks.tests_kept import weakened_tests
from tests.runner.checks.trees import changes

PATH = "tests/test_a.py"
ONE = "def test_a():\n    assert a() == 1\n"
HELPER = "def same(x):\n    assert x == 1\n\n\ndef test_a():\n    same(a())\n"
HELPERS = HELPER.replace(
    "def test_a():\n    same", "def two(x):\n    same(x)\n\n\ndef test_a():\n    two"
)
FIXTURE = "@fixture\ndef ready():\n    assert a() == 1\n\n\ndef test_a(ready):\n    pass\n"
ROWS = '@pytest.mark.parametrize("x", {})\ndef test_a(x):\n    assert a(x) == 1\n'
THREE = ROWS.format("[1, 2, 3]")
SIX = '@pytest.mark.parametrize("y", [1, 2])\n' + THREE
TWO_TESTS = f"{ONE}\n\ndef test_b():\n    assert b() == 2\n"
TWO_CHECKS = f"{ONE}    assert b() == 2\n"


def losses(path: str, before: str | None, after: str | None, **options: object) -> list[str]:
    """What each complaint about a change of one file says is lost."""
    found = weakened_tests(
        changes({path: after}),
        read=lambda _: None if before is None else before.encode(),
        **{"repairing": False, **options},
    )
    said = (re.sub(r"^The (?:test file|test|module) \S+ ", "", each.for_model) for each in found)
    return [re.split(r"[`:]|\. ", each)[0].strip() for each in said]


SKIPS = {
    f"@skip\n{ONE}": "skip",
    f"@pytest.mark.skipif(x)\n{ONE}": "pytest.mark.skipif",
    f"@unittest.skip('x')\n{ONE}": "unittest.skip",
    f"slow = pytest.mark.skip\n\n\n@slow\n{ONE}": "slow",
    f"slow = pytest.mark.slow\n\n\n@slow\n{ONE}": "",
    f"pytestmark = pytest.mark.xfail\n{ONE}": "pytest.mark.xfail",
    f"pytestmark = pytest.mark.slow\n{ONE}": "",
    f"__test__ = False\n{ONE}": "__test__",
    f"pytest.importorskip('x')\n{ONE}": "pytest.importorskip",
    f"pytest.exit('x')\n{ONE}": "pytest.exit",
    f"if x:\n    pytest.skip('x')\n{ONE}": "pytest.skip",
    f"{ONE}    pytest.exit('x')\n": "pytest.exit",
    f"{ONE}    sys.exit(1)\n": "",
    f"{ONE}    exit(1)\n": "",
    f"async {ONE}": "",
    "not python (": "",
}


@pytest.mark.parametrize("after", SKIPS)
def test_what_keeps_a_test_from_running(after: str) -> None:
    """Marks, also by another name, and calls; in the test, on it, or at the top of the file."""
    expected = [f"would be skipped ({SKIPS[after]})"] if SKIPS[after] else []
    assert losses(PATH, ONE, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (ONE, HELPER, []),
        (ONE, HELPERS, []),
        (HELPER, HELPER.replace("assert x == 1", "pass"), ["would lose the check"]),
        (HELPERS, HELPERS.replace("assert x == 1", "pass"), ["would lose the check"]),
        (ONE, FIXTURE, []),
        (FIXTURE, FIXTURE.replace("assert a() == 1", "pass"), ["would lose the check"]),
        (FIXTURE, FIXTURE.replace("(ready)", "()"), ["would lose the check"]),
        (THREE, ROWS.format("[1, 2]"), ["would run with 2 cases instead of 3"]),
        (THREE, ROWS.format("(1, 2, 3)"), []),
        (THREE, ROWS.format("some_rows"), []),
        (THREE, "rows = [1, 2]\n" + ROWS.format("rows"), ["would run with 2 cases instead of 3"]),
        (THREE, "rows = (1, 2, 3)\n" + ROWS.format("rows"), []),
        (THREE, ROWS.format("()"), ["would be skipped (parametrize without rows)"]),
        (THREE, ROWS.format("range(2)"), []),
        (THREE, ONE, ["would run with 1 cases instead of 3"]),
        (THREE, SIX, []),
        (SIX, THREE, ["would run with 3 cases instead of 6"]),
        (THREE, THREE.replace("parametrize", "x"), ["would run with 1 cases instead of 3"]),
        (TWO_TESTS, ONE, ["would be deleted"]),
        (TWO_TESTS, TWO_CHECKS, ["would be deleted"]),
        (TWO_CHECKS, TWO_TESTS, []),
        (TWO_CHECKS, TWO_TESTS.replace("b() == 2", "c() == 2"), ["would lose the check"]),
        (ONE, ONE.replace("test_a", "test_c"), []),
        (ONE, f"class TestA:\n    {ONE}".replace("\n    a", "\n        a"), []),
        ("not python (", ONE, []),
    ],
)
def test_what_a_test_of_python_is(before: str, after: str, expected: list[str]) -> None:
    """With its helpers, its fixtures and its rows."""
    assert losses(PATH, before, after) == expected


RUBY = "it 'adds' do\n  expect(add(1, 2)).to eq 3\nend\n"
TWICE = RUBY.replace("3\n", "3\n  expect(add(2, 2)).to eq 4\n")
SPEC = "spec/calc_spec.rb"


@pytest.mark.parametrize(
    ("before", "after", "first", "repair"),
    [
        (RUBY, RUBY.replace("3", "4"), [], ["would lose the check"]),
        (RUBY, "it 'adds' do\nend\n", ["would have 0 assertions instead of 1"], None),
        (RUBY, RUBY.replace("add(1, 2)", "true").replace("eq 3", "eq true"),
         ["would have 0 assertions instead of 1"], ["would lose the check"]),
        (TWICE, RUBY, ["would have 1 assertions instead of 2"], ["would lose the check"]),
        (RUBY, TWICE, [], []),
        (RUBY, RUBY.replace("'adds'", "'sums'"), ["would lose the test"], None),
        (RUBY, RUBY.replace("it ", "xit "), ["would lose the test"], None),
        (RUBY.replace("it ", "xit "), RUBY, [], []),
        (RUBY, "# " + RUBY.replace("\n", "\n# "), ["would lose the test"], None),
        (RUBY, RUBY + RUBY, [], []),
        (RUBY + RUBY, RUBY, ["would lose the test"], None),
        (RUBY, RUBY.replace("  ", "\t"), [], []),
        (RUBY, RUBY.replace("do\n", "do\n  pending\n"), ["would skip tests (pending)"], None),
        (RUBY, None, ["would be deleted"], ["would be deleted"]),
    ],
)  # fmt: skip
def test_other_languages_line_by_line(
    before: str, after: str | None, first: list[str], repair: list[str] | None
) -> None:
    """Titles, skips and assertions are counted; a repair may not change an assertion either."""
    assert losses(SPEC, before, after) == first
    if repair is not None:
        assert losses(SPEC, before, after, repairing=True) == repair


STEERS = "would steer which tests run and how they end"
RUNS = "would change which tests run"
SCRIPT = "would change how the tests are run"


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("conftest.py", "", "def pytest_configure():\n    pass\n", f"{STEERS} (pytest_configure)"),
        ("conftest.py", "", "async def pytest_runtest_x(): 1\n", f"{STEERS} (pytest_runtest_x)"),
        ("conftest.py", "def pytest_configure():\n    1\n", "def pytest_configure():\n    2\n", ""),
        ("conftest.py", "", "pytest_plugins = ['x']\n", f"{STEERS} (pytest_plugins)"),
        ("conftest.py", "", "def pytest_collectreport(report): 1\n",
         f"{STEERS} (pytest_collectreport)"),
        ("conftest.py", "", "def pytest_report_teststatus(report): 1\n",
         f"{STEERS} (pytest_report_teststatus)"),
        ("conftest.py", "", "def pytest_report_header(): 1\n", ""),
        ("conftest.py", "", "def pytest_report_collectionfinish(): 1\n", ""),
        ("conftest.py", "", "def pytest_assertrepr_compare(left, right): 1\n", ""),
        ("conftest.py", "", "def pytest_runtest_logstart(nodeid): 1\n", ""),
        ("conftest.py", "", "def pytest_runtest_logreport(report): 1\n",
         f"{STEERS} (pytest_runtest_logreport)"),
        ("conftest.py", "", "print(pytest_plugins)\n", ""),
        ("conftest.py", "", "from x import y as pytest_runtest_setup\n", f"{STEERS} (y)"),
        ("conftest.py", "", "from x import pytest\n", ""),
        ("conftest.py", "", "os._exit(0)\n", f"{STEERS} (_exit)"),
        ("conftest.py", "(", "pytest_plugins = 1\n", f"{STEERS} (pytest_plugins)"),
        ("conftest.py", "x = 1\n", "(", ""),
        ("sitecustomize.py", "", "sys.exit()\n", f"{STEERS} (exit)"),
        ("src/a.py", "", "pytest_plugins = 1\n", ""),
        ("pytest.ini", "[pytest]\naddopts = -q -x\n", "[pytest]\naddopts = -rA --tb=short\n", ""),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k a\n", f"{RUNS} (addopts = -k a)"),
        ("pytest.ini", "[pytest]\n", "[pytest]\nmarkers = a\n", ""),
        ("pytest.ini", "[pytest]\ntestpaths = a  b\n", "[pytest]\ntestpaths = a b\n", ""),
        ("pytest.ini", "[pytest]\ntestpaths = a\n", "[pytest]\n", f"{RUNS} (testpaths = left out)"),
        ("pytest.ini", "[pytest]\n", "(", ""),
        ("setup.cfg", "", "[tool:pytest]\ntestpaths = a\n", f"{RUNS} (testpaths = a)"),
        ("setup.cfg", "", "[pytest]\ntestpaths = a\n", ""),
        ("tox.ini", "", "[pytest]\ntestpaths = a\n", f"{RUNS} (testpaths = a)"),
        ("tox.ini", "", "[tool:pytest]\ntestpaths = a\n", ""),
        ("pyproject.toml", "", "[tool.pytest]\ntestpaths = ['a']\n", f"{RUNS} (testpaths = a)"),
        ("pyproject.toml", "", "[tool.pytest.ini_options]\ntestpaths = ['a', 'b']\n",
         f"{RUNS} (testpaths = a b)"),
        ("pyproject.toml", "tool = 1\n", "[tool.pytest]\nxfail_strict = true\n",
         f"{RUNS} (xfail_strict = True)"),
        ("pyproject.toml", "", "[tool.ruff]\na = 1\n", ""),
        ("pyproject.toml", "", "(", ""),
        ("sub/pytest.ini", "", "", "would take the place of the configuration there is"),
        ("tox.ini", "", "[pytest]\n", ""),
        ("package.json", '{"scripts": {"test": "a"}}', "{}", f"{SCRIPT} (scripts.test = left out)"),
        ("package.json", '{"scripts": {"test": "a"}}', "(", f"{SCRIPT} (scripts.test = left out)"),
        ("package.json", '{"scripts": {"test": "a"}}', '{"scripts": {"test": "b"}}',
         f"{SCRIPT} (scripts.test = b)"),
        ("package.json", '{"scripts": {"test": 1}}', "{}", ""),
        ("package.json", "[]", "{}", ""),
    ],
)  # fmt: skip
def test_settings_that_hide_tests(path: str, before: str, after: str, expected: str) -> None:
    """Hooks, options that select, npm's script; how results are shown is free."""
    (said,) = losses(path, before, after) or [""]
    assert said.removeprefix(f"{path} ") == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "line"),
    [
        (PATH, ONE, f"X = 1\npytestmark = pytest.mark.skip\n\n\n{ONE}", 1),
        (PATH, ONE, f"X = 1\n\n\n@skip\n{ONE}", 5),
        (PATH, f"X = 1\n{ONE}", "X = 1\n", 2),
        ("a.test.js", "test('a', () => expect(a).toBe(1));\n", "\nprocess.exit();\n", 1),
        ("a.test.js", "\ntest('a', () => expect(a).toBe(1));\n", "\n", 2),
    ],
)
def test_the_line_of_a_complaint(path: str, before: str, after: str, line: int) -> None:
    """Where the test stands now; of one that is gone, where it stood; of a file its first."""
    found = weakened_tests(changes({path: after}), read=lambda _: before.encode(), repairing=False)
    assert found[0].line == line


BODY = "def test_a():\n    want = 3\n    assert a() == want\n"
PAIRS = (
    "@pytest.mark.parametrize('x, y', [(1, 2), (2, 3)])\ndef test_a(x, y):\n    assert a(x) == y\n"
)
LOOP = "def test_a():\n    for x, y in [(1, 2), (2, 3)]:\n        assert a(x) == y\n"


@pytest.mark.parametrize(
    ("old", "new", "bent"),
    [
        (BODY, BODY.replace("= 3", "= 4"), True),
        (PAIRS, PAIRS.replace("(2, 3)", "(2, 4)"), True),
        (LOOP, LOOP.replace("(2, 3)", "(2, 4)"), True),
        (f"WANT = 3\n{ONE.replace('1', 'WANT')}", f"WANT = 4\n{ONE.replace('1', 'WANT')}", True),
        (
            f"def b():\n    return 3\n{ONE.replace('1', 'b()')}",
            f"def b():\n    return 4\n{ONE.replace('1', 'b()')}",
            True,
        ),
        (BODY.replace("3", "[3]"), BODY.replace("3", "[3, 4]"), True),
        (PAIRS, PAIRS.replace("(2, 3)", "(2, 3), (3, 4)"), False),
        (LOOP, LOOP.replace("(2, 3)", "(2, 3), (3, 4)"), False),
        (
            PAIRS.replace("[(1, 2), (2, 3)]", "ROWS") + "ROWS = [1]\n",
            PAIRS.replace("[(1, 2), (2, 3)]", "ROWS") + "ROWS = [1, 2]\n",
            False,
        ),
        (BODY, f"import b\nfrom c import d\n{BODY}    assert b(d)\n", False),
        (f"from b import a\n{BODY}", f"from c import a\n{BODY}", False),
    ],
)
def test_what_bends_a_test(old: str, new: str, bent: bool) -> None:
    """Other values in its body, its rows or what it uses; not what is added."""
    assert bent_tests(old.encode(), new.encode()) == ({"test_a"} if bent else set())


OLD_CLASS = "class Old:\n" + "".join(f"    {line}\n" for line in ONE.splitlines())
SHARED = f"{OLD_CLASS}\n\nclass TestNew(Old):\n    pass\n"
EXPECTED = "from app import f\nEXPECTED = 1\ndef test_a():\n    assert f(1) == EXPECTED\n"
IN_CLASS = "class TestA:\n    limit = 1\n    def test_a(self):\n        assert f() == self.limit\n"
CHAIN = (
    "@fixture\ndef one():\n    return 1\n@fixture\ndef two(one):\n    return one\n"
    "def test_a(two):\n    assert two == 1\n"
)
MARKED = FIXTURE.replace("def test_a(ready)", "@usefixtures('ready')\ndef test_a()")
LISTED = "CASES = [1, 2]\n\n\n" + ROWS.format("CASES")


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("", ONE, {"test_a"}),
        (ONE, TWO_TESTS, {"test_b"}),
        (ONE, TWO_CHECKS, {"test_a"}),
        (HELPER, HELPER + "    same(b())\n", {"test_a"}),
        (HELPER, HELPER.replace("x == 1", "x == 1 != 2"), {"test_a"}),
        (THREE, ROWS.format("[1, 2, 4]"), {"test_a"}),
        (LISTED, LISTED.replace("[1, 2]", "[1, 2, 3]"), {"test_a"}),
        (f"class TestA:\n    {ONE.replace(chr(10) + ' ', chr(10) + '     ')}", ONE, {"test_a"}),
        (ONE, ONE.replace("a() == 1", "(a() == 1)"), set()),
        (ONE, ONE.replace(":\n", ':\n    """It is one."""\n', 1), set()),
        (TWO_TESTS, ONE, set()),
        (ONE, "def test_a(:\n", set()),
        # what a test uses of its module
        (EXPECTED, EXPECTED.replace("= 1", "= 3"), {"test_a"}),
        (EXPECTED, EXPECTED.replace("from app", "from fake"), {"test_a"}),
        (EXPECTED, EXPECTED.replace("import f", "import f, g") + "OTHER = 2\n", set()),
        (EXPECTED, f"{EXPECTED}f.limit = 3\n", {"test_a"}),
        (EXPECTED, f"{EXPECTED}@fixture(autouse=True)\ndef easy(): f()\n", {"test_a"}),
        (EXPECTED, f"{EXPECTED}try: import app\nexcept ImportError: f = None\n", {"test_a"}),
        (IN_CLASS, IN_CLASS.replace("limit = 1", "limit = 3"), {"TestA::test_a"}),
        (IN_CLASS, f"{IN_CLASS}    def test_b(self): g()\n", {"TestA::test_b"}),
        (CHAIN, CHAIN.replace("return 1", "return 3"), {"test_a"}),
        (MARKED, MARKED.replace("== 1", "== 3"), {"test_a"}),
    ],
)
def test_what_counts_as_a_changed_test(old: str, new: str, changed: set[str]) -> None:
    """New tests and those with other code, rows or assertions; not other words or brackets."""
    tests = set(inventory(new.encode()) or {}) - {""}

    assert tests - unchanged_tests(old.encode(), new.encode()) == changed


@pytest.mark.parametrize(
    ("new", "stands"),
    [
        ({PATH: ONE.replace("test_a", "test_b")}, {f"{PATH}::test_b"}),
        ({"tests/test_c.py": ONE}, {"tests/test_c.py::test_a"}),
        ({PATH: ONE.replace("test_a", "test_b").replace("== 1", "== 2")}, set()),
        ({PATH: f"{ONE}\n\ndel test_a\n"}, {f"{PATH}::test_a"}),
        ({PATH: f"@pytest.mark.skip\n{ONE}"}, set()),
        ({PATH: SHARED}, {f"{PATH}::Old::test_a", f"{PATH}::TestNew::test_a"}),
        ({}, set()),
    ],
)
def test_where_the_code_of_a_test_stands(new: dict[str, str], stands: set[str]) -> None:
    """In the same file or another one of the change; other code is another test."""
    after = {path: text.encode() for path, text in new.items()}

    found = standing_tests({PATH: ONE.encode()}, after)
    assert found == ({f"{PATH}::test_a": stands} if stands else {})
