"""How endings no healthy pytest has are judged."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import TaskError
from runner.ports import CommandResult
from runner.state.findings import Level, TestFailure
from runner.text.sanitize import cut_middle, numbered
from runner.verify.judging import not_there
from runner.verify.junit import UnreadableReport, read_report
from runner.verify.junit import pytest as pytest_dialect
from runner.verify.levels import syntax_level
from runner.verify.tools.python import Pytest, has_pytest
from tests.runner.verify.box import ScriptedBox

GREEN = b'<testsuites><testsuite><testcase classname="a" name="b"/></testsuite></testsuites>'
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuites>&a;</testsuites>'


async def judged(code: int, xml: bytes, **streams: bytes) -> Level:
    output = {"stdout": b"", "stderr": b"", **streams}
    return await Pytest().run(
        ScriptedBox(CommandResult(code, **output), CommandResult(0, xml, b"")), timeout=1.0
    )


@pytest.mark.parametrize(
    ("code", "xml", "reason"),
    [
        (0, b"", "the test process ended early without finishing the tests"),
        (0, BOMB, "the test report is not readable"),
        (0, b"<html/>", "the test report is not readable"),
        (3, GREEN, "pytest had an internal error"),
        (1, GREEN, "pytest ended with exit code 1"),
        (2, GREEN, "pytest was interrupted"),
        (-9, b"", "killed by signal 9"),
        (137, b"", "killed by signal 9"),
    ],
)
async def test_what_is_not_proved_is_failed(code, xml, reason):
    """Only exit code 0 with a readable green report passes."""
    level = await judged(code, xml)

    assert level.result == "failed"
    assert reason in level.reason


async def test_a_green_report_passes():
    """Exit code 0 and a passed test in the report are a passed level."""
    assert (await judged(0, GREEN)).result == "passed"


@pytest.mark.parametrize(
    ("code", "stderr"),
    [(127, b"sh: python3: not found"), (1, b"ModuleNotFoundError: No module named 'pytest'\n")],
)
async def test_an_image_without_pytest_is_an_environment_error(code, stderr):
    """The task is not blamed; the message says what to change."""
    with pytest.raises(TaskError, match=r"sandbox\.image") as caught:
        await judged(code, b"", stderr=stderr)

    assert caught.value.kind == "environment"


async def test_programs_of_this_machine_are_not_looked_for_in_an_image():
    """Where the sandbox uses what is installed here, nobody is told to name an image."""
    said = not_there(CommandResult(127, b"", b"", image=False), "go").message

    assert said.startswith("go is not installed on this machine. Install it here")
    assert "image" not in said


async def test_without_python_the_syntax_level_is_skipped():
    """An image without Python says so instead of failing."""
    level = await syntax_level(ScriptedBox(CommandResult(127, b"", b"")), ["a.py"], timeout=1)

    assert (level.result, level.reason) == ("skipped", "python3 is not in the sandbox image")


@given(st.binary())
def test_any_report_is_read_or_refused(xml):
    """A hostile report raises nothing but ``UnreadableReport``."""
    with suppress(UnreadableReport):
        assert read_report(xml, pytest_dialect).failures == ()


def test_one_test_fails_once():
    """A test that fails and then fails to tear down is one failure."""
    bad = '<testcase file="t.py" classname="t" name="x"><{0} message="m">t.py:3: E</{0}></testcase>'
    cases = bad.format("failure") + bad.format("error")
    xml = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"

    assert read_report(xml.encode(), pytest_dialect).failures == (
        TestFailure("t.py::x", "m", "t.py", 3),
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tests/test_a.py": b""}, True),
        ({"a_test.py": b""}, True),
        ({"pyproject.toml": b"[tool.pytest.ini_options]\n"}, True),
        ({"setup.cfg": b"[tool:pytest]\n"}, True),
        ({"tox.ini": b"[pytest]\n"}, True),
        ({"pyproject.toml": b"[project]\n", "a.py": b"", "tests/helper.py": b""}, False),
        ({"pyproject.toml": b"= broken"}, False),
    ],
)
def test_a_pytest_project_is_told_by_names_or_configuration(files, expected):
    """Test modules or a pytest section make a project one that pytest runs."""
    assert has_pytest(files, files.get) is expected


def test_long_output_is_cut_in_the_middle():
    """The beginning and the longer end stay, and what is gone is counted."""
    text = "a" * 300 + "b" * 700

    cut = cut_middle(text, 100)

    assert cut == "a" * 33 + "\n... 900 characters left out ...\n" + "b" * 67
    assert cut_middle("short", 100) == "short"


def test_numbered_lines_stay_within_the_text():
    """A line beyond the end shows the end."""
    assert numbered("a\nb", 9, around=1) == "     1 | a\n>    2 | b"
