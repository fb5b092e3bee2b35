"""Answers that touch nothing of what their task names: nothing of them stays."""

from __future__ import annotations

import re
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
OTHER_TASK = block("cart.py", CART + CLEAR)
WRONG = {
    "another task": OTHER_TASK,
    "a page": block("README.md", "# Calc\n\n`subtract(a, b)` subtracts.\n"),
    "a test of something else": block(
        "tests/test_cart.py", "from cart import Cart\n\n\ndef test_it():\n    assert Cart()\n"
    ),
}


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("what", WRONG)
async def test_the_right_answer_is_asked_for_and_nothing_else_is_committed(
    tmp_path: Path, what: str
) -> None:
    """The wrong one is named, and its files are no part of what comes after it."""
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(WRONG[what], RIGHT)
        said = await here.cairn("run", "--max-tasks", "1", "--verify-mode", "syntax")

        assert said.code == 0, said.err
        said_of_it = "The task names `calc.py`, `subtract`, and the answer changes none of it"
        assert said_of_it in here.model.requests[1].prompt
        changed = here.git("diff", "--name-only", "HEAD~1").split()
        assert changed == ["calc.py"]
        assert "Cairn-Status: in review" in here.git("log", "-1", "--format=%B")


@pytest.mark.long("runs real tests several times")
async def test_the_task_that_is_only_done_elsewhere_is_never_claimed(tmp_path: Path) -> None:
    """One more try, and then a person is asked, who sees what the answer does not touch."""
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(OTHER_TASK, OTHER_TASK)
        said = await here.cairn("run", "--task", "1.1")

        assert said.code == 3, said.err
        assert "was refused, and the model repeated it (The task names `calc.py`" in said.out
        assert here.log() == ["a commit"]
        found = re.search(r"cairn approve (\w+)", said.out + said.err)
        assert found, said.out
        assert "the answer changes none of it" in (await here.cairn("show", found[1])).out

        await here.cairn("approve", found[1])
        said = await here.cairn("resume")

        assert "def clear" in here.git("show", "HEAD:cart.py"), said.err


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
