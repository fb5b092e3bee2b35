"""What the doctor looks at, what a check is, and what it finds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.settings import RunSettings, ServerSettings, SettingsProblem, WorkSettings

Level = Literal["ok", "warning", "problem", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: one line. ``todo`` says what a person can do; '' for nothing."""

    level: Level
    text: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What is looked at: a folder and the settings, those that could be read.

    ``app`` says whether an App is configured; ``problems`` are those of the settings. ``operator``
    has the ceilings, and ``unread`` are those that cannot be read where no App needs them.
    """

    folder: Path
    app: bool
    run: RunSettings | None = None
    server: ServerSettings | None = None
    problems: tuple[SettingsProblem, ...] = ()
    operator: WorkSettings | None = None
    unread: tuple[SettingsProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A named look at one thing; ``seconds`` is how long it may take.

    ``needs`` are checks without whose success this one says nothing new.
    """

    name: str
    look: Callable[[Surveyed], Awaitable[Finding]]
    seconds: float = 20.0
    needs: tuple[str, ...] = field(default=())


def ok(text: str) -> Finding:
    """All is well."""
    return Finding("ok", text)


def warning(text: str, todo: str) -> Finding:
    """It works, but not as one would want."""
    return Finding("warning", text, todo)


def problem(text: str, todo: str = "") -> Finding:
    """It does not work."""
    return Finding("problem", text, todo)


def skipped(text: str) -> Finding:
    """There is nothing to look at."""
    return Finding("skipped", text)
