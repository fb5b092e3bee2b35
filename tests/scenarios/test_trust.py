"""What a pull request, its commit and the report say about how far a change is verified."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from runner.state.status_words import CHECKS
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, answer, note, notes, on

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

ONE = "/execute --max-tasks 1"
WORDS = "def title(text):\n    return text.title()\n"
SHOUT = "\n\ndef shout(text):\n    return text.upper()\n"
TESTED = "from words import title\n\n\ndef test_title():\n    assert title('a b') == 'A B'\n"
STRIPPED = "def title(text):\n    return text.strip().title()\n"
STRIP = {
    "ROADMAP.md": b"- [ ] 1.1 Let `title(text)` in `words.py` ignore blanks around the text\n",
    "words.py": f"{WORDS}{SHOUT}".encode(),
    "tests/test_words.py": TESTED.encode(),
}


def section(bot: Bot) -> str:
    """What the newest pull request says about how far it is verified."""
    body = bot.pulls[-1].body or ""
    return body.split("### How far this is verified\n\n")[1].split("\n\n###")[0]


def trailer(bot: Bot) -> str:
    """The same in its commit."""
    lines = bot.message(bot.pulls[-1]).split("\n")
    return next(line for line in lines if line.startswith("Cairn-Trust: "))


def check(bot: Bot) -> Any:
    """The check run on its head."""
    pull = bot.pulls[-1].pull
    wanted = (pull.sha if pull else "", "cairn/trust")
    [found] = [c for c in bot.view.checks if (c["head_sha"], c["name"]) == wanted]
    return found


def for_programs(bot: Bot) -> Any:
    """What the check run says to programs."""
    text = check(bot)["output"]["text"].partition("\n```")[0]
    return json.loads(text.removeprefix("```json\n"))


def details(bot: Bot) -> str:
    """What the check run shows to people below that."""
    return str(check(bot)["output"]["text"]).partition("\n```\n\n")[2]


def reported(bot: Bot) -> Any:
    """The same in the report for programs, of the one task."""
    [path] = bot.files("report.json")
    [found] = json.loads(path.read_text())["trust"]
    return found


async def test_new_tests_that_turn_green_are_shown(bot: Bot) -> None:
    """They fail without the change, pass with it and notice a fault in it."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    told = section(bot)
    assert told.startswith("**Verified by tests.**")
    assert "- 1 test fails without this change and passes with it: `tests/test_add.py::t" in told
    assert "- The new tests notice 1 of 1 small faults put into the changed lines." in told
    assert "- The tests run 2 of 2 changed lines." in told
    assert "Not measured" not in told
    assert trailer(bot) == (
        "Cairn-Trust: verified; 1 test red to green; 1 of 1 fault noticed; "
        "2 of 2 changed lines tested"
    )
    found = reported(bot)
    assert (found["result"], found["new_tests_prove_it"]) == ("verified", True)
    assert found["red_to_green"] == ["tests/test_add.py::test_add"]
    assert found["faults"] == {"noticed": 1, "of": 1, "unnoticed": []}
    assert found["changed_lines"] == {"run": 2, "of": 2, "not_run": []}
    assert (found["nobody_verified"], found["not_measured"]) == ([], [])
    assert (check(bot)["name"], check(bot)["conclusion"]) == ("cairn/trust", "success")
    assert check(bot)["output"]["title"] == "Verified by tests"
    assert section(bot) == check(bot)["output"]["summary"]
    assert for_programs(bot) == [found]
    assert f"| tests | {CHECKS['passed']} |" in details(bot)
    assert f"| proof | {CHECKS['passed']} |" in details(bot)
    assert "| execute_task | " in details(bot)
    assert check(bot)["annotations"] == []
    [report] = bot.files("report.md")
    lines = report.read_text().split("## How far this is verified\n\n")[1]
    assert lines.startswith("- 1.1: verified;")


