"""The house: one name for one thing, and rooms that a person can take in."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

from app.features import NAMES
from tools.house import now

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path for room in ("app", "handlers", "runner") for path in (ROOT / room).rglob("*.py")
)


def test_no_two_public_classes_share_a_name() -> None:
    """A reader who meets a name anywhere knows what it means."""
    places = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))

    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_every_package_says_what_lives_in_it() -> None:
    """Its docstring is the first thing a reader sees."""
    packages = [path for path in MODULES if path.name == "__init__.py"]

    assert [str(p) for p in packages if not ast.get_docstring(ast.parse(p.read_text()))] == []


def test_the_house_does_not_grow() -> None:
    """Lowering the limit is free; raising it needs a line in docs/design.md: what was bought."""
    limits = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["house"]

    assert sum(now().values()) <= limits["statements"]


def test_no_value_is_changed_by_names_that_nobody_checks() -> None:
    """``**changes: object`` hides from mypy which fields there are."""
    untyped = re.compile(r"\*\*changes: (?:object|Any)\b")
    found = [str(p.relative_to(ROOT)) for p in MODULES if untyped.search(p.read_text())]

    assert found == []


def test_every_feature_is_in_the_list() -> None:
    """A folder that nobody loads would be a feature that nobody has."""
    folders = {path.parent.name for path in (ROOT / "app/features").glob("*/__init__.py")}

    assert set(NAMES) == folders


def test_few_modules_stand_loose() -> None:
    """At most six modules of the runner belong to no room."""
    assert len([path for path in (ROOT / "runner").glob("*.py") if path.stem != "__init__"]) <= 6


def test_every_installation_from_a_lock_takes_it_as_complete() -> None:
    """Without --no-deps, pip 23 looks up ``coverage[toml]`` anew and stops at a newer release."""
    places = (
        "Makefile",
        "Dockerfile",
        ".github/cairn.yml",
        "scripts/action-setup",
        "scripts/release",
    )
    lines = [line for place in places for line in (ROOT / place).read_text().splitlines()]
    installs = [line for line in lines if "--require-hashes" in line]

    assert len(installs) == 7
    assert [line for line in installs if "--no-deps" not in line] == []


def test_no_group_of_a_pattern_is_repeated_possessively() -> None:
    """Before Python 3.11.5 it takes too much (cpython issue 106052): ``(?>(?:…)*)`` is right."""
    possessive = re.compile(r"\)(?:[*+?]|\{\{?\d*,?\d*\}\}?)\+")
    found = [str(p.relative_to(ROOT)) for p in MODULES if possessive.search(p.read_text())]

    assert found == []
