"""Which files of a tree use others, by way of imports and of what languages load unasked. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from runner.context.facts import Facts
from runner.context.grammars import language_of
from runner.context.imports import Places, imported

FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx", "go"})
"""Languages whose imports lead from a test to all that it uses; others load more than they say."""


def users_of(
    touched: Iterable[str], facts: Mapping[str, Facts], paths: Collection[str]
) -> frozenset[str]:
    """Return the files of ``paths`` that use one of ``touched``, these among them.

    ``facts`` tell what the files import.
    """
    places = Places(paths)
    importers: dict[str, set[str]] = defaultdict(set)
    for path, known in facts.items():
        for target in (
            *imported(path, known.symbols.imports, places),
            *_unasked(path, places.paths),
        ):
            importers[target].add(path)
            for package in _packages(target, places.paths):
                importers[package].add(path)
    beside = _go_packages(places.paths)
    found: set[str] = set()
    todo = list(touched)
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += importers.get(path, ())
            todo += beside.get(path.rpartition("/")[0], ()) if path.endswith(".go") else ()
    return frozenset(found)


def names_of(path: str) -> tuple[str, ...]:
    """What text that starts or reads a file calls it: by its name, or as a module by dots."""
    name = path.rpartition("/")[2]
    if not path.endswith(".py"):
        return (name,)
    module = path.removesuffix(".py").removesuffix("/__init__").removesuffix("/__main__")
    return (name, module.removeprefix("src/").removeprefix("lib/").replace("/", "."))


def _unasked(path: str, paths: Collection[str]) -> Iterator[str]:
    """The ``conftest.py`` files that pytest loads for a Python file, in its folder and above."""
    if not path.endswith(".py"):
        return
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        there = f"{folder}/conftest.py".lstrip("/")
        if there in paths and there != path:
            yield there


def _packages(path: str, paths: Collection[str]) -> Iterator[str]:
    """The packages around a Python module, which are run before it is."""
    folder = path.rpartition("/")[0] if path.endswith(".py") else ""
    while folder and f"{folder}/__init__.py" in paths:
        yield f"{folder}/__init__.py"
        folder = folder.rpartition("/")[0]


def _go_packages(paths: Iterable[str]) -> dict[str, list[str]]:
    """Go files by folder: those of one package use each other without an import."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if path.endswith(".go"):
            found[path.rpartition("/")[0]].append(path)
    return found


def followed(path: str) -> bool:
    """Whether imports tell who uses a file."""
    return language_of(path) in FOLLOWED
