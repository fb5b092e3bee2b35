"""Signed links to the page of one run or of one repository's history, for readers of its issues.

A link holds when it ends and whether its repository is private, signed together with the page's
place. So it opens that place and nothing else, and no table of links has to be kept. The key is
derived from the App's private key: a shorter secret could be guessed from a link that everybody can
read.
"""

from __future__ import annotations

import base64
import hmac
import re
from datetime import timedelta
from urllib.parse import quote

from app.settings.models import RunLinksFor
from runner.ports import Clock

LASTS = timedelta(days=30)

_TOKEN = re.compile(r"(?P<end>[0-9]{1,12})(?P<kind>[ps])\.(?P<signature>[A-Za-z0-9_-]{43})")
_DAY = 86_400


class RunLinks:
    """Makes and checks the links; without an address for people (``base``) there are none."""

    def __init__(self, secret: str, *, base: str, which: RunLinksFor, clock: Clock) -> None:
        self._key = hmac.digest(secret.encode(), b"cairn run link", "sha256") if secret else b""
        self._base = base
        self._which = which
        self._clock = clock

    def link(self, run: str, *, private: bool, task: str = "") -> str:
        """Return the address of a run's page with its token; '' where there is to be no link.

        With the key of a ``task`` it is the page of that. The link lasts until the beginning of a
        day, so that it is the same all day long.
        """
        below = f"/tasks/{quote(task, safe='')}" if task else ""
        return self._to(f"/runs/{run}", private=private, below=below)

    def history(self, repository: str, *, private: bool) -> str:
        """Return the address of the history of a repository (its full name), likewise."""
        return self._to(f"/repositories/{repository}/history", private=private)

    def _to(self, place: str, *, private: bool, below: str = "") -> str:
        if not (self._key and self._base and self._covers(private=private)):
            return ""
        return f"{self._base}{place}{below}?key={self._token(place, private=private)}"

    def opens(self, token: str, place: str, *, private: bool = False) -> float | None:
        """Return for how many seconds a token still opens a place; None when it does not.

        A place is the address of a run or a history without what follows. Its repository may be
        ``private`` now though it was public when the link was made. Says nothing about whether
        there is such a page.
        """
        found = _TOKEN.fullmatch(token) if self._key else None
        if found is None:
            return None
        signed = f"{found['end']}{found['kind']}"
        if not hmac.compare_digest(found["signature"], self._signature(signed, place)):
            return None
        left = int(found["end"]) - self._clock.now().timestamp()
        covered = self._covers(private=private or found["kind"] == "s")
        return left if left > 0 and covered else None

    def _covers(self, *, private: bool) -> bool:
        return self._which == "all" or (self._which == "public" and not private)

    def _token(self, place: str, *, private: bool) -> str:
        now = int(self._clock.now().timestamp())
        end = now - now % _DAY + int(LASTS.total_seconds())
        signed = f"{end}{'s' if private else 'p'}"
        return f"{signed}.{self._signature(signed, place)}"

    def _signature(self, signed: str, place: str) -> str:
        digest = hmac.digest(self._key, f"{signed} {place}".encode("utf-8", "replace"), "sha256")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")
