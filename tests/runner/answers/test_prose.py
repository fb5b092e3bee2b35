"""What a model says in words: what it did, or a question instead of files."""

from __future__ import annotations

import pytest

from runner.answers.reply import parse_reply
from runner.state.findings import ASKED_BACK

FILE = "a.py\n```python\nx = 1\n```\n"


def explained(text: str) -> str:
    """The explanation that is taken from an answer."""
    return parse_reply(text, paths=["a.py"], read=lambda path: b"x = 0\n").explanation


def complaint(text: str) -> tuple[str, str]:
    """The one complaint about an answer: its word and its excerpt."""
    (found,) = parse_reply(text, paths=["a.py"], read=lambda path: b"x = 0\n").complaints
    return found.error, found.excerpt


@pytest.mark.parametrize(
    ("around", "taken"),
    [
        ("{}", ""),
        ("I set `x` to 1 because the task asks.\n\n{}", "I set `x` to 1 because the task asks."),
        ("{}\nNow `x` is 1 as the task asks.\n", "Now `x` is 1 as the task asks."),
        ("Sure! Here is the code:\n{}", ""),
        ("Here is the module with its tests.\n{}", ""),
        ("# Changes\n\n- `x` is set to 1 now\n- nothing else was changed\n\n{}",
         "`x` is set to 1 now. nothing else was changed."),
        ("The value of `x` is\nset to one here.\n\n{}", "The value of `x` is set to one here."),
        ("One is the first. Two is the second one. Three is the third one. Four is there too.\n{}",
         "One is the first. Two is the second one. Three is the third one. Four is there too."),
        ("<think>I must think about this for long.</think>\nIt sets `x` to one.\n{}",
         "It sets `x` to one."),
        ("It sets `x` to one.\n\nsrc/the/right/place.py\n{}", "It sets `x` to one."),
        ("DELETE b.py and what else is there now.\n{}", ""),
    ],
)  # fmt: skip
def test_what_is_taken(around: str, taken: str) -> None:
    """Sentences before the first file, else after the last; no headings and no introductions."""
    assert explained(around.format(FILE)) == taken


def test_a_very_long_one_is_cut() -> None:
    """A flood of words stays short, on one line."""
    text = explained("word " * 50_000 + "end.\n\n" + FILE)

    assert len(text) <= 600
    assert text.endswith("word …")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Which database should it use?", "Which database should it use?"),
        ("I can do that.\n\nWhich one?\n1. SQLite\n2. PostgreSQL\n\nBoth are fine with me.",
         "Which one? 1. SQLite 2. PostgreSQL"),
        ("**Should it be rounded up or down?**", "**Should it be rounded up or down?**"),
        ("Please clarify how prices are stored.", "Please clarify how prices are stored."),
        ("I need to know the format of the file.", "I need to know the format of the file."),
        ("¿Qué base de datos debo usar?", "¿Qué base de datos debo usar?"),
    ],
)  # fmt: skip
def test_questions(text: str, question: str) -> None:
    """What is asked is kept with its options."""
    assert complaint(text) == (ASKED_BACK, question)


@pytest.mark.parametrize(
    "text",
    [
        "I have made the changes. Would you like me to add tests?",
        "Shall I continue?",
        "The work is done.",
        "Is this okay?",
        "",
    ],
)
def test_no_question(text: str) -> None:
    """Politeness asks nothing that the answer depends on."""
    assert complaint(text)[0] != ASKED_BACK


def test_a_question_beside_files_is_no_complaint() -> None:
    """The files are the answer."""
    reply = parse_reply(
        "Is one right?\n\na.py\n```python\nx = 1\n```\n", paths=["a.py"], read=lambda p: b"x = 0\n"
    )

    assert reply.complaints == ()
    assert set(reply.changes.files) == {"a.py"}


def test_a_flood_of_questions_is_cut() -> None:
    """The question that people read stays short."""
    assert len(complaint("Which one of all these is it? " * 1_000)[1]) < 700
