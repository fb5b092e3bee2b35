"""What people read where the tests of a repository cannot start."""

from __future__ import annotations

import re

from runner.nodes.preflight import CannotStart
from runner.text.sanitize import sanitize


def cannot_start(found: CannotStart) -> str:
    """What was seen and what to do about it, where no pull request does it."""
    todo = sanitize(found.todo, plain=True)
    return f"{seen(found)}\n\n{todo}\n\n{file_of(found)}".strip()


def file_of(found: CannotStart) -> str:
    """The proposed configuration as code, '' where there is none."""
    return f"```yaml\n{found.proposed}```" if found.proposed else ""


def seen(found: CannotStart) -> str:
    """What the repository's tests printed, as code: an image in it must not load."""
    text = found.seen.replace("\r\n", "\n").strip()
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return sanitize(f"{fence}text\n{text}\n{fence}")
