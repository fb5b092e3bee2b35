"""Logging: plain lines on standard error, with secrets masked in everything that is written."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from typing import TextIO

from pydantic import SecretStr

MASK = "**********"
# shorter ones would mask ordinary words
SHORTEST = 6
# Tokens nobody told us about. GitHub's forms, the long one of 2026 with dots included:
# https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9_.\-]{16,}"
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
    r"|\bsk-[A-Za-z0-9_\-]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_AUTHORIZATION = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token)\s+)\S+"
)


class Mask:
    """Replaces the given secrets, and whatever looks like a token or key."""

    def __init__(self, secrets: Iterable[SecretStr | None] = ()) -> None:
        values = {secret.get_secret_value().strip() for secret in secrets if secret}
        lines = {line for value in values for line in (value, *value.split("\n"))}
        # an escaped form of a line break is how a repr or JSON would show a key
        lines |= {value.replace("\n", "\\n") for value in values}
        # the longest first, so that no part of a secret stays beside a masked other one
        self._secrets = sorted((s for s in lines if len(s) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return ``text`` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = _TOKENS.sub(MASK, text)
        return _AUTHORIZATION.sub(rf"\g<1>{MASK}", text)


class MaskedFormatter(logging.Formatter):
    """Formats a record, traceback included, and masks the whole of it."""

    def __init__(self, mask: Mask) -> None:
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
    handler.setFormatter(MaskedFormatter(Mask(secrets)))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # each migration and each SQL thread hop is no news
    for name in ("alembic", "aiosqlite"):
        logging.getLogger(name).setLevel(logging.WARNING)
