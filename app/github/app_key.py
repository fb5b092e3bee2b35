"""The App's own credential: a JWT signed with its private key, kept for most of its life.

(https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app)
"""

from __future__ import annotations

from datetime import datetime, timedelta

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from app.github.rsa_key import read_rsa_key
from runner.ports import Clock

_BACKDATED = timedelta(seconds=60)  # against clocks that differ, as GitHub advises
_LIFE = timedelta(minutes=9)  # GitHub allows 10
_RENEWED_AFTER = timedelta(minutes=7)


class AppKey:
    """Signs as the App. Raises ValueError when ``private_key`` is no RSA key in PEM form."""

    def __init__(self, *, app_id: str, private_key: str, clock: Clock) -> None:
        self._app_id = app_id
        self._key = _read_key(private_key)
        self._clock = clock
        self._signed = ""
        self._signed_at = datetime.min.replace(tzinfo=clock.now().tzinfo)

    async def authorization(self) -> str:
        """Return ``Bearer`` and a JWT that is good for two minutes more at least."""
        now = self._clock.now()
        if not self._signed or now - self._signed_at >= _RENEWED_AFTER:
            self._signed, self._signed_at = self._sign(now - _BACKDATED), now
        return f"Bearer {self._signed}"

    def forget(self, authorization: str) -> None:
        """Sign anew next time."""
        if authorization == f"Bearer {self._signed}":
            self._signed = ""

    def _sign(self, issued: datetime) -> str:
        claims = {
            "iat": int(issued.timestamp()),
            "exp": int((issued + _LIFE).timestamp()),
            "iss": self._app_id,
        }
        return jwt.encode(claims, self._key, algorithm="RS256")


def _read_key(pem: str) -> RSAPrivateKey:
    key = read_rsa_key(pem)
    if key is None:
        raise ValueError(_NO_KEY)
    return key


_NO_KEY = (
    "the App's private key is no RSA key in PEM form; download a new one from the App's settings "
    "page (Private keys) and set GITHUB_APP_PRIVATE_KEY or GITHUB_APP_PRIVATE_KEY_FILE"
)
