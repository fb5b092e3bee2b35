"""The kind of a task's work, by which a question says what matters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from runner.code.languages import is_among_tests
from runner.roadmap.task import Task

Kind = Literal["code", "tests", "configuration", "scripts", "documentation"]

_SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys(("md", "rst", "txt", "adoc"), "documentation"),
    **dict.fromkeys(("json", "yaml", "yml", "toml", "ini", "cfg", "env"), "configuration"),
    **dict.fromkeys(("sh", "bash", "zsh", "ps1", "mk"), "scripts"),
}
_NAMES: dict[str, Kind] = {"Makefile": "scripts", "Dockerfile": "configuration"}
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("tests", re.compile(r"^\W*(?:write|add|create)?\W*(?:unit |integration )?tests?\b", re.I)),
    ("documentation", re.compile(r"^\W*(?:document|describe|write (?:the )?docs?)\b", re.I)),
)


def kind_of(task: Task) -> Kind:
    """Return the kind that most of its files are of, else what its first words say."""
    counted = Counter(_kinds(task.files))
    if counted:
        return counted.most_common(1)[0][0]
    kinds = (kind for kind, pattern in _WORDS if pattern.search(task.title))
    return next(kinds, "code")


def _kinds(files: Iterable[str]) -> Iterable[Kind]:
    for path in files:
        name = path.rpartition("/")[2]
        if is_among_tests(path):
            yield "tests"
        else:
            yield _NAMES.get(name) or _SUFFIXES.get(name.rpartition(".")[2], "code")
