"""Which words say that a file must not change."""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords

PATH = "tests/test_slug.py"
FORBIDDEN = [
    "Tests: `PATH` (already in the repository, do not change)",
    "Tests: PATH, tests/other.py (do not change)",
    "Do not change `PATH`.",
    "Don't modify the file PATH",
    "Do not touch README.md or `PATH`",
    "Leave `PATH` as it is.",
    "Keep PATH unchanged",
    "PATH must not be changed.",
    "`PATH` stays as it is",
    "`PATH` (unchanged)",
    "`PATH`: leave as it is",
    "`PATH` - do not edit",
    "**Tests:** `PATH` — already there, do not change them",
    "Make it pass without changing `PATH`.",
    "Tests are in PATH; they must not be changed",
    "`PATH` exists already and must stay as it is.",
    "Make `PATH` pass; do not change it.",
    "Do not modify test_slug.py",
    "`PATH` (nicht ändern)",
    "`PATH` bleibt unverändert",
    "Ne modifiez pas le fichier `PATH`",
    "`PATH` (ne pas modifier)",
    "no modifiques el archivo PATH",
    "Não altere `PATH`",
    "Non modificare `PATH`",
    "`PATH` (не изменять)",
    "不要修改 `PATH`",
    "`PATH`（不要修改）",
    "`PATH` を変更しないでください",
]
ALLOWED = [
    "Change `PATH`, do not change `b.py`",
    "Do not change the behaviour of `slug` in PATH",
    "Do not change existing tests in PATH",
    "Add tests to PATH. Do not change the API.",
    "`PATH` (do not change the existing tests)",
    "update PATH, but do not touch README.md",
    "Do not forget to update PATH",
    "Do not change `b.py`, but extend PATH",
    "Never leave PATH empty",
    "Do not change `b.py`. Extend `PATH`.",
    "Without changing behaviour, move helpers to PATH",
    "Do not update PATHc",
]


@pytest.mark.parametrize("text", FORBIDDEN)
def test_a_file_that_must_not_change(text: str) -> None:
    """However people say it."""
    assert TaskWords(text.replace("PATH", PATH)).left_alone([PATH, "src/slug.py"]) == {PATH}


@pytest.mark.parametrize("text", ALLOWED)
def test_a_file_that_may_change(text: str) -> None:
    """What must not change is something else."""
    assert PATH not in TaskWords(text.replace("PATH", PATH)).left_alone([PATH])
