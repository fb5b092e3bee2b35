"""Read back what a run left in its folder: exchanges, verifications, and the files themselves.

What is missing or cannot be read is left out: these files are for people, and no run depends on
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from runner.people.task_detail import KeptExchange, KeptVerification
from runner.state.events import Exchange
from runner.state.run_state import RunState

_NAME = re.compile(r"(agent|verification|iteration)-[1-9][0-9]{0,5}\.json")
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HEAD = 4_096
"""Bytes in which a file names its task."""

_MOST_REFERENCES = 20
T = TypeVar("T")


class KeptFiles:
    """The files of the runs below ``folder``, as ``RunFiles`` wrote them, with secrets masked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self, run: str) -> list[str]:
        """Return the names of a run's files, each kind in the order of writing."""
        folder = self._of(run)
        found = [path.name for path in folder.glob("*-*.json")] if folder else []
        return sorted(filter(_NAME.fullmatch, found), key=_order)

    def read(self, run: str, name: str) -> bytes | None:
        """Return one file; None when there is none of this name, or the name is no file's."""
        folder = self._of(run)
        if folder and _NAME.fullmatch(name):
            with suppress(OSError):
                return (folder / name).read_bytes()
        return None

    def referenced(self, state: RunState) -> RunState:
        """Return the run with each failure's files; they are read, for a run may be taken up."""
        run = state.request.id
        files: dict[tuple[str, int], list[str]] = {}
        for name in self.names(run):
            data = _object(self.read(run, name) or b"") if name.startswith("iteration-") else {}
            made, number = data.get("files"), data.get("attempt")
            if isinstance(made, list) and isinstance(number, int):
                key = (str(data.get("task")), number)
                files.setdefault(key, []).extend(f"runs/{run}/{each}" for each in (*made, name))
        for attempt in state.attempts.values():
            names = files.get((attempt.task, attempt.number), [])
            if attempt.failure and names:
                shown = tuple(dict.fromkeys(names))[-_MOST_REFERENCES:]
                failure = replace(attempt.failure, references=shown)
                state = state.put(replace(attempt, failure=failure))
        return state

    def exchanges(self, run: str, task: str) -> tuple[KeptExchange, ...]:
        """Return what the model was asked about a task and what it replied, in order."""
        return tuple(
            KeptExchange(file=name, node=str(data.get("node", "")), exchange=exchange)
            for name, data in self._about(run, task, "agent")
            if (exchange := _read_as(Exchange, data))
        )

    def verifications(self, run: str, task: str) -> tuple[KeptVerification, ...]:
        """Return every time that tests ran for a task, in order."""
        return tuple(
            kept
            for name, data in self._about(run, task, "verification")
            if (kept := _read_as(KeptVerification, {**data, "file": name, "found": data}))
        )

    def _about(self, run: str, task: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The files of one kind about a task; the others are not read to their end."""
        mark = json.dumps(task, ensure_ascii=False).encode()
        for name in self.names(run):
            if not name.startswith(f"{kind}-"):
                continue
            content = self.read(run, name) or b""
            if mark in content[:_HEAD] and (data := _object(content)).get("task") == task:
                yield name, data

    def _of(self, run: str) -> Path | None:
        return self._folder / "runs" / run if _RUN.fullmatch(run) else None


def _order(name: str) -> tuple[str, int]:
    kind, _, number = name.removesuffix(".json").partition("-")
    return kind, int(number)


def _object(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


_checked = cache(TypeAdapter)  # made when a file is first read: that takes 0.1 s


def _read_as(kind: type[T], data: dict[str, Any]) -> T | None:
    with suppress(ValidationError):
        return cast("T", _checked(cast("Hashable", kind)).validate_python(data))
    return None
