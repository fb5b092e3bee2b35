"""Validation of a file of 100 lines against the parser its language has in Python."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import yaml

from runner.changes import ChangeSet, Write
from runner.validators.validate import syntax_complaint, validate
from tests.bench.finding import Finding, Line, Peer
from tests.bench.timing import medians
from tests.runner.trees import snapshot

_FUNCTION = '''\
def area_{0}(width: float, height: float) -> float:
    """Return the area of a rectangle, at least 0."""
    if width < 0 or height < 0:
        raise ValueError(f"no such rectangle: {{width}} by {{height}}")
    sides = [side * 2 for side in (width, height)]
    total = sum(sides) + {0}
    names = {{"width": width, "height": height, "total": total}}
    return max(names["width"] * names["height"], 0.0)


'''
PYTHON = "".join(_FUNCTION.format(n) for n in range(10)).encode()
_VALUES = {f"key_{n:02}": {"name": f"value {n}", "count": n, "on": True} for n in range(20)}
JSON = json.dumps(_VALUES, indent=2).encode()
YAML = yaml.safe_dump(_VALUES | {f"more_{n}": n for n in range(20)}).encode()
TOML = "\n".join(
    f'[key_{n:02}]\nname = "value {n}"\ncount = {n}\nlist = [1, 2, {n}]\n' for n in range(20)
).encode()
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

PARSERS: dict[str, tuple[bytes, str, Callable[[bytes], object]]] = {
    "a.py": (PYTHON, "ast.parse", ast.parse),
    "a.json": (JSON, "json.loads", json.loads),
    "a.yaml": (YAML, "yaml.load", lambda content: yaml.load(content, Loader=_LOADER)),  # noqa: S506 - a safe one
    "a.toml": (TOML, "tomllib.loads", lambda content: tomllib.loads(content.decode())),
}
_CALLS, _ROUNDS = 20, 15


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """The syntax check of each language, and the whole validation of one new Python file."""
    for path, (content, name, parser) in PARSERS.items():
        assert syntax_complaint(path, content) is None
        yield _finding(
            f"syntax check, {len(content.splitlines())} lines of {path[2:]}",
            partial(syntax_complaint, path, content),
            name,
            partial(parser, content),
        )
    changes, base = ChangeSet({"a.py": Write(PYTHON)}), snapshot({})
    assert validate(changes, base, read=_no_file) == ()
    yield _finding(
        "whole validation of that .py file",
        partial(validate, changes, base, read=_no_file),
        "ast.parse",
        partial(ast.parse, PYTHON),
    )


def _finding(
    what: str, ours: Callable[[], object], name: str, theirs: Callable[[], object]
) -> Finding:
    found = medians(_ROUNDS, ours=_repeated(ours), theirs=_repeated(theirs))
    micro = {side: seconds / _CALLS * 1e6 for side, seconds in found.items()}
    return Finding(
        what=what,
        value=micro["ours"],
        unit="us",
        peer=Peer(what=name, value=micro["theirs"]),
        goal="< 1000 us, ratio < 2",
        ok=micro["ours"] < 1000 and micro["ours"] < 2 * micro["theirs"],
    )


def _repeated(call: Callable[[], object]) -> Callable[[], None]:
    def calls() -> None:
        for _ in range(_CALLS):
            call()

    return calls


def _no_file(path: str) -> None:
    return None
