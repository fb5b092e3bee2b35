"""What was found out about models and endpoints, in one small JSON file (or nowhere)."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from runner.adapters.durable import write_file
from runner.errors import Outage

log = logging.getLogger(__name__)


class Habits:
    """Words by endpoint and model. A file that cannot be read or written is as none."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known = _read(file) if file else {}

    def of(self, endpoint: str, model: str) -> str | None:
        """Return what is known, None when nothing is."""
        return self._known.get(f"{endpoint} {model}")

    def remember(self, endpoint: str, model: str, word: str, *, keep: bool = True) -> None:
        """Take down what was found out; without ``keep`` only for this process."""
        self._known[f"{endpoint} {model}"] = word
        if self._file is None or not keep:
            return
        known = {**_read(self._file), f"{endpoint} {model}": word}  # others may write it, too
        try:
            write_file(self._file, (json.dumps(known, indent=1, sort_keys=True) + "\n").encode())
        except Outage as outage:
            log.warning("What was learnt of %s is not kept: %s", model, outage.message)


def _read(file: Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in known.items()} if isinstance(known, dict) else {}
