"""Who may see the server's pages: whoever has the admin token, as a header or as a session.

A session is a cookie whose value is made from the token and its end, so that the token itself is
nowhere stored, another token ends every session, and a restart ends none.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from pydantic import SecretStr

from runner.ports import Clock

SETTING = "CAIRN_ADMIN_TOKEN"
LASTS = 12 * 3600
"""Seconds a session lasts."""


class Access:
    """Checks tokens and sessions; ``secure`` when people reach the server by https."""

    def __init__(self, token: SecretStr | None, *, secure: bool, clock: Clock) -> None:
        given = token.get_secret_value() if token else ""
        self._token = given.encode()
        self._key = hmac.digest(self._token, b"cairn session", "sha256")
        self._clock = clock
        self.secure = secure
        # browsers take a cookie of this prefix only from the host itself, over https:
        # https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
        self.cookie = "__Host-cairn" if secure else "cairn"

    @property
    def configured(self) -> bool:
        """Without a token nobody is let in."""
        return bool(self._token)

    def takes(self, token: str) -> bool:
        """Say whether this is the token; takes as long for a wrong one."""
        given = token.encode("utf-8", "surrogateescape")
        # digests, so that not even the length of the token shows in the time it takes
        same = hmac.compare_digest(_digest(given), _digest(self._token))
        return same and self.configured

    def session(self) -> str:
        """Make the value of a session's cookie."""
        end = str(int(self._clock.now().timestamp()) + LASTS)
        return f"{end}.{self._signature(end)}"

    def admits(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Say whether a request carries the token, or a session that still lasts."""
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.takes(token.strip())
        return self.configured and self._lasts(cookies.get(self.cookie, ""))

    def _lasts(self, session: str) -> bool:
        end, _, signature = session.partition(".")
        given = signature.encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._signature(end).encode()):
            return False
        return int(end) > self._clock.now().timestamp()

    def _signature(self, end: str) -> str:
        return hmac.new(self._key, end.encode("utf-8", "surrogateescape"), "sha256").hexdigest()


def from_elsewhere(headers: Mapping[str, str]) -> bool:
    """Say whether another site's page made the browser send this request.

    Fetch metadata first (https://www.w3.org/TR/fetch-metadata/); of browsers that send none the
    origin, which is ``null`` for forms of our own pages because they send no referrer.
    """
    if site := headers.get("Sec-Fetch-Site"):
        return site not in ("same-origin", "none")
    origin = headers.get("Origin", "null")
    return origin != "null" and origin.partition("://")[2] != headers.get("Host")


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
