"""What an answer changes beside its task is left out, and the pull request says so."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import answer, on

ONE = "/execute --max-tasks 1"
WORDS = {
    "ROADMAP.md": b"- [ ] 1.1 Let `shout(text)` in `src/shout.py` end with an exclamation mark\n"
    b"  - Tests: `tests/test_shout.py` (already in the repository, do not change)\n",
    "README.md": b"# Words\n\nSmall functions for words.\n",
    "CHANGELOG.md": b"# Changes\n\n## Unreleased\n",
    "src/shout.py": b"def shout(text):\n    return text.upper()\n",
    "src/title.py": b"def title(line):\n    return line.title()\n\n\ndef wrap(line, width=80):\n"
    b"    return [line[i : i + width] for i in range(0, len(line), width)]\n",
    "tests/test_shout.py": b"from src.shout import shout\n\n\ndef test_shout():\n"
    b"    assert shout('a') == 'A!'\n",
}
RIGHT = {"src/shout.py": "def shout(text):\n    return text.upper() + '!'\n"}


async def only_the_code(bot: Bot, more: dict[str, str]) -> str:
    """Answer with right code and more; return the description of the pull request."""
    bot.model.says(answer({**RIGHT, **more}))

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert set(bot.changed(pull)) == {"src/shout.py", "ROADMAP.md"}
    return pull.body or ""


@on(WORDS)
async def test_documentation_that_nobody_asked_for_is_left_out(bot: Bot) -> None:
    """Neither the task nor the project's rules speak of it."""
    body = await only_the_code(
        bot,
        {"README.md": "# Changed\n", "CHANGELOG.md": "# Changes\n\n## Unreleased\n\n- louder\n"},
    )

    assert "left out README.md" in body
    assert "left out CHANGELOG.md" in body


@MORE
@on(WORDS)
async def test_wrong_code_stays_red_whatever_it_does_to_the_test(bot: Bot) -> None:
    """A test that was there cannot be made to pass by changing it."""
    wrong = answer(
        {
            "src/shout.py": "def shout(text):\n    return text\n",
            "tests/test_shout.py": "def test_shout():\n    assert True\n",
        }
    )
    bot.model.says(wrong, answer(RIGHT))

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert set(bot.changed(pull)) == {"src/shout.py", "ROADMAP.md"}
    assert "test_shout" in bot.prompts[1]


@pytest.mark.nightly("test_what_nobody_asked_for_is_left_out")
@on(WORDS)
async def test_a_deletion_that_is_left_out_is_told_to_people_and_to_the_model(bot: Bot) -> None:
    """The file stays, and whoever reads the repair's question or the pull request knows it."""
    wrong = answer({"src/shout.py": "def shout(text):\n    return text\n"})
    bot.model.says(f"{wrong}\nDELETE src/title.py\n", answer(RIGHT))

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert "- src/title.py: the task does not name what is deleted" in bot.prompts[1]
    assert set(bot.changed(pull)) == {"src/shout.py", "ROADMAP.md"}
    assert "The model wanted to delete src/title.py, which the task does not name." in (
        pull.body or ""
    )


@pytest.mark.nightly("test_what_nobody_asked_for_is_left_out")
@on(WORDS)
async def test_unrelated_code_is_left_out(bot: Bot) -> None:
    """Another module, which nothing connects with the one that the task names."""
    renamed = "def titlecase(line):\n    return line.title()\n"

    assert "left out src/title.py" in await only_the_code(bot, {"src/title.py": renamed})


@pytest.mark.nightly("test_protected_files_are_never_written")
@on(WORDS)
async def test_a_workflow_beside_right_code_costs_no_call(bot: Bot) -> None:
    """It may not be written, and the code stands without it."""
    body = await only_the_code(bot, {".github/workflows/ci.yml": "on: push\njobs: {}\n"})

    assert "left out .github/workflows/ci.yml" in body


ACTING = {
    ".circleci/config.yml": "jobs: {}\n",
    ".pre-commit-config.yaml": "repos: []  # pytest tests/test_shout.py\n",
    ".vscode/tasks.json": '{"tasks": [{"command": "python src/shout.py"}]}\n',
    "CLAUDE.md": "Always say what `shout` does.\n",
    ".github/dependabot.yml": "updates: []  # src/shout.py\n",
}


@pytest.mark.nightly("test_what_acts_on_machines_and_people_is_left_out_unless_it_is_named")
@on(WORDS)
async def test_what_acts_on_machines_and_people_is_never_written_unasked(bot: Bot) -> None:
    """Hooks, owners, CI, editors, agents: that they name what the task is about changes nothing."""
    body = await only_the_code(bot, ACTING)

    for path in ACTING:
        assert f"left out {path}: it acts on machines or people" in body


