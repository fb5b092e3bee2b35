"""Proposed checkboxes."""
