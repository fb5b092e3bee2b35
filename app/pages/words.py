"""Every sentence of the pages that is not in a template."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import get_args

from app.github.faults import SUSPENDED
from app.store.runs import REMOVED, Status
from app.web.access import SETTING

STATUSES = get_args(Status)
"""The words a list can be filtered by."""

_ADVICE = {
    "queued": "It starts by itself. /execute cancel on its issue takes it out of the queue.",
    "running": "",
    "paused": "Nothing is lost. /execute resume on its issue goes on from here.",
    "pausing": "It pauses after the step it is at; /execute resume on its issue goes on.",
    "cancelling": "It stops after the step it is at. What is published stays.",
    "cancelled": "What is published stays. /execute on an issue starts a new run.",
    "ended": "",
    "resting": "It goes on when pull requests are merged or closed.",
}

_BY_INSTALLATION = {
    SUSPENDED: "It goes on by itself as soon as the App's installation is no longer suspended.",
    REMOVED: "It goes on by itself as soon as the App may use the repository again.",
}

NOT_CONFIGURED = (
    f"The pages are closed because {SETTING} is not set. Set it to a long random value (for "
    "example the output of: openssl rand -hex 32), restart the server, and log in with it."
)
NO_TOKEN = (
    f"This needs the admin token. Send it as the header 'Authorization: Bearer TOKEN' "
    f"({SETTING} of the server), or log in at /login with a browser."
)
WRONG_TOKEN = f"That is not the value of {SETTING}."
ELSEWHERE = "The form was sent from another site. Open /login and log in there."
NO_RUN = "There is no run of this id. /runs shows all there are."
NO_STATUS = f"status must be one of: {', '.join(STATUSES)}."
NO_NUMBER = "before must be a whole number, as in the link to older runs."
TOO_MANY = "Too many pages watch runs at this moment. Reload later; the page works without."
TOO_LONG = "The form is longer than a token can be."


def advice(status: str, *, until: datetime | None, cause: str = "") -> str:
    """Say what a person can do about a run in this state; '' when there is nothing to do."""
    text = _ADVICE.get(status, "")
    if status == "paused" and cause in _BY_INSTALLATION:
        return _BY_INSTALLATION[cause]
    if status == "paused" and until:
        return f"It goes on by itself at {until:%Y-%m-%d %H:%M} UTC. {text}"
    return text


def moment(data: Mapping[str, object]) -> str:
    """Say one event of the timeline in words."""
    match data["event"]:
        case "node_started":
            return f"{data['node']} begins"
        case "node_finished":
            return f"{data['node']}: {data['outcome']} after {data['seconds']} s{_used(data)}"
        case "model_answered":
            return f"{data['model']} answered in {data['seconds']} s{_used(data)}"
        case "verified":
            seen = "" if data["by_tests"] else ", not verified by tests"
            return f"verification {'passed' if data['passed'] else 'failed'}{seen}"
        case "run_changed":
            return ": ".join(str(word) for word in (data["status"], data["detail"]) if word)
    return f"saved, next is {data['node']}"


def _used(data: Mapping[str, object]) -> str:
    return f", {data['tokens']} tokens" if data["tokens"] else ""
