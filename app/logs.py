"""Logging: plain lines on standard error, with secrets masked in everything that is written."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TextIO

from pydantic import BaseModel, SecretStr

from app.terminal import printable
from runner.text.logged import subject
from runner.text.mask import HIDDEN, Mask, masked

FULL = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PLAIN = "%(message)s"
JSON = "json"


def mask_for(secrets: Iterable[SecretStr | None] = ()) -> Mask:
    """Make the mask that knows these secrets by value."""
    return Mask(secret.get_secret_value() for secret in secrets if secret)


def secrets_of(settings: BaseModel) -> list[SecretStr]:
    """Every secret among the fields of some settings; of addresses, what is long in them, too."""
    values = [getattr(settings, name) for name in type(settings).model_fields]
    several = [each for value in values if isinstance(value, tuple) for each in value]
    found = [value for value in (*values, *several) if isinstance(value, SecretStr)]
    parts = [_PART.findall(each.get_secret_value()) for each in several if each in found]
    return [*found, *(SecretStr(part) for each in parts for part in each)]


_PART = re.compile(r"[^/?&=:@.\s]{12,}")


# A log shows what was really sent, so that whatever such a header has is secret.
_HEADER = re.compile(
    r"(?P<header>(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|token)\s+)[^\s'\"]+"
)


class MaskedFormatter(logging.Formatter):
    """Formats a record, with its traceback, and masks all of it."""

    def __init__(self, mask: Callable[[str], str], form: str) -> None:
        super().__init__(form)
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the line or lines of a record."""
        return without_headers(self._mask(super().format(record)))


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object, with what it is about; every text is masked."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__()
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        said: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "module": record.name,
            **subject(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(masked(said, lambda text: without_headers(self._mask(text))))


def without_headers(text: str) -> str:
    """Hide what headers carry that say who we are."""
    return _HEADER.sub(lambda found: found["header"] + HIDDEN, text)


def set_up_logging(
    level: str,
    *,
    secrets: Iterable[SecretStr | None] = (),
    stream: TextIO | None = None,
    form: str = FULL,
) -> None:
    """Send every log record of the process to ``stream`` (standard error), masked.

    ``level`` is debug, info, warning or error; ``form`` is ``FULL``, ``JSON``, or ``PLAIN`` for
    people who watch, with what acts on a terminal escaped. Doing it again replaces what was set up.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    mask = mask_for(secrets)
    # people watch their terminal: nothing of what others wrote may act on it
    safe = mask if form == FULL else lambda text: printable(mask(text))
    handler.setFormatter(JsonFormatter(mask) if form == JSON else MaskedFormatter(safe, form))
    wanted = logging.getLevelNamesMapping()[level.upper()]
    # what libraries tell at debug (every rule of the Markdown parser, every byte) helps nobody
    logging.basicConfig(level=max(wanted, logging.INFO), handlers=[handler], force=True)
    for name in ("app", "handlers", "runner"):
        logging.getLogger(name).setLevel(wanted)
    # each migration and each request that went well is no news
    for name in ("alembic", "httpx", "httpx2", "openai"):
        logging.getLogger(name).setLevel(logging.WARNING)
