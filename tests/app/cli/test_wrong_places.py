"""Answers that do another task, or do the right one in the wrong place: nothing of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import checkout

CALC = "def add(a, b):\n    return a + b\n"
CART = "class Cart:\n    def __init__(self):\n        self.items = []\n"
SUBTRACT = "\n\ndef subtract(a, b):\n    return a - b\n"
CLEAR = "\n    def clear(self):\n        self.items = []\n"
FILES = {
    "ROADMAP.md": b"- [ ] 1.1 Add `subtract(a, b)` to `calc.py`\n"
    b"- [ ] 1.2 Add `Cart.clear()` to `cart.py`, which empties it\n",
    "calc.py": CALC.encode(),
    "cart.py": CART.encode(),
    "tests/test_calc.py": b"from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}


def block(path: str, text: str) -> str:
    """A file as models give it."""
    return f"{path}\n```\n{text}```\n"


RIGHT = block("calc.py", CALC + SUBTRACT)
WRONG = {
    "another task": (block("cart.py", CART + CLEAR), "does another task of the roadmap"),
    "another file": (block("cart.py", CART + SUBTRACT), "asks for `subtract` in calc.py"),
    "a new file": (block("src/minus.py", SUBTRACT.lstrip()), "asks for `subtract` in calc.py"),
    "the tests": (
        block(
            "tests/test_calc.py",
            SUBTRACT.lstrip() + "\n\ndef test_it():\n    assert subtract(3, 1) == 2\n",
        ),
        "nothing has that name",
    ),
    "a page": (
        block("README.md", "# Calc\n\n`subtract(a, b)` subtracts.\n"),
        "nothing has that name",
    ),
}


@pytest.mark.parametrize("what", WRONG)
async def test_the_right_answer_is_asked_for_and_nothing_else_is_committed(
    tmp_path: Path, what: str
) -> None:
    """The wrong one is named, and its files are no part of what comes after it."""
    wrong, said_of_it = WRONG[what]
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(wrong, RIGHT)
        said = await here.cairn("run", "--max-tasks", "1", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        assert said_of_it in here.model.requests[1].prompt
        changed = here.git("diff", "--name-only", "HEAD~1").split()
        assert set(changed) - {"tests/test_calc.py"} == {"ROADMAP.md", "calc.py"}
        assert "- [x] 1.1" in here.git("show", "HEAD:ROADMAP.md")
        assert "- [ ] 1.2" in here.git("show", "HEAD:ROADMAP.md")


async def test_a_test_that_the_task_names_must_be_written(tmp_path: Path) -> None:
    """Old tests that pass do not stand for it."""
    said = b"- [ ] 1.1 Let `add` in `calc.py` take any numbers; add a test `test_floats`\n"
    code = block("calc.py", "def add(a, b):\n    return b + a\n")
    tests = FILES["tests/test_calc.py"].decode() + (
        "\n\ndef test_floats():\n    assert add(1.5, 2) == 3.5\n"
    )
    async with checkout(tmp_path / "here", {**FILES, "ROADMAP.md": said}) as here:
        here.model.says(code, code + block("tests/test_calc.py", tests))
        run = await here.cairn("run", "--verify-mode", "syntax")

        assert run.code == 0, run.err
        assert "asks for `test_floats`, but nothing has that name" in here.model.requests[1].prompt
        assert "test_floats" in here.git("show", "HEAD:tests/test_calc.py")


BESIDE = {
    "a page": block("README.md", "# Cart\n\nAn empty cart costs nothing.\n"),
    "a test": block(
        "tests/test_cart.py", "from cart import Cart\n\n\ndef test_it():\n    assert Cart()\n"
    ),
}


@pytest.mark.parametrize("what", BESIDE)
async def test_what_only_stands_beside_the_code_is_asked_about_once(
    tmp_path: Path, what: str
) -> None:
    """A task that speaks of no page and no test is hardly about one alone; people are told."""
    files = {**FILES, "ROADMAP.md": b"- [ ] 1.1 An empty cart costs nothing\n"}
    cost = block("cart.py", CART + "\n    def cost(self):\n        return sum(self.items)\n")
    async with checkout(tmp_path / "done", files) as here:
        here.model.says(BESIDE[what], cost)
        said = await here.cairn("run", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        assert "changes nothing but" in here.model.requests[1].prompt
        assert "def cost" in here.git("show", "HEAD:cart.py")
    async with checkout(tmp_path / "kept", files) as here:
        here.model.says(BESIDE[what], BESIDE[what])
        said = await here.cairn("run", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        assert "the task does not speak of them" in said.out


TEST = block(
    "tests/test_cart.py",
    "from cart import Cart\n\n\ndef test_it():\n    assert Cart().items == []\n",
)
COST = block("cart.py", CART + "\n    def cost(self):\n        return sum(self.items)\n")


async def test_tests_that_the_task_asks_for(tmp_path: Path) -> None:
    """They are asked about once, and people are told; a task of tests alone is not done without."""
    files = {**FILES, "ROADMAP.md": b"- [ ] 1.1 Let carts tell their cost, with tests\n"}
    async with checkout(tmp_path / "told", files) as here:
        here.model.says(COST, COST)
        said = await here.cairn("run", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        assert "The task asks for tests, and the answer has none" in here.model.requests[1].prompt
        assert "the task asks for tests, and none was added or changed" in said.out
    files["ROADMAP.md"] = b"- [ ] 1.1 Add a test of empty carts\n"
    async with checkout(tmp_path / "tests", files) as here:
        here.model.says(COST, TEST.replace("items == []", "cost() == 0"))
        said = await here.cairn("run")

        assert said.code == 0, said.err
        assert "test_it" in here.git("show", "HEAD:tests/test_cart.py")
    async with checkout(tmp_path / "none", files) as here:
        here.model.otherwise = lambda _: COST
        said = await here.cairn("run", "--no-recovery")

        assert said.code == 1, said.err
        assert here.log() == ["a commit"]


async def test_the_task_that_is_only_done_elsewhere_is_never_claimed(tmp_path: Path) -> None:
    """However often the model says the same."""
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(*[WRONG["another task"][0]] * 4)
        said = await here.cairn("run", "--task", "1.1", "--no-recovery")

        assert said.code == 1, said.err
        assert here.log() == ["a commit"]


async def test_a_name_of_the_repository_is_not_taken_for_one_of_python(tmp_path: Path) -> None:
    """Its own ``Path`` is what the question names, before any test runs."""
    files = {
        "ROADMAP.md": b"- [ ] 1.1 Add `length(steps)` to `walk.py`\n",
        "graph.py": b"class Path:\n    def __init__(self, steps):\n        self.steps = steps\n",
        "walk.py": b"def first(steps):\n    return steps[0]\n",
    }
    text = files["walk.py"].decode() + "\n\ndef length(steps):\n    return len(Path(steps).steps)\n"
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(
            block("walk.py", text), block("walk.py", f"from graph import Path\n\n\n{text}")
        )
        said = await here.cairn("run", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        assert "`Path` is used but not defined or imported in walk.py. graph.py defines it." in (
            here.model.requests[1].prompt
        )
        assert "pathlib" not in here.git("show", "HEAD:walk.py")
