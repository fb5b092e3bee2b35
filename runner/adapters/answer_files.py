"""The answers port in plain files, beside the journal of ``cairn run``."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from runner.adapters.durable import write_file
from runner.errors import Outage
from runner.masking import masked
from runner.ports import Answer


class AnswerFiles:
    """One file an answer: ``<folder>/<run>/answers/<name>.json``.

    ``mask`` hides the process's own secrets, by value alone: an answer must stay exact.
    """

    def __init__(self, folder: Path, *, mask: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._mask = mask

    async def recall(self, run: str, question: str) -> Answer | None:
        """Return the answer to a question of the run, if there was one."""
        return await asyncio.to_thread(self._read, self._file(run, question))

    async def keep(self, run: str, question: str, answer: Answer) -> None:
        """Store an answer durably, once. Raises ``Outage`` when the disk refuses."""
        await asyncio.to_thread(self._write, self._file(run, question), answer)

    async def paid(self, run: str) -> list[Answer]:
        """Return every answer of the run, in no order."""
        return await asyncio.to_thread(self._paid, run)

    def _paid(self, run: str) -> list[Answer]:
        files = (self._folder / run / "answers").glob("*.json")
        return [answer for file in files if (answer := self._read(file))]

    def _file(self, run: str, question: str) -> Path:
        name = hashlib.sha256(question.encode()).hexdigest()[:20]
        return self._folder / run / "answers" / f"{name}.json"

    def _write(self, file: Path, answer: Answer) -> None:
        if not file.exists():
            # in ASCII: a model may say half of a surrogate pair, which UTF-8 cannot hold
            write_file(file, json.dumps(masked(asdict(answer), self._mask)).encode())

    def _read(self, file: Path) -> Answer | None:
        try:
            return Answer(**json.loads(file.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise Outage("journal", f"{file} cannot be read: {error}. Remove it.") from error
