"""Keep secrets out of whatever is written: known ones by value, tokens by their form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pydantic import SecretStr

HIDDEN = "***"
# a shorter one would mask ordinary words
SHORTEST = 6
# Tokens that nobody told us about. GitHub's installation tokens have dots and about 500 characters
# since 2026: https://github.blog/changelog (2026-05-15)
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9_.=-]{16,}"
    r"|github_pat_\w{20,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?P<header>(?i:authorization)['\"]?\s*[:=]\s*['\"]?(?i:bearer|basic|token)\s+)[^\s'\"]+",
    re.DOTALL,
)


def mask_for(secrets: Iterable[SecretStr | None] = ()) -> Callable[[str], str]:
    """Make a function that hides these secrets, and whatever looks like one, in a text."""
    values = {secret.get_secret_value().strip() for secret in secrets if secret}
    # one line of a key alone is too much; with ``\\n`` is how a repr or JSON shows a whole one
    forms = {form for v in values for form in (v, v.replace("\n", "\\n"), *v.split("\n"))}
    # the longest first, so that no part of a secret stays beside a masked other one
    known = sorted((form for form in forms if len(form) >= SHORTEST), key=len, reverse=True)

    def mask(text: str) -> str:
        for secret in known:
            text = text.replace(secret, HIDDEN)
        return _TOKENS.sub(lambda found: (found["header"] or "") + HIDDEN, text)

    return mask