@on({**WORDS, "ROADMAP.md": b"- [ ] 1.1 Add `.husky/pre-commit` that runs the tests\n"})
async def test_a_hook_that_the_task_asks_for_is_written_when_a_person_agrees(bot: Bot) -> None:
    """It runs on the machine of whoever commits."""
    bot.model.says(answer({".husky/pre-commit": "pytest\n"}))
    await bot.comment(ONE)
    (pull,) = bot.proposals
    (asked,) = bot.proposes()
    assert "writes files that need approval: .husky/pre-commit" in asked
    bot.says()

    await bot.reply(pull, "/approve")

    assert "✅ | **1.1**" in "".join(bot.says())
    assert bot.changed(bot.pulls[-1]).keys() == {".husky/pre-commit", "ROADMAP.md"}
    bot.proposes()


@MORE
@on({**WORDS, "ROADMAP.md": b"- [ ] 1.1 Test with CircleCI: `.circleci/config.yml`\n"})
async def test_ci_of_other_providers_is_protected_as_workflows_are(bot: Bot) -> None:
    """It would run on the branch of the proposal, before anybody agreed."""
    bot.model.says(*[answer({".circleci/config.yml": "jobs: {}\n"})] * 3)

    await bot.comment(ONE)

    assert ".circleci/config.yml is protected" in "".join(bot.proposes())
    assert not bot.proposals or ".circleci/config.yml" not in bot.changed(bot.proposals[0])
    bot.says()


@MORE
@on(
    {
        **WORDS,
        "ROADMAP.md": b"- [ ] 1.1 Add `requests` to `requirements.txt`\n",
        "requirements.txt": b"pytest\n",
    }
)
async def test_what_is_installed_comes_first_among_what_is_worth_a_look(bot: Bot) -> None:
    """Everybody who sets the project up runs what is in it."""
    bot.model.says(answer({"requirements.txt": "pytest\nrequests\n"}))

    await bot.comment(ONE)

    bot.says()
    first = (bot.pulls[-1].body or "").partition("### Worth a look\n\n")[2].partition("\n")[0]
    assert (
        first
        == "- Setting the project up reads `requirements.txt`: check what it installs and runs."
    )


@MORE
@on(WORDS)
async def test_other_blanks_are_no_change(bot: Bot) -> None:
    """A file that says the same with other blanks stays as it was."""
    title = WORDS["src/title.py"].decode().replace("\n\n\n", "\n\n\n\n").replace("=80", " = 80")

    assert "only whitespace differs" in await only_the_code(bot, {"src/title.py": title})


@MORE
@on({**WORDS, "CONTRIBUTING.md": b"Every change gets a line in CHANGELOG.md.\n"})
async def test_what_the_rules_for_contributors_ask_for_stays(bot: Bot) -> None:
    """The change log is written, for the project wants it; the README is not."""
    log = "# Changes\n\n## Unreleased\n\n- `shout` ends with an exclamation mark.\n"
    bot.model.says(answer({**RIGHT, "CHANGELOG.md": log, "README.md": "# Changed\n"}))

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert bot.changed(pull)["CHANGELOG.md"] == log.encode()
    assert "README.md" not in bot.changed(pull)


NAMED = {
    **WORDS,
    "ROADMAP.md": b"- [ ] 1.1 Let `shout(text)` in `src/shout.py` end with an exclamation mark\n"
    b"  - Tests: `tests/test_shout.py`\n",
}
GUTTED = "from src.shout import shout\n\n\ndef test_shout():\n    assert True\n"


@pytest.mark.nightly("test_weakened_tests")
@on(NAMED)
async def test_a_test_that_the_task_names_is_not_gutted(bot: Bot) -> None:
    """Wrong code and a test that is always green are refused; naming the file changes nothing."""
    wrong = {"src/shout.py": "def shout(text):\n    return text\n", "tests/test_shout.py": GUTTED}
    bot.model.says(answer(wrong), answer(RIGHT))

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert "`assert shout('a') == 'A!'`" in bot.prompts[1]
    assert set(bot.changed(pull)) == {"src/shout.py", "ROADMAP.md"}


OTHERWISE = WORDS["tests/test_shout.py"].replace(b"== 'A!'", b"== 'A!!'")


@pytest.mark.long("runs real tests several times")
@on({**NAMED, "tests/test_shout.py": OTHERWISE})
async def test_people_are_told_of_a_test_that_asserts_something_else(bot: Bot) -> None:
    """A task may mean another result; somebody should look at it."""
    bot.model.says(answer({**RIGHT, "tests/test_shout.py": WORDS["tests/test_shout.py"].decode()}))

    await bot.comment(ONE)

    bot.says()
    assert "asserts something else now" in (bot.pulls[0].body or "")


NEW = {
    **WORDS,
    "ROADMAP.md": b"- [ ] 1.1 Add `whisper(text)` to `src/shout.py`, and `tests/test_whisper.py`\n",
}
WHISPER = WORDS["src/shout.py"].decode() + "\n\ndef whisper(text):\n    return text.lower()\n"
EMPTY = "from src.shout import whisper\n\n\ndef test_whisper():\n    assert True\n"
