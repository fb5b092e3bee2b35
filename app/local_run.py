"""What ``cairn run`` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runner.state import Options


@dataclass(frozen=True, slots=True)
class LocalRun:
    """What the command line was asked for; ``folder`` is a git checkout.

    ``branch`` and ``sandbox`` are empty where nothing was said.
    """

    folder: Path
    roadmap: str
    options: Options
    branch: str = ""
    sandbox: str = ""
