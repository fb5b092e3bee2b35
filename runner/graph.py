"""The loop as a value: which node follows which outcome. Nothing else decides where to go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

END: Final = "end"
REST: Final = "rest"

GRAPH: Final[Mapping[str, Mapping[str, str]]] = {
    "parse_roadmap": {
        "ok": "decide_next",
        "rejected": "generate_report",
        "error": "generate_report",
    },
    "decide_next": {
        "ok": "pick_task",
        "deferred": "retry_deferred",
        "decided": "await_approval",
        "rest": REST,
        "stop": "generate_report",
    },
    "pick_task": {"ok": "plan_task", "direct": "build_context"},
    "retry_deferred": {"ok": "pick_task"},
    "plan_task": {"ok": "build_context", "error": "classify_failure"},
    "build_context": {"ok": "execute_task", "error": "classify_failure"},
    "execute_task": {"ok": "validate_code", "error": "classify_failure"},
    "validate_code": {
        "ok": "write_files",
        "rejected": "repair_code",
        "afresh": "execute_task",
        "exhausted": "classify_failure",
        "approve": "await_approval",
        "kept": "checkpoint",
    },
    "repair_code": {
        "ok": "validate_code",
        "afresh": "execute_task",
        "exhausted": "classify_failure",
        "error": "classify_failure",
    },
    "write_files": {
        "ok": "verify_task",
        "rejected": "repair_test",
        "afresh": "execute_task",
        "exhausted": "classify_failure",
        "error": "classify_failure",
        "kept": "checkpoint",
    },
    "verify_task": {
        "ok": "checkpoint",
        "approve": "await_approval",
        "rejected": "repair_test",
        "afresh": "execute_task",
        "exhausted": "classify_failure",
        "error": "classify_failure",
        "kept": "checkpoint",
    },
    "repair_test": {
        "ok": "validate_code",
        "afresh": "execute_task",
        "exhausted": "classify_failure",
        "error": "classify_failure",
        "kept": "checkpoint",
    },
    "checkpoint": {"ok": "decide_next", "approve": "await_approval", "error": "classify_failure"},
    "classify_failure": {"ok": "propose_recovery", "error": "propose_recovery"},
    "propose_recovery": {
        "approve": "await_approval",
        "ok": "apply_recovery",
        "publish": "decide_next",
        "error": "decide_next",
    },
    "await_approval": {
        "ok": "apply_recovery",
        "proceed": "write_files",
        "publish": "checkpoint",
        "rejected": "decide_next",
        "waiting": "decide_next",
        "error": "decide_next",
    },
    "apply_recovery": {"ok": "decide_next", "error": "decide_next"},
    "generate_report": {"ok": END, "error": END},
}

START: Final = "parse_roadmap"

RUN_NODES: Final = frozenset(
    {"parse_roadmap", "decide_next", "pick_task", "retry_deferred", "generate_report"}
)
"""Nodes of the run's own cursor; every other node belongs to the cursor of one task."""

COMMITS: Final = frozenset({"checkpoint", "apply_recovery"})
"""Nodes that add a commit to what the next tasks build on."""


def following(node: str, outcome: str) -> str:
    """Return the node after ``outcome`` of ``node``; an unknown pair is a bug (``KeyError``)."""
    return GRAPH[node][outcome]


def mermaid() -> str:
    """Draw the graph as mermaid (https://mermaid.js.org/syntax/flowchart.html) for the README."""
    lines = ["flowchart TD", f"    {START}([{START}])"]
    for node, edges in GRAPH.items():
        lines += [f"    {node} -->|{outcome}| {target}" for outcome, target in edges.items()]
    return "\n".join([*lines, f"    {END}([{END}])", f"    {REST}([{REST}])"])
