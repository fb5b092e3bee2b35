"""Put a materialised tree through its levels: files, syntax, tests."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from runner.findings import Level, Verification
from runner.ports import Box
from runner.verifiers.detect import has_pytest
from runner.verifiers.levels import files_level, syntax_level
from runner.verifiers.modules import with_places
from runner.verifiers.pytest_runner import tests_level

Mode = Literal["auto", "tests", "syntax", "off"]
_NO_TESTS = "the project has no tests that Cairn can run (looked for pytest's)"


async def verify(
    box: Box,
    *,
    tree: str,
    paths: Collection[str],
    changed: Collection[str],
    read: Callable[[str], bytes | None],
    mode: Mode = "auto",
    timeout: float = 300.0,
) -> Verification:
    """Return what the sandbox says about the workspace, which holds ``tree`` already.

    ``paths`` are all files of the tree, ``changed`` those that were written (not the deleted),
    ``read`` returns a file's content in the tree; ``timeout`` in seconds bounds each level. A
    level is only reached when the one before did not fail. Raises ``TaskError`` (kind
    ``environment``) when the tests cannot run in this image, ``Outage`` when the engine is gone.
    """
    if mode == "off":
        return Verification(tree, (Level("tests", "skipped", reason="verification is off"),))
    written = sorted(set(changed) & set(paths))
    files = await files_level(box, written, timeout=timeout)
    if files.result == "failed":
        return Verification(tree, (files, _unreached("syntax"), _unreached("tests")))
    syntax = await syntax_level(box, written, timeout=timeout)
    if syntax.result == "failed":
        return Verification(tree, (files, syntax, _unreached("tests")))
    if mode == "syntax":
        tests = Level("tests", "skipped", reason="only syntax is verified (verify mode syntax)")
    elif has_pytest(paths, read):
        tests = with_places(await tests_level(box, timeout=timeout), paths)
    else:
        tests = Level("tests", "skipped", reason=_NO_TESTS)
    return Verification(tree, (files, syntax, tests))


def _unreached(name: Literal["syntax", "tests"]) -> Level:
    return Level(name, "skipped", reason="the level before failed")
