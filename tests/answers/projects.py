"""Three small projects whose tests do not cover everything, and tasks with their right results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["python", "javascript", "go"]
LANGUAGES: tuple[Language, ...] = ("python", "javascript", "go")

Files = Mapping[str, str]
Change = Mapping[str, str | None]
"""New contents by path; None is a file that goes."""

_FOLDER = Path(__file__).parents[1] / "data" / "answers"
ROADMAP = "ROADMAP.md"
_FENCES = {
    ".py": "python",
    ".js": "javascript",
    ".go": "go",
    ".md": "markdown",
    ".json": "json",
    ".yml": "yaml",
    ".toml": "toml",
}


@dataclass(frozen=True)
class Task:
    """One task of a roadmap and its right result.

    ``edits`` are (what stands there, what is to stand there) by path, ``new`` files that are made,
    ``gone`` files that go. ``before`` are files the repository has for this task only. ``hidden``
    is a program that fails where the result is wrong; in Go a test file, ``place`` its path.
    ``subject`` is the file most of the work is done in, and ``shown_in_part`` says that a question
    is too short to show it whole, so that no model could write all of it. ``lost`` and ``changed``
    are the definitions that the task takes away, or gives another signature.
    """

    id: str
    language: Language
    text: str
    subject: str
    hidden: str
    edits: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    new: Files = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    before: Files = field(default_factory=dict)
    place: str = ""
    shown_in_part: bool = False
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Language and id."""
        return f"{self.language}/{self.id}"

    @property
    def base(self) -> Files:
        """Every file of the repository before the task, the roadmap too."""
        roadmap = f"# Roadmap\n\n## Next\n\n- [ ] 1.1 {self.text}\n"
        return {**project(self.language), **self.before, ROADMAP: roadmap}

    @property
    def change(self) -> Change:
        """The right contents of all files that change."""
        edited = {path: replaced(self.base[path], *pairs) for path, pairs in self.edits.items()}
        return {**edited, **self.new, **dict.fromkeys(self.gone)}

    @property
    def after(self) -> Files:
        """The right tree; the roadmap is as before."""
        return changed(self.base, self.change)


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    """Replace parts of a text. Raises ValueError for one that does not stand there exactly once."""
    for old, new in pairs:
        if text.count(old) != 1:
            raise ValueError(f"stands there {text.count(old)} times, not once: {old!r}")
        text = text.replace(old, new)
    return text


def changed(files: Files, change: Change) -> Files:
    """Return the files with a change made to them."""
    every = {**files, **change}
    return {path: content for path, content in every.items() if content is not None}


def is_test(path: str) -> bool:
    """Tell whether a path is that of a test file."""
    return path.startswith(("tests/", "test/")) or path.endswith("_test.go")


def fence_of(path: str) -> str:
    """Return the word that opens a fence for such a file."""
    return _FENCES.get(Path(path).suffix, "text")


@cache
def project(language: Language) -> Files:
    """Return all files of a project."""
    top = _FOLDER / language
    paths = sorted(path for path in top.rglob("*") if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_text(encoding="utf-8") for path in paths}
