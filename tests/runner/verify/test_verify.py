"""Verification of real projects with real pytest."""

from __future__ import annotations

from dataclasses import replace

from runner.state.findings import Level, Verification
from runner.verify import verify
from runner.verify.tools.python import Pytest
from tests.runner.verify.box import open_box

CALC = "def add(a, b):\n    return a + b\n\n\ndef div(a, b):\n    return a / b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


async def verified(tmp_path, files: dict[str, str], **options: object) -> Verification:
    encoded = {path: text.encode() for path, text in files.items()}
    given = {"changed": tuple(files), "timeout": 60.0, **options}
    box, _ = await open_box(tmp_path, files)
    return await verify(box, tree="t" * 40, paths=files, read=encoded.get, **given)


def level(verification: Verification, name: str) -> Level:
    return next(level for level in verification.levels if level.name == name)


async def test_green_tests_verify_a_tree(tmp_path):
    """Passing tests pass the level, and the tree counts as verified."""
    result = await verified(tmp_path, {"calc.py": CALC, "tests/test_calc.py": TEST})

    assert [(v.name, v.result) for v in result.levels] == [
        ("files", "passed"), ("syntax", "passed"), ("imports", "passed"), ("tests", "passed"),
    ]  # fmt: skip
    assert result.verified
    assert level(result, "tests").command == ("pytest", "-q")


async def test_nothing_is_left_in_the_workspace(tmp_path):
    """Verification adds no file of its own (no cache, no report, no bytecode)."""
    files = {"calc.py": CALC, "test_calc.py": TEST}
    box, workspace = await open_box(tmp_path, files)
    result = await verify(box, tree="t", paths=files, changed=files, read=lambda _path: None)

    assert result.verified
    assert {path.name for path in workspace.rglob("*")} == set(files)


async def test_a_red_test_is_reported_with_expected_and_actual(tmp_path):
    """The failure has pytest's id, the place and the values."""
    bad = CALC.replace("a + b", "a - b")
    result = await verified(tmp_path, {"calc.py": bad, "tests/test_calc.py": TEST})

    (failure,) = result.failures
    assert failure.test == "tests/test_calc.py::test_add"
    assert (failure.file, failure.line) == ("tests/test_calc.py", 5)
    assert failure.message.startswith("assert -1 == 3")
    assert level(result, "tests").reason == "1 test failed, 0 passed"
    assert not result.passed


async def test_an_error_deep_in_the_code_names_its_own_line(tmp_path):
    """The place is the deepest frame of the workspace."""
    test = "from calc import div\n\n\nclass TestDiv:\n    def test_zero(self):\n        div(1, 0)\n"
    result = await verified(tmp_path, {"calc.py": CALC, "test_calc.py": test})

    (failure,) = result.failures
    assert failure.test == "test_calc.py::TestDiv::test_zero"
    assert (failure.file, failure.line) == ("calc.py", 6)
    assert failure.message == "ZeroDivisionError: division by zero"


async def test_a_module_that_cannot_be_found_is_named_with_its_place(tmp_path):
    """A wrong import is reported where it stands, with the missing name and the file it means."""
    files = {
        "src/utils/helpers.py": "def name(): return 'x'\n",
        "src/user.py": "\nfrom helpers import name\n",
        "tests/test_user.py": "from src.user import name\n\n\ndef test_it():\n    assert name()\n",
    }
    result = await verified(tmp_path, files, changed=())

    (failure,) = result.failures
    said, hint = failure.message.split("\n")
    assert said == "ModuleNotFoundError: No module named 'helpers'"
    assert hint.startswith("src/utils/helpers.py exists")
    assert (failure.file, failure.line) == ("src/user.py", 2)
    assert failure.test == "tests/test_user.py"


async def test_a_circular_import_is_reported_where_it_breaks(tmp_path):
    """An ImportError of a half-made module keeps Python's own words."""
    files = {
        "a.py": "from b import y\nx = 1\n",
        "b.py": "from a import x\ny = 1\n",
        "test_a.py": "import a\n\n\ndef test_a():\n    assert a.x\n",
    }
    (failure,) = (await verified(tmp_path, files)).failures

    assert "partially initialized module 'a'" in failure.message
    assert (failure.file, failure.line) == ("b.py", 1)


async def test_a_project_without_tests_is_not_verified(tmp_path):
    """Syntax alone passes, and the reason says what was looked for."""
    result = await verified(tmp_path, {"calc.py": CALC})

    assert result.passed
    assert not result.verified
    assert "no tests that Cairn can run" in level(result, "tests").reason


async def test_a_test_file_without_tests_is_not_verified(tmp_path):
    """Exit code 5 is a skipped level."""
    result = await verified(tmp_path, {"test_nothing.py": "x = 1\n"})

    assert level(result, "tests").reason == "pytest found no tests"
    assert not result.verified


async def test_skipping_every_test_verifies_nothing(tmp_path):
    """A conftest that skips all tests does not make a tree verified."""
    conftest = (
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items:\n        item.add_marker(pytest.mark.skip)\n"
    )
    files = {"calc.py": CALC, "test_calc.py": TEST, "conftest.py": conftest}
    result = await verified(tmp_path, files)

    assert level(result, "tests").reason == "all 1 tests were skipped"
    assert not result.verified


