"""Promised names in another place, and answers to another task of the roadmap."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.misplaced import another_task, content_of_another, misplaced, taken_over
from runner.checks.promises import missing_names, promises
from runner.roadmap.parse import parse_roadmap
from tests.runner.checks.trees import changes

BASE = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "shop/cart.py": "from shop.money import to_cents\n\n\nclass Cart:\n    def put(self): ...\n",
    "shop/money.py": "def to_cents(price):\n    return price * 100\n",
    "shapes.py": "class Circle:\n    r = 1\n\n\nclass Square:\n    a = 1\n",
}


def wrong(said: str, *, suffix: str = ".py", **files: str) -> list[tuple[str, str]]:
    """Errors and paths of an answer; ``__`` in a name is a slash."""
    answer = {name.replace("__", "/") + suffix: text for name, text in files.items()}
    found = misplaced(
        changes(answer),
        TaskWords(said),
        paths={*BASE, *answer},
        read=lambda path: BASE[path].encode() if path in BASE else None,
    )
    return [(each.error, each.path) for each in found]


def test_a_name_belongs_into_the_file_that_the_task_says() -> None:
    """Defined there, or imported there from a file that the answer changes."""
    said = "Add `subtract(a, b)` to `calc.py`"
    defined = "def subtract(a, b):\n    return a - b\n"

    assert wrong(said, calc=BASE["calc.py"] + defined) == []
    assert wrong(said, shop__money=BASE["shop/money.py"] + defined) == [
        ("WrongPlace", "shop/money.py")
    ]
    assert wrong(said, more=defined) == [("WrongPlace", "more.py")]
    assert wrong(said, more=defined, calc="from more import subtract\n") == []
    assert wrong(said, more=defined, calc="from more import *\n" + BASE["calc.py"]) == []
    assert (
        wrong("Add `Cart.tax()` to `shop/cart.py`", shop__money="def tax():\n    return 1\n") == []
    )
    assert wrong("Add `subtract(a, b)`", more=defined) == []


@pytest.mark.parametrize(
    ("path", "text", "refused"),
    [
        ("calc.py", "def to_cents(price):\n    return round(price * 100)\n", True),
        ("calc.py", BASE["calc.py"] + "\n\ndef to_cents(price):\n    return price\n", False),
        ("calc.py", "def subtract(a, b):\n    return a - b\n", False),
        ("shop/money.py", "def to_cents(price):\n    return round(price * 100)\n", False),
        ("new.py", "def to_cents(price):\n    return round(price * 100)\n", False),
    ],
)
def test_a_file_gets_the_content_of_another(path: str, text: str, *, refused: bool) -> None:
    """Where nothing is left of its own names, and most of the other's are there."""
    others = {name: each.encode() for name, each in BASE.items() if name != path}
    found = content_of_another(
        changes({path: text}),
        others,
        read=lambda name: BASE[name].encode() if name in BASE else None,
    )

    assert [(each.error, each.path) for each in found] == [("WrongPlace", path)] * refused


@pytest.mark.parametrize(
    ("text", "task", "refused"),
    [
        ("def parsed(code):\n    return code\n", "Add barcodes.", True),
        ("def parsed(code):\n    return code\n", "Write Calc.py anew.", False),
        (BASE["calc.py"] + "\n\ndef parsed(code):\n    return code\n", "Add barcodes.", False),
        ("# nothing is left\n", "Add barcodes.", False),  # other rules ask about what is gone
    ],
)
def test_a_file_gets_other_code(text: str, task: str, *, refused: bool) -> None:
    """Where nothing is left of its own names, and the task does not say its name."""
    found = taken_over(
        changes({"calc.py": text}),
        ["calc.py"],
        task_text=task,
        read=lambda name: BASE[name].encode() if name in BASE else None,
    )

    assert [(each.error, each.path) for each in found] == [("WrongPlace", "calc.py")] * refused


def test_a_script_exports_what_belongs_into_it() -> None:
    """Also in the way of CommonJS, and passed on from another file."""
    said = "Add `subtract(a, b)` to `calc.js`"
    more = "exports.subtract = (a, b) => a - b;\n"
    passed_on = 'Object.assign(exports, require("./more.js"));\n'

    assert wrong(said, suffix=".js", more=more) == []  # there is no such file: that is another rule
    assert wrong(said, suffix=".js", more=more, calc="exports.add = 1;\n") == [
        ("WrongPlace", "more.js")
    ]
    assert wrong(said, suffix=".js", more=more, calc=passed_on) == []
    assert wrong(said, suffix=".js", calc=more) == []


