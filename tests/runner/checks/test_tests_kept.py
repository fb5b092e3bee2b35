"""A repair may not weaken the tests that were there."""

from __future__ import annotations

import json

import pytest

from runner.checks.tests_kept import changed_tests, weakened_tests, weaker_asserts
from tests.runner.checks.trees import changes

OLD = """import pytest
from calc import add


@pytest.mark.parametrize("n", [1, 2, 3])
def test_rows(n):
    assert add(n, 0) == n


class TestAdd:
    def test_sum(self):
        assert add(1, 2) == 3
        assert add(0, 0) == 0

    def test_error(self):
        with pytest.raises(TypeError):
            add(None, 1)
"""

WEAKER = {
    "deleted test": OLD.replace("def test_error", "def check_error"),
    "assert gone": OLD.replace("        assert add(0, 0) == 0\n", ""),
    "assert changed": OLD.replace("== 3", "== 4"),
    "assert true": OLD.replace("assert add(1, 2) == 3", "assert True"),
    "skip mark": OLD.replace("@pytest", "@pytest.mark.skip\n@pytest", 1),
    "xfail": OLD.replace("    def test_sum", "    @pytest.mark.xfail\n    def test_sum"),
    "skip call": OLD.replace("        with pytest", "        pytest.skip()\n        with pytest"),
    "module skip": OLD.replace("from calc", "pytestmark = pytest.mark.skip\nfrom calc"),
    "raises gone": OLD.replace("with pytest.raises(TypeError)", "if True"),
    "fewer cases": OLD.replace("[1, 2, 3]", "[1]"),
    "file gone": None,
}  # fmt: skip
FILES = {
    "tests/test_calc.py": OLD,
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q"\ntestpaths = ["tests"]\n',
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
}


TWICE = OLD.replace("class TestAdd", "class TestSum")
ELSEWHERE = {
    "the same tests": (TWICE, []),
    "fewer checks": (WEAKER["assert gone"], ["TestAdd::test_sum"]),
    "other checks": (WEAKER["assert changed"], ["TestAdd::test_sum"]),
    "skipped": (WEAKER["module skip"], ["test_rows", "TestAdd::test_sum", "TestAdd::test_error"]),
    "fewer cases": (WEAKER["fewer cases"], ["test_rows"]),
    "not there": ("", ["test_rows", "TestAdd::test_sum", "TestAdd::test_error"]),
}


@pytest.mark.parametrize("repairing", [True, False])
@pytest.mark.parametrize("case", ELSEWHERE)
def test_tests_that_another_file_has(case: str, *, repairing: bool) -> None:
    """What goes here and stands in a file that stays is no loss."""
    content, gone = ELSEWHERE[case]
    rest = "from calc import add\n"
    others = {"tests/test_sums.py": (content or "").encode()}

    said = weaker({"tests/test_calc.py": rest}, repairing=repairing, others=others)

    assert [name for name in TESTS if any(f"test {name} would" in text for text in said)] == gone


TESTS = ["test_rows", "TestAdd::test_sum", "TestAdd::test_error"]


def weaker(files: dict[str, str | None], **options: object) -> list[str]:
    found = weakened_tests(
        changes(files),
        read=lambda path: FILES[path].encode() if path in FILES else None,
        **{"repairing": True, **options},
    )
    return [complaint.for_model for complaint in found]


SCRIPT = """import assert from 'node:assert';
import test from 'node:test';

test('adds', () => {
  assert.equal(add(1, 2), 3);
});
"""
OTHERS = {
    "tests/calc.test.js": (SCRIPT, SCRIPT.replace("3", "4"), "export {};\n"),
    "src/__tests__/calc.ts": (SCRIPT, SCRIPT.replace("  a", "  // a"), "export {};\n"),
    "calc.spec.jsx": (
        SCRIPT,
        SCRIPT.replace("(1, 2), 3", "(1, 2), add(1, 2)"),
        SCRIPT.replace("test('", "test.skip('"),
    ),
    "calc_test.go": (
        'func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n}\n',
        "func TestAdd(t *testing.T) {\n}\n",
        'func TestAdd(t *testing.T) {\n\tt.Skip()\n\tt.Error("no")\n}\n',
    ),
    "spec/calc_spec.rb": (
        "it 'adds' do\n  expect(add(1, 2)).to eq 3\nend\n",
        "it 'adds' do\nend\n",
        "xit 'adds' do\n  expect(add(1, 2)).to eq 3\nend\n",
    ),
    "src/test/CalcTest.java": (
        "@Test void adds() { assertEquals(3, add(1, 2)); }\n",
        "@Test void adds() { add(1, 2); }\n",
        "@Disabled @Test void adds() { assertEquals(3, add(1, 2)); }\n",
    ),
}


