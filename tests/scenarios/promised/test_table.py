"""Every row that was promised has its scenario, for both doors."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.scenarios.promised.table import ROWS

PROMISED = (
    "syntax-fix",
    "import-path",
    "test-failure",
    "missing-package",
    "missing-module",
    "circular-import",
    "full-stack",
    "resume",
    "planning",
    "dry-run",
    "destructive",
    "metrics",
    "four-quotes",
    "decompose",
    "rewrite",
    "defer-order",
    "approval",
    "report",
    "exhausted",
    "wrong-path",
    "broken-before",
    "cascade",
    "node-import",
)
ELSEWHERE = {
    "resume": "test_resume.py",
    "dry-run": "test_dry_run.py",
    "destructive": "test_asking.py",
    "approval": "test_asking.py",
    "node-import": "../test_node.py",
}
"""Rows that are more than one run: the module that plays them."""


def test_every_row_has_its_scenario() -> None:
    """No row is forgotten, none is there that was not promised."""
    assert {row.id for row in ROWS} | ELSEWHERE.keys() == set(PROMISED)


def test_names_are_unique() -> None:
    """No row hides another one."""
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


def test_rows_of_several_runs_go_through_both_doors() -> None:
    """Their modules say ``by_command`` and ``by_server`` for each of their rows."""
    here = Path(__file__).parent
    for row, name in ELSEWHERE.items():
        if name.startswith(".."):
            continue
        tests = [
            node.name
            for node in ast.parse((here / name).read_text()).body
            if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_")
        ]
        word = row.replace("-", "_")
        for door in ("by_command", "by_server"):
            assert any(word in test and door in test for test in tests), (row, door, tests)
