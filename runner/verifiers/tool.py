"""What runs a project's tests: found by the files of a tree, run in a box, judged by its report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from runner.findings import Level
from runner.ports import Box

Read = Callable[[str], bytes | None]


class Tool(Protocol):
    """One test runner. Tests are named by the ids its own report gives them."""

    @property
    def name(self) -> str:
        """What the level is marked with (``pytest``, ``node``, ``cargo`` ...)."""

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Say whether a tree has tests for it; ``read`` knows the configuration files."""

    async def run(self, box: Box, *, timeout: float, only: Sequence[str] = ()) -> Level:
        """Run all tests, or ``only`` these, within ``timeout`` seconds.

        Raises ``TaskError`` (kind ``environment``) when they cannot run in this image.
        """
