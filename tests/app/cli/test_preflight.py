"""What keeps the tests from starting is said before anything is paid for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.config.model import parse_config
from tests.app.checkout import Said, checkout
from tests.scenarios.projects import ADD, answer

ROADMAP = b"# Roadmap\n\n- [ ] 1.1 Add `add(a, b)` to `calc/add.py`\n- [ ] 1.2 Describe it\n"
TEST = b"from calc.half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
CALC = {
    "ROADMAP.md": ROADMAP,
    "calc/__init__.py": b"",
    "calc/half.py": b"def half(a):\n    return a / 2\n",
    "tests/test_half.py": TEST,
}
FOREIGN = b"import a_library_nobody_has\n"
OPTION = b'[tool.pytest.ini_options]\naddopts = "--benchmark-skip"\n'
PLUGIN = b'[tool.pytest.ini_options]\nrequired_plugins = "pytest-that-is-not-here>=2"\n'
SETUP = (
    b"import pytest\n\n\n@pytest.fixture(autouse=True, scope='session')\ndef server():\n"
    b"    raise OSError('no server is listening')\n"
)
EXIT = b"import pytest\n\npytest.exit('set DATABASE_URL')\n"
FIXTURE = b"def test_now(mocker):\n    assert mocker\n"
OWN = {".github/cairn.yml": b"verify:\n  commands: [python -m pytest tests]\n"}
TESTS_NEED = (
    b'[project]\nname = "calc"\nversion = "1"\n[project.optional-dependencies]\ntest = ["pytest"]\n'
)


def proposed(said: Said) -> tuple[tuple[str, ...], ...]:
    """The setup commands of the file that is proposed; it must be one that Cairn reads."""
    text = said.err[said.err.index("# What the tests need") :]
    return parse_config(text.encode()).sandbox.setup


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("broken", "seen", "advice"),
    [
        ({"pyproject.toml": OPTION}, "arguments: --benchmark-skip", "names pytest-benchmark"),
        (
            {"pyproject.toml": PLUGIN},
            "plugins: pytest-that",
            "- pip install pytest-that-is-not-here",
        ),
        ({"conftest.py": FOREIGN}, "No module named 'a_library_nobody_has'", "names a_library_nob"),
        ({"tests/test_half.py": FOREIGN + TEST}, "'a_library_nobody_has'", "names a_library_nobod"),
        ({"tests/test_half.py": FIXTURE}, "fixture 'mocker' not found", "names pytest-mock"),
        ({"conftest.py": SETUP}, "::test_half: OSError: no server", "Install what the tests"),
        ({"conftest.py": SETUP} | OWN, "::test_half: OSError: no server", "Install what the tests"),
        ({"conftest.py": EXIT}, "stopped pytest: set DATABASE_URL", "Do what it says"),
    ],
    ids=["option", "plugin", "conftest", "import", "fixture", "setup", "own command", "exit"],
)
async def test_nothing_is_asked_where_the_tests_cannot_start(
    tmp_path: Path, broken: dict[str, bytes], seen: str, advice: str
) -> None:
    """One sentence says what was seen, and what to do; what no file names is not installed."""
    async with checkout(tmp_path / "here", CALC | broken) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert said.err.count("The tests cannot start") == 1
        assert seen in said.err
        assert advice in said.err
        assert ("pip install" in said.err) == (broken.get("pyproject.toml") == PLUGIN)
        assert "Nothing was changed, and nothing was spent." in said.err
        assert here.model.requests == []
        assert here.log() == ["a commit"]


async def test_the_proposal_is_made_from_the_repositorys_own_files(tmp_path: Path) -> None:
    """The extra of the tests is installed, with the project; what nobody names is shown."""
    files = CALC | {"pyproject.toml": TESTS_NEED, "tests/test_half.py": FOREIGN + TEST}
    async with checkout(tmp_path / "here", files) as here:
        said = await here.cairn("run")

        assert [command[-1] for command in proposed(said)] == ['pip install -e ".[test]"']
        assert "No file of the repository names a_library_nobody_has, so" in said.err


MAKE = {
    "ROADMAP.md": b"- [ ] 1.1 Write `notes.txt`\n",
    "Makefile": b"test:\n\tcairn_no_such_program --all\n",
}


async def test_a_makefile_whose_program_is_missing_cannot_start(tmp_path: Path) -> None:
    """That no test is red is no reason to ask a model: nothing could be verified."""
    async with checkout(tmp_path / "here", MAKE) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert "The tests cannot start" in said.err
        assert "starts a program that is not there" in said.err
        assert "cairn_no_such_program" in said.err
        assert here.model.requests == []


async def test_a_failing_setup_costs_nothing(tmp_path: Path) -> None:
    """What the repository's own setup says is passed on."""
    setup = {".github/cairn.yml": b"sandbox:\n  setup: [echo no such index; exit 3]\n"}
    async with checkout(tmp_path / "here", CALC | setup) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert "sandbox.setup ended with exit code 3" in said.err
        assert "add this to .github/cairn.yml" in said.err


