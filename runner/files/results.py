"""Keep what a run leaves behind in a folder; failing to write never fails a run.

The files: docs/design.md, "What a run leaves behind".
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, ValidationError
from pydantic_core import to_json

from runner.context.memory import MAX_ABOUT, MAX_TEXT, MOST, merged, relevant, without
from runner.graph import END, REST
from runner.people.report import markdown, report, todos
from runner.people.run_view import view_of
from runner.ports import Clock, MemoryKind, MemoryNote, SystemClock
from runner.state.events import (
    Advanced,
    Event,
    ModelAnswered,
    ModelFailed,
    NodeFinished,
    RunChanged,
    RunRecalled,
    Verified,
)
from runner.state.findings import Level
from runner.state.run_state import Attempt, RunState
from runner.text.invalid import first_fault
from runner.text.sanitize import cut_middle

log = logging.getLogger(__name__)

MEMORY = "memory.json"
"""The project memory; beside the files of a run, as it was when that began."""

MAX_FILE_TEXT = 200_000
"""Characters of one text in a file; longer ones are cut in the middle with a note."""


class RunFiles:
    """Writes ``todos.json``, reports, exchanges, verifications and iterations below ``folder``.

    ``mask`` replaces secrets in every text before it is written. A run that rests or pauses leaves
    its report too, as of now. What the project memory knew when the run began is kept with it.
    Where it ``reports`` nothing, reports and memory are those of another run.
    """

    def __init__(
        self,
        folder: Path,
        *,
        mask: Callable[[str], str],
        clock: Clock | None = None,
        reports: bool = True,
    ) -> None:
        self._folder = folder
        self._mask = mask
        self._reports = reports
        self._clock = clock or SystemClock()
        self._newest: RunState | None = None
        self._links: dict[str, list[str]] = {}
        self._files: dict[tuple[str, int], tuple[str, ...]] = {}
        self._written: dict[str, int] = {}
        self._todos: object = None
        self._names: list[str] = []

    def take_written(self) -> list[str]:
        """Return the names of the files that were written since this was last asked."""
        names, self._names = self._names, []
        return list(dict.fromkeys(names))

    def files_of(self, task: str, attempt: int) -> tuple[str, ...]:
        """Return the files that this process wrote about an attempt."""
        return self._files.get((task, attempt), ())

    async def emit(self, event: Event) -> None:
        """Write what the event reports."""
        try:
            self._write(event)
        except OSError as error:
            log.warning("A run file could not be written: %s", error)

    def _write(self, event: Event) -> None:
        if isinstance(event, ModelAnswered):
            self._numbered(event, "agent", {"node": event.node, **asdict(event.exchange)})
        elif isinstance(event, ModelFailed):
            asked = {"node": event.node, "model": event.model, "prompt": event.prompt}
            tried = [*map(asdict, event.tried)]
            self._numbered(event, "agent", {**asked, "error": event.error, "tried": tried})
        elif isinstance(event, Verified):
            head = {"tested": event.tested, "attempt": event.attempt, "answer": event.answer}
            self._numbered(event, "verification", {**head, **asdict(event.verification.lean)})
        elif isinstance(event, RunRecalled) and self._reports and event.state.roadmap is None:
            memory = self._folder / MEMORY
            known = memory.read_text("utf-8", "replace") if memory.exists() else _NOTHING
            self._text(f"runs/{event.run}/{MEMORY}", known)
        elif isinstance(event, Advanced):
            self._newest = event.state
            self._advanced(event)
        elif isinstance(event, RunChanged) and event.status == "paused" and self._newest:
            self._save_todos(self._newest)
            self._report(replace(self._newest, problem=f"Paused: {event.detail}"))

    def _advanced(self, event: Advanced) -> None:
        state = event.state
        attempt = state.attempts.get(event.task)
        if attempt and event.task and state.current != event.task:
            links = self._links.pop(event.task, [])
            name = self._numbered(event, "iteration", _iteration(attempt, links))
            self._links.pop(event.task, None)
            names = tuple(f"runs/{event.run}/{each}" for each in (*links, name))
            before = self._files.get((event.task, attempt.number), ())
            self._files[event.task, attempt.number] = (*before, *names)
        # beside a report always, so that the two never disagree
        if state.node in (END, REST) or (state.roadmap and not state.current):
            self._save_todos(state)
        if state.node in (END, REST):
            self._report(state)

    def _save_todos(self, state: RunState) -> None:
        # most steps between two tasks change nothing of what makes them
        tasks = (state.roadmap, state.replaced, state.revision, state.stopping)
        made_of = (*tasks, state.statuses, state.attempts, state.blocked_by)
        if self._reports and made_of != self._todos:
            self._save("todos.json", todos(state))
            self._todos = made_of

    def _report(self, state: RunState) -> None:
        if not self._reports:
            return
        if any(attempt.failure for attempt in state.attempts.values()):
            from runner.files.kept import KeptFiles  # takes 0.02 s that most runs need not pay

            state = KeptFiles(self._folder).referenced(state)
        ended = state.times.ended or self._clock.now().timestamp()
        state = replace(state, times=replace(state.times, ended=ended))
        view = view_of(state)
        self._save("report.json", report(state, view))
        self._text("report.md", markdown(state, view))

    def _numbered(self, event: Event, kind: str, data: dict[str, object]) -> str:
        """Write the next file of its kind and remember it for the attempt; return its name."""
        folder = self._folder / "runs" / event.run
        number = self._written.get(kind) or len(list(folder.glob(f"{kind}-*.json")))
        self._written[kind] = number + 1
        name = f"{kind}-{number + 1}.json"
        self._save(f"runs/{event.run}/{name}", {"run": event.run, "task": event.task, **data})
        self._links.setdefault(event.task, []).append(name)
        return name

    def _save(self, name: str, data: dict[str, object]) -> None:
        # json with an indent is written in Python: a second for a large roadmap
        text = to_json(_cut(data), indent=2, inf_nan_mode="constants", fallback=str)
        self._text(name, text.decode() + "\n")

    def _text(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(self._mask(text), encoding="utf-8", errors="replace")
        temporary.replace(path)
        self._names.append(name)


def _iteration(attempt: Attempt, links: list[str]) -> dict[str, object]:
    return {
        "attempt": attempt.number,
        "files": links,
        "changed": sorted(attempt.answered.changes.files),
        "path": list(attempt.spent.path),
        "answers": attempt.answered.answers,
        "code_repairs": attempt.answered.code_repairs,
        "test_repairs": attempt.answered.test_repairs,
        "mended": list(attempt.answered.auto_repairs),
        "left_out": dict(attempt.answered.left_out),
        "warnings": list(attempt.checked.warnings),
        "reasons": list(attempt.spent.reasons),
        "plan": asdict(attempt.planned.plan) if attempt.planned.plan else None,
        "error": asdict(attempt.failure) if attempt.failure else None,
        "outcome": str(attempt.status),
        "commit": attempt.published.commit,
        "url": attempt.published.url,
    }


def _cut(value: object) -> object:
    """Cut long texts anywhere in a value; a model may say half of a surrogate pair."""
    if isinstance(value, str):
        if len(value) <= MAX_FILE_TEXT and value.isascii():
            return value
        return cut_middle(value, MAX_FILE_TEXT).encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_cut(key): _cut(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(inner) for inner in value]
    return value


MAX_BYTES = 4 << 20


class _Entry(BaseModel):
    kind: MemoryKind
    about: Annotated[str, StringConstraints(max_length=MAX_ABOUT)]
    text: Annotated[str, StringConstraints(max_length=MAX_TEXT)]
    run: str = ""
    count: int = Field(default=1, ge=1)


class _File(BaseModel):
    version: Literal[1]
    notes: list[_Entry] = Field(max_length=sum(MOST.values()))


_NOTHING = '{"version": 1, "notes": []}\n'


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
        found = await self.notes()
        return await asyncio.to_thread(relevant, found, words, paths)

    async def remember(self, notes: Sequence[MemoryNote]) -> None:
        """Add notes to the file; a file that cannot be read is put aside first."""
        if not notes:
            return
        async with self._lock:
            try:
                await asyncio.to_thread(self._add, notes)
            except OSError as error:
                log.warning("The project memory could not be written: %s", error)

    async def notes(self) -> tuple[MemoryNote, ...]:
        """Return every note, the oldest first; nothing when the file cannot be used."""
        return await asyncio.to_thread(self._read) or ()

    async def forget(self, about: str = "") -> int:
        """Forget what is known about a subject ('': everything); return how many notes that were.

        Raises ``OSError`` when the file cannot be written.
        """
        async with self._lock:
            return await asyncio.to_thread(self._forget, about)

    def _forget(self, about: str) -> int:
        notes = self._read() or ()
        if not about:
            self._path.unlink(missing_ok=True)
            return len(notes)
        left = without(notes, about)
        if len(left) < len(notes):
            self._write(left)
        return len(notes) - len(left)

    def _add(self, notes: Sequence[MemoryNote]) -> None:
        old = self._read()
        if old is None:
            self._path.replace(self._path.with_name(f"{self._path.name}.broken"))
        self._write(merged(old or (), notes))

    def _write(self, notes: Sequence[MemoryNote]) -> None:
        entries = [
            {
                "kind": n.kind,
                "about": self._mask(n.about),
                "text": self._mask(n.text),
                "run": n.run,
                "count": n.count,
            }
            for n in notes
        ]
        text = json.dumps({"version": 1, "notes": entries}, indent=1, ensure_ascii=False) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_name(f".{self._path.name}.new")
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(self._path)

    def _read(self) -> tuple[MemoryNote, ...] | None:
        """Return the notes, () if there is no file yet, None if it cannot be used."""
        try:
            with self._path.open("rb") as file:  # one that is longer is no valid JSON when cut
                stored = _File.model_validate_json(file.read(MAX_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except (OSError, ValidationError) as error:
            wrong = first_fault(error) if isinstance(error, ValidationError) else error.strerror
            log.warning("%s is not used: %s. It will be moved aside.", self._path, wrong)
            return None
        return tuple(MemoryNote(n.kind, n.about, n.text, n.run, n.count) for n in stored.notes)


class JsonLines:
    """Hands each event to ``write`` as a line without its line end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    async def emit(self, event: Event) -> None:
        """Write the event if it is one that programs follow."""
        if (data := _data(event)) is not None:
            self._write(line(_NAMES[type(event)], event.run, task=event.task, **data))


