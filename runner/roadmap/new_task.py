"""A task that is to be written into a roadmap, before it stands there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewTask:
    """What to write, without any marks: list marker, box, indent and bold come from the file.

    ``text`` is the task's own text (further lines after ``\\n``), ``id`` the number written before
    it ('' for none), ``details`` become nested bullets, ``acceptance`` those below "Acceptance:".
    """

    text: str
    id: str = ""
    details: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
