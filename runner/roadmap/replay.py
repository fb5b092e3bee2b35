"""Make the ticks of a branch anew on a newer roadmap: edits are replayed by key, never merged."""

from __future__ import annotations

from runner.roadmap.edit import EditRefused, tick
from runner.roadmap.parse import parse_roadmap


def replayed_ticks(path: str, old: bytes, mine: bytes, new: bytes) -> bytes | None:
    """Return ``new`` with the boxes that ``mine`` ticked since ``old``.

    None where it holds another edit too, or a task of it is not there any more.
    """
    before = {task.key for task in parse_roadmap(path, old).tasks if task.checked}
    keys = [t.key for t in parse_roadmap(path, mine).tasks if t.checked and t.key not in before]
    try:
        for key in keys:
            old, new = tick(path, old, key), tick(path, new, key)
    except EditRefused:
        return None
    return new if old == mine else None