def line(event: str, run: str, **data: object) -> str:
    """Make one line."""
    return json.dumps({"event": event, "run": run, **data}, ensure_ascii=False, default=str)


def _data(event: Event) -> dict[str, object] | None:
    match event:
        case NodeFinished(usage=used):
            return {
                "node": event.node,
                "outcome": event.outcome,
                "tokens": used.tokens,
                "cost": used.known_cost,
                "seconds": round(used.seconds, 4),
                "calls": used.calls,
            }
        case ModelAnswered(exchange=exchange):
            tokens = exchange.prompt_tokens + exchange.completion_tokens
            return {
                "node": event.node,
                "tokens": tokens,
                "cost": exchange.cost,
                "model": exchange.model,
            }
        case Verified(verification=found):
            return {
                "tested": event.tested,
                "attempt": event.attempt,
                "answer": event.answer,
                "passed": found.passed,
                "verified": found.verified,
                "levels": _results(found.levels),
            }
        case RunChanged():
            return {"status": event.status, "detail": event.detail}
    return None


_RANKS = ("skipped", "passed", "failed")


def _results(levels: Sequence[Level]) -> dict[str, str]:
    """The result of each level by name: of several, one that failed, else one that passed."""
    found: dict[str, str] = {}
    for level in levels:
        found[level.name] = max(found.get(level.name, "skipped"), level.result, key=_RANKS.index)
    return found


_NAMES: Mapping[type[Event], str] = {
    NodeFinished: "node_finished",
    ModelAnswered: "model_answered",
    Verified: "verified",
    RunChanged: "run_changed",
}
