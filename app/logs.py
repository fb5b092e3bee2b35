"""Logging: plain lines on standard error, with secrets masked in everything that is written."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterable
from typing import TextIO

from pydantic import BaseModel, SecretStr

from app.terminal import printable
from runner.masking import HIDDEN, masker

FULL = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PLAIN = "%(message)s"

# What ``masker`` does not know by form: JSON web tokens, and what an Authorization header has
_CREDENTIALS = re.compile(
    r"(?P<header>(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|token)\s+)[^\s'\"]+"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
)


def mask_for(secrets: Iterable[SecretStr | None] = ()) -> Callable[[str], str]:
    """Make a function that hides these secrets in a text, in parts and in escaped form too."""
    values = {secret.get_secret_value().strip() for secret in secrets if secret}
    # one line of a key alone is too much; with ``\n`` is how a repr or JSON shows a whole one
    forms = {form for v in values for form in (v, v.replace("\n", "\\n"), *v.split("\n"))}
    known = masker(forms)

    def mask(text: str) -> str:
        return _CREDENTIALS.sub(lambda found: (found["header"] or "") + HIDDEN, known(text))

    return mask


def secrets_of(settings: BaseModel) -> list[SecretStr]:
    """Every secret among the fields of some settings."""
    values = (getattr(settings, name) for name in type(settings).model_fields)
    return [value for value in values if isinstance(value, SecretStr)]


class MaskedFormatter(logging.Formatter):
    """Formats a record, traceback included, and masks the whole of it."""

    def __init__(self, mask: Callable[[str], str], form: str) -> None:
        super().__init__(form)
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the line or lines of a record."""
        return self._mask(super().format(record))


def set_up_logging(
    level: str,
    *,
    secrets: Iterable[SecretStr | None] = (),
    stream: TextIO | None = None,
    form: str = FULL,
) -> None:
    """Send every log record of the process to ``stream`` (standard error), masked.

    ``level`` is debug, info, warning or error; ``form`` is ``FULL``, or ``PLAIN`` for people
    who watch, with what acts on a terminal escaped. Doing it again replaces what was set up.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    mask = mask_for(secrets)
    # people watch their terminal: nothing of what others wrote may act on it
    safe = mask if form == FULL else lambda text: printable(mask(text))
    handler.setFormatter(MaskedFormatter(safe, form))
    wanted = logging.getLevelNamesMapping()[level.upper()]
    # what libraries tell at debug (every rule of the Markdown parser, every byte) helps nobody
    logging.basicConfig(level=max(wanted, logging.INFO), handlers=[handler], force=True)
    for name in ("app", "handlers", "runner"):
        logging.getLogger(name).setLevel(wanted)
    # each migration, each SQL thread hop and each request that went well is no news
    for name in ("alembic", "aiosqlite", "httpx", "httpx2", "openai"):
        logging.getLogger(name).setLevel(logging.WARNING)
