"""Roadmaps: parse what GitHub shows as tasks, edit a byte and leave every other one alone."""
