"""Answers that are not good enough at first, and what becomes of them."""

from __future__ import annotations

import ast

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import (
    ADD_MODULE,
    ADD_NO_COLON,
    ADD_OPEN_BRACKET,
    ADD_WRONG,
    CALC,
    answer,
    note,
    notes,
    on,
)

ONE = "/execute --max-tasks 1"


@MORE
async def test_nothing_invalid_is_ever_written(bot: Bot) -> None:
    """An open bracket is found before any write and costs one repair of one file."""
    bot.model.says(ADD_OPEN_BRACKET, ADD_MODULE)

    await bot.comment(ONE)

    (said,) = bot.says()
    assert "✅ | **1.1**" in said
    assert "SyntaxError" in bot.prompts[1]
    assert "calc/add.py, line 1" in bot.prompts[1]
    for content in bot.sent():
        assert ast.parse(content) if b"def " in content else True
    assert "(1 code repair, 0 test repairs)" in (bot.pulls[0].body or "")


@pytest.mark.nightly("the row syntax-fix of test_promised")
async def test_a_missing_colon_costs_one_repair(bot: Bot) -> None:
    """What has one reading for us may have another for the author: the model is asked, once."""
    bot.model.says(ADD_NO_COLON, ADD_MODULE)

    await bot.comment(ONE)

    (said,) = bot.says()
    assert "✅ | **1.1**" in said
    assert "(1 code repair, 0 test repairs)" in (bot.pulls[0].body or "")


@pytest.mark.nightly("the row test-failure of test_promised")
async def test_a_failing_test_is_repaired_in_the_code(bot: Bot) -> None:
    """One repair from the parsed failure changes the implementation and leaves the tests."""
    bot.model.says(ADD_WRONG, ADD_MODULE)

    await bot.comment(ONE)

    bot.says()
    assert "tests/test_add.py::test_add" in bot.prompts[1]
    assert "assert -1 == 5" in bot.prompts[1]
    changed = bot.changed(bot.pulls[0])
    assert changed["calc/add.py"] == b"def add(a, b):\n    return a + b\n"
    assert (changed["tests/test_add.py"] or b"").endswith(b"assert add(2, 3) == 5\n")
    assert "(0 code repairs, 1 test repair)" in (bot.pulls[0].body or "")


USER = answer(
    {
        "src/user.py": "from helpers import full_name\n\n\nclass User:\n"
        "    def __init__(self, first, last):\n        self.full_name = full_name(first, last)\n",
        "tests/test_user.py": "from src.user import User\n\n\ndef test_user():\n"
        '    assert User("john", "doe").full_name == "John Doe"\n',
    }
)
HELPERS = {
    "ROADMAP.md": b"- [ ] 1.1 Add a `User` class in `src/user.py` with tests\n",
    "src/__init__.py": b"",
    "src/utils/__init__.py": b"",
    "src/utils/helpers.py": b"def full_name(first, last):\n"
    b'    return f"{first.title()} {last.title()}"\n',
}


