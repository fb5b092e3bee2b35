"""How often something outside is tried again: the policy as a value, and what tries by it."""
