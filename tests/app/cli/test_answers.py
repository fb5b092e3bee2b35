"""Forms of answers on a checkout: what is understood, and what is never written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import Reply

SLUG = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
OLD_SLUG = "def slug(text):\n    return text.lower()\n"
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


@pytest.mark.nightly("test_names_that_ask_for_nothing_more")
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


async def test_a_large_window_is_filled_with_what_matters_and_not_with_the_rest(made: Made) -> None:
    """The endpoint says how much the model can read; the answer may be longer as well."""
    part = "".join(
        f"def slug_part_{n}(text):\n    return text[{n}:] or slug(text)\n\n\n" for n in range(120)
    )
    files = {"slug.py": SLUG + "\n\n" + part, "tests/test_slug.py": SLUG_TEST}
    files |= {f"noise_{n}.py": f"def area_{n}(a):\n    return a * {n}\n" * 40 for n in range(40)}
    here = await made("- [ ] 1.1 `slug(text)` in `slug.py` turns blanks into `-`\n", files)
    here.model.window = 200_000
    edit = "<<<<<<< SEARCH\n    return text.lower().replace(' ', '-')\n=======\n"
    edit += "    return text.lower().replace(' ', '-')  # blanks\n>>>>>>> REPLACE\n"
    here.model.says(f"slug.py\n```\n{edit}```\n")

    assert (await here.cairn("run")).code == 0

    (asked,) = here.model.requests
    assert "def slug_part_119(text):" in asked.prompt
    assert "def area_7(a):" not in asked.prompt
    assert asked.body["max_tokens"] == 16_384


RATES = "".join(f"RATES['r{n}'] = {n}\n" for n in range(160))
RATE_FILES = {
    "rates.py": f"RATES = {{}}\n{RATES}",
    "tests/test_rates.py": "from rates import RATES\n\n\ndef test_it():\n"
    "    assert RATES['r70'] == 71\n",
}
SET_RATE = "- [ ] 1.1 Set the rate `r70` in `rates.py` to 71\n"


async def test_of_a_long_file_the_first_question_asks_for_edits(made: Made) -> None:
    """Though it is shown whole; an edit whose blanks and quotes are others is found."""
    here = await made(SET_RATE, RATE_FILES)
    edit = '<<<<<<< SEARCH\nRATES[ "r70" ]=70\n=======\nRATES["r70"] = 71\n>>>>>>> REPLACE\n'
    here.model.says(f"rates.py\n```\n{edit}```\n")

    said = await here.cairn("run")

    asked = here.model.requests[0].prompt
    assert "but not of rates.py: it is long, so write edits of lines that are shown" in asked
    assert "RATES['r0'] = 0\n" in asked
    assert "RATES['r159'] = 159\n" in asked
    assert said.code == 0, said.err
    new = RATES.replace("RATES['r70'] = 70", 'RATES["r70"] = 71')
    assert here.git("show", "HEAD:rates.py") == f"RATES = {{}}\n{new}".strip()
    shown: int = here.left("report.json")["timeline"][0]["context_tokens"]
    assert asked.count("RATES['r") < shown < len(asked)
    assert f"context tokens {shown:,};" in (here.folder / ".executor/report.md").read_text()


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(("wrong", "before"), [("(71", "70"), ("72", "72")], ids=["syntax", "red"])
async def test_a_repair_of_a_long_file_asks_for_edits_and_for_nothing_whole(
    made: Made, wrong: str, before: str
) -> None:
    """Two instructions that contradict each other would be one too many."""
    here = await made(SET_RATE, RATE_FILES)
    edit = "rates.py\n```\n<<<<<<< SEARCH\nRATES['r70'] = {}\n=======\nRATES['r70'] = {}\n"
    edit += ">>>>>>> REPLACE\n```\n"
    here.model.says(edit.format("70", wrong), edit.format(before, "71"))

    said = await here.cairn("run")

    assert said.code == 0, said.err
    repair = here.model.requests[1].messages[-1]["content"]
    assert "Do not repeat the whole file" in repair
    assert "complete content" not in repair


@pytest.mark.nightly("test_an_empty_change")
async def test_an_answer_that_changes_nothing_is_told_that_it_is_what_was_there(
    made: Made,
) -> None:
    """The next question says so; a model that sees only "nothing" would give it again."""
    files = {"slug.py": OLD_SLUG, "tests/test_slug.py": SLUG_TEST}
    here = await made("- [ ] 1.1 `slug(text)` in `slug.py` turns blanks into `-`\n", files)
    here.model.says(fence(OLD_SLUG, "slug.py"), fence(SLUG, "slug.py"))

    assert (await here.cairn("run")).code == 0

    assert "is equal to the repository's" in here.model.requests[1].prompt


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
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


@pytest.mark.nightly("test_an_answer_that_stays_cut")
async def test_a_cut_answer_that_is_never_finished_is_no_file(made: Made) -> None:
    """An empty continuation leaves the answer cut: nothing of it is committed."""
    here = await made("- [ ] 1.1 Write `slug.py` with `slug(text)`\n")
    cut = "slug.py\n```python\ndef slug(text):\n    return text\n\n\ndef other(text):\n    pass\n"
    here.model.says(Reply(cut, finish_reason="length"), "", fence(SLUG, "slug.py"))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:slug.py") == SLUG.strip()


UTIL = (
    "def double(x):\n    return x * 2\n\n\ndef triple(x):\n    return x * 3\n\n\n"
    "def halve(x):\n    return x / 2\n"
)
QUADRUPLE = "def quadruple(x):\n    return x * 4\n"
ADDING = "- [ ] 1.1 Add `quadruple(x)` to `util.py`\n"


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    "elided",
    [
        f"# ... existing code ...\n\n\n{QUADRUPLE}",
        f"# der Rest bleibt unverändert\n\n\n{QUADRUPLE}",
        f"{QUADRUPLE}\n\n# 其余代码保持不变\n",
        f"{QUADRUPLE}\n\n...\n",
        f"def double(x): ...\n\n\ndef triple(x): ...\n\n\ndef halve(x): ...\n\n\n{QUADRUPLE}",
    ],
    ids=["english", "german", "chinese", "dots", "bodies"],
)
async def test_parts_that_are_left_out_are_not_lost(made: Made, elided: str) -> None:
    """The file is not written; the next question shows it as it is and asks for all of it."""
    here = await made(ADDING, {"util.py": UTIL})
    here.model.says(fence(elided, "util.py"), fence(f"{UTIL}\n\n{QUADRUPLE}", "util.py"))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:util.py") == f"{UTIL}\n\n{QUADRUPLE}".strip()
    assert "return x * 3" in here.model.requests[1].messages[-1]["content"]


async def test_the_original_is_shown_where_the_rest_was_kept(made: Made) -> None:
    """What is asked for again is in the question, though other files of the answer were fine."""
    here = await made(f"{ADDING}  - write `notes.md` about it\n", {"util.py": UTIL})
    notes = "notes.md\n```markdown\nFour times.\n```\n"
    first = fence(f"# ... rest of the file unchanged ...\n\n\n{QUADRUPLE}", "util.py") + notes
    here.model.says(first, fence(f"{UTIL}\n\n{QUADRUPLE}", "util.py"))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:notes.md") == "Four times."
    assert "return x * 3" in here.model.requests[1].messages[-1]["content"]


@pytest.mark.nightly("test_lines_between_two_that_are_known_are_put_back")
async def test_what_a_marker_stands_for_is_put_back_where_that_is_certain(made: Made) -> None:
    """Both neighbours of the marker stand once in the file: these lines and no others are meant."""
    here = await made("- [ ] 1.1 Let `halve(x)` in `util.py` return an int\n", {"util.py": UTIL})
    elided = "def double(x):\n# ... existing code ...\ndef halve(x):\n    return x // 2\n"
    here.model.says(fence(elided, "util.py"))

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:util.py") == UTIL.replace("x / 2", "x // 2").strip()


@pytest.mark.nightly("test_a_marker_in_place_of_code_is_refused")
async def test_an_edit_may_not_leave_parts_out(made: Made) -> None:
    """The same in the lines that an edit puts in."""
    here = await made("- [ ] 1.1 Let `double(x)` in `util.py` take text\n", {"util.py": UTIL})
    edit = (
        "util.py\n```\n<<<<<<< SEARCH\n{}=======\n"
        "def double(x):\n    x = int(x)\n{}>>>>>>> REPLACE\n```\n"
    )
    cut = edit.format(UTIL.rpartition("def halve")[0], "    # ... rest unchanged ...\n")
    right = edit.format("def double(x):\n", "")
    here.model.says(cut, right)

    assert (await here.cairn("run")).code == 0
    assert "def triple" in here.git("show", "HEAD:util.py")


async def test_a_file_shown_in_part_is_not_written_whole(made: Made) -> None:
    """The question asks for edits of it alone, and a whole file in their place is refused."""
    shapes = "\n\n".join(f"def area_{n}(x):\n    return x * {n}\n" for n in range(900))
    task = "- [ ] 1.1 Make `area_700(x)` in `shapes.py` return `x * 701`\n"
    here = await made(task, {"shapes.py": shapes})
    old, new = "def area_700(x):\n    return x * 700\n", "def area_700(x):\n    return x * 701\n"
    edit = f"shapes.py\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    here.model.says(fence(new, "shapes.py"), edit)

    assert (await here.cairn("run")).code == 0
    assert here.git("show", "HEAD:shapes.py") == shapes.replace(old, new).strip()
    first = here.model.requests[0].messages[-1]["content"]
    assert "<<<<<<< SEARCH" in first
    assert "every file that has to be created or changed." not in first


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    "right",
    [
        f"{UTIL}\n\n{QUADRUPLE}",
        "from typing import Protocol\n\n\nclass Scale(Protocol):\n"
        f"    def __call__(self, x): ...\n\n\n{UTIL}\n\n{QUADRUPLE}",
        f"{UTIL}\n\n{QUADRUPLE}\n\n# Quadruple the rest...\n",
        f"{UTIL}\n\n{QUADRUPLE}\n\n"
        'def show():\n    """Print the code.\n\n    # ... existing code ...\n    """\n',
        f"{UTIL}\n\n{QUADRUPLE}\n\n# ... existing code above ...\n",
        UTIL.replace("def halve(x):\n", "def halve(x, /):\n    # as before, but faster\n")
        + f"\n\n{QUADRUPLE}",
    ],
    ids=["plain", "protocol", "prose", "text", "idle", "comment"],
)
async def test_what_only_looks_like_a_gap_is_written(made: Made, right: str) -> None:
    """Stubs, texts and comments that stand in place of nothing are fine; an idle marker goes."""
    here = await made(ADDING, {"util.py": UTIL})
    here.model.says(fence(right, "util.py"))

    assert (await here.cairn("run")).code == 0
    committed = here.git("show", "HEAD:util.py")
    assert committed == right.replace("# ... existing code above ...\n", "").strip()