async def test_a_command_of_the_repositorys_own_whose_program_is_missing(tmp_path: Path) -> None:
    """It is looked for, not run."""
    own = {".github/cairn.yml": b"verify:\n  commands: [[a-program-nobody-has, test]]\n"}
    async with checkout(tmp_path / "here", CALC | own) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert "`a-program-nobody-has test` of verify.commands" in said.err


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    "files",
    [
        {"tests/test_add.py": b"from calc.add import add\n\n\ndef test_add():\n    assert add\n"},
        {f"tests/test_{n}.py": TEST for n in "abc"} | {"tests/test_it.py": FOREIGN + TEST},
        {"tests/test_half.py": TEST.replace(b"== 2", b"== 3")},
        {
            "tests/test_slow.py": SETUP.replace(b", scope='session'", b"")
            + TEST.replace(b"half():", b"slow():")
        },
    ],
    ids=["tests written first", "one of many", "a red test", "a fixture of one file"],
)
async def test_what_a_change_can_live_with_stops_no_run(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    """Tests of a task to come, a few that lack something, and tests that were red before."""
    async with checkout(tmp_path / "here", CALC | files) as here:
        here.model.says(ADD)
        said = await here.cairn("run", "--max-tasks", "1")

        assert said.code == 0, said.out + said.err


async def test_a_repository_without_tests_is_no_error(tmp_path: Path) -> None:
    """There is nothing to start."""
    files = {path: content for path, content in CALC.items() if "test" not in path}
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(answer({"calc/add.py": "def add(a, b):\n    return a + b\n"}))
        said = await here.cairn("run", "--max-tasks", "1")

        assert said.code == 0, said.out


async def test_a_task_about_the_broken_settings_may_mend_them(tmp_path: Path) -> None:
    """The roadmap names the file: it is worked on though no test starts yet."""
    asked = b"- [ ] 1.1 Take `--benchmark-skip` out of `pyproject.toml`\n"
    files = CALC | {"ROADMAP.md": asked, "pyproject.toml": OPTION}
    fixed = "pyproject.toml\n```toml\n[tool.pytest.ini_options]\naddopts = ''\n```\n"
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(fixed)
        said = await here.cairn("run")

        assert said.code == 0, said.out


async def test_tests_that_were_seen_to_start_are_not_looked_at_again(tmp_path: Path) -> None:
    """The same tree in the same sandbox starts again."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(ADD)
        assert (await here.cairn("run", "--max-tasks", "1")).code == 0
        kept = here.folder / ".executor" / "started.json"

        assert len(json.loads(kept.read_text())) == 1


async def test_the_second_task_that_the_environment_fails_pauses_the_run(tmp_path: Path) -> None:
    """Further tasks would fail alike; what the model said is verified once the cause is gone."""
    cannot = b"def pytest_runtest_call():\n    raise KeyboardInterrupt\n"
    files = CALC | {"conftest.py": cannot}
    halved = {"calc/third.py": "def third(a):\n    return a / 3\n"}
    files["ROADMAP.md"] = (
        b"- [ ] 1.1 Add `add(a, b)` to `calc/add.py`\n- [ ] 1.2 Add `third(a)` to `calc/third.py`\n"
        b"- [ ] 1.3 Add `fifth(a)` to `calc/fifth.py`\n"
    )
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(ADD, answer(halved))
        said = await here.cairn("run")

        assert said.code == 4
        assert "Two tasks failed for this reason" in said.err
        assert "Then type `cairn resume`" in said.err
        assert len(here.model.requests) == 2


async def test_a_program_that_is_not_on_this_machine_is_not_missed_in_an_image(
    tmp_path: Path,
) -> None:
    """The sandbox ``process`` has no image: the sentence says what to install where."""
    config = b"verify:\n  commands: [[cairn-no-such-program, --all]]\n"
    async with checkout(tmp_path / "here", CALC | {".github/cairn.yml": config}) as here:
        said = await here.cairn("run")

        assert said.code == 2
        assert "starts a program that is not installed on this machine" in said.err
        assert "sandbox image" not in said.err
        assert here.model.requests == []
