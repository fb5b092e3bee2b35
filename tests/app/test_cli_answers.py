"""Forms of answers on a checkout: what is understood, and what is never written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import Reply

SLUG = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
SLUG_TEST = "from slug import slug\n\n\ndef test_slug():\n    assert slug('A b') == 'a-b'\n"
Made = Callable[..., Awaitable[Checkout]]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Make a checkout with these files; ``roadmap`` is its plan."""
    async with AsyncExitStack() as stack:

        async def make(roadmap: str, files: Mapping[str, str] | None = None) -> Checkout:
            content = {"ROADMAP.md": roadmap, **(files or {})}
            encoded = {path: text.encode() for path, text in content.items()}
            return await stack.enter_async_context(checkout(tmp_path / "here", encoded))

        yield make


def fence(code: str, path: str = "") -> str:
    """One block of an answer, with its path on the line above it."""
    return f"{path}\n```python\n{code}```\n"


async def test_one_fence_beside_a_test_that_exists(made: Made) -> None:
    """The only file that can be meant is the one to write: the named test exists already."""
    here = await made(
        "- [ ] 1.1 Write `slug.py` with `slug(text)`\n"
        "  - Tests: `tests/test_slug.py` (already in the repository, do not change)\n",
        {"tests/test_slug.py": SLUG_TEST},
    )
    here.model.says(fence(SLUG))

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert here.git("show", "HEAD:slug.py") == SLUG.strip()


async def test_a_file_that_is_only_mentioned_is_not_demanded(made: Made) -> None:
    """A task may speak of a file that is not in the repository and that nobody is to make."""
    here = await made(
        "- [ ] 1.1 Write `slug.py` with `slug(text)`\n"
        "  - the exercise is checked with `slug_suite_test.py`, which you cannot see\n"
    )
    here.model.says(fence(SLUG, "slug.py"))

    assert (await here.cairn("run")).code == 0


async def test_one_fence_and_a_file_that_is_only_mentioned(made: Made) -> None:
    """A file that is only mentioned is no place for the code either."""
    here = await made(
        "- [ ] 1.1 Write `slug.py` with `slug(text)`\n  - `pages.py` will use it later\n",
        {"pages.py": "PAGES = []\n"},
    )
    here.model.says(fence(SLUG))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:pages.py") == "PAGES = []"


async def test_the_complaint_asks_for_the_form_of_the_prompt(made: Made) -> None:
    """Where two files can be meant the next question shows the form of the first one again."""
    here = await made("- [ ] 1.1 Write `a.py` with `a()` and `b.py` with `b()`\n")
    both = fence("def a():\n    return 1\n", "a.py") + fence("def b():\n    return 2\n", "b.py")
    here.model.says(fence("def a():\n    return 1\n\n\ndef b():\n    return 2\n"), both)

    assert (await here.cairn("run")).code == 0
    second = here.model.requests[1].messages[-1]["content"]
    assert "on a line of its own" in second
    assert "after the language" not in second


async def test_the_example_of_the_prompt_is_no_file(made: Made) -> None:
    """A small model copies `src/hello.py` from the instructions: that block is left out."""
    here = await made("- [ ] 1.1 Write `slug.py` with `slug(text)`\n")
    hello = 'def hello(name: str) -> str:\n    return f"Hello, {name}!"\n'
    here.model.says(fence(hello, "src/hello.py") + "\n" + fence(SLUG, "slug.py"))

    assert (await here.cairn("run")).code == 0
    changed = here.git("show", "--format=", "--name-only", "HEAD").split()
    assert changed == ["ROADMAP.md", "slug.py"]


@pytest.mark.parametrize(
    "again",
    [
        fence(SLUG, "slug.py"),
        f"```python\n{SLUG}```\n",
        SLUG + "```\n",
        "    return text.lower().replace(' ', '-')\n```\n",
    ],
    ids=["answer", "fence", "file", "line"],
)
async def test_a_continuation_that_starts_again(made: Made, again: str) -> None:
    """What is repeated is not glued to what was cut off."""
    here = await made("- [ ] 1.1 Write `slug.py` with `slug(text)`\n")
    cut = "slug.py\n```python\ndef slug(text):\n    return text.lower().rep"
    here.model.says(Reply(cut, finish_reason="length"), again)

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:slug.py") == SLUG.strip()
