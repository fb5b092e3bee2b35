"""Validation of a file of 100 lines against the parser its language has in Python."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import yaml
from tree_sitter import Parser

from bench.finding import Finding, Line, Peer
from bench.timing import medians
from runner.checks.destructive import destructive
from runner.checks.sql import sqlglot
from runner.checks.validate import check_secrets as secrets_check
from runner.checks.validate import syntax_complaint, validate
from runner.code.languages import grammar
from runner.state.changes import ChangeSet, Write
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
_PLAIN_SHELL = b'if [ -f "$1" ]; then\n  echo "found $1"\nelse\n  exit 1\nfi\n' * 20
_PLAIN_SQL = (
    b"SELECT a, count(*) AS n FROM t\n  JOIN u ON t.id = u.id\n  WHERE a > 1 GROUP BY a;\n" * 33
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_SAMPLES = Path(__file__).parents[1] / "tests/runner/checks/samples"


def _sample(name: str) -> bytes:
    """Return about 100 lines of a language's valid sample."""
    content = (_SAMPLES / name).read_bytes()
    return content * max(1, 100 // content.count(b"\n"))


def _grammar(language: str) -> Callable[[bytes], object]:
    """Return a bare parse by the language's own grammar."""
    return lambda content: Parser(grammar(language).language).parse(content)


_POSTGRES = _sample("a.sql")
PARSERS: dict[str, tuple[bytes, str, Callable[[bytes], object]]] = {
    "a.py": (PYTHON, "ast.parse", ast.parse),
    "a.json": (JSON, "json.loads", json.loads),
    "a.yaml": (YAML, "yaml.load", lambda content: yaml.load(content, Loader=_LOADER)),  # noqa: S506 - a safe one
    "a.toml": (TOML, "tomllib.loads", lambda content: tomllib.loads(content.decode())),
    "a.jsx": (_sample("a.jsx"), "tree-sitter", _grammar("javascript")),
    "a.tsx": (_sample("a.tsx"), "tree-sitter", _grammar("tsx")),
    "a.go": (_sample("a.go"), "tree-sitter", _grammar("go")),
    "a.rs": (_sample("a.rs"), "tree-sitter", _grammar("rust")),
    "A.java": (_sample("A.java"), "tree-sitter", _grammar("java")),
    "a.rb": (_sample("a.rb"), "tree-sitter", _grammar("ruby")),
    "a.php": (_sample("a.php"), "tree-sitter", _grammar("php")),
    "a.sh": (_PLAIN_SHELL, "tree-sitter", _grammar("bash")),
    "a.sql": (_PLAIN_SQL, "sqlglot.parse", lambda content: sqlglot().parse(content.decode())),
}
_CALLS, _ROUNDS = 20, 15


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """The syntax check of each language, and the whole validation of one new Python file."""
    for path, (content, name, parser) in PARSERS.items():
        assert syntax_complaint(path, content) is None
        yield _finding(
            f"syntax check, {len(content.splitlines())} lines of {path.rpartition('.')[2]}",
            partial(syntax_complaint, path, content),
            name,
            partial(parser, content),
        )
    yield _finding(
        f"the same of {len(_POSTGRES.splitlines())} lines that only PostgreSQL takes",
        partial(syntax_complaint, "a.sql", _POSTGRES),
        "sqlglot.parse",
        lambda: sqlglot().parse(_POSTGRES.decode(), read="postgres"),
    )
    changes, base = ChangeSet({"a.py": Write(PYTHON)}), snapshot({})
    assert validate(changes, base, read=_no_file) == ()
    yield _search("secrets in that .py file", lambda: list(secrets_check("a.py", PYTHON, None)))
    yield _search("destructive operations in it", lambda: destructive(changes, _no_file))
    yield _finding(
        "whole validation of that .py file",
        partial(validate, changes, base, read=_no_file),
        "ast.parse",
        partial(ast.parse, PYTHON),
    )


def _search(what: str, ours: Callable[[], object]) -> Finding:
    return _finding(what, ours, "ast.parse", partial(ast.parse, PYTHON))


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
