"""What the tree before a change says about its tests."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, answer, on

ONE = "/execute --max-tasks 1"
HALVES = {
    "ROADMAP.md": b"- [ ] 1.1 Let `halve(n)` in `half.py` round down\n",
    "half.py": b"def halve(n):\n    return n / 2\n",
    "tests/test_half.py": b"from half import halve\n\n\ndef test_odd():\n"
    b"    assert halve(5) == 2\n",
}
STILL_WRONG = answer({"half.py": "def halve(n):\n    return round(n / 2 + 0.1, 1)\n"})
RIGHT = answer({"half.py": "def halve(n):\n    return n // 2\n"})


@pytest.mark.nightly("test_only_the_bases_own_result_excuses_a_failure")
@on(HALVES)
async def test_a_red_test_of_what_the_task_changes_is_the_tasks_own(bot: Bot) -> None:
    """It failed before, too, but it uses the very file: the task is not done before it is green."""
    bot.model.says(STILL_WRONG, RIGHT)

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert bot.changed(pull)["half.py"] == b"def halve(n):\n    return n // 2\n"
    assert "(0 code repairs, 1 test repair)" in (pull.body or "")


WRONG_AND_TESTED = answer(
    {
        "half.py": "def halve(n):\n    return n / 2 + 0\n",
        "tests/test_more.py": "from half import halve\n\n\ndef test_even():\n"
        "    assert halve(4) == 2\n",
    }
)


@MORE
@on(HALVES)
async def test_a_new_test_does_not_outweigh_a_red_one_of_the_task(bot: Bot) -> None:
    """A wrong answer with a weak test of its own stays wrong."""
    bot.model.says(WRONG_AND_TESTED, RIGHT)

    await bot.comment(ONE)

    bot.says()
    assert bot.changed(bot.pulls[0])["half.py"] == b"def halve(n):\n    return n // 2\n"


OTHER = {
    **CALC,
    "other.py": b"def size():\n    return 1\n",
    "tests/test_other.py": b"import pathlib\nfrom other import size\n\n\ndef test_size():\n"
    b"    limit = 2 if pathlib.Path('calc/add.py').exists() else 3\n    assert size() == limit\n",
}


@MORE
@on(OTHER)
async def test_an_old_failure_that_imports_nothing_of_the_change_is_listed(bot: Bot) -> None:
    """It fails with another error, but only looks whether the new file is there."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "\n".join(bot.says())
    (pull,) = bot.pulls
    assert "still fail: `tests/test_other.py::test_size`" in (pull.body or "")


PROVES = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a + b\n",
        "tests/test_add.py": "import calc\n\n\ndef test_add():\n    assert calc is not None\n",
    }
)


async def test_promised_tests_that_pass_without_the_change_are_repaired(bot: Bot) -> None:
    """New tests that are green without the new code prove nothing: the task is not done."""
    bot.model.says(PROVES, ADD)

    await bot.comment(ONE)

    bot.says()
    (pull,) = bot.pulls
    assert "prove nothing" in bot.prompts[1]
    assert "tests/test_add.py::test_add" in bot.prompts[1]
    assert b"add(2, 3) == 5" in (bot.changed(pull)["tests/test_add.py"] or b"")
    assert "prove nothing" not in (pull.body or "")


UNPROMISED = {
    **CALC,
    "ROADMAP.md": b"- [ ] 1.1 Extract `calc/add.py` with `add(a, b)` from `calc`\n",
}


@MORE
@on(UNPROMISED)
async def test_tests_that_still_prove_nothing_are_told_of(bot: Bot) -> None:
    """Better ones are asked for once; the same answer again is kept, and people are told."""
    bot.model.says(PROVES, PROVES)

    await bot.comment(ONE)

    bot.says()
    assert "so they prove nothing" in (bot.pulls[0].body or "")


