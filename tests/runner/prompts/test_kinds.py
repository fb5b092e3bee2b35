"""What kind of work a task is."""

from __future__ import annotations

import pytest

from runner.prompts.task_kinds import kind_of
from runner.roadmap.parse import parse_roadmap


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Add `add(a, b)` to `calc.py`", "code"),
        ("Write tests for the parser in `tests/test_parser.py`", "tests"),
        ("Write tests for the parser", "tests"),
        ("Add a button to `src/Button.test.tsx`", "tests"),
        ("Document the API in `docs/api.md`", "documentation"),
        ("Document the API", "documentation"),
        ("Set the port in `config/app.yaml`", "configuration"),
        ("Write `scripts/backup.sh`", "scripts"),
        ("Add `a.py`, `b.py` and say so in `README.md`", "code"),
        ("Do something", "code"),
    ],
)
def test_kind(text: str, kind: str) -> None:
    """Files decide, by their number; without any the first words do."""
    [task] = parse_roadmap("ROADMAP.md", f"- [ ] {text}\n".encode()).tasks

    assert kind_of(task) == kind
