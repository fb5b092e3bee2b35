"""Which program a package's own test script starts, and with what."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Runner = Literal["node", "jest", "vitest", "mocha", "script"]

_SIMPLE = re.compile(
    r"(?:cross-env[ ]+)?(?P<before>(?:\w+=[\w./:@%+=-]*[ ]+)*)(?:npx[ ]+)?"
    r"(?P<program>node|jest|vitest|mocha)(?P<rest>(?:[ ]+[^\n;&|<>`$()]*)?)"
)
_NO_TEST = re.compile(r"\bno test specified\b")
_FILES: dict[Runner, re.Pattern[str]] = {
    # https://nodejs.org/api/test.html#running-tests-from-the-command-line
    "node": re.compile(
        r"(^|/)(test/.*|test-[^/]+|[^/]+[._-]test|test)\.[cm]?(js|ts)$", re.IGNORECASE
    ),
    "jest": re.compile(r"(^|/)(__tests__/.*|[^/]+[._-](test|spec)|test|spec)\.[cm]?[jt]sx?$"),
    "vitest": re.compile(r"(^|/)(__tests__/.*|[^/]+\.(test|spec))\.[cm]?[jt]sx?$"),
    "mocha": re.compile(r"(^|/)(tests?/.*|specs?/.*|[^/]+\.(test|spec))\.[cm]?[jt]sx?$"),
    "script": re.compile(r""),
}
_BARE = re.compile(r"(^|/)[^/]+\.test\.[cm]?js$")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Suite:
    """What runs a package's tests: ``rest`` are its own options, ``before`` its assignments.

    Of a ``script`` that is more than one plain command, ``rest`` is the whole.
    """

    runner: Runner
    rest: str = ""
    before: str = ""


def suite_of(package: bytes | None) -> Suite:
    """Return what the tests of a package are run with; without a word about it, by Node itself."""
    said = _read(package)
    scripts = said.get("scripts")
    script, pretest = (
        (_text(scripts, "test"), _text(scripts, "pretest"))
        if isinstance(scripts, dict)
        else ("", "")
    )
    if not script or _NO_TEST.search(script):
        return Suite(_by_dependency(said))
    if pretest:
        return Suite("script", f"{pretest} && {script}")
    return _plain(script) or Suite("script", script)


def has_node_tests(paths: Collection[str], package: bytes | None) -> bool:
    """Whether a tree has tests that its package, or Node by its own rules, would run."""
    own = [path for path in paths if "node_modules/" not in path]
    if package is None:
        return any(_BARE.search(path) for path in own)
    pattern = _FILES[suite_of(package).runner]
    return any(pattern.search(path) for path in own)


def only_options(rest: str) -> bool:
    """Whether a script names no file of its own, so that files may be named instead."""
    try:
        return all(word.startswith("-") for word in shlex.split(rest))
    except ValueError:
        return False


def _plain(script: str) -> Suite | None:
    found = _SIMPLE.fullmatch(script)
    if found is None:
        return None
    runner: Runner = found["program"]  # type: ignore[assignment] # the pattern names no other
    rest = found["rest"].strip()
    if runner == "node" and not re.search(r"(^|\s)--test(\s|$)", rest):
        return None
    if runner == "vitest":
        rest = re.sub(r"^(run|watch|dev)\b\s*|(^|\s)--watch\b", " ", rest).strip()
    return Suite(runner, rest, found["before"])


def _by_dependency(said: dict[str, object]) -> Runner:
    names = {
        name
        for group in ("devDependencies", "dependencies")
        if isinstance(said.get(group), dict)
        for name in said[group]  # type: ignore[attr-defined]
    }
    known: tuple[Runner, ...] = ("vitest", "jest", "mocha")
    return next((name for name in known if name in names), "node")


def _read(package: bytes | None) -> dict[str, object]:
    try:
        said = json.loads(package or b"{}")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _text(scripts: dict[str, object], name: str) -> str:
    said = scripts.get(name)
    return said.strip() if isinstance(said, str) and len(said) <= _LONGEST else ""
