"""Why the tests of a tree cannot start for reasons other than code. Pure.

A name that an open task will add is not an obstacle: tests may be written first. Neither is
something that only a few test files lack.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.checks.asked import has_word
from runner.state.findings import Level, TestFailure, Verification, headline
from runner.text.counting import counted
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import as_typed
from runner.verify.import_check import OTHER_NAMES
from runner.verify.judging import error_line
from runner.verify.rows import last_name, missing_names
from runner.verify.tools.node import BUILDS_FIRST
from runner.verify.tools.node_scripts import build_before
from runner.verify.tools.python import exit_words

_SETTINGS = ("conftest.py", "pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "package.json")
_FROM = lazy_pattern(r"cannot import name '\w+' from '([\w.]+)'")
_FIXTURE = lazy_pattern(r"fixture '(\w+)' not found")
_REQUIRED = lazy_pattern(r"Missing required plugins?: ([\w., -]+)")
_OPTIONS = lazy_pattern(r"unrecognized arguments: (.+)")
# not a file (`./x`, `/x`), nor what comes with Node (`node:x`) or is an alias (`@/x`)
_NODE_PACKAGE = lazy_pattern(
    r"(?:Cannot find (?:module|package)|Failed to load url|Failed to resolve import)"
    r" ['\"]?(?!node:)(@[\w.-]+/[\w.-]+|[\w][\w.-]*)[/'\"\s]"
)
# a program that a makefile's recipe starts
_PROGRAM = lazy_pattern(r"([\w./-]{1,100}): (?:not found|command not found|No such file)")
# where a compiler points
_PLACE = lazy_pattern(r"([\w./-]{1,200}\.\w{1,5})[(:]\d+[,:]\d+")
_COROUTINE = "async def functions are not natively supported"

# what a plug-in of pytest is known by: its options and its fixtures
_BY_OPTION = {
    "--cov": "pytest-cov",
    "--no-cov": "pytest-cov",
    "--timeout": "pytest-timeout",
    "--ds": "pytest-django",
    "--reuse-db": "pytest-django",
    "--nomigrations": "pytest-django",
    "--asyncio": "pytest-asyncio",
    "--benchmark": "pytest-benchmark",
    "--numprocesses": "pytest-xdist",
    "--dist": "pytest-xdist",
    "-n": "pytest-xdist",
    "--reruns": "pytest-rerunfailures",
    "--randomly": "pytest-randomly",
    "--mypy": "pytest-mypy",
    "--black": "pytest-black",
    "--flake8": "pytest-flake8",
    "--html": "pytest-html",
    "--snapshot": "syrupy",
    "--doctest-plus": "pytest-doctestplus",
}
_BY_FIXTURE = {
    "mocker": "pytest-mock",
    "benchmark": "pytest-benchmark",
    "httpx_mock": "pytest-httpx",
    "requests_mock": "requests-mock",
    "freezer": "pytest-freezer",
    "datadir": "pytest-datadir",
    "db": "pytest-django",
    "settings": "pytest-django",
    "django_user_model": "pytest-django",
    "snapshot": "syrupy",
    "httpserver": "pytest-httpserver",
    "xprocess": "pytest-xprocess",
    "aiohttp_client": "pytest-aiohttp",
    "subtests": "pytest-subtests",
    "faker": "faker",
    "testdir": "pytest",
}
# the check of imports looks for part of a name in manifests; this one is typed as it is
_BY_MODULE = OTHER_NAMES | {"cv2": "opencv-python"}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """``seen`` is what a tool said, on one line; ``packages`` are Python packages it lacks.

    ``wanted`` says that the project stopped its tests itself, and what for: nothing that can be
    installed helps. ``pytest`` says that pytest ran, ``red`` that a command of the repository
    starts and fails, ``partly`` that most tests can start.
    """

    seen: str
    packages: tuple[str, ...] = ()
    wanted: bool = False
    pytest: bool = False
    red: bool = False
    partly: bool = False


def obstacle(found: Verification, *, words: str, paths: Collection[str]) -> Obstacle | None:
    """Return why the tests cannot start, or some of them; None where all can that should.

    ``words`` are those of all open tasks, ``paths`` the files of the tree.
    """
    some: Obstacle | None = None
    for level in found.tests:
        named = level.failures or level.broken
        if level.tool == "command" and level.result == "failed" and not named:
            said = error_line(level.output) or level.output.strip().rpartition("\n")[2]
            ends = f"`{as_typed(level.command)}` of verify.commands fails without any change"
            more = f" and says `{said[:300]}`" if said else ""
            return Obstacle(_one_line(f"{ends} (exit code {level.exit_code}){more}."), red=True)
        ran = level.tool.partition(" ")[0] in ("pytest", "command")
        if level.broken and not _to_come(level.broken, words):
            wanted = bool(ran and exit_words(level.output))
            packages = _packages(level.broken, paths)
            seen = level.broken
            if seen.startswith(BUILDS_FIRST):
                alone = build_before(level.command[-1])[1]
                seen += f". The tests without the build, for verify.commands: `{alone}`"
            return Obstacle(_one_line(seen), packages, wanted, pytest=ran)
        lacking = [f for f in level.failures if _lacks_package(f, words, paths)]
        stopped = lacking if _is_half(lacking, level) else _not_set_up(level, words)
        if stopped:
            return replace(_of_files(stopped, paths), pytest=ran)
        if lacking and not some:
            some = replace(_of_files(lacking, paths), pytest=ran, partly=True)
    return some


def _to_come(message: str, words: str) -> bool:
    """Whether a task adds what is missing, or is about the settings of the tests."""
    if any(name in words for name in _SETTINGS):
        return True
    if any(has_word(words, path) for path in _PLACE.findall(message)):
        return True
    lacking = (*missing_names(message), *_PROGRAM.findall(message))
    return any(has_word(words, last_name(name)) for name in lacking)


def _is_half(failures: Sequence[TestFailure], level: Level) -> bool:
    """Whether those that cannot begin are half of the tests or more.

    Files that cannot be loaded hide how many tests they have: then files are counted.
    """
    cases = sum(failure.is_case for failure in failures)
    half = len(failures) - cases >= len(level.green) or cases >= level.passed
    return half and bool(failures)


def _not_set_up(level: Level, words: str) -> list[TestFailure]:
    """What cannot begin if nothing can: the fixtures fail, and no task will repair them."""
    failures = [failure for failure in level.failures if failure.is_case]
    stubs = any("NotImplementedError" in failure.message for failure in failures)
    by_pytest = level.tool.partition(" ")[0] in ("pytest", "command")
    if not by_pytest or level.passed or stubs:
        return []
    return [] if any(_to_come(f.message, words) for f in failures) else failures


def _lacks_package(failure: TestFailure, words: str, paths: Collection[str]) -> bool:
    message = failure.message
    lacks = _packages(message, paths) or any(_of_node(message, paths))
    return bool(lacks) and not _to_come(message, words)


def _of_node(message: str, paths: Collection[str]) -> Iterator[str]:
    """The packages of Node that are missing; their manifest says what is to be installed."""
    for name in _NODE_PACKAGE.findall(message):
        if name.startswith("@") or not _in_tree(name, paths):
            yield name


def _of_files(failures: Sequence[TestFailure], paths: Collection[str]) -> Obstacle:
    first = failures[0]
    files = {failure.test.split("::")[0] for failure in failures}
    others = sorted(files - {first.test.split("::")[0]})
    more = f", and {counted(len(others), 'more test file')} like it ({', '.join(others[:4])}"
    more = f"{more}{', …' if len(others) > 4 else ''})" if others else ""
    names = dict.fromkeys(n for each in failures for n in _packages(each.message, paths))
    return Obstacle(_one_line(f"{first.test}: {headline(first.message)}{more}"), tuple(names))


def _packages(message: str, paths: Collection[str]) -> tuple[str, ...]:
    """The packages that are to be installed for it."""
    return tuple(dict.fromkeys((*_plugins(message), *_modules(message, paths))))


def _modules(message: str, paths: Collection[str]) -> Iterator[str]:
    modules = re.findall(r"No module named '([\w.]+)'", message) + _FROM.findall(message)
    modules += re.findall(r"Error loading (psycopg\w*)", message)
    for top in (name.split(".")[0] for name in modules):
        if not _in_tree(top, paths):
            yield _BY_MODULE.get(top, top)


def _plugins(message: str) -> Iterator[str]:
    for required in _REQUIRED.findall(message):
        yield from (re.split(r"[<>=!~ ]", name.strip())[0] for name in required.split(","))
    for options in _OPTIONS.findall(message):
        for word in options.split():
            yield from (plugin for start, plugin in _BY_OPTION.items() if word.startswith(start))
    yield from (_BY_FIXTURE[name] for name in _FIXTURE.findall(message) if name in _BY_FIXTURE)
    if _COROUTINE in message:
        yield "pytest-asyncio"


def _in_tree(module: str, paths: Collection[str]) -> bool:
    """Whether a file or a folder of the tree is called like a module."""
    return any(module in (part.removesuffix(".py") for part in path.split("/")) for path in paths)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
