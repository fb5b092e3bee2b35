"""Which failures are left alone after the first test run."""

from __future__ import annotations

import pytest

from runner.recovery.classify import unrepairable
from runner.recovery.facts import FailureFacts
from runner.roadmap.lint.reading import TaskReading
from runner.roadmap.parse import parse_roadmap
from runner.state.findings import TestFailure

ROADMAP = parse_roadmap(
    "ROADMAP.md",
    b"- [ ] 1.1 Add `loader.py`, which reads with PyYAML and uses `src.models`\n"
    b"- [ ] 1.2 Add `src/models.py` with `User`\n",
)
LOADER, MODELS = ROADMAP.tasks
YAML, LATER = "No module named 'yaml'", "No module named 'src.models'"


def _error(said: str) -> str:
    kind = "Error" if "Cannot" in said else "ModuleNotFoundError"
    return f"{kind}: {said}" if said else "assert 0"


def facts(*messages: str, setup: bool = False) -> FailureFacts:
    failures = tuple(
        TestFailure(f"tests/test_{n}.py", _error(said)) for n, said in enumerate(messages)
    )
    return FailureFacts(
        task=LOADER,
        reading=TaskReading(LOADER, ""),
        others=(MODELS,),
        paths=frozenset({"src/__init__.py"}),
        changed=frozenset({"loader.py"}),
        manifests={"pyproject.toml": ""},
        failures=failures,
        setup=setup,
    )


@pytest.mark.parametrize(
    ("known", "to_come", "hopeless"),
    [
        (facts(YAML), (), True),
        (facts(YAML, setup=True), (), False),
        (facts(YAML, ""), (), False),
        (facts("No module named 'fasthelpers'"), (), False),
        (facts("Cannot find module './helpers-pro'\nRequire stack:\n- /w/a.js"), (), False),
        (facts("Cannot find module 'src/helpers-pro.js' imported from src/a.js"), (), False),
        (facts("Cannot find package 'yaml' imported from src/a.js"), (), True),
        (facts(LATER), (MODELS.key,), True),
        (facts(LATER), (), False),
        (facts(""), (MODELS.key,), False),
        (facts(), (MODELS.key,), False),
    ],
    ids=[
        "package",
        "setup",
        "mixed",
        "invented",
        "script",
        "ES module",
        "package of a script",
        "later",
        "never",
        "assertion",
        "nothing",
    ],
)
def test_only_what_the_task_asks_for_is_given_up(known, to_come, hopeless):
    """An invented import can be left out; a package the task names cannot be brought."""
    assert unrepairable(known, to_come=to_come) is hopeless
