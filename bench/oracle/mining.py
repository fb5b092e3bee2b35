"""Find tasks for the catalogue: ``python -m bench.oracle.mining pypi NAME OLD NEW [--needs ...]``.

Of the change between two releases it looks for the hunks that turn one test green, as few as
possible; with ``--patches NAME=VERSION`` for the patches of a Debian package that turn one green.
What it prints goes into ``catalogue.toml`` after a person has written what the task asks for.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from defusedxml import ElementTree

from bench.oracle.debian import Files, patched, patches
from bench.oracle.fetching import NoSource
from bench.oracle.hunks import Hunk, applied, hunks
from bench.oracle.sources import environment, source_and_hash

_LONGEST = 900


def main() -> None:
    """Print what was found, as rows of the catalogue."""
    parser = argparse.ArgumentParser(prog="python -m bench.oracle.mining", description=__doc__)
    parser.add_argument("kind", choices=["pypi", "debian"])
    parser.add_argument("name")
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default="")
    parser.add_argument("--needs", nargs="*", default=[], help="packages its tests import")
    parser.add_argument("--patches", default="", help="a Debian package, as NAME=VERSION")
    parser.add_argument("--patch", nargs="*", default=[], help="these patches only")
    parser.add_argument("--most", type=int, default=3, help="so many tasks")
    asked = parser.parse_args()
    project = {"name": asked.name, "kind": asked.kind, "old": asked.old, "needs": asked.needs}
    old, project["old_sha256"] = source_and_hash(asked.kind, asked.name, asked.old)
    if asked.new:
        new, project["new_sha256"] = source_and_hash(asked.kind, asked.name, asked.new)
        project["new"] = asked.new
    if asked.patches:
        project["patches"] = asked.patches
        _, project["patches_sha256"] = patches(asked.patches)
    print("[[project]]", *(f"{k} = {json.dumps(v)}" for k, v in project.items()), sep="\n")
    tests = Tests(environment(asked.name, ("pytest", *asked.needs)))
    found = of_patches(asked, old, tests) if asked.patches else of_releases(asked, old, new, tests)
    for rows in found:
        print("\n[[project.task]]", *rows, sep="\n", flush=True)


class Tests:
    """Runs a project's tests in a scratch repository."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs

    def green(self, files: Files, names: Sequence[str]) -> set[str]:
        """Return which tests of these files, or which of these tests, pass."""
        return {test for test, passes in self.results(files, names).items() if passes}

    def results(self, files: Files, names: Sequence[str]) -> dict[str, bool]:
        """Return these tests, or the tests of these files, and whether each passes."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for path, content in files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
            paths = [str(folder / each) for each in ("src", "lib", ".") if (folder / each).is_dir()]
            own = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
            python = [
                str(self._programs / "python"),
                "-m",
                "pytest",
                "-q",
                "--continue-on-collection-errors",
            ]
            try:
                subprocess.run(
                    [*python, "-p", "no:cacheprovider", "-o", "junit_family=xunit1",
                     "--junitxml=.found.xml", *names],
                    cwd=folder, env={**os.environ, **own}, capture_output=True, check=False,
                    timeout=_LONGEST,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return {}
            report = folder / ".found.xml"
            return dict(_cases(report)) if report.exists() else {}


def _cases(report: Path) -> Iterator[tuple[str, bool]]:
    for case in ElementTree.parse(report).iter("testcase"):
        path = case.get("file") or ""
        if not path or case.findall("skipped"):
            continue
        module = path.removesuffix(".py").replace("/", ".")
        classes = (case.get("classname") or "").removeprefix(module).strip(".").split(".")
        name = "::".join([path, *filter(None, classes), case.get("name") or ""])
        yield name, not any(case.findall(bad) for bad in ("failure", "error"))


def of_patches(asked: argparse.Namespace, old: Files, tests: Tests) -> Iterator[list[str]]:
    """Yield the patches with which a test of a file they change turns green."""
    found = 0
    series, sha256 = patches(asked.patches)
    for name in series:
        if (asked.patch and name not in asked.patch) or found == asked.most:
            continue
        try:
            before, after = patched(old, asked.patches, sha256, name)
        except NoSource as problem:
            print(f"# {problem}")
            continue
        files = _tests(before, after)
        red = {**before, **{path: after[path] for path in after if _is_test(path)}}
        was, now = tests.results(red, files), tests.results(after, files)
        turned = {test for test, passes in now.items() if passes and not was.get(test)}
        still = {test for test, passes in now.items() if not passes} - {
            test for test, passes in tests.results(before, files).items() if not passes
        }
        if still:
            print(f"# {name}: its own tests fail: {', '.join(sorted(still))}")
        elif turned:
            found += 1
            yield [f"patch = {json.dumps(name)}", f"turns = {json.dumps(min(turned))}"]
        else:
            print(f"# {name}: turns nothing green ({', '.join(files) or 'no test'})")


def of_releases(
    asked: argparse.Namespace, old: Files, new: Files, tests: Tests
) -> Iterator[list[str]]:
    """Yield the hunks that turn a test green, fewest first for each test that can be."""
    files = _tests(old, new)
    paths = [
        path for path in {*old, *new} if path.endswith(".py") and old.get(path) != new.get(path)
    ]
    every = hunks(old, new, paths)
    of_tests = [hunk for hunk in every if _is_test(hunk.path)]
    product = [hunk for hunk in every if not _is_test(hunk.path)]
    turned = tests.green(new, files) - tests.green(applied(old, of_tests), files)
    print(f"# {len(turned)} tests turn green, of {len(files)} files with {len(every)} hunks")
    seen: list[set[Hunk]] = []
    for test in sorted(turned):
        if any(test in tests.green(applied(old, [*of_tests, *each]), [test]) for each in seen):
            continue
        good = partial(_turns, tests, old, test, of_tests)
        if not good(product):
            continue
        needed = fewest(product, good)
        alone = partial(_proves, tests, old, test, needed)
        mine = [hunk for hunk in of_tests if hunk.path == test.partition("::")[0]]
        chosen = [*needed, *fewest(mine if alone(mine) else of_tests, alone)]
        seen.append(set(needed))
        names = [hunk.id for hunk in chosen]
        yield [f"hunks = {json.dumps(names, indent=4)}", f"turns = {json.dumps(test)}"]
        if len(seen) == asked.most:
            return


def _turns(
    tests: Tests, old: Files, test: str, below: Sequence[Hunk], some: Sequence[Hunk]
) -> bool:
    """Whether the test is green with these hunks on those ``below``."""
    return test in tests.green(applied(old, [*below, *some]), [test])


def _proves(
    tests: Tests, old: Files, test: str, needed: Sequence[Hunk], some: Sequence[Hunk]
) -> bool:
    """Whether these hunks of the tests are green with what the product needs, and red without."""
    return _turns(tests, old, test, needed, some) and not _turns(tests, old, test, (), some)


def fewest(some: Sequence[Hunk], good: Callable[[Sequence[Hunk]], bool]) -> list[Hunk]:
    """Leave out what is not needed: halves first, then ever smaller parts (delta debugging)."""
    kept, size = list(some), max(1, len(some) // 2)
    while True:
        start = 0
        while start < len(kept):
            less = kept[:start] + kept[start + size :]
            if less != kept and good(less):
                kept = less
            else:
                start += size
        if size == 1:
            return kept
        size = max(1, size // 2)


def _is_test(path: str) -> bool:
    return "test" in path.lower()


def _tests(old: Files, new: Files) -> list[str]:
    """Return the files of tests that changed."""
    return sorted(
        path
        for path in new
        if _is_test(path) and path.endswith(".py") and old.get(path) != new[path]
        and path.rpartition("/")[2] != "conftest.py"
    )  # fmt: skip


if __name__ == "__main__":
    main()
