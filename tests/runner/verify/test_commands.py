"""``verify.commands``: what a repository says verifies it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.state.findings import Verification
from runner.verify import Commands, run_again, verify
from runner.verify.rows import run_by
from tests.runner.verify.box import open_box

RED = (
    '<testsuite><testcase name="adds" classname="calc"><failure message="m">'
    "calc.c:7: expected 3, got 4</failure></testcase></testsuite>"
)
GREEN = '<testsuite><testcase name="adds" classname="calc"/></testsuite>'
WRITE = "mkdir -p build; printf '%s' '{xml}' > build/test-1.xml; exit {code}"


def shell(*lines: str) -> tuple[tuple[str, ...], ...]:
    """Commands as a configuration has them."""
    return tuple(("sh", "-c", line) for line in lines)


async def verified(
    folder: Path, own: Commands, files: dict[str, str] | None = None, **more: object
) -> Verification:
    """Verify a tree with its own commands; what the tree has for tests would fail."""
    files = {"test_red.py": "def test_it():\n    assert False\n"} if files is None else files
    encoded = {path: text.encode() for path, text in files.items()}
    box, _ = await open_box(folder, files)
    return await verify(
        box, tree="t", paths=files, changed=(), read=encoded.get, own=own, timeout=60, **more
    )


async def test_commands_take_the_place_of_what_is_found(tmp_path):
    """Each command is a level with its output; all green is verified."""
    result = await verified(tmp_path, Commands(shell("echo one", "test -f test_red.py")))
    levels = [level for level in result.levels if level.name == "tests"]

    assert result.verified
    assert [level.result for level in levels] == ["passed", "passed"]
    assert levels[0].output == "one\n"
    assert levels[0].command == ("sh", "-c", "echo one")


async def test_all_commands_run(tmp_path):
    """One after a failure too, so that whoever repairs sees all that is wrong."""
    result = await verified(tmp_path, Commands(shell("exit 3", "no-such-program", "echo two")))
    failed, unbuilt, after = result.levels[-3:]

    assert not result.passed
    assert failed.reason == "command ended with exit code 3"
    assert unbuilt.result == "failed"
    assert (after.result, after.output) == ("passed", "two\n")


@pytest.mark.parametrize("mode", ["syntax", "off"])
async def test_modes_without_tests_run_no_command(tmp_path, mode):
    """Who switched tests off gets none."""
    result = await verified(tmp_path, Commands(shell("exit 1")), mode=mode)

    assert result.passed
    assert not result.verified


@pytest.mark.parametrize(
    ("xml", "code", "passed", "failures"),
    [(RED, 1, False, 1), (RED, 0, False, 1), (GREEN, 0, True, 0), (GREEN, 1, False, 0)],
)
async def test_report_and_exit_code_must_agree(tmp_path, xml, code, passed, failures):
    """A report that is red fails a command that ended well, and names the test."""
    own = Commands(shell(WRITE.format(xml=xml, code=code)), "build/test-*.xml")
    result = await verified(tmp_path, own)

    assert result.passed is passed
    assert len(result.failures) == failures
    for failure in result.failures:
        assert (failure.test, failure.file, failure.line) == ("calc::adds", "calc.c", 7)


@pytest.mark.parametrize("before", [{}, {"build/test-1.xml": GREEN}])
async def test_a_report_that_is_not_written_proves_nothing(tmp_path, before):
    """Not even when the repository holds a green one of its own."""
    own = Commands(shell("true"), "build/test-*.xml")
    result = await verified(tmp_path, own, before)

    assert not result.passed
    assert "there is no test report at build/test-*.xml" in result.levels[-1].reason


async def test_a_linked_report_is_no_report(tmp_path):
    """A report is a file of its own, not a way to show another one."""
    link = "mkdir -p build; ln -s /etc/hostname build/test-1.xml"
    result = await verified(tmp_path, Commands(shell(link), "build/test-*.xml"))

    assert not result.passed


async def test_a_program_that_is_not_there_is_an_environment_error(tmp_path):
    """The repository named it, so the image is to blame; of a model's own proposal, the model."""
    absent = (("no-such-program-here",),)
    with pytest.raises(TaskError, match=r"verify\.commands") as caught:
        await verified(tmp_path, Commands(absent))
    (tmp_path / "2").mkdir()
    proposed = await verified(tmp_path / "2", Commands(absent, proposed=True))

    assert caught.value.kind == "environment"
    assert not proposed.passed


async def test_a_proposed_command_is_named_as_such(tmp_path):
    """Whoever reads the level knows who chose it."""
    result = await verified(tmp_path, Commands(shell("true"), proposed=True))

    assert result.verified
    assert result.levels[-1].reason == "by a command the model proposed: true"


async def test_they_are_run_as_they_are_on_the_base(tmp_path):
    """What failed with them is run again with them."""
    own = Commands(shell(WRITE.format(xml=RED, code=1)), "build/test-*.xml")
    box, _ = await open_box(tmp_path, {})
    after = await verify(
        box, tree="t", paths=(), changed=(), read=lambda _path: None, own=own, timeout=60
    )
    again = await run_again(
        box, tree="t", failures=after.failures, of=after.levels, own=own, timeout=60
    )

    assert again.failures == after.failures


async def test_time_is_bounded(tmp_path):
    """A command that does not end fails with the limit."""
    box, _ = await open_box(tmp_path, {})
    own = Commands(shell("while :; do :; done"))
    result = await verify(
        box, tree="t", paths=(), changed=(), read=lambda _path: None, own=own, timeout=1
    )

    assert result.levels[-1].reason == "the tests timed out after 1 s"


