"""What can run tests: one table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from runner.verifiers.cargo_runner import Cargo
from runner.verifiers.go_runner import Go
from runner.verifiers.jvm_runner import GRADLE, MAVEN
from runner.verifiers.make_runner import Make
from runner.verifiers.node_runner import Node
from runner.verifiers.php_runner import Phpunit
from runner.verifiers.pytest_runner import Pytest
from runner.verifiers.ruby_runner import Minitest, Rspec
from runner.verifiers.tool import Read, Tool

TOOLS: Final[tuple[Tool, ...]] = (
    Pytest(),
    Node(),
    Cargo(),
    Go(),
    MAVEN,
    GRADLE,
    Rspec(),
    Minitest(),
    Phpunit(),
    Make(),
)
"""Every one whose tests a project has is run; the last only where there is no other."""

NAMES: Final = (
    "pytest, node, jest, vitest, mocha, cargo, go, Maven, Gradle, RSpec, Minitest, PHPUnit, make"
)
"""What is looked for, for people."""


def tools_of(
    paths: Collection[str], read: Read, *, tools: Sequence[Tool] = TOOLS
) -> tuple[Tool, ...]:
    """Return what can run the tests of a tree; a makefile only starts what others start too."""
    found = tuple(tool for tool in tools if tool.found(paths, read))
    return tuple(tool for tool in found if tool.name != Make.name) or found
