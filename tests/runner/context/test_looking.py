"""What a model is shown that asks to see more."""

from __future__ import annotations

from runner.answers.look_forms import LookRequest
from runner.context.looking import Shown, fitted, shown

LONG = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(500))
FILES = {
    "src/long.py": LONG.encode(),
    "src/short.py": b"class Box:\n    def size(self):\n        return TOTAL\n",
    ".env": b"TOKEN=abc\n",
    "logo.png": b"\x89PNG\0\0",
}
PATHS = [*FILES, "src/deep/one.py", "tests/test_short.py"]


def text(kind: str, what: str, first: int = 0, last: int = 0, about: str = "") -> str:
    """What is shown for one request."""
    return shown(LookRequest(kind, what, first, last), FILES, PATHS, about).text  # type: ignore[arg-type]


def test_a_short_file_is_shown_whole() -> None:
    """And known to be whole, so that the answer may replace it."""
    found = shown(LookRequest("READ", "src/short.py"), FILES, PATHS, "")

    assert found.whole == "src/short.py"
    assert "src/short.py\n```\nclass Box:" in found.text


def test_lines_of_a_long_file() -> None:
    """Exactly those that were asked for, and at most 200."""
    assert "(lines 5-6 of 1998)\n```\ndef f1():\n    return 1\n```" in text(
        "READ", "src/long.py", 5, 6
    )
    assert "(lines 1-200 of 1998)" in text("READ", "src/long.py", 1, 9_999)
    assert text("READ", "src/short.py", 8, 9) == "src/short.py has only 3 lines."


def test_of_a_long_file_the_places_the_task_is_about_are_shown() -> None:
    """With a note how to see others."""
    found = shown(LookRequest("READ", "src/long.py"), FILES, PATHS, "Change `F321`, please.")

    assert "def f321():" in found.text
    assert "READ src/long.py:from-to shows others" in found.text
    assert found.whole == ""


def test_lines_from_the_end_and_lines_that_are_not_there() -> None:
    """As ``tail`` shows them; of a file that is shorter its length is told."""
    assert "(lines 1995-1998 of 1998)\n```\n\n\ndef f499():" in text("READ", "src/long.py", -4)
    assert text("READ", "src/long.py", 5_000, 5_010) == "src/long.py has only 1,998 lines."


def test_a_pattern_is_looked_for_by_its_words() -> None:
    """It is not run, for it may take for ever; each alternative counts."""
    assert "src/short.py:2 (size): def size(self):" in text("SEARCH", r"def .*size\(")
    assert "src/short.py:3 (size): return TOTAL" in text("SEARCH", r"nothing\|return TOTAL$")
    assert text("SEARCH", "((((+*?") == "Nothing has `((((+*?`."


def test_a_search_says_path_line_and_what_it_is_in() -> None:
    """As it is written first, else in any case; nothing of secret files."""
    assert "src/short.py:3 (size): return TOTAL" in text("SEARCH", "TOTAL")
    assert "src/short.py:3 (size): return TOTAL" in text("SEARCH", "total")
    assert text("SEARCH", "TOKEN=") == "Nothing has `TOKEN=`."
    assert "[... 480 more ...]" in text("SEARCH", "def f")


def test_a_folder_is_listed() -> None:
    """What is directly in it; the root where none is named."""
    assert text("LIST", "src").split("\n")[1:] == ["deep/", "long.py", "short.py"]
    assert "tests/" in text("LIST", "")
    assert "short.py" in text("READ", "src")
    assert text("LIST", "src/short.py") == "src/short.py is a file; READ src/short.py shows it."


def test_what_is_not_there_or_not_shown() -> None:
    """The nearest names are given; secrets and what is no text stay where they are."""
    assert "Did you mean src/short.py?" in text("READ", "lib/short.py")
    assert "There is no ../../etc/passwd." in text("READ", "../../etc/passwd")
    assert "is not shown" in text("READ", ".env")
    assert "is not shown" in text("READ", "logo.png")
    assert "There is no srcs." in text("LIST", "srcs")


def test_a_long_file_lists_its_definitions_with_their_lines() -> None:
    """So that the next request can ask for exactly the right ones."""
    assert "src/long.py defines: f0 (1-2), f1 (5-6)," in text("READ", "src/long.py")
    assert ", and 340 more" in text("READ", "src/long.py")


def test_the_oldest_shrink_when_there_is_no_more_room() -> None:
    """The newest stays whole as long as it fits; what does not is left out with a note."""
    old, new = Shown("old " * 100, "old"), Shown("new " * 100, "new")

    assert fitted([[old], [new]], room=1_000, count=len) == [old.text, new.text]
    assert fitted([[old], [new]], room=500, count=len) == ["old", new.text]
    (first, newest) = fitted([[old], [new, new]], room=650, count=len)
    assert first == "old"
    assert newest.startswith(new.text)
    assert newest.endswith("[... cut ...]")
    assert fitted([[old], [new]], room=50, count=len)[1] == (
        "[... the rest is too long to be shown ...]"
    )
    assert fitted([], room=50, count=len) == []