@pytest.mark.nightly("test_new_tests_that_turn_green_are_shown")
async def test_tests_that_fail_without_the_change_prove_it(bot: Bot) -> None:
    """New tests that need the new code are what they should be."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| proof | ✅ passed |" in body
    assert "prove nothing" not in body


HALF = {
    "ROADMAP.md": b"- [ ] 1.1 Let `halve(n)` in `half.py` round down\n",
    "half.py": b"def halve(n):\n    return n / 2\n",
    "tests/numbers.py": b"SIX = 6\n",
    "tests/test_half.py": b"from half import halve\nfrom tests.numbers import SIX\n\n\n"
    b"def test_six():\n    assert halve(SIX) == 3\n",
}


@on(HALF)
async def test_an_old_test_that_was_edited_is_not_called_new(bot: Bot) -> None:
    """The author of the code is told which tests were there before."""
    old = HALF["tests/test_half.py"].decode()
    tests = f"{old.replace('== 3', '== 3.0')}\n\ndef test_two():\n    assert halve(2) == 1\n"
    given = {"half.py": "def halve(n):\n    return n // 2\n", "tests/test_half.py": tests}
    bot.model.says(answer(given), answer(given))

    await bot.comment(ONE)

    bot.says()
    asked = bot.prompts[1]
    assert "the tests that were added or edited" in asked
    assert "new: tests/test_half.py::test_two\n" in asked
    assert "there before, and edited: tests/test_half.py::test_six\n" in asked


@MORE
@on(HALF)
async def test_tests_that_stand_as_they_were_are_not_called_new(bot: Bot) -> None:
    """Only what they load was edited, and only the test beside them is new."""
    old = HALF["tests/test_half.py"].decode()
    given = {
        "half.py": "def halve(n):\n    return n // 2\n",
        "tests/numbers.py": "# Numbers that tests share.\nSIX = 6\n",
        "tests/test_half.py": f"{old}\n\ndef test_two():\n    assert halve(2) == 1\n",
    }
    bot.model.says(answer(given), answer(given))

    await bot.comment(ONE)

    bot.says()
    assert "new: tests/test_half.py::test_two\n" in bot.prompts[1]
    assert "tests/test_half.py::test_six" not in bot.prompts[1]


SKIPPED = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a + b\n",
        "tests/test_add.py": "import pytest\n\nadd = pytest.importorskip('calc.add').add\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n",
    }
)


@MORE
async def test_tests_that_are_skipped_without_the_change_show_nothing(bot: Bot) -> None:
    """They did not fail there, so nobody says that they turned green."""
    bot.model.says(SKIPPED)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| proof | ⏭️ skipped |" in body
    assert "fails without this change" not in body
    assert "Not measured: whether new tests fail without the change" in body


WEAK = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a + b\n",
        "tests/test_add.py": "from calc.add import add\n\n\ndef test_add():\n"
        "    assert add(0, 0) == 0\n",
    }
)


async def test_faults_that_new_tests_do_not_notice_are_told(bot: Bot) -> None:
    """``a - b`` passes as well: the work is done, and its reviewer knows what nobody tests."""
    bot.model.says(WEAK)

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    body = bot.pulls[0].body or ""
    assert "1 of 1 small faults not noticed" in body
    assert "calc/add.py:2: `-` in place of `+`" in body


CODE_GONE = answer(
    {
        "calc/add.py": "def add(a, b):\n    total = a + b\n    return total - 0\n",
        "tests/test_add.py": "import os\n\nimport calc.add\n\n\ndef test_add():\n"
        "    assert abs(calc.add.add(0, 0)) < 2\n    os.remove(calc.add.__file__)\n"
        "    os.mkdir(calc.add.__file__)\n",
    }
)


@MORE
async def test_a_fault_that_cannot_be_written_is_not_counted(bot: Bot) -> None:
    """A test that takes the code away leaves no place for the second fault: nobody noticed it."""
    bot.model.says(CODE_GONE)

    await bot.comment(ONE)

    bot.says()
    assert "1 of 1 small faults not noticed" in (bot.pulls[0].body or "")


@MORE
async def test_tests_that_notice_a_fault_say_so(bot: Bot) -> None:
    """``add(2, 3) == 5`` fails for ``a - b``."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| mutants | ✅ passed |" in body
    assert "unnoticed" not in body


ROWS = """import pytest

from half import halve


@pytest.mark.parametrize(("n", "half"), [(4, 2), (6, 3){more}])
def test_halve(n, half):
    assert halve(n) == half
"""


@MORE
@on(
    {
        "ROADMAP.md": b"- [ ] 1.1 Let `halve(n)` in `half.py` round down, with tests\n",
        "half.py": b"def halve(n):\n    return n / 2\n",
        "tests/test_half.py": ROWS.format(more="").encode(),
    }
)
@pytest.mark.parametrize(
    ("more", "proven"), [(", (5, 2)", True), (", (8, 4)", False)], ids=["proves", "does-not"]
)
async def test_a_row_more_in_an_old_test_is_a_new_test(bot: Bot, more: str, proven: bool) -> None:
    """It has to fail without the change, as a test of its own would."""
    right = {"half.py": "def halve(n):\n    return n // 2\n"}
    first = answer(right | {"tests/test_half.py": ROWS.format(more=more)})
    second = answer(right | {"tests/test_half.py": ROWS.format(more=", (5, 2)")})
    bot.model.says(first, *([] if proven else [second]))

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    body = bot.pulls[0].body or ""
    assert "1 test fails without this change and passes with it" in body
    assert proven or "prove nothing" in bot.prompts[1]


