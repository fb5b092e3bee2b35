"""The execution loop: graph, state, nodes and the pure functions they call."""
