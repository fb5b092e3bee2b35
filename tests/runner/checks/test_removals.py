"""Names that a task says to remove, and that an answer leaves where they are."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.removals import not_removed
from tests.runner.checks.trees import changes

BASE = {
    "words.py": "def title(text):\n    return text.title()\n\n\ndef titleize(text):\n"
    "    return title(text)\n\n\nclass Old:\n    def titleize(self): ...\n",
    "src/words.js": "export function titleize(text) {\n  return text;\n}\n",
    "src/index.js": "export { titleize } from './words.js';\n",
}
FROM_WORDS = "Remove the deprecated function `titleize` from `words.py`"
REMOVED = BASE["words.py"].replace("def titleize(text):\n    return title(text)\n\n\n", "")


def kept(said: str, answer: dict[str, str]) -> list[tuple[str, str]]:
    """Errors and paths of an answer."""
    found = not_removed(
        changes(answer),
        TaskWords(said),
        paths={*BASE, *answer},
        read=lambda path: BASE[path].encode() if path in BASE else None,
    )
    return [(each.error, each.path) for each in found]


@pytest.mark.parametrize(
    "said",
    [
        FROM_WORDS,
        "Delete function `titleize()` in `words.py`",
        "2.3 Remove the `titleize` function from `words.py`; callers use `title`",
        "Tidy up the texts.\n  - drop the unused helpers `titleize` and `title` from `words.py`",
    ],
)
def test_what_is_to_go_must_go(said: str) -> None:
    """However it is said: an answer that only does something else is not what was asked for."""
    assert ("NameKept", "words.py") in kept(said, {"fibonacci.py": "def fibonacci(n): ...\n"})
    assert ("NameKept", "words.py") in kept(said, {"words.py": BASE["words.py"] + "X = 1\n"})


def test_what_went_is_gone() -> None:
    """A method of the same name and an alias may stay; a deleted file has nothing left."""
    assert kept(FROM_WORDS, {"words.py": REMOVED}) == []
    assert kept(FROM_WORDS, {"words.py": REMOVED + "\n\ntitleize = title\n"}) == []
    assert (
        not_removed(
            changes({"words.py": None}),
            TaskWords(FROM_WORDS),
            paths={"src/words.js", "src/index.js"},
            read=lambda path: BASE[path].encode(),
        )
        == ()
    )


def test_each_file_that_the_task_names_is_looked_at() -> None:
    """What only passes the name on does not define it."""
    said = "Remove the function `titleize` from `src/words.js` and `src/index.js`"

    assert kept(said, {"test.js": "it();\n"}) == [("NameKept", "src/words.js")]
    assert kept(said, {"src/words.js": "export {};\n"}) == []


@pytest.mark.parametrize(
    "said",
    [
        "Remove the logging from the function `titleize` in `words.py`",
        "Remove `titleize` from `words.py`'s `__all__`",
        "Do not remove the function `titleize` from `words.py`",
        "Remove the function `titleize` from `other.py`",
        "Remove the function `titleize`",
        "Add `fibonacci` to `words.py`, and remove duplicates of the function `title` there",
    ],
)
def test_other_removals_ask_for_no_name_to_go(said: str) -> None:
    """Where it is not sure that this name is to go from this file, nothing is said."""
    assert kept(said, {"words.py": BASE["words.py"] + "X = 1\n"}) == []