@pytest.mark.parametrize("path", OTHERS)
def test_tests_of_other_languages_are_kept(path):
    """A first answer may not ask less, a repair nothing else; more is welcome."""
    old, softer, gone = OTHERS[path]

    def found(new: str | None, *, repairing: bool) -> int:
        asked = changes({path: new})
        return len(weakened_tests(asked, read=lambda _: old.encode(), repairing=repairing))

    assert found(old.replace("3", "4"), repairing=False) == 0
    assert found(softer, repairing=True) == 1
    assert found(gone, repairing=False) == 1
    assert found(None, repairing=False) == 1
    assert found(old.replace("  ", "    ") + "\n", repairing=True) == 0


@pytest.mark.parametrize("how", WEAKER)
def test_weakening_is_refused(how):
    """Each way to weaken an existing test is one complaint."""
    assert len(weaker({"tests/test_calc.py": WEAKER[how]})) == 1


def test_the_complaint_names_the_test_and_the_check():
    """A person and a model can see what is missing."""
    (message,) = weaker({"tests/test_calc.py": WEAKER["assert changed"]})

    assert message == (
        "The test TestAdd::test_sum would lose the check `assert add(1, 2) == 3`. "
        "Repair the code, not the test."
    )


def test_stronger_tests_are_welcome():
    """Added tests and checks, and other formatting, are no complaint."""
    more = (
        OLD.replace("== 0\n", "== 0\n        assert add(2,2)==4\n")
        + "\n\ndef test_new():\n    assert add(3, 3) == 6\n"
    )

    assert weaker({"tests/test_calc.py": more}) == []


def test_new_test_files_are_free():
    """A test file that did not exist cannot be weakened."""
    assert weaker({"tests/test_new.py": "import pytest\npytest.skip()\n"}) == []


TEST = "tests/test_calc.py"
GUTTED = {
    "always true": OLD.replace("assert add(1, 2) == 3", "assert True"),
    "true by a name": OLD.replace("assert add(1, 2) == 3", "ok = True\n        assert ok"),
    "or true": OLD.replace("add(1, 2) == 3", "add(1, 2) == 3 or True"),
    "two constants": OLD.replace("add(1, 2) == 3", "1 == 1"),
    "itself": OLD.replace("assert add(1, 2) == 3", "a = add(1, 2)\n        assert a == a"),
    "only there": OLD.replace("add(1, 2) == 3", "add(1, 2) is not None"),
    "never reached": OLD.replace("assert add(1, 2)", "if False:\n            assert add(1, 2)"),
    "behind a return": OLD.replace("        assert add(1", "        return\n        assert add(1"),
    "a wider error": OLD.replace("TypeError", "Exception"),
    "no case": OLD.replace("[1, 2, 3]", "[]"),
    "an error caught": OLD.replace(
        "assert add(0, 0) == 0",
        "try:\n            assert add(0, 0) == 0\n        except Exception:\n            pass",
    ),
    "all gone": "def test_new():\n    assert True\n",
}  # fmt: skip


@pytest.mark.parametrize("repairing", [False, True])
@pytest.mark.parametrize("how", GUTTED)
def test_a_test_is_as_strong_as_before(how, repairing):
    """Whatever the task says: a person may approve it."""
    assert weaker({TEST: GUTTED[how]}, repairing=repairing) != []


def test_what_was_accepted_before_is_accepted_in_a_repair():
    """The first answer changed the result; the repair is of something else."""
    other = {TEST: OLD.replace("== 3", "== 4")}
    marks = changed_tests(changes(other), read=lambda path: FILES[path].encode())

    assert weaker(other, accepted=marks) == []
    assert weaker({TEST: OLD.replace("== 3", "== 5")}, accepted=marks) != []


