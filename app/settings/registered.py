"""The App that the server's own set-up registered: a file of variables in the data folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

APP_FILE = "cairn.env"
APP_NAMES = (
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_APP_PRIVATE_KEY_FILE",
    "GITHUB_WEBHOOK_SECRET",
)


def registered_app(options: Mapping[str, Any]) -> Path | None:
    """Return the file, where there is one and neither environment nor options name an App.

    All or nothing: the id of one App with the key of another would be worse than either.
    """
    if any(os.environ.get(name) or options.get(name) for name in APP_NAMES):
        return None
    folder = options.get("CAIRN_DATA_DIR") or os.environ.get("CAIRN_DATA_DIR") or "data"
    file = Path(str(folder)) / APP_FILE
    try:
        file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):  # the set-up says what is wrong with it
        return None
    return file
