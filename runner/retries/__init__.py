"""How often something outside is tried again: a value, below all that knows it."""
