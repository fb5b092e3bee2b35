"""Patterns: tasks whose words say all there is to do, done from templates without a model."""
