"""Answers that ask something instead of giving files, and answers that only are polite."""

from __future__ import annotations

import pytest

from runner.answers.reply import parse_reply
from runner.state.findings import ASKED_BACK


def complaint(text: str) -> tuple[str, str]:
    """The one complaint about an answer: its word and its excerpt."""
    (found,) = parse_reply(text, paths=["a.py"], read=lambda path: b"x = 0\n").complaints
    return found.error, found.excerpt


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
