"""Checkpoints as the loop makes them, for tests of the repositories."""

from __future__ import annotations

from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.publishing import Checkpoint, CheckpointText


def checkpoint(base: Snapshot, files: dict[str, bytes | None], **other: str) -> Checkpoint:
    """A verified change of ``files`` (None deletes) on ``base``; ``other`` fields as given."""
    writes = {path: None if text is None else Write(text) for path, text in files.items()}
    changes = ChangeSet(writes)
    fields = {
        "run": "r1",
        "task": "t1",
        "branch": "cairn/r1/t1-add-it",
        "below": "main",
        "tree": changes.tree(base),
    }
    text = {
        "title": "t1 Add it",
        "message": "Add it\n\nBecause the roadmap says so.",
        "body": "What and why.",
    }
    text |= {name: other.pop(name) for name in text if name in other}
    return Checkpoint(
        parent=base.commit,
        changes=changes,
        text=CheckpointText(trailers=(("Cairn-Run", "r1"), ("Cairn-Task", "t1")), **text),
        **{**fields, **other},
    )
