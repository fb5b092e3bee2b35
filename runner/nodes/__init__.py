"""The nodes of the graph: the table of their functions, which have exactly the graph's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, cast

from runner.loop.driver import Node

_MODULES: Final[Mapping[str, str]] = {
    "parse_roadmap": "run",
    "decide_next": "run",
    "pick_task": "run",
    "retry_deferred": "run",
    "plan_task": "plan",
    "build_context": "context",
    "execute_task": "generate",
    "validate_code": "validate",
    "repair_code": "generate",
    "write_files": "verify",
    "verify_task": "verify",
    "repair_test": "generate",
    "checkpoint": "checkpoint",
    "classify_failure": "recover",
    "propose_recovery": "recover",
    "await_approval": "approve",
    "apply_recovery": "approve",
    "generate_report": "run",
}
"""The module of each node."""


class Nodes(Mapping[str, Node]):
    """Each node is imported when a run comes to it: a run asks its first question sooner."""

    def __getitem__(self, name: str) -> Node:
        return cast("Node", getattr(import_module(f"{__name__}.{_MODULES[name]}"), name))

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


NODES: Final[Mapping[str, Node]] = Nodes()