@pytest.mark.nightly("the row import-path of test_promised")
@on(HELPERS)
async def test_a_wrong_import_is_told_where_the_module_is(bot: Bot) -> None:
    """The question after a failed import names the missing module and the file that is meant."""
    bot.model.says(USER, USER.replace("from helpers", "from src.utils.helpers"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "✅ | **1.1**" in said
    assert "No module named 'helpers'" in bot.prompts[1]
    assert "from the repository's root it is src.utils.helpers" in bot.prompts[1]


QUOTES = answer(
    {
        "calc/table.py": 'def table(rows):\n    """Format rows.\n\n'
        '    >>> table([[1, 2]])\n    \'1 2\'\n    """"\n'
        '    return "\\n".join(" ".join(map(str, row)) for row in rows)\n',
    }
)


@pytest.mark.nightly("the row four-quotes of test_promised")
@on({**CALC, "ROADMAP.md": b"- [ ] 1.1 Add `calc/table.py`\n"})
async def test_four_quotes_are_put_right_without_a_model(bot: Bot) -> None:
    """A docstring closed with four quotes costs no call, and its examples stay."""
    bot.model.says(QUOTES)

    await bot.comment("/execute")

    bot.says()
    written = bot.changed(bot.pulls[0])["calc/table.py"] or b""
    assert b'>>> table([[1, 2]])\n    \'1 2\'\n    """\n' in written
    assert "repaired without a model: calc/table.py" in (bot.pulls[0].body or "")


@MORE
@on(notes("- [ ] Describe limits in `doc/text.md`\n", **{"docs/text.md": b"Old.\n"}))
async def test_a_path_that_is_a_slip_is_noticed(bot: Bot) -> None:
    """A file beside its twin in a like-named folder is not written; one is there in the end."""
    bot.model.says(note("doc/text.md"), note("docs/text.md"))

    await bot.comment("/execute")

    bot.says()
    assert "`docs/text.md` does; it is probably meant" in bot.prompts[0]
    assert "Did you mean docs/text.md?" in bot.prompts[1]
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", "docs/text.md"}


ZERO = {
    "ROADMAP.md": b"- [ ] 1.1 Dividing by zero returns 0, with `tests/test_zero.py`\n"
    b"- [ ] 1.2 Write `two.md`\n",
    "div.py": b"def div(a, b):\n    return a / b\n",
    "tests/test_div.py": b"import pytest\nfrom div import div\n\n\ndef test_div():\n"
    b"    with pytest.raises(ZeroDivisionError):\n        div(1, 0)\n",
    "conftest.py": b"",
}
RAISES = answer({"div.py": "def div(a, b):\n    return a / b  # as the test wants\n"})
RETURNS = answer(
    {
        "div.py": "def div(a, b):\n    return a / b if b else 0\n",
        "tests/test_zero.py": "from div import div\n\n\ndef test_zero():\n"
        "    assert div(1, 0) == 0\n",
    }
)


@pytest.mark.nightly("the row exhausted of test_promised")
@on(ZERO)
async def test_a_contradiction_ends_with_people(bot: Bot) -> None:
    """Task against test: two more calls, then a proposal with both sides as evidence."""
    bot.model.when(contains="Dividing by zero").says(RETURNS, RAISES, RETURNS)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    (escalation,) = bot.proposes()
    assert "is waiting" in said.split("\n")[0]
    assert "✋ | **1.1**" in said
    assert "✅ | **1.2**" in said
    assert ": ESCALATE" in escalation
    assert "tests/test_div.py::test_div" in escalation
    assert "tests/test_zero.py::test_zero" in escalation


@on(ZERO)
async def test_a_task_that_failed_leaves_no_trace(bot: Bot) -> None:
    """Its box stays open, the old test as it was, and the next task builds on the same base."""
    bot.model.when(contains="Dividing by zero").says(RETURNS, RAISES, RETURNS)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    bot.says()
    bot.proposes()
    (pull,) = [one for one in bot.pulls if one not in bot.proposals]
    assert pull.pull.base == "main"
    assert set(bot.changed(pull)) == {"ROADMAP.md", "two.md"}
    assert b"- [ ] 1.1" in (bot.view.file(pull.pull.head, "ROADMAP.md") or b"")


PRICES = {
    "ROADMAP.md": b"- [ ] 1.1 Add `total.py`, which sums what `prices.py` has, and tests\n",
    "prices.py": b"def prices()\n    return [1, 2]\n",
    "conftest.py": b"",
}
TOTAL = answer(
    {
        "total.py": "from prices import prices\n\n\ndef total():\n    return sum(prices())\n",
        "tests/test_total.py": "from total import total\n\n\ndef test_total():\n"
        "    assert total() == 3\n",
    }
)


@pytest.mark.nightly("the row broken-before of test_promised")
@on(PRICES)
async def test_what_was_broken_before_is_repaired_and_said(bot: Bot) -> None:
    """A syntax error in the way is repaired in the same pull request, which says whose it was."""
    bot.model.says(TOTAL, answer({"prices.py": "def prices():\n    return [1, 2]\n"}))

    await bot.comment("/execute")

    bot.says()
    assert "`prices.py` has a syntax error" in bot.prompts[0]
    (pull,) = bot.pulls
    assert set(bot.changed(pull)) >= {"prices.py", "total.py"}
    assert "`prices.py` was broken before" in (pull.body or "")


OLD_FAILURE = {
    **CALC,
    "ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n",
    "tests/test_old.py": b"def test_old():\n    assert False\n",
}


@MORE
@on(OLD_FAILURE)
async def test_a_test_that_failed_before_is_not_the_tasks(bot: Bot) -> None:
    """An old failure stops nobody, and the pull request says that it is old."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute")

    bot.says()
    assert "Failed before this change and still fail" in (bot.pulls[0].body or "")
