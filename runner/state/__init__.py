"""What a run knows, as immutable values: tasks, options, changes, findings, proposals, events."""
