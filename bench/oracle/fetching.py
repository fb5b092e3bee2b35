"""Where what was fetched is kept, and what is said when it cannot be."""

from __future__ import annotations

import os
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "cairn-oracle"


class NoSource(Exception):
    """Source code cannot be fetched, or is not what was meant."""
