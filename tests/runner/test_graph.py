"""The graph as a value: complete, reachable, and every cycle bounded."""

from __future__ import annotations

from runner.graph import END, GRAPH, REST, RUN_NODES, START
from runner.nodes import NODES

SPENDERS = {
    "decide_next",  # settles the task it comes from
    "repair_code",  # spends a code repair
    "repair_test",  # spends a test repair
    "execute_task",  # spends an answer
    "await_approval",  # spends a person's decision
}


def test_every_node_has_a_function_of_its_name() -> None:
    """The table of functions and the graph name the same nodes."""
    assert set(NODES) == set(GRAPH)


def test_every_edge_leads_to_a_node_or_an_end() -> None:
    """No outcome leads nowhere."""
    targets = {target for edges in GRAPH.values() for target in edges.values()}

    assert targets <= set(GRAPH) | {END, REST}


def test_every_node_is_reachable() -> None:
    """From the start every node and both ends can be reached."""
    seen, todo = set(), [START]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += GRAPH.get(node, {}).values()

    assert seen == set(GRAPH) | {END, REST}


def test_every_cycle_spends_a_counter() -> None:
    """Without the nodes that spend a counter the graph has no cycle."""
    order: dict[str, int] = {}

    def visit(node: str, depth: int) -> None:
        assert order.get(node) != -1, f"a cycle through {node} spends nothing"
        if node in order or node not in GRAPH or node in SPENDERS:
            return
        order[node] = -1
        for target in GRAPH[node].values():
            visit(target, depth + 1)
        order[node] = depth

    for node in GRAPH:
        visit(node, 0)


def test_run_nodes_hand_over_to_tasks_only_by_picking() -> None:
    """The run's cursor enters a task through pick_task or a decision, never otherwise."""
    crossing = {
        (node, target)
        for node in RUN_NODES
        for target in GRAPH[node].values()
        if target in GRAPH and target not in RUN_NODES
    }

    assert crossing == {
        ("pick_task", "plan_task"),
        ("pick_task", "build_context"),
        ("decide_next", "await_approval"),
    }
