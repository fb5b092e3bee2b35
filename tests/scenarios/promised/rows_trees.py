"""Rows about what the repository holds already: paths, users of a name, old faults, layers."""

from __future__ import annotations

from tests.scenarios.projects import answer
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import CODE, REPAIR, Scenario, to
from tests.scenarios.test_contexts import CASCADE as RENAMING
from tests.scenarios.test_contexts import FULL_STACK as SHOP
from tests.scenarios.test_contexts import MADE, RENAMED, USERS
from tests.scenarios.test_repairs import PRICES, RAISES, RETURNS, TOTAL, ZERO


def bytes_of(files: dict[str, object]) -> dict[str, bytes]:
    """A repository of a conversation, of plain files only."""
    return {path: content for path, content in files.items() if isinstance(content, bytes)}


def _full_stack(left: Left) -> None:
    assert list(left.statuses.values()) == ["completed"] * 5
    for number, prompt in enumerate(left.prompts):
        for path in (path for made in MADE[:number] for path in made):
            assert f"- wrote {path}: " in prompt
    assert "class Item; def __init__(self, name, price)" in left.prompts[1]
    assert "def put(self, name, price)" in left.prompts[2]
    assert left.report["success_rate"] == 1
    left.check_tests_pass()


FULL_STACK = Scenario(
    id="full-stack",
    files=bytes_of(SHOP),
    answers=tuple(answer(files) for files in MADE),
    check=_full_stack,
)


def _wrong_path(left: Left) -> None:
    assert left.statuses == {"1.1": "completed"}
    assert "`src/utils/text.py` does; it is probably meant" in left.asked(CODE)[0]
    assert "Did you mean src/utils/text.py?" in left.asked(REPAIR)[0]
    assert set(left.changed) == {"src/utils/text.py"}
    assert not any(path.startswith("src/util/") for path in left.tree)
    left.proves('from src.utils.text import shorten, upper; assert shorten("abcd", 2) == "ab"')


SHORTEN = (
    "def upper(text):\n    return text.upper()\n\n\ndef shorten(text, n):\n    return text[:n]\n"
)
WRONG_PATH = Scenario(
    id="wrong-path",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `shorten(text, n)` to `src/util/text.py`\n",
        "src/utils/text.py": b"def upper(text):\n    return text.upper()\n",
        "tests/test_text.py": b"from src.utils.text import upper\n\n\n"
        b'def test_upper():\n    assert upper("a") == "A"\n',
        "conftest.py": b"",
    },
    answers=(answer({"src/util/text.py": SHORTEN}), answer({"src/utils/text.py": SHORTEN})),
    check=_wrong_path,
)


def _broken_before(left: Left) -> None:
    assert left.statuses == {"1.1": "completed"}
    assert "`prices.py` has a syntax error" in left.prompts[0]
    assert set(left.changed) == {"prices.py", "total.py", "tests/test_total.py"}
    assert len(left.report["timeline"]) == 1
    left.check_tests_pass()


BROKEN_BEFORE = Scenario(
    id="broken-before",
    files=bytes_of(PRICES),
    answers=(TOTAL, answer({"prices.py": "def prices():\n    return [1, 2]\n"})),
    broken=frozenset({"prices.py"}),
    check=_broken_before,
)


def _cascade(left: Left) -> None:
    assert left.statuses == {"1.1": "completed"}
    told = left.prompts[0].partition("# Who uses what this task may change")[2]
    for user in ("lib/cart.py", "lib/bill.py", "lib/tax.py"):
        assert user in told
    (asked,) = left.asked(REPAIR)  # before anything is written: these would no longer import
    assert "is gone from lib/money.py" in asked
    assert left.of("1.1")["test_repairs"] == 0
    assert set(left.changed) == {*RENAMED, *USERS, "lib/tax.py"}
    left.check_tests_pass()


TAX = "from lib.money import {0}\n\n\ndef tax(items):\n    return {0}(items) // 5\n"
CASCADE = Scenario(
    id="cascade",
    files={**bytes_of(RENAMING), "lib/tax.py": TAX.format("total").encode()},
    answers=(answer(RENAMED), answer(USERS | {"lib/tax.py": TAX.format("sum_up")})),
    check=_cascade,
    isolated=True,
)


def _exhausted(left: Left) -> None:
    assert left.statuses["1.1"] == "awaiting_approval"
    iteration = left.of("1.1")
    assert iteration["answers"] == 3
    assert iteration["test_repairs"] <= 2
    (error,) = left.report["errors"]
    assert error["reason"] == "unknown"
    said = "\n".join(error["evidence"])
    assert "an existing test and a new test contradict each other" in said
    assert "an existing test: tests/test_div.py::test_div" in said
    assert "the task: " in said
    assert "Recovery strategy: ESCALATE" in left.log
    assert left.tree["tests/test_div.py"] == ZERO["tests/test_div.py"]


EXHAUSTED = Scenario(
    id="exhausted",
    files=bytes_of(ZERO),
    answers=(
        to("Dividing by zero", says=(RETURNS, RAISES, RETURNS)),
        "two.md\n```markdown\nA note.\n```\n",
    ),
    check=_exhausted,
    code=3,
    ends="is waiting",
)
ROWS = (FULL_STACK, WRONG_PATH, BROKEN_BEFORE, CASCADE, EXHAUSTED)