LATER = {
    "ROADMAP.md": b"- [ ] 1.1 Test `half.py` in `tests/test_half.py`\n",
    "half.py": b"def halve(n):\n    return n // 2\n",
}


@MORE
@on(LATER)
async def test_tests_for_what_is_there_prove_by_passing(bot: Bot) -> None:
    """A task that only writes tests is not told that they pass without it."""
    bot.model.says(answer({"tests/test_half.py": HALVES["tests/test_half.py"].decode()}))

    await bot.comment(ONE)

    bot.says()
    assert "proof" not in (bot.pulls[0].body or "")


INVENTED = ADD.replace("def add(a, b):\n    return a + b\n", "from mathtools_plus import add\n")


@pytest.mark.nightly("the row import-path of test_promised, and test_what_is_nowhere")
async def test_an_invented_import_is_named_before_the_tests_run(bot: Bot) -> None:
    """A package that neither the sandbox nor the project knows is a failure of its own level."""
    bot.model.says(INVENTED, ADD)

    await bot.comment(ONE)

    bot.says()
    assert "No module named 'mathtools_plus'" in bot.prompts[1]
    assert "| imports | ✅ passed |" in (bot.pulls[0].body or "")


FIRST = {
    "ROADMAP.md": b"- [ ] 1.1 Add `kit/case.py` with `upper(s)`\n"
    b"- [ ] 1.2 Add `kit/words.py` with `count(s)`\n",
    "tests/test_case.py": b"from kit.case import upper\n\n\ndef test_upper():\n"
    b"    assert upper('a') == 'A'\n",
    "tests/test_words.py": b"from kit.words import count\n\n\ndef test_count():\n"
    b"    assert count('a b') == 2\n",
}
UPPER = answer({"kit/__init__.py": "", "kit/case.py": "def upper(s):\n    return s.upper()\n"})
COUNT = answer({"kit/words.py": "def count(s):\n    return len(s.split())\n"})


@MORE
@on(FIRST)
async def test_tests_written_first_wait_for_their_own_task(bot: Bot) -> None:
    """The first task is done though the second one's test is red, with another error now."""
    bot.model.says(UPPER, COUNT)

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "✅ | **1.1**" in said
    assert "✅ | **1.2**" in said
    first, second = (pull.body or "" for pull in bot.pulls)
    assert "**Verified by tests.**" in first
    assert "passes with it: `tests/test_case.py::test_upper`" in first
    assert "Failed before this change and still fail: `tests/test_words.py" in first
    assert "❌" not in first
    assert "unchanged" not in second


SOON = {**CALC, ".github/cairn.yml": b"sandbox:\n  timeout: 100\n"}
ENDLESS = answer(
    {
        "calc/add.py": "from time import sleep\n\n\ndef add(a, b):\n"
        "    while True:\n        sleep(1)\n",
        "tests/test_add.py": "from calc.add import add\n\n\ndef test_add():\n"
        "    assert add(2, 3) == 5\n",
    }
)


@pytest.mark.nightly("test_tests_that_end_no_more")
@on(SOON)
async def test_code_that_never_ends_costs_a_tenth_of_the_time(bot: Bot) -> None:
    """The base's tests end within a tenth of it on a busy machine too: these never will."""
    bot.model.says(ENDLESS, ADD)

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    assert "the tests timed out after 10 s" in bot.prompts[1]


SLOW = {
    **CALC,
    ".github/cairn.yml": b"sandbox:\n  timeout: 20\n",
    "tests/test_slow.py": b"import time\n\n\ndef test_slow():\n    time.sleep(2.5)\n",
}


@MORE
@on(SLOW)
async def test_slow_tests_get_their_time(bot: Bot) -> None:
    """Those of the base are not done so soon either: they are waited for."""
    bot.model.says(ADD)

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    assert len(bot.prompts) == 1


