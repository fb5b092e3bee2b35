"""What a ``test`` script comes to: the one runner that it starts, after all detours. Pure.

``npm run lint && nyc npm run tests-only`` runs the tests of ``tests-only``. Linters and type
checkers are judged elsewhere, and what is covered is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runner.text.patterns import lazy_pattern

_DEEPEST = 5
_CALL = lazy_pattern(
    r"(?:(?:npm|pnpm|yarn)(?: +(?:--silent|-s))* +run(?:-script)?|yarn|pnpm|npm(?= +test))"
    r"(?: +(?:--silent|-s))* +(?P<name>[\w:.-]+)(?: +(?:--silent|-s))*"
)
_WRAPPED = lazy_pattern(r"(?:npx +)?(?:nyc|c8)(?: +--?[\w:-]+(?:=\S+)?)* +(?P<rest>[a-z].*)")
_CHECKS = lazy_pattern(
    r"(?:npx +(?:--\S+ +)*)?(?:eslint|standard|semistandard|xo|tsd|dtslint|prettier|biome|oxlint"
    r"|tslint|jshint|evalmd|eclint|publint|attw|cspell|markdownlint|ls-lint|depcheck|knip|commitlint"
    r"|tsc(?=.* --noEmit))(?: [^;&<>`$]*)?"
)


_PLAIN = r"(?: [^;&|<>`$()]*)?"
_BUILDS = lazy_pattern(
    r"(?:npm|pnpm|yarn)(?: +(?:--silent|-s))*(?: +run(?:-script)?)?(?: +(?:--silent|-s))*"
    rf" +(?:build|compile|bundle)[\w:.-]*{_PLAIN}"
    r"|(?:npx +)?(?:tsc|vue-tsc|rollup|esbuild|webpack|babel|swc|tsup|unbuild|vite build|node-gyp)"
    rf"{_PLAIN}"
)


def build_before(script: str) -> tuple[str, str]:
    """Split a script into what builds, and what comes after it; '' where nothing builds first."""
    parts = [part.strip() for part in script.split("&&")]
    at = next((n for n, part in enumerate(parts) if not _BUILDS.fullmatch(part)), 0)
    return " && ".join(parts[:at]), " && ".join(parts[at:])


def lone_step(script: str, scripts: Mapping[str, object]) -> str:
    """The only command of a script that runs anything but checks; '' where there are several.

    ``scripts`` are those of the package, by name.
    """
    steps = [step for step in _steps(script, scripts, 0) if not _CHECKS.fullmatch(step)]
    return steps[0] if len(steps) == 1 else ""


def _steps(script: str, scripts: Mapping[str, object], depth: int) -> Iterator[str]:
    """The commands of a script, those it calls by name in their place."""
    for part in script.split("&&"):
        step = part.strip()
        if wrapped := _WRAPPED.fullmatch(step):
            step = wrapped["rest"]
        called = _called(step, scripts)
        if not called or depth == _DEEPEST:
            yield step
        for each in called if depth < _DEEPEST else ():
            yield from _steps(each, scripts, depth + 1)


def _called(step: str, scripts: Mapping[str, object]) -> list[str]:
    """The scripts that a step starts by name, the one before it first."""
    found = _CALL.fullmatch(step)
    if found is None or not isinstance(scripts.get(found["name"]), str):
        return []
    named = (scripts.get(f"pre{found['name']}"), scripts.get(found["name"]))
    return [each for each in named if isinstance(each, str)]
