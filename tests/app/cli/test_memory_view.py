"""What a person sees of the project memory."""

from __future__ import annotations

from app.texts import show_texts
from runner.ports import MemoryNote


def test_kinds_come_in_their_order_and_notes_newest_first() -> None:
    """Kinds without notes are left out."""
    notes = [
        MemoryNote("runs", "r1", "1 completed", "r1"),
        MemoryNote("files", "a.py", "written for: 1.1", "r1"),
        MemoryNote("files", "b.py", "written for: 1.2", "r2"),
    ]

    assert show_texts.memory(notes).split("\n") == [
        "files (2)",
        "  b.py: written for: 1.2",
        "  a.py: written for: 1.1",
        "runs (1)",
        "  r1: 1 completed",
    ]


def test_an_empty_memory_says_so() -> None:
    """One sentence, and no heading."""
    assert show_texts.memory([]).split("\n") == ["The project memory is empty."]


def test_what_a_model_wrote_is_shown_harmless() -> None:
    """Escape sequences and line breaks do not reach the terminal."""
    notes = [MemoryNote("decisions", "t\x1b[2J", "one\ntwo", "r1")]

    assert show_texts.memory(notes).split("\n") == ["decisions (1)", "  t\\x1b[2J: one two"]
