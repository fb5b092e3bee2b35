"""Faults that the bench of mutants puts into code: which there are, and what they do."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from bench.faults import Mutant, put_in, sites

CODE = """from dataclasses import dataclass

MOST = 3


@dataclass(frozen=True)
class Row:
    size: int = 1


def small(rows):
    if len(rows) <= MOST:
        return [row for row in rows if row]
    return None
"""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one module that can be imported."""
    (tmp_path / "attic").mkdir()
    (tmp_path / "attic" / "rows.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("attic", "attic.rows"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def faults(room: Path) -> dict[tuple[int, str], Mutant]:
    """The faults by line and kind."""
    return {(each.line, each.what): each for each in sites(room, ["attic"])}


def test_what_is_no_fault(room: Path) -> None:
    """What a dataclass is asked to be, and nothing in place of nothing."""
    assert faults(room).keys() == {
        (3, "one more"),
        (8, "one more"),
        (12, "the condition turned round"),
        (12, "another comparison"),
        (13, "nothing returned"),
    }


def test_code_that_runs_gets_the_fault(room: Path) -> None:
    """In the function that everybody holds already; the module's own statements ran before."""
    small = importlib.import_module("attic.rows").small

    assert not put_in(faults(room)[3, "one more"], room)
    assert small([1, 0, 3]) == [1, 3]
    assert put_in(faults(room)[12, "another comparison"], room)
    assert small([1, 0, 3]) is None


def test_a_module_is_imported_with_the_fault(room: Path) -> None:
    """Where nobody has it yet."""
    finders = [*sys.meta_path]
    try:
        assert put_in(faults(room)[3, "one more"], room)
        assert importlib.import_module("attic.rows").MOST == 4
    finally:
        sys.meta_path[:] = finders
