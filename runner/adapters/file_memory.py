"""The ``Memory`` port as ``memory.json`` (DESIGN §10); trouble with the file never fails a run."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from runner.memory import MAX_ABOUT, MAX_TEXT, MOST, merged, relevant
from runner.ports import Note

log = logging.getLogger(__name__)

MAX_BYTES = 4 << 20
Kind = Literal["files", "decisions", "runs", "failures", "successes"]


class _Entry(BaseModel):
    kind: Kind
    about: Annotated[str, StringConstraints(max_length=MAX_ABOUT)]
    text: Annotated[str, StringConstraints(max_length=MAX_TEXT)]
    run: str = ""


class _File(BaseModel):
    version: Literal[1]
    notes: list[_Entry] = Field(max_length=sum(MOST.values()))


class FileMemory:
    """Notes in one file, the oldest first; ``mask`` hides secrets in what is written.

    One object a file: it keeps its own writers in line.
    """

    def __init__(self, path: Path, *, mask: Callable[[str], str]) -> None:
        self._path = path
        self._mask = mask
        self._lock = asyncio.Lock()

    async def recall(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        """Return what helps; nothing when the file cannot be used."""
        return await asyncio.to_thread(self._relevant, words, paths)

    async def remember(self, notes: Sequence[Note]) -> None:
        """Add notes to the file; a file that cannot be read is put aside first."""
        if not notes:
            return
        async with self._lock:
            try:
                await asyncio.to_thread(self._add, notes)
            except OSError as error:
                log.warning("The project memory could not be written: %s", error)

    async def notes(self) -> tuple[Note, ...]:
        """Return every note, the oldest first; nothing when the file cannot be used."""
        return await asyncio.to_thread(self._read) or ()

    def _relevant(self, words: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
        return relevant(self._read() or (), words, paths)

    def _add(self, notes: Sequence[Note]) -> None:
        old = self._read()
        if old is None:
            self._path.replace(self._path.with_name(f"{self._path.name}.broken"))
        entries = [
            {"kind": n.kind, "about": self._mask(n.about), "text": self._mask(n.text), "run": n.run}
            for n in merged(old or (), notes)
        ]
        text = json.dumps({"version": 1, "notes": entries}, indent=1, ensure_ascii=False) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f".{self._path.name}.new")
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(self._path)

    def _read(self) -> tuple[Note, ...] | None:
        """Return the notes, () when there is no file yet, None when it cannot be used."""
        try:
            with self._path.open("rb") as file:  # one that is longer is no valid JSON when cut
                stored = _File.model_validate_json(file.read(MAX_BYTES))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            reason = str(error).split("\n", 1)[0]
            log.warning("%s is not used: %s. It will be put aside.", self._path, reason)
            return None
        return tuple(Note(n.kind, n.about, n.text, n.run) for n in stored.notes)
