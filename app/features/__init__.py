"""The features: each is a folder here and its line in the list, and nobody else names one.

To delete a feature, delete its folder, its line, its tests (``tests/features/NAME``) and what the
docs say of it; ``make docs`` takes its commands out of the tables.
"""

from __future__ import annotations

from importlib import import_module

from app.runs.feature import Feature
from handlers.commands import table

NAMES: tuple[str, ...] = (
    "fix",
    "undo",
    "setup",
    "history",
    "audit",
    "checkboxes",
    "advice",
    "required_checks",
    "issues",
    "merging",
    "native_stacks",
)
"""In this order the help shows their commands, and runs ask them."""

FEATURES: tuple[Feature, ...] = tuple(
    import_module(f"app.features.{name}").register() for name in NAMES
)

COMMANDS = table(row for feature in FEATURES for row in feature.commands)
"""Every slash command."""
