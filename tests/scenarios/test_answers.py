"""Answers that cannot be used as they are: unreadable, cut, repeated, or out of bounds."""

from __future__ import annotations

import json

import pytest

from tests.model_server import Reply
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, ADD_WRONG, CALC, answer, note, notes, on

NOTE = notes("- [ ] Write `one.md`\n")


@on(NOTE)
async def test_an_answer_nobody_understands_is_asked_about(bot: Bot) -> None:
    """Prose without a file is an empty change with a precise complaint, and costs one repair."""
    bot.model.says("I would write a note about it.", note("one.md"))

    await bot.comment("/execute")

    bot.says()
    assert "No file was found in the answer" in bot.prompts[1]
    assert len(bot.pulls) == 1


@pytest.mark.nightly("test_the_same_answer_starts_afresh")
async def test_the_same_answer_is_not_tested_twice(bot: Bot) -> None:
    """An answer that changes nothing is not verified again: the next question starts afresh."""
    bot.model.says(ADD_WRONG, ADD_WRONG, ADD)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    # three trees: both answers and the base; the last answer is there once more with its proof
    trees = [json.loads(file.read_text())["tree"] for file in bot.files("verification-*.json")]
    assert (len(trees), len(set(trees))) == (4, 3)
    assert "Start again from the beginning" in bot.prompts[2]


CODES = "def parsed(code):\n    return code.strip()\n"
TEST_CODES = (
    "from shop.codes import parsed\n\n\ndef test_parsed():\n    assert parsed(' 1') == '1'\n"
)
COMMANDS = "def parser():\n    return None\n\n\ndef run():\n    return parser()\n"
SHOP = {
    "ROADMAP.md": b"- [ ] Add a module that reads codes: `parsed(code)` strips blanks\n",
    "shop/__init__.py": b"",
    "shop/commands.py": COMMANDS.encode(),
    "tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop\n",
}


@pytest.mark.nightly("test_beside_the_code_of_the_task")
@on(SHOP)
async def test_code_in_a_file_of_something_else(bot: Bot) -> None:
    """The file stays as it was, though the next answer does not speak of it."""
    tests = {"tests/test_codes.py": TEST_CODES}
    bot.model.says(
        answer({"shop/commands.py": CODES, **tests}), answer({"shop/codes.py": CODES, **tests})
    )

    await bot.comment("/execute")

    bot.says()
    assert "shop/commands.py" in bot.prompts[1]
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "shop/codes.py", "tests/test_codes.py"}


@on(NOTE)
async def test_a_cut_answer_is_continued(bot: Bot) -> None:
    """An answer at the length limit goes on where it stopped, and is one answer."""
    whole = note("one.md", "A note of some length.")
    bot.model.says(Reply(whole[:20], "length"), whole[20:])

    await bot.comment("/execute")

    bot.says()
    assert bot.model.requests[1].messages[-2] == {"role": "assistant", "content": whole[:20]}
    assert bot.changed(bot.pulls[0])["one.md"] == b"A note of some length.\n"
    assert "model answers: 1 " in (bot.pulls[0].body or "")


@on(NOTE)
async def test_no_path_leads_out_of_the_repository(bot: Bot) -> None:
    """A path with '..' is refused with the reason; nothing of that answer is written."""
    bot.model.says(note("../../etc/one.md", "Evil."), note("one.md"))

    await bot.comment("/execute")

    bot.says()
    assert "leaves the repository" in bot.prompts[1]
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "one.md"}
    assert b"Evil.\n" not in bot.sent()


@on(NOTE)
async def test_protected_files_are_never_written(bot: Bot) -> None:
    """Workflows, our configuration and the roadmap are left out; the rest of the answer counts."""
    forbidden = (".github/workflows/ci.yml", ".github/cairn.yml", "ROADMAP.md")
    bot.model.says(note("one.md") + "".join(note(path, "evil: 1") for path in forbidden))

    await bot.comment("/execute")

    bot.says()
    for path in forbidden:
        assert f"left out {path}" in (bot.pulls[0].body or "")
    assert bot.changed(bot.pulls[0]) == {
        "ROADMAP.md": b"- [x] Write `one.md`\n",
        "one.md": b"A note.\n",
    }
    assert b"evil: 1\n" not in bot.sent()


KEPT = {
    **CALC,
    "ROADMAP.md": b"- [ ] 1.1 Make `calc.VERSION` 2\n",
    "calc/__init__.py": b"VERSION = 1\n",
    "tests/test_calc.py": b"import calc\n\n\ndef test_calc():\n    assert calc.VERSION >= 1\n",
}


@pytest.mark.nightly("test_weakened_tests")
@on(KEPT)
async def test_a_repair_may_not_weaken_a_test(bot: Bot) -> None:
    """A repair that empties an existing test is refused; the code is what gets repaired."""
    weak = answer({"tests/test_calc.py": "def test_calc():\n    pass\n"})
    right = answer({"calc/__init__.py": "VERSION = 2\n"})
    bot.model.says(answer({"calc/__init__.py": "VERSION = -2\n"}), weak, right)

    await bot.comment("/execute")

    bot.says()
    assert "would lose the check" in bot.prompts[2]
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "calc/__init__.py"}
    assert b"def test_calc():\n    pass\n" not in bot.sent()
