"""What an approval is bound to: the task as it stood and the proposal as it was read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from runner.recovery.values import Proposal
from runner.roadmap.lines import line_starts
from runner.roadmap.task import Roadmap, Task


def sealed(proposal: Proposal) -> Proposal:
    """Return the proposal with the fingerprint of all that a person is shown and agrees to."""
    shown = [
        proposal.task,
        proposal.kind,
        proposal.strategy,
        proposal.reason,
        proposal.explanation,
        proposal.original,
        [asdict(each) for each in proposal.replacements],
        proposal.changes.digest,
        *([proposal.attempt] if proposal.attempt > 1 else []),
        *([proposal.revision, proposal.head, proposal.held] if proposal.revision else []),
    ]
    text = json.dumps(shown, ensure_ascii=True, sort_keys=True)
    return replace(proposal, fingerprint=hashlib.sha256(text.encode()).hexdigest())


def original_of(roadmap: Roadmap, task: Task) -> str:
    """Return the task's own lines as they stand in the file, nested content too."""
    starts = [*line_starts(roadmap.content), len(roadmap.content)]
    own = roadmap.content[starts[task.line - 1] : starts[min(task.end_line, len(starts) - 1)]]
    return own.decode("utf-8", "backslashreplace").rstrip()