GREEN_TEST = "class TestIt:\n    def test_green(self):\n        pass\n"
BOTH = {"tests/test_a.py": GREEN_TEST, "tests/test_b.py": "def test_red():\n    assert False\n"}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("python3 -m pytest -q", True),
        ("yes | head -c 100000; python3 -m pytest -p no:cacheprovider tests/", True),
        ("python3 -m pytest tests/test_a.py && python3 -m pytest tests/test_b.py", False),
        ("python3 -m pytest -q || true", False),
        ("python3 -m pytest -p no:junitxml", False),
        ("sh -c 'exit 3' # pytest", False),
    ],
)
async def test_a_line_that_starts_one_pytest_names_its_tests(tmp_path, line, named):
    """As far as its report agrees with how the line ended."""
    result = await verified(tmp_path, Commands(shell(line)), BOTH)
    level = result.levels[-1]

    assert level.command == ("sh", "-c", line)
    assert [failure.test for failure in level.failures] == ["tests/test_b.py::test_red"] * named
    assert level.found == (("tests/test_a.py::TestIt::test_green",) if named else ())


async def test_a_pytest_that_ends_early_shows_nothing(tmp_path):
    """Whatever it is that ended it, with the exit code of a success."""
    files = {"test_a.py": "import os\ndef test_exit():\n    os._exit(0)\n"}
    result = await verified(tmp_path, Commands(shell("python3 -m pytest -q")), files)

    assert result.levels[-1].broken.startswith("pytest ended with exit code 0 before")

    files = {"test_a.py": "def test_green():\n    assert True\n"}
    for number, option in enumerate(("-p no:junitxml", "--junitxml=report.xml")):
        (tmp_path / f"{number}").mkdir()
        own = Commands(shell(f"python3 -m pytest {option}"))
        unnamed = await verified(tmp_path / f"{number}", own, files)
        assert (unnamed.levels[-1].result, unnamed.levels[-1].found) == ("passed", ())


PATCHED = """import _pytest.python
_pytest.python.Function.runtest = lambda self: None
def test_red():
    assert False
"""
SEALED = """import os
def test_nothing_tells_of_the_seal():
    assert "cairn" not in os.environ["PYTEST_ADDOPTS"] + os.environ["PYTHONPATH"]
"""


@pytest.mark.parametrize("report", ["", "r.xml"])
@pytest.mark.parametrize(
    ("test", "result"),
    [
        (SEALED, "passed"),
        (SEALED.replace('"cairn" not', '"cairn"'), "failed"),
        (PATCHED, "broken"),
        ("import pytest\ndef test_end():\n    pytest.exit('done', 0)\n", "broken"),
    ],
)
async def test_what_pytest_reports_is_what_the_tests_did(tmp_path, report, test, result):
    """The exit code and the report of a command that starts pytest can be anybody's."""
    line = f"python3 -m pytest -q --junitxml={report}" if report else "python3 -m pytest -q"
    level = (await verified(tmp_path, Commands(shell(line), report), {"test_a.py": test})).levels[
        -1
    ]

    assert ("broken" if level.broken else level.result) == result


async def test_a_report_that_names_classes_is_read_as_files(tmp_path):
    """pytest's own default names no files: they are found in the tree."""
    line = "python3 -m pytest -q -o junit_family=xunit2 --junitxml=build/test-1.xml"
    own = Commands(shell(line, "sh run-tests"), "build/test-*.xml")
    level = (await verified(tmp_path, own, BOTH | {"run-tests": f"{line}\nexit 0"})).levels[-1]

    assert [failure.test for failure in level.failures] == ["tests/test_b.py::test_red"]
    assert level.failures[0].message == "assert False"
    assert level.found == ("tests/test_a.py::TestIt::test_green",)
    assert level.green == ("tests/test_a.py",)


async def test_names_do_not_depend_on_new_files(tmp_path):
    """A test keeps its name where a change adds a file that a report would call the same."""
    own = Commands(shell("cd back && python3 -m pytest -q"))
    old = {"back/tests/test_api.py": "def test_it():\n    pass\n"}
    new = old | {"front/tests/test_api.py": ""}
    level = (await verified(tmp_path, replace(own, before=old), new)).levels[-1]

    assert level.found == ("back/tests/test_api.py::test_it",)


async def test_npm_test_is_what_the_package_says(tmp_path):
    """The tests of Node's own runner, each with its file."""
    files = {
        "package.json": '{"scripts": {"test": "node --test"}}',
        "test/a.test.js": "require('node:test').test('adds', () => {})\n",
    }
    for folder, line in (("1", "npm test"), ("2", "node --test test/a.test.js")):
        (tmp_path / folder).mkdir()
        level = (await verified(tmp_path / folder, Commands(shell(line)), files)).levels[-1]
        assert (level.tool, level.found) == ("command", ("test/a.test.js::adds",))


@pytest.mark.parametrize(
    ("command", "started"),
    [
        ("sh tests/check.sh && true", "tests/check.sh"),
        ("make test", "Makefile"),
        ("python3 -u app/cli.py", "app/cli.py"),
        ("app/cli.py", "app/cli.py"),
        ("app/cli.py::app.cli.main", ""),  # a doctest, which is no command
    ],
)
def test_what_a_command_starts_decides_what_it_tests(command: str, started: str) -> None:
    """The file in which a test stands is not started by the test's id."""
    paths = {"tests/check.sh", "Makefile", "app/cli.py"}
    assert run_by(command, paths) == ({started} if started else set())
