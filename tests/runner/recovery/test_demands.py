"""What a task names must be in what replaces it, and a task that names enough is not vague."""

from __future__ import annotations

import pytest

from runner.recovery.checks import first_few, is_clear, lost
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import NewTask, Task

CART = (
    "- [ ] 1.1 Add `total(items)` to `shop/cart.py`\n"
    "  - prices come from `shop/prices.py`\n"
    "  - Acceptance:\n    - `total([])` is 0\n    - sums are rounded to cents\n"
)
KEPT = ("`total([])` is 0", "sums are rounded to cents")


def task(roadmap: str) -> Task:
    """The first task of a roadmap."""
    return parse_roadmap("ROADMAP.md", roadmap.encode()).tasks[0]


def gone(*news: NewTask, stays: str = "") -> list[str]:
    """What these lose of the cart."""
    return lost(task(CART), news, stays=stays)


WHOLE = "Write `total(items)` in `shop/cart.py` with prices of `shop/prices.py`"


@pytest.mark.parametrize(
    "news",
    [
        (NewTask(WHOLE, acceptance=KEPT),),
        (NewTask(WHOLE, details=KEPT),),
        (
            NewTask("Write `total(items)` in `shop/cart.py`", acceptance=KEPT[:1]),
            NewTask("Use `shop/prices.py`", acceptance=KEPT[1:]),
        ),
        (
            NewTask(
                WHOLE, acceptance=("`total([])` is exactly 0", "Sums are always rounded to cents.")
            ),
        ),
    ],
    ids=["a criterion each", "as details", "divided", "with words added"],
)
def test_nothing_is_lost(news: tuple[NewTask, ...]) -> None:
    """Words may be added, cases and marks may differ, and parts share the names among them."""
    assert gone(*news) == []


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (NewTask("Write `greet(name)` in `hello.py`", acceptance=KEPT), "`shop/cart.py`"),
        (NewTask(WHOLE.replace("shop/cart.py", "other/shop/cart.py"), acceptance=KEPT), "cart.py`"),
        (NewTask(WHOLE.replace("total(", "subtotal("), acceptance=KEPT), "`total(items)`"),
        (NewTask(WHOLE, acceptance=KEPT[:1]), 'the criterion "sums are rounded to cents"'),
        (NewTask(WHOLE, acceptance=(KEPT[0], "sums are rounded to euros")), "rounded to cents"),
        (NewTask(WHOLE, acceptance=("`total([])` is not 0", KEPT[1])), "is 0"),
        (NewTask(WHOLE, acceptance=("`total([1])` is 0", KEPT[1])), "`total([])`"),
    ],
)
def test_a_loss_is_named(new: NewTask, said: str) -> None:
    """A file, a name or a criterion that is missing, or says something else now."""
    assert said in first_few(gone(new))


def test_what_stays_below_the_task_is_not_lost() -> None:
    """A rewrite replaces the sentence of a task; what is nested in it is still there."""
    new = NewTask("Write `total(items)` in `shop/cart.py`")

    assert gone(new, stays=task(CART).details) == []


def test_the_trail_of_an_earlier_recovery_demands_nothing() -> None:
    """What the task before was about stands in a comment, and is no part of this one."""
    trail = "- [ ] 1.1 Write `a.md`\n  <!-- Original: Write `b.md` -->\n"

    assert lost(task(trail), [NewTask("Write `a.md` with a title")]) == []


def test_a_complaint_is_short() -> None:
    """Of many losses a few are told."""
    many = "- [ ] " + " ".join(f"`n{number}`" for number in range(9)) + "\n"

    assert first_few(lost(task(many), [])) == "`n0`, `n1`, `n2`, `n3`, `n4` and 4 more"


@pytest.mark.parametrize(
    ("roadmap", "clear"),
    [
        (CART, True),
        ("- [ ] Write `rows` into `table.json`\n", True),
        ("- [ ] Write `table.json`\n  - Acceptance: it has three rows\n", True),
        ("- [ ] Improve `table.json`\n", False),
        ("- [ ] Make `total` better\n", False),
        ("- [ ] Add some useful functions\n", False),
    ],
)
def test_clear(roadmap: str, clear: bool) -> None:
    """A file alone, or a name alone, still leaves open what is to be done."""
    assert is_clear(task(roadmap)) is clear