async def test_a_process_that_ends_early_proves_nothing(tmp_path):
    """Exit code 0 without a report is a failure."""
    test = "import os\n\n\ndef test_out():\n    os._exit(0)\n"
    result = await verified(tmp_path, {"test_out.py": test})

    assert level(result, "tests").result == "failed"
    assert "ended early" in level(result, "tests").reason


async def test_tests_that_never_end_fail_with_the_time(tmp_path):
    """An endless loop is ended and the reason names the limit."""
    test = "import time\n\n\ndef test_loop():\n    while True:\n        time.sleep(1)\n"
    result = await verified(tmp_path, {"test_loop.py": test}, timeout=6.0)

    assert level(result, "tests").reason == "the tests timed out after 6 s"
    assert not result.passed


FIVE = """\
import pytest


@pytest.mark.parametrize("n", range(4))
def test_one(n):
    assert n != 2


def test_none():
    pytest.skip("not here")
"""


async def test_tests_for_which_the_time_is_short_run_in_parts(tmp_path, tmp_path_factory):
    """Each command goes on where the one before stopped: every test runs once, none is lost."""
    files = {"test_a.py": FIVE, "sub/test_b.py": FIVE, "test_z.py": "def test_z(): pass\n"}
    second = tmp_path_factory.mktemp("second")
    in_parts = replace(Pytest(), share=1e-6)  # each command runs one test, the last all that remain

    whole, parts = [
        level(await verified(tmp_path, files, tools=(Pytest(),)), "tests"),
        level(await verified(second, files, tools=(in_parts,)), "tests"),
    ]

    assert (parts.result, parts.reason) == ("failed", "2 tests failed, 7 passed")
    assert (parts.failures, parts.passed, parts.green) == (
        whole.failures,
        whole.passed,
        whole.green,
    )


async def test_more_tests_than_parts_all_run(tmp_path):
    """The last part has no limit of its own."""
    files = {"test_many.py": "import pytest\n\n\n@pytest.mark.parametrize('n', range(40))\n"}
    files["test_many.py"] += "def test_one(n): pass\n"
    tests = level(await verified(tmp_path, files, tools=(replace(Pytest(), share=1e-6),)), "tests")

    assert (tests.result, tests.passed) == ("passed", 40)


async def test_an_endless_test_behind_others_is_a_timeout(tmp_path):
    """What ran before it does not make the tests green."""
    files = {
        "test_a.py": "def test_fine(): pass\n",
        "test_b.py": "import time\n\n\ndef test_loop():\n    while True:\n        time.sleep(1)\n",
    }
    tests = level(
        await verified(tmp_path, files, timeout=6.0, tools=(replace(Pytest(), share=1e-6),)),
        "tests",
    )

    assert (tests.result, tests.cause) == ("failed", "timeout")
    assert tests.reason == "the tests timed out after 6 s"


async def test_a_configuration_pytest_refuses_fails_with_its_words(tmp_path):
    """A usage error is a failed level with pytest's own message."""
    files = {"pytest.ini": "[pytest]\naddopts = --no-such-option\n", "test_calc.py": "x = 1\n"}
    tests = level(await verified(tmp_path, files), "tests")

    assert tests.reason == "pytest could not start: unrecognized arguments: --no-such-option"
    assert "--no-such-option" in tests.output


async def test_a_syntax_error_stops_before_the_tests(tmp_path):
    """The sandbox's own Python has the last word on syntax."""
    result = await verified(tmp_path, {"calc.py": "def add(\n", "test_calc.py": TEST})

    assert [(v.name, v.result) for v in result.levels] == [
        ("files", "passed"), ("syntax", "failed"), ("imports", "skipped"), ("tests", "skipped"),
    ]  # fmt: skip
    (failure,) = result.failures
    assert (failure.file, failure.line) == ("calc.py", 1)


async def test_a_changed_file_that_is_not_there_fails_the_first_level(tmp_path):
    """Files are looked for in the workspace, not in the change set."""
    box, _ = await open_box(tmp_path, {"a.py": "x = 1\n"})
    paths = ("a.py", "gone.py")
    result = await verify(box, tree="t", paths=paths, changed=paths, read=lambda _path: None)

    assert [failure.file for failure in result.failures] == ["gone.py"]
    assert level(result, "tests").result == "skipped"


async def test_modes_skip_with_their_reason(tmp_path):
    """Syntax mode runs no test, off runs nothing; both say so and verify nothing."""
    files = {"test_calc.py": "def test_x():\n    assert False\n"}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    syntax = await verified(tmp_path / "one", files, mode="syntax")
    off = await verified(tmp_path / "two", files, mode="off")

    assert syntax.passed
    assert not syntax.verified
    assert "verify mode syntax" in level(syntax, "tests").reason
    assert [v.reason for v in off.levels] == ["verification is off"]


async def test_a_json_module_in_the_workspace_does_not_disturb(tmp_path):
    """The syntax check does not import from the workspace."""
    result = await verified(tmp_path, {"json.py": "raise SystemExit(3)\n"}, mode="syntax")

    assert level(result, "syntax").result == "passed"