CLIP = "def clip(text, n):\n    return text[:n]\n"
CLIPPED = "def clip(text, n):\n    return text[: max(n, 0)]\n"
CLIPS = (
    "from text import clip\n\n\ndef test_clip():\n    assert clip('abc', 2) == 'ab'\n\n\n"
    "def test_at_night(a_clock_of_a_plugin):\n    assert clip('abc', 1) == 'a'\n"
)
NEGATIVE = "\n\ndef test_negative():\n    assert clip('abc', -1) == ''\n"
EXTENDED = {
    "ROADMAP.md": b"- [ ] 1.1 Let `clip(text, n)` in `text.py` return '' for a negative `n`; "
    b"extend `tests/test_text.py`\n",
    "text.py": CLIP.encode(),
    "tests/test_text.py": CLIPS.encode(),
}


@MORE
@on(EXTENDED)
async def test_an_old_failure_in_a_file_that_the_change_extends_is_excused(bot: Bot) -> None:
    """It lacks a plug-in, as before; the new test beside it fails without the change."""
    bot.model.says(answer({"text.py": CLIPPED, "tests/test_text.py": CLIPS + NEGATIVE}))

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    body = (bot.pulls[0].body or "").replace("\\", "")
    assert "Failed before this change and still fail: `tests/test_text.py::test_at_night`" in body
    assert "1 test fails without this change and passes with it" in body


REWRITTEN = CLIPS.replace("clip('abc', 1) == 'a'", "clip('ab', 1) == 'a'") + NEGATIVE
UNPROVEN_ONE = CLIPS + NEGATIVE.replace("-1) == ''", "1) == 'a'")


@MORE
@pytest.mark.parametrize("tests", [REWRITTEN, UNPROVEN_ONE], ids=["rewritten", "unproven"])
@on(EXTENDED)
async def test_no_old_failure_is_excused_that_the_change_rewrote_or_does_not_outweigh(
    bot: Bot, tests: str
) -> None:
    """A rewritten test is the change's own; a new one that passes anyway shows nothing."""
    wrong = answer({"text.py": CLIPPED, "tests/test_text.py": tests})
    right = answer({"text.py": CLIPPED, "tests/test_text.py": CLIPS + NEGATIVE})
    bot.model.says(wrong, right)

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    assert "test_at_night" in bot.prompts[1]


PROMISED = "\n\ndef test_far_below():\n    assert clip('abc', -9) + clip('abc', -2) == ''\n"


@MORE
@on(EXTENDED | {"tests/test_text.py": (CLIPS + PROMISED).encode()})
async def test_an_old_failure_of_what_the_task_promises_is_not_excused_in_an_extended_file(
    bot: Bot,
) -> None:
    """Half a change with a weak test of its own leaves it red: the task is not done."""
    half = CLIP.replace("return", "return '' if n == -1 else")
    bot.model.says(
        answer({"text.py": half, "tests/test_text.py": CLIPS + PROMISED + NEGATIVE}),
        answer({"text.py": CLIPPED, "tests/test_text.py": CLIPS + PROMISED + NEGATIVE}),
    )

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    assert "test_far_below" in bot.prompts[1]
    assert bot.changed(bot.pulls[0])["text.py"] == CLIPPED.encode()


OTHERWISE = "\n\ndef test_name():\n    assert label('abc') == 'a'\n"
LABEL = "\n\ndef label(text):\n    return text[:{}]\n"


@MORE
@on(
    EXTENDED
    | {  # the task does not name the tests: those of a file that it names have to pass
        "ROADMAP.md": b"- [ ] 1.1 Let `clip(text, n)` in `text.py` return '' for a negative `n`\n",
        "text.py": (CLIP + LABEL.format(2)).encode(),
        "tests/test_text.py": (
            CLIPS.replace("import clip", "import clip, label") + OTHERWISE
        ).encode(),
    }
)
async def test_an_old_failure_that_fails_otherwise_in_an_extended_file_is_new(bot: Bot) -> None:
    """The same test fails with another error: the change did something to it."""
    tests = CLIPS.replace("import clip", "import clip, label") + OTHERWISE + NEGATIVE
    bot.model.says(
        answer({"text.py": CLIPPED + LABEL.format(3), "tests/test_text.py": tests}),
        answer({"text.py": CLIPPED + LABEL.format(2), "tests/test_text.py": tests}),
    )

    await bot.comment(ONE)

    assert "✅ | **1.1**" in "".join(bot.says())
    assert "test_name" in bot.prompts[1]
    assert LABEL.format(2).encode() in (bot.changed(bot.pulls[0])["text.py"] or b"")
