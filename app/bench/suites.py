"""The suites: where tasks come from. Nothing is downloaded."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files as resources
from pathlib import Path
from typing import Literal

from app.bench.box import BoxedTests
from app.bench.tasks import (
    FEWEST,
    ROADMAP,
    BenchTask,
    Function,
    emptied,
    functions,
    half_hidden,
    roadmap,
)
from app.bench.texts import bench_texts
from runner.code.languages import is_among_tests
from runner.errors import PortError

SuiteName = Literal["hidden", "toy", "releases", "exercism"]

_NOTES = ("changelog", "changes", "history", "news", "releases")
_ITEM = re.compile(r"\s{0,3}[-*+]\s+(\S.*)")

_SMALLEST = 3
"""Statements of a function whose body is worth writing again."""


def toy() -> Iterator[BenchTask]:
    """Small projects that come with Cairn."""
    text = resources("app.bench").joinpath("toy.toml").read_text(encoding="utf-8")
    for each in tomllib.loads(text)["task"]:
        plan = {ROADMAP: roadmap(each["text"])}
        yield half_hidden(each["name"], {**each["files"], **plan}, each["tests"])


def exercism(folder: Path) -> Iterator[BenchTask]:
    """The practice exercises of Exercism's Python track, from a clone of it.

    ``.meta/config.json`` names the files (https://exercism.org/docs/building/tracks).
    """
    for config in sorted(folder.glob("**/.meta/config.json")):
        place = config.parents[1]
        named = json.loads(config.read_text(encoding="utf-8")).get("files", {})
        told = sorted(place.glob(".docs/instructions*.md"))
        files, tests = (
            {path: (place / path).read_text(encoding="utf-8") for path in named.get(kind, ())}
            for kind in ("solution", "test")
        )
        if not (files and told and tests and all(path.endswith(".py") for path in tests)):
            continue
        doing = f"Write `{'`, `'.join(files)}` as `INSTRUCTIONS.md` says"
        files["INSTRUCTIONS.md"] = "\n".join(path.read_text(encoding="utf-8") for path in told)
        try:
            yield half_hidden(place.name, {**files, ROADMAP: roadmap(doing)}, tests)
        except ValueError:
            continue


async def hidden(
    box: BoxedTests, project: Path, most: int, tell: Callable[[str], None]
) -> AsyncIterator[BenchTask]:
    """Functions of a Python project, emptied one at a time, with half of the tests hidden.

    ``most`` tasks are made, of functions in an order that only their names decide. Raises
    ``PortError`` where the tests do not pass as they are.
    """
    texts = texts_of(project)
    before = (await box.results({})).passed & (await box.results({})).passed
    tests = {path: text for path, text in texts.items() if _in([path], before)}
    if not tests:
        raise PortError("file", bench_texts.no_tests())
    code = {path: text for path, text in texts.items() if not is_among_tests(path)}
    made = 0
    for path, name, node in _candidates(code):
        near = {p: text for p, text in tests.items() if re.search(rf"\b{node.name}\b", text)}
        without_it = {path: emptied(code[path], node)}
        first = await box.results(without_it, only=near) if near else None
        if first is None or first.unloaded or len(_in(near, before) - first.passed) < FEWEST:
            continue
        lost = before - (await box.results(without_it)).passed
        plan = {ROADMAP: roadmap(bench_texts.implement(name, path), bench_texts.body_removed())}
        concerned = {p: text for p, text in tests.items() if _in([p], lost)}
        try:
            task = half_hidden(
                f"{path[:-3].replace('/', '.')}.{name}",
                {**without_it, **plan},
                concerned,
                wanted=lost,
            )
        except ValueError:
            continue
        made += 1
        tell(bench_texts.made(made, most, task.name))
        yield replace(task, kept=sorted(before - lost), shared=True)
        if made == most:
            return


async def release(
    project: Path, box: BoxedTests, newer: Path, box_of_newer: BoxedTests
) -> BenchTask:
    """What a project's next version brought: its notes as the plan, its tests hidden.

    Raises ``PortError`` where the notes list nothing new, or no test tells the versions apart.
    """
    old, new = texts_of(project, "*"), texts_of(newer, "*")
    tests = {path: text for path, text in new.items() if is_among_tests(path)}
    after, before = await box_of_newer.results({}), await box.results(tests)
    wanted = sorted(after.passed - before.passed)
    items = [
        each for path in new if _are_notes(path) for each in notes_of(old.get(path, ""), new[path])
    ]
    if not (wanted and items):
        raise PortError("file", bench_texts.no_release(bool(items)))
    plan = "".join(f"- [ ] 1.{number} {text}\n" for number, text in enumerate(items, 1))
    return BenchTask(
        name="release",
        files={ROADMAP: f"# Roadmap\n\n{plan}"},
        hidden=tests,
        wanted=wanted,
        kept=sorted(before.passed & after.passed),
        shared=True,
    )


def _are_notes(path: str) -> bool:
    return Path(path).stem.lower() in _NOTES and path.count("/") < 2


def notes_of(old: str, new: str) -> list[str]:
    """The items of a list that only the newer notes have, each on one line."""
    known, items = set(old.splitlines()), list[str]()
    for line in new.splitlines():
        if line in known:
            continue
        if item := _ITEM.match(line):
            items.append(item[1].strip())
        elif items and line[:1].isspace() and line.strip():
            items[-1] += f" {line.strip()}"
    return items


def _in(paths: Collection[str], tests: Collection[str]) -> set[str]:
    """The tests in these files."""
    return {test for test in tests if test.partition("::")[0] in paths}


def texts_of(project: Path, called: str = "*.py") -> dict[str, str]:
    """The files of a checkout that are called so: Python's."""
    found = (path for path in sorted(project.rglob(called)) if ".git" not in path.parts)
    return {
        path.relative_to(project).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in found
        if path.is_file()
    }


def _candidates(texts: Mapping[str, str]) -> list[tuple[str, str, Function]]:
    """Functions that are more than a line or two, in an order that only their names decide."""
    found = []
    for path, text in texts.items():
        try:
            named = list(functions(text))
        except ValueError:
            continue
        twice = Counter(name for name, *_ in named)
        for name, node, _ in named:
            if twice[name] > 1 or node.name.startswith("_"):
                continue
            size = sum(isinstance(each, ast.stmt) for part in node.body for each in ast.walk(part))
            size -= ast.get_docstring(node) is not None
            below = node.body[0].lineno > node.lineno
            if size >= _SMALLEST and below:
                found.append((path, name.replace("::", "."), node))
    return sorted(found, key=lambda each: sha256(f"{each[0]} {each[1]}".encode()).digest())
