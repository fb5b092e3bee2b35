"""The project memory as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.terminal import one_line
from runner.ports import Note

_KINDS = ("files", "decisions", "successes", "failures", "runs")


def memory_lines(notes: Sequence[Note]) -> Iterator[str]:
    """Yield a heading a kind and a line a note, the newest first; ``notes`` come oldest first."""
    if not notes:
        yield "Nothing is remembered yet."
    for kind in _KINDS:
        found = [note for note in notes if note.kind == kind]
        if found:
            yield f"{kind} ({len(found)})"
        for note in reversed(found):
            yield f"  {one_line(note.about)}: {one_line(note.text)}"
