"""What ``cairn run`` and ``cairn resume`` were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runner.adapters.budget_model import Budget

FOLDER = ".executor"
"""Where a folder keeps what its runs leave behind."""


@dataclass(frozen=True, slots=True)
class LocalRun:
    """``given`` are the options that were said (fields of ``Options``); the others are the
    configuration's, of a run that is taken up its own.

    ``roadmap``, ``branch`` and ``sandbox`` are empty where nothing was said; ``run`` is the run to
    go on with ('' for a new one). With ``dirty`` uncommitted changes are left where they are.
    ``answers`` says that somebody is at the terminal who can be asked.
    """

    folder: Path
    roadmap: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    branch: str = ""
    sandbox: str = ""
    budget: Budget = field(default_factory=Budget)
    run: str = ""
    dirty: bool = False
    answers: bool = False

    @property
    def kept(self) -> Path:
        """The folder of what runs leave behind."""
        return self.folder / FOLDER