def test_an_old_test_with_another_row_is_a_changed_one():
    """One with a row more is not."""
    read = lambda path: FILES[path].encode()  # noqa: E731

    assert changed_tests(changes({TEST: OLD.replace("2, 3]", "2, 3, 4]")}), read=read) == ()
    (mark,) = changed_tests(changes({TEST: OLD.replace("2, 3]", "2, 4]")}), read=read)
    assert mark.startswith(f"{TEST}::test_rows ")


MOVED = OLD.replace("class TestAdd:", "class TestSum:")
RENAMED = OLD.replace("add", "total").replace("test_sum", "test_total")
KEPT = {
    "another class": {TEST: MOVED},
    "the function and its test renamed": {TEST: RENAMED},
    "another file": {TEST: None, "tests/test_sums.py": OLD},
    "assertions as rows": {
        TEST: OLD.replace(
            "    def test_sum(self):\n"
            "        assert add(1, 2) == 3\n        assert add(0, 0) == 0\n",
            '    @pytest.mark.parametrize("a, b, c", [(1, 2, 3), (0, 0, 0)])\n'
            "    def test_sum(self, a, b, c):\n        assert add(a, b) == c\n",
        )
    },
    "a loop": {
        TEST: OLD.replace(
            "        assert add(1, 2) == 3\n        assert add(0, 0) == 0\n",
            "        for a, b, c in [(1, 2, 3), (0, 0, 0)]:\n            assert add(a, b) == c\n",
        )
    },
    "a helper": {
        TEST: OLD.replace("assert add(1, 2) == 3", "same(add(1, 2), 3)")
        + "\n\ndef same(a, b):\n    assert a == b\n"
    },
    "one assertion of two values": {
        TEST: OLD.replace(
            "        assert add(1, 2) == 3\n        assert add(0, 0) == 0\n",
            "        assert (add(1, 2), add(0, 0)) == (3, 0)\n",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("how", KEPT)
def test_another_shape_of_the_same_tests_is_fine(how):
    """As many demands, elsewhere or in other words."""
    assert weaker(KEPT[how], repairing=False) == []


def test_a_helper_that_is_gutted_weakens_the_tests_that_use_it():
    """The calls are there still, and demand nothing."""
    old = "def same(a, b):\n    assert a == b\n\n\ndef test_one():\n    same(add(1, 2), 3)\n"
    new = old.replace("    assert a == b\n", "    pass\n")
    found = weakened_tests(changes({TEST: new}), read=lambda _: old.encode(), repairing=False)

    assert [complaint.error for complaint in found] == ["WeakenedTest"]


def test_tests_go_with_the_code_that_they_use():
    """``sub`` is removed, and its test; the test of ``add`` stays."""
    both = f"{OLD}\n\ndef test_sub():\n    assert sub(2, 1) == 1\n"
    code = "def add(a, b):\n    return a + b\n"
    sub = "\n\ndef sub(a, b):\n    return a - b\n"
    files = {TEST: both, "calc.py": code + sub}

    def found(new: str, after: str) -> int:
        answer = changes({TEST: new, "calc.py": after})
        read = lambda path: files[path].encode() if path in files else None  # noqa: E731
        return len(weakened_tests(answer, read=read, repairing=False))

    assert found(OLD, code) == 0
    assert found(OLD.replace("def test_error", "def no_error"), code) == 1
    assert found(OLD, code + sub) == 1


def test_a_new_file_that_switches_tests_off_is_refused():
    """Go runs ``TestMain`` in place of the tests."""
    text = "package a\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n"
    found = weakened_tests(changes({"new_test.go": text}), read=lambda _: None, repairing=False)

    assert [complaint.error for complaint in found] == ["WeakenedTest"]


def test_people_are_told_of_a_test_that_asserts_something_else():
    """Another result may be right: somebody should look at it."""
    other = changes({TEST: OLD.replace("add(1, 2) == 3", "add(1, 2) == 4")})
    (said,) = weaker_asserts(other, read=lambda path: FILES[path].encode())

    assert "TestAdd::test_sum" in said
    assert "`assert add(1, 2) == 4` in place of `assert add(1, 2) == 3`" in said


def test_a_first_answer_takes_no_test_away():
    """Deleting the tests is no way to pass them, whenever it is tried."""
    gone = {"tests/test_calc.py": None}

    assert weaker(gone, repairing=False) == weaker(gone) != []


def test_a_first_answer_may_change_what_a_test_checks():
    """A task may mean another result; only a repair may not."""
    other = {"tests/test_calc.py": OLD.replace("== 3", "== 4")}

    assert other["tests/test_calc.py"] != OLD
    assert weaker(other, repairing=False) == []
    assert weaker(other) != []


OPTIONS = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "%s"\n'
CONFIGS = {
    "new hook": {
        "tests/conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"
    },
    "ignore": {"conftest.py": FILES["conftest.py"] + "\ncollect_ignore = ['tests']\n"},
    "skip fixture": {"conftest.py": FILES["conftest.py"].replace("return 1", "pytest.skip()")},
    "deselect": {"pyproject.toml": OPTIONS % "-q -k nothing"},
    "files": {"pyproject.toml": OPTIONS % "-q" + 'python_files = "x"\n'},
    "ini": {"pytest.ini": "[pytest]\ntestpaths = other\n"},
    "a file that outranks the one there is": {"pytest.ini": "[pytest]\n"},
    "its TOML form": {"pytest.toml": "[pytest]\n"},
    "a path among the options": {"pyproject.toml": OPTIONS % "-q tests/test_ok.py"},
    "options in one word": {"pyproject.toml": OPTIONS % "-qk ok"},
    "a hook by assignment": {"conftest.py": "pytest_collection_modifyitems = print\n"},
    "a hook by import": {"conftest.py": "from helper import *\n"},
    "cfg": {"setup.cfg": "[tool:pytest]\naddopts = --ignore=tests\n"},
}


@pytest.mark.parametrize("how", CONFIGS)
def test_configuration_that_hides_tests_is_refused(how):
    """Hooks and options that keep tests from running are refused during a repair."""
    assert len(weaker(CONFIGS[how])) == 1


def test_harmless_configuration_is_free():
    """A fixture or a marker is no complaint."""
    conftest = FILES["conftest.py"] + "\n\n@pytest.fixture\ndef two():\n    return 2\n"
    options = FILES["pyproject.toml"].replace('"-q"', '"-q -ra"') + 'markers = ["slow"]\n'

    assert weaker({"conftest.py": conftest, "pyproject.toml": options}) == []


def test_a_skipped_class_skips_its_tests():
    """A mark on the class counts for every test in it."""
    text = OLD.replace("class TestAdd", "@pytest.mark.skip\nclass TestAdd")

    assert len(weaker({"tests/test_calc.py": text})) == 2


@pytest.mark.parametrize(
    ("before", "after", "complaints"),
    [
        ("node --test", "true", 1),
        ("node --test", None, 1),
        ("node --test", "node  --test", 0),
        (None, "node --test", 0),
        ("echo 'Error: no test specified' && exit 1", "node --test", 0),
    ],
)
def test_the_script_that_runs_the_tests_is_kept(before, after, complaints):
    """What ``npm test`` starts is the project's; one that says there is none may be replaced."""
    old, new = (json.dumps({"scripts": {"test": script}}) for script in (before, after))

    found = weakened_tests(
        changes({"package.json": new}), read=lambda _: old.encode(), repairing=False
    )

    assert len(found) == complaints


def test_configuration_that_is_deleted_is_missed():
    """Without its options other tests run: deleting a file is a change of it."""
    assert len(weaker({"pyproject.toml": None})) == 1


def test_one_test_with_as_many_cases_takes_the_place_of_several():
    """Two tests become one with parameters; with one case it is a loss."""
    case = '@pytest.mark.parametrize("n", [{}])\ndef {}(n):\n    assert twice(n) == n + n\n\n\n'
    old = case.format("1, 2, 3", "test_small") + case.format("100, 200", "test_large")

    def found(rows: str) -> list[str]:
        new = changes({TEST: case.format(rows, "test_twice")})
        read = lambda _: old.encode()  # noqa: E731
        return [each.for_model for each in weakened_tests(new, read=read, repairing=False)]

    assert found("1, 2, 3, 100, 200") == []
    assert found("1") != []