def test_a_method_belongs_into_the_class_that_the_task_says() -> None:
    """Where that class is as it was, and another one has the method."""
    square = BASE["shapes.py"] + "\n    def area(self):\n        return self.a\n"
    circle = BASE["shapes.py"].replace("    r = 1\n", "    r = 1\n\n    def area(self): ...\n")
    base = "class Shape:\n    def area(self): ...\n\n\n" + BASE["shapes.py"]

    for said in ("Add `Circle.area()` to `shapes.py`", "Add a method `area()` to `Circle`"):
        assert wrong(said, shapes=square) == [("WrongClass", "shapes.py")]
        assert wrong(said, shapes=circle) == []
        assert wrong(said, shapes=base.replace("Circle:", "Circle(Shape):")) == []
        assert wrong(said, shapes=square + "\n\nCircle.area = Square.area\n") == []


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("calc.py", []),
        ("lib/testing/calc.py", []),
        ("tests/test_calc.py", ["subtract"]),
        ("README.md", ["subtract"]),
    ],
)
def test_a_name_in_a_test_or_on_a_page_is_not_made(path: str, missing: list[str]) -> None:
    """Unless tests are what it is for."""
    answer = changes({path: "def subtract(a, b):\n    return a - b\n"})
    asked = TaskWords("Add `subtract(a, b)` to `calc.py`; test it in `tests/test_calc.py`")

    assert [each.name for each in missing_names(answer, asked)] == missing
    for said in ("Add a helper `subtract()` for tests", "Add `subtract()` to `tests/test_calc.py`"):
        found = missing_names(answer, TaskWords(said))
        assert [each.name for each in found] == (missing if path == "README.md" else [])


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("It ends there; add a test `test_stop`.", ["test_stop"]),
        ("Fix it. Write tests named `test_a`, `test_b` and `test_calc`", ["test_a", "test_b"]),
        ("Add a regression test `test_stop` to `tests/test_calc.py`", ["test_stop"]),
        ("Fix it, so that the test `test_stop` passes", []),
        ("Fix it; add a test to `test_calc.py` like `test_stop`", []),
        ("Add a test `test_calc.py`", []),
    ],
)
def test_a_test_that_is_named_must_be_written(said: str, missing: list[str]) -> None:
    """Where the task says to add it; a test has it, as no code does."""
    answer = changes({"calc.py": "def stop(): ...\n", "tests/test_x.py": "def test_calc(): ...\n"})

    assert [each.name for each in missing_names(answer, TaskWords(said))] == missing


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Add `f(a)` and `g(b)` to `a.py`", [("f", "a.py", ""), ("g", "a.py", "")]),
        ("Add `a.py` with `f(a)`", [("f", "a.py", "")]),
        ("Add `Box.size()` in shop/box.py", [("size", "shop/box.py", "Box")]),
        ("Add a method `size()` to the class `Box`", [("size", "", "Box")]),
        ("Add to `a.py`:\n- `f(a)`: adds\n- `g(b)`\n", [("f", "a.py", ""), ("g", "a.py", "")]),
        ("Fix in `a.py`:\n- `f(a)`: adds\n", []),
        ("Add `a.py` with `f(a)`, and `b.py` with `g(b)`", [("f", "a.py", ""), ("g", "b.py", "")]),
        ("Add `f(a)` to `a.py` or `b.py`", [("f", "", "")]),
        ("Add `f(a)` in addition to `b.py`", [("f", "", "")]),
    ],
)
def test_where_a_task_says_a_name_belongs(said: str, found: list[tuple[str, str, str]]) -> None:
    """After the name, before it, or above a list of names."""
    assert [(p.name, p.file, p.owner) for p in promises(TaskWords(said))] == found


ROADMAP = b"""\
- [ ] 1.1 Add `subtract(a, b)` to `calc.py`
- [ ] 1.2 Add `multiply(a, b)` to `calc.py`
"""


def test_what_another_task_promises_is_that_task() -> None:
    """Told where the answer has nothing of its own task."""
    first, second = parse_roadmap("ROADMAP.md", ROADMAP).tasks
    answer = changes({"calc.py": "def multiply(a, b):\n    return a * b\n"})

    found = another_task(answer, TaskWords.of(first), [second], read=lambda _: None)
    assert found is not None
    assert "`multiply` belongs to" in found.message
    assert another_task(answer, TaskWords.of(second), [first], read=lambda _: None) is None
