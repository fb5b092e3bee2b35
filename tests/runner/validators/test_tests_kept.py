"""A repair may not weaken the tests that were there."""

from __future__ import annotations

import json

import pytest

from runner.validators import weakened_tests
from tests.runner.validators.trees import changes

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


def weaker(files: dict[str, str | None], **options: object) -> list[str]:
    found = weakened_tests(
        changes(files),
        read=lambda path: FILES[path].encode() if path in FILES else None,
        **{"repairing": True, **options},
    )
    return [complaint.message for complaint in found]


SCRIPT = """import assert from 'node:assert';
import test from 'node:test';

test('adds', () => {
  assert.equal(add(1, 2), 3);
});
"""
OTHERS = {
    "tests/calc.test.js": (SCRIPT, SCRIPT.replace("3", "4"), SCRIPT.replace("'adds'", "'all'")),
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
    """A first answer may change what is checked, not whether; a repair neither; more is welcome."""
    old, softer, gone = OTHERS[path]

    def found(new: str | None, *, repairing: bool) -> int:
        asked = changes({path: new})
        return len(weakened_tests(asked, read=lambda _: old.encode(), repairing=repairing))

    assert found(softer, repairing=False) == 0
    assert found(softer, repairing=True) == 1
    assert found(gone, repairing=False) == 1
    assert found(None, repairing=False) == 1
    assert found(old.replace("  ", "    ") + old, repairing=True) == 0


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
        OLD.replace("== 0\n", "== 0\n        assert add(2,2)==4\n") + "\n\ndef test_new(): pass\n"
    )

    assert weaker({"tests/test_calc.py": more}) == []


def test_new_test_files_are_free():
    """A test file that did not exist cannot be weakened."""
    assert weaker({"tests/test_new.py": "import pytest\npytest.skip()\n"}) == []


def test_tests_of_the_task_are_free():
    """A task that is about a test file may take it away."""
    assert weaker({"tests/test_calc.py": None}, allowed=("tests/test_calc.py",)) == []


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