@on(STRIP)
async def test_new_tests_that_prove_nothing_are_shown(bot: Bot) -> None:
    """They pass without the change as well, and so do the old ones: nothing shows it to work."""
    idle = "\n\ndef test_one():\n    assert title('c') == 'C'\n"
    files = {"words.py": f"{STRIPPED}{SHOUT}", "tests/test_words.py": f"{TESTED}{idle}"}
    bot.model.says(answer(files), answer(files))

    await bot.comment(ONE)

    bot.says()
    told = section(bot)
    assert told.startswith("**Unbroken:** nothing broke; 1 of 1 changed line run; nothing")
    assert "- The tests that the change adds or edits also pass without it, so they" in told
    assert "- Public names: all kept." in told
    assert "- Not measured: whether the new tests notice small faults in the change" in told
    assert trailer(bot) == (
        "Cairn-Trust: unbroken; new tests prove nothing; 1 of 1 changed line tested"
    )
    found = reported(bot)
    assert (found["verdict"], found["result"]) == ("unbroken", "not_verified")
    assert found["new_tests_prove_it"] is False
    assert (found["red_to_green"], found["faults"]) == ([], None)
    assert check(bot)["conclusion"] == "neutral"
    assert check(bot)["output"]["title"] == "Unbroken"
    assert {"faults", "changed_lines"} >= set(found["not_measured"]) >= {"faults"}


@pytest.mark.nightly("test_a_model_may_insist_and_people_are_told")
@on(STRIP)
async def test_a_public_name_that_is_gone_is_shown(bot: Bot) -> None:
    """The model insists on it, so the change is accepted, and everybody can see what is gone."""
    bot.model.says(answer({"words.py": STRIPPED}), answer({"words.py": STRIPPED}))

    await bot.comment(ONE)

    bot.says()
    assert "`shout` is gone from words.py" in bot.prompts[1]
    told = section(bot)
    assert told.startswith("**Unbroken:**")
    assert "- Public names: `shout` in `words.py` is gone." in told
    assert trailer(bot).startswith("Cairn-Trust: unbroken; ")
    assert trailer(bot).endswith("; public names lost: `shout`")
    [lost] = reported(bot)["public_names_lost"]
    assert lost == {"path": "words.py", "name": "shout", "why": ""}


BESIDE = CALC | {
    "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` and `calc/twice.py`, each with tests\n"
}


@pytest.mark.nightly("test_what_no_test_uses_is_not_called_verified")
@on(BESIDE)
async def test_code_that_no_test_uses_is_named(bot: Bot) -> None:
    """The tests verify one file of the change; nobody verified the other."""
    bot.model.says(ADD + answer({"calc/twice.py": "def twice(a):\n    return a * 2\n"}))

    await bot.comment(ONE)

    bot.says()
    assert "- Nobody verified `calc/twice.py`, because no test uses it." in section(bot)
    assert trailer(bot).endswith("; nobody verified `calc/twice.py`")
    assert reported(bot)["nobody_verified"] == ["calc/twice.py"]


@on(notes("- [ ] 1.1 Write `one.md`\n"))
async def test_where_nothing_verifies_that_is_said(bot: Bot) -> None:
    """There are no tests: the result, the reason, and the files that nobody verified."""
    bot.model.says(note("one.md"))

    await bot.comment(ONE)

    bot.says()
    told = section(bot)
    assert told.startswith("**Untested:** the project has no tests that Cairn can run")
    merging = "whoever merges this pull request says that it is."
    assert "- Nobody verified `one.md`.\n\nNo test shows that the task is done" in told
    assert told.endswith(merging)
    assert trailer(bot) == "Cairn-Trust: untested; nobody verified `one.md`"
    found = reported(bot)
    assert (found["result"], found["nobody_verified"]) == ("not_verified", ["one.md"])
    assert found["reason"].startswith("the project has no tests")
    assert (found["new_tests_prove_it"], found["faults"], found["linters"]) == (None, None, None)
    assert (check(bot)["conclusion"], check(bot)["output"]["title"]) == ("neutral", "Untested")


SINGLE = {".github/cairn.yml": b"pull_requests:\n  strategy: single\n"}


