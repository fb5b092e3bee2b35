"""Logging: plain lines on standard error, with secrets masked in everything that is written."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from typing import TextIO

from pydantic import SecretStr

from app.masking import mask_for


class MaskedFormatter(logging.Formatter):
    """Formats a record, traceback included, and masks the whole of it."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the line or lines of a record."""
        return self._mask(super().format(record))


def set_up_logging(
    level: str, *, secrets: Iterable[SecretStr | None] = (), stream: TextIO | None = None
) -> None:
    """Send every log record of the process to ``stream`` (standard error), masked.

    ``level`` is debug, info, warning or error. Doing it again replaces what was set up.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(MaskedFormatter(mask_for(secrets)))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # each migration and each SQL thread hop is no news
    for name in ("alembic", "aiosqlite"):
        logging.getLogger(name).setLevel(logging.WARNING)
