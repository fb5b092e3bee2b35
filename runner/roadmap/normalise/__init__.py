"""Propose a roadmap with checkboxes for one that has none: nothing is lost, a person reviews it."""
