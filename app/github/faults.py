"""What an answer of GitHub, or its absence, means for the request: pure decisions.

The rules of limits are GitHub's: ``retry-after`` first, else wait for the reset when nothing
remains, else at least a minute and growing. Going on regardless may get the App banned.
(https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api)

A POST whose effect is unknown (an answer lost on the way, a 5xx, which GitHub also gives for work
it finished too late) is not repeated: it could leave two comments. Callers look before they create,
so it is an outage, after which they look again. Where twice leaves one, a POST is repeated too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from runner.errors import Outage

LONGEST_WAIT = 60.0
"""Seconds a request waits for a limit by itself; a longer wait pauses the run instead."""

HEALS_AFTER = timedelta(minutes=2)
"""When GitHub is asked again after it failed or was unreachable."""

SUSPENDED = "suspended"
"""The kind of an outage that ends when the suspension of the App's installation is lifted."""

_REPEATABLE_POST = re.compile(r"/(access_tokens|reactions|git/blobs|git/trees)$")
_SECONDARY = ("secondary rate limit", "abuse detection")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked; ``attempt`` counts from 1."""

    method: str
    url: str
    attempt: int = 1

    @property
    def name(self) -> str:
        """The request for people, without host and query."""
        return f"{self.method} {urlsplit(self.url).path}"

    @property
    def repeatable(self) -> bool:
        """Doing it twice leaves one."""
        path = urlsplit(self.url).path
        return self.method != "POST" or bool(_REPEATABLE_POST.search(path))


class TryAgain(Exception):
    """The request may be repeated after ``seconds`` (None: back off); else ``outage`` is told."""

    def __init__(self, outage: Outage, seconds: float | None = None) -> None:
        super().__init__(outage.message)
        self.outage = outage
        self.seconds = seconds


Verdict = TryAgain | Outage | None


def judge_answer(
    request: Request, *, status: int, headers: Mapping[str, str], body: bytes, now: datetime
) -> Verdict:
    """Say what an answer means; None when it is the caller's (a success, 404, 422 ...)."""
    if status >= 500:
        return judge_failure(request, f"{status}", now=now)
    if status not in (403, 429):
        return None
    message = read_message(body)
    if (wait := _wait(request, status, headers, message, now)) is not None:
        return _limited(request, wait, now)
    if "suspended" in message:
        return Outage(
            SUSPENDED,
            f"GitHub says: {message} ({request.name}). Whoever suspended the App's installation "
            "has to lift that, on the installation's settings page.",
        )
    return _lacks_permission(request, headers) if "not accessible by" in message else None


def judge_failure(request: Request, reason: str, *, now: datetime, sent: bool = True) -> Verdict:
    """Say what a broken or lost answer means; not ``sent``: GitHub never got the request."""
    outage = Outage(
        "github",
        f"GitHub does not answer as it should ({request.name}: {reason}). It is asked again by "
        "itself; https://www.githubstatus.com tells whether GitHub has trouble.",
        until=now + HEALS_AFTER,
    )
    return TryAgain(outage) if request.repeatable or not sent else outage


def exhausted(reset: datetime) -> Outage:
    """The primary limit is spent until ``reset``."""
    return Outage(
        "rate_limit",
        f"GitHub's rate limit is spent until {reset:%H:%M:%S} UTC. It goes on by itself then.",
        until=reset,
    )


def refused_credential(request: Request, message: str) -> Outage:
    """GitHub does not accept who we say we are, twice."""
    return Outage(
        "credential",
        f"GitHub refuses the App's credentials ({request.name}: {message or 'no message'}). Check "
        "GITHUB_APP_ID, the private key, this machine's clock, and that the App is installed.",
    )


def read_message(body: bytes) -> str:
    """Return the ``message`` of an error answer, '' when it has none."""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    return str(data.get("message") or "") if isinstance(data, dict) else ""


def _wait(
    request: Request, status: int, headers: Mapping[str, str], message: str, now: datetime
) -> float | None:
    """Return the seconds to wait for a limit; None when no limit is the reason."""
    if (seconds := _number(headers, "retry-after")) is not None:
        return seconds
    reset = _number(headers, "x-ratelimit-reset")
    if _number(headers, "x-ratelimit-remaining") == 0 and reset is not None:
        # one second more: the reset is given in whole seconds
        return max(0.0, reset - now.timestamp()) + 1
    if status == 429 or any(sign in message.lower() for sign in _SECONDARY):
        return float(60 * 2 ** (request.attempt - 1))
    return None


def _limited(request: Request, seconds: float, now: datetime) -> TryAgain | Outage:
    outage = exhausted((now + timedelta(seconds=seconds)).astimezone(UTC))
    return TryAgain(outage, seconds) if seconds <= LONGEST_WAIT else outage


def _lacks_permission(request: Request, headers: Mapping[str, str]) -> Outage:
    needed = headers.get("x-accepted-github-permissions", "")
    which = f" It needs {needed}." if needed else ""
    return Outage(
        "permission",
        f"The App lacks a permission for {request.name}.{which} Grant it in the App's settings and "
        "accept the new permissions on the installation's page.",
    )


def _number(headers: Mapping[str, str], name: str) -> float | None:
    value = headers.get(name, "")
    return float(value) if re.fullmatch(r"[0-9]{1,12}", value) else None
