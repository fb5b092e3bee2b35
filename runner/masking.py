"""Keep secrets out of what is written: known ones by value, tokens by their form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

HIDDEN = "***"

# Installation tokens have dots and about 500 characters since 2026 (GitHub changelog 2026-05-15).
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9_.=-]{16,}|github_pat_\w{20,}|\bsk-[A-Za-z0-9_-]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)


def masker(secrets: Iterable[str] = ()) -> Callable[[str], str]:
    """Make a function that hides these secrets, and whatever looks like one, in a text."""
    known = sorted({s for s in secrets if len(s) >= 6}, key=len, reverse=True)

    def mask(text: str) -> str:
        for secret in known:
            text = text.replace(secret, HIDDEN)
        return _TOKENS.sub(HIDDEN, text)

    return mask
