"""What git says when a fetch fails, and whose trouble that is. Matched on ``LC_ALL=C`` messages."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from runner.errors import Outage, PortError, TaskError


class _Sign(NamedTuple):
    words: tuple[str, ...]
    kind: str
    advice: str
    heals: bool = False


_GONE = ("not our ref", "couldn't find remote ref", "unadvertised object")
_BROKEN_OFF = ("rpc failed", "hung up", "early eof", "remote error", "disconnect", "protocol error")
_SIGNS = (
    _Sign(
        ("authentication failed", "could not read username", "error: 401", "error: 403"),
        "credential",
        "GitHub refused the App's token: check that the installation is active and has Contents.",
    ),
    _Sign(
        ("' not found", "error: 404", "does not appear to be a git repository"),
        "permission",
        "The repository is not there for the App: check that it is installed on it.",
    ),
    _Sign(
        ("unable to access", "could not resolve", "failed to connect", "timed out", *_BROKEN_OFF),
        "git",
        "The git server cannot be reached or broke off; it is asked again later.",
        heals=True,
    ),
)


def remote_trouble(want: str, url: str, stderr: str, *, heals: datetime) -> PortError | None:
    """Name what is wrong on the other side; None when the fault must be on ours.

    ``heals`` is when a server that is away is asked again.
    """
    said = stderr.lower()
    if any(words in said for words in _GONE):
        return TaskError(
            "git", f"{url} has no {want} any more: was it force-pushed or deleted? Start a new run."
        )
    for sign in _SIGNS:
        if any(words in said for words in sign.words):
            message = f"Cannot fetch from {url}: {stderr.strip()}. {sign.advice}"
            return Outage(sign.kind, message, until=heals if sign.heals else None)
    return None