@on(notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n", **SINGLE))
async def test_one_pull_request_for_all_tasks_says_it_of_each(bot: Bot) -> None:
    """The check on its head has them all; that of the first commit has the first."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert [found["nobody_verified"] for found in for_programs(bot)] == [["one.md"], ["two.md"]]
    assert "### 1.1 Write one.md\n\n**Untested:**" in check(bot)["output"]["summary"]
    assert details(bot).startswith("### 1.1 Write one.md\n\n#### Levels")
    assert "### 1.2 Write two.md\n\n#### Levels" in details(bot)
    assert [each["name"] for each in bot.view.checks] == ["cairn/trust", "cairn/stack"] * 2


TWICE = "# One\n\n- [ ] Write notes\n\n# Two\n\n- [ ] Write notes\n"


@pytest.mark.nightly("test_one_pull_request_for_all_tasks_says_it_of_each")
@on(notes(TWICE, **SINGLE))
async def test_two_tasks_with_the_same_title_are_both_said(bot: Bot) -> None:
    """What nobody verified of the one is not hidden by the other."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert [found["nobody_verified"] for found in for_programs(bot)] == [["one.md"], ["two.md"]]


@on(notes("- [ ] 1.1 Write `one.md`\n"))
async def test_where_checks_are_not_granted_it_is_said_once(bot: Bot) -> None:
    """An owner who has not accepted that permission loses the checks, and nothing else."""
    del bot.github.installation(REPOSITORY).permissions["checks"]
    bot.model.says(note("one.md"))

    await bot.comment(ONE)

    assert "permission *Checks* has not been accepted yet" in "".join(bot.says())
    assert bot.view.checks == []
    assert section(bot).startswith("**Untested:**")
    [path] = bot.files("report.json")
    assert json.loads(path.read_text())["errors"] == []
    await bot.comment("/execute")
    assert "*Checks*" not in "".join(bot.says())


PARTS = {
    **STRIP,
    "ROADMAP.md": b"- [ ] 1.1 Let `title(text)` in `words.py` ignore blanks around the text; "
    b"test it in `tests/test_words.py` and `tests/test_more.py`\n",
    "tests/test_more.py": b"from words import shout\n\n\ndef test_shout():\n"
    b"    assert shout('a') == 'A'\n",
}


@on(PARTS)
async def test_tests_that_are_only_partly_there_are_told(bot: Bot) -> None:
    """One new test proves the change, one proves nothing, and a file that was named has none."""
    new = "\n\ndef test_blanks():\n    assert title(' c ') == 'C'\n"
    idle = "\n\ndef test_one():\n    assert title('c') == 'C'\n"
    files = {"words.py": f"{STRIPPED}{SHOUT}", "tests/test_words.py": f"{TESTED}{new}{idle}"}
    bot.model.says(answer(files))

    await bot.comment(ONE)

    bot.says()
    told, body = section(bot), bot.pulls[-1].body or ""
    assert told.startswith("**Verified by tests, with warnings.**")
    assert "- 1 test fails without this change and passes with it: `tests/test_words.py::t" in told
    assert "- 1 new test passes without this change as well, and so proves nothing." in told
    assert (
        "The task names tests/test_more.py, but no test there changed or started to pass." in body
    )
    assert reported(bot)["new_tests_that_prove_nothing"] == 1


NPM = {
    "ROADMAP.md": b"- [ ] 1.1 Let `title(text)` in `src/words.js` ignore blanks, with tests\n",
    "package.json": b'{"name": "words", "type": "module", "scripts": {"test": "node --test"}}\n',
    "src/words.js": b"""\
export function title(text) {
  return text[0].toUpperCase() + text.slice(1);
}
""",
    "test/words.test.js": b"""\
import test from 'node:test';
import assert from 'node:assert';
import { title } from '../src/words.js';

test('makes a title', () => {
  assert.equal(title('ada'), 'Ada');
});
""",
}
TRIMMED = """\
export function title(text) {
  const word = text.trim();
  return word.length === 0 ? word : word[0].toUpperCase() + word.slice(1);
}
"""


def script_tests(*more: tuple[str, str, str]) -> str:
    """The tests of the words with more of them: name, argument and result."""
    tests = [
        f"\ntest('{name}', () => {{\n  assert.equal(title('{given}'), '{result}');\n}});\n"
        for name, given, result in more
    ]
    return NPM["test/words.test.js"].decode() + "".join(tests)


def in_node(tests: str, code: str = TRIMMED) -> str:
    """The answer of a model for that project."""
    return answer({"src/words.js": code, "test/words.test.js": tests})


@on(NPM)
@needs_node
async def test_new_tests_of_javascript_are_run_without_the_change(bot: Bot) -> None:
    """Only the new test counts, and the other new one that passes without the change is told."""
    bot.model.says(in_node(script_tests(("trims", " ada", "Ada"), ("keeps", "bo", "Bo"))))

    await bot.comment(ONE)

    bot.says()
    told = section(bot)
    assert "- 1 test fails without this change and passes with it: `test/words.test.js::tr" in told
    assert "- 1 new test passes without this change as well, and so proves nothing." in told
    assert trailer(bot).startswith("Cairn-Trust: verified; 1 test red to green; 1 of 1 fault ")
    found = reported(bot)
    assert (found["new_tests_prove_it"], found["red_to_green"]) == (
        True,
        ["test/words.test.js::trims"],
    )
    assert found["new_tests_that_prove_nothing"] == 1
    assert "red_to_green" not in found["not_measured"]
    assert found["faults"]["of"] > 0


@pytest.mark.nightly("test_promised_tests_that_pass_without_the_change_are_repaired")
@on(NPM)
@needs_node
async def test_tests_of_javascript_must_prove_what_was_promised(bot: Bot) -> None:
    """New tests that also pass without the change are refused, where the task asks for tests."""
    idle = script_tests(("keeps", "bo", "Bo"))
    real = script_tests(("trims", " ada", "Ada"))
    bot.model.says(in_node(idle), in_node(real))

    await bot.comment(ONE)

    bot.says()
    assert "these tests prove nothing, because they also pass without the change" in bot.prompts[1]
    assert "test/words.test.js::keeps" in bot.prompts[1]
    assert reported(bot)["red_to_green"] == ["test/words.test.js::trims"]


@pytest.mark.nightly("test_new_tests_of_javascript_are_run_without_the_change")
@on({**NPM, "ROADMAP.md": b"- [ ] 1.1 Add `shout(text)` in `src/shout.js`, with tests\n"})
@needs_node
async def test_a_new_file_of_javascript_that_cannot_be_loaded_without_the_change(bot: Bot) -> None:
    """Each of its tests turns green; those of the other file do not count."""
    tests = NPM["test/words.test.js"].decode().replace("title", "shout")
    tests = tests.replace("words.js", "shout.js").replace("'Ada'", "'ADA'")
    shout = "export const shout = (text) => text.toUpperCase();\n"
    bot.model.says(answer({"src/shout.js": shout, "test/shout.test.js": tests}))

    await bot.comment(ONE)

    bot.says()
    assert reported(bot)["red_to_green"] == ["test/shout.test.js::makes a shout"]
    assert trailer(bot).startswith("Cairn-Trust: verified; 1 test red to green")


MANY = NPM | {
    "package.json": b'{"name": "words", "type": "module", "scripts": '
    b'{"test": "node --test && node src/words.js"}}\n'
}


@pytest.mark.nightly("test_a_command_that_names_no_tests_is_one_test")
@on(MANY)
@needs_node
async def test_a_script_of_several_commands_is_one_test(bot: Bot) -> None:
    """It ends with an exit code only: it fails without the change, and passes with it."""
    bot.model.says(in_node(script_tests(("trims", " ada", "Ada"))))

    await bot.comment(ONE)

    bot.says()
    assert "- Shown by tests of this change." in section(bot)
    assert reported(bot)["red_to_green"] == ["node"]
