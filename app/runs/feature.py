"""What a feature may add to Cairn. ``app/features/__init__.py`` has the list of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.runs.execution import RunKind
from handlers.grammar import Commands


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a folder of ``app/features`` gives: its ``register`` returns this."""

    commands: Commands = ()
    """Its rows of the table of slash commands."""
    kinds: Mapping[str, RunKind] = field(default_factory=dict)
    """What a run does instead of working on tasks, by the word in its request."""
