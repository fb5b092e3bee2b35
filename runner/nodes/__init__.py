"""The nodes of the graph: the table of their functions, which have exactly the graph's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from runner.loop.driver import Node
from runner.nodes.approve import apply_recovery, await_approval
from runner.nodes.checkpoint import checkpoint
from runner.nodes.context import build_context
from runner.nodes.generate import execute_task, repair_code, repair_test
from runner.nodes.plan import plan_task
from runner.nodes.recover import classify_failure, propose_recovery
from runner.nodes.run import decide_next, generate_report, parse_roadmap, pick_task, retry_deferred
from runner.nodes.validate import validate_code
from runner.nodes.verify import verify_task, write_files

NODES: Final[Mapping[str, Node]] = {
    node.__name__: node
    for node in (
        parse_roadmap,
        decide_next,
        pick_task,
        retry_deferred,
        plan_task,
        build_context,
        execute_task,
        validate_code,
        repair_code,
        write_files,
        verify_task,
        repair_test,
        checkpoint,
        classify_failure,
        propose_recovery,
        await_approval,
        apply_recovery,
        generate_report,
    )
}
