"""What a reason looks like: one module a kind of trace, each a pure function of the facts."""
