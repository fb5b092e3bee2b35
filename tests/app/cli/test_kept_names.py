"""What others may rely on: public names and what functions take, on a checkout without tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout

TITLE = "def title(text):\n    return text.title()\n"
WRAP = "def wrap(text, width=80):\n    return text[:width]\n"
TEXT = f"{TITLE}\n\n{WRAP}"
SHOUT = "def shout(text):\n    return text.upper()\n"
USER = "from text import wrap\n\n\ndef show(text):\n    print(wrap(text))\n"
ADDING = "- [ ] 1.1 Add `shout(text)` to `text.py`\n"
RIGHT = f"{TEXT}\n\n{SHOUT}"
Made = Callable[..., Awaitable[Checkout]]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Make a checkout with a roadmap and files."""
    async with AsyncExitStack() as stack:

        async def make(roadmap: str, files: Mapping[str, str]) -> Checkout:
            content = {"ROADMAP.md": roadmap.encode()}
            content |= {path: text.encode() for path, text in files.items()}
            return await stack.enter_async_context(checkout(tmp_path / "here", content))

        yield make


def fence(code: str, path: str = "text.py") -> str:
    """One file of an answer."""
    return f"{path}\n```\n{code}```\n"


LOST = {
    "lost": f"{TITLE}\n\n{SHOUT}",
    "renamed": RIGHT.replace("def wrap", "def wrapped"),
    "default": RIGHT.replace("width=80", "width"),
    "parameter": RIGHT.replace(", width=80", "").replace("[:width]", "[:80]"),
}


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("harm", ["lost", "renamed", "default"])
async def test_what_code_uses_is_refused(made: Made, harm: str) -> None:
    """No test reaches it, another file does: the answer is refused each time it comes."""
    here = await made(ADDING, {"text.py": TEXT, "show.py": USER})
    here.model.says(fence(LOST[harm]), fence(LOST[harm]), fence(RIGHT))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:text.py") == RIGHT.strip()
    second = here.model.requests[1].messages[-1]["content"]
    assert "show.py, line" in second
    assert WRAP.strip() in second


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("harm", LOST)
async def test_what_nobody_uses_is_asked_about_once(made: Made, harm: str) -> None:
    """The original is shown and can be put back."""
    here = await made(ADDING, {"text.py": TEXT})
    here.model.says(fence(LOST[harm]), fence(RIGHT))

    said = await here.cairn("run")

    assert said.code == 0
    assert here.git("show", "HEAD:text.py") == RIGHT.strip()
    assert WRAP.strip() in here.model.requests[1].messages[-1]["content"]
    assert "`wrap`" not in said.out


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("harm", LOST)
async def test_a_model_may_insist_and_people_are_told(made: Made, harm: str) -> None:
    """The same answer again is taken; the report says what went with it."""
    here = await made(ADDING, {"text.py": TEXT})
    here.model.says(fence(LOST[harm]), fence(LOST[harm]))

    said = await here.cairn("run")

    assert said.code == 0
    assert here.git("show", "HEAD:text.py") == LOST[harm].strip()
    assert "wrap" in said.out
    assert "text.py" in said.out


@pytest.mark.nightly("test_an_edit_that_was_applied_before_changes_nothing")
async def test_insisting_with_the_same_edits(made: Made) -> None:
    """Edits that were made already are understood as edits of the original."""
    here = await made(ADDING, {"text.py": TEXT})
    edit = f"text.py\n```\n<<<<<<< SEARCH\n{WRAP}=======\n{SHOUT}>>>>>>> REPLACE\n```\n"
    here.model.says(edit, edit)

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:text.py") == f"{TITLE}\n\n{SHOUT}".strip()


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("task", "code"),
    [
        ("Remove `wrap` from `text.py`", TITLE),
        ("Rename `wrap` in `text.py` to `fold`", TEXT.replace("wrap", "fold")),
        ("`wrap` in `text.py` is replaced by `fold`", TEXT.replace("wrap", "fold")),
        ("Make `width` of `wrap` in `text.py` required", TEXT.replace("width=80", "width")),
        ("Let `wrap` in `text.py` take an ending", TEXT.replace("=80", "=80, end=''")),
        ("Cache `wrap` in `text.py`", "from functools import cache\n\n\n@cache\n" + WRAP + TITLE),
        ("Move all of `text.py` to `texts.py`", "from texts import title, wrap\n"),
    ],
)
async def test_what_the_task_asks_for_is_done(made: Made, task: str, code: str) -> None:
    """In one call."""
    here = await made(f"- [ ] 1.1 {task}\n", {"text.py": TEXT})
    more = fence(TEXT, "texts.py") if "texts" in code else ""
    here.model.says(fence(code) + more)

    assert (await here.cairn("run", "--no-planning")).code == 0
    assert here.git("show", "HEAD:text.py") == code.strip()


SCRIPT = "export function wrap(text, width = 80) {\n  return text.slice(0, width);\n}\n"
SCRIPT_USER = "import { wrap } from './text.js';\n\nconsole.log(wrap('a'));\n"
GO = "package text\n\nfunc Wrap(text string, width int) string {\n\treturn text[:width]\n}\n"
GO_USER = "package text\n\nfunc Show(text string) string {\n\treturn Wrap(text, 80)\n}\n"


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("path", "old", "user", "harm"),
    [
        ("text.js", SCRIPT, SCRIPT_USER, "export const none = 1;\n"),
        ("text.js", SCRIPT, SCRIPT_USER, SCRIPT.replace("width = 80", "width")),
        ("text.go", GO, GO_USER, "package text\n"),
        ("text.go", GO, GO_USER, GO.replace("width int", "width int, end string")),
    ],
    ids=["lost", "default", "lost in go", "parameter in go"],
)
async def test_in_other_languages(made: Made, path: str, old: str, user: str, harm: str) -> None:
    """JavaScript and Go are read by their grammars."""
    task = f"- [ ] 1.1 Write a comment at the top of `{path}`\n"
    here = await made(task, {path: old, f"show{path[4:]}": user})
    right = f"// Texts.\n{old}"
    here.model.says(fence(harm, path), fence(harm, path), fence(right, path))

    assert (await here.cairn("run", "--verify-mode", "off")).code == 0
    assert here.git("show", f"HEAD:{path}") == right.strip()
