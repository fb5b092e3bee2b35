"""The answers of the pages, as HTML or JSON, with their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, cast, get_args

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

from app.github.client import SUSPENDED
from app.pages.history_view import PERIODS
from app.pages.plots import COLOURS
from app.pages.timeline import LEGEND, timeline
from app.server.http import SETTING
from app.store.runs import REMOVED, Status
from runner.people.task_detail import by_answer, diff_lines
from runner.state.events import TestedTree
from runner.state.status_words import CHECK_TONES, RUNS, STEPS, run_word, task_word, tone_of
from runner.text.counting import counted

STATUSES = get_args(Status)
"""The words a list can be filtered by."""

_BY_INSTALLATION = {
    SUSPENDED: "It continues automatically when the App's installation is no longer suspended.",
    REMOVED: "It continues automatically when the App may use the repository again.",
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
GUESSED = (
    "Too many wrong tokens came from this address. Wait a minute; until then no token is checked."
)
ELSEWHERE = "The form was sent from another site. Open /login and log in there."
NOT_OUR_FORM = (
    "The form was sent from another site, or from a page of an earlier session. Open the page "
    "again and decide there."
)
NO_VERDICT = "verdict must be approve or reject."
NO_PROPOSAL = "This run has no such proposal. The pages of its tasks show its proposals."
TOO_LATE = (
    "This proposal is not open any more: somebody decided first, or its run is over. The task's "
    "page shows what became of it."
)
LINK_IS_OVER = (
    "This link opens nothing: it is older than 30 days, incomplete, or was made for another page. "
    "Open the run's comment on its GitHub issue and follow the link there."
)
NO_RUN = "There is no run with this id. /runs lists all runs."
NO_TASK = "There is no such task, or the run has not worked on it. The run's page lists its tasks."
NO_FILE = "The run left no file of this name. The run's page lists its files."
NO_WAKEUP = "There is no wakeup with this id: it is a run's id, a hyphen and a number, from 0 on."
NO_REPOSITORY = "No run of this server has worked on a repository of this name."
NO_PERIOD = f"days must be one of: {', '.join(map(str, PERIODS))} (0 is all)."
NO_STATUS = f"status must be one of: {', '.join(STATUSES)}."
NO_NUMBER = "before must be a whole number, as in the link to older runs."
TOO_MANY = "Too many pages are watching runs. Reload later; the page works without live updates."
TOO_LONG = "The form is too long."


def advice(status: str, *, until: datetime | None, cause: str = "") -> str:
    """Say what a person can do about a run in this state; '' when there is nothing to do."""
    text = RUNS[status].advice.replace("`", "")
    if status == "paused" and cause in _BY_INSTALLATION:
        return _BY_INSTALLATION[cause]
    if status == "paused" and until:
        return f"It continues automatically at {until:%Y-%m-%d %H:%M} UTC. {text}"
    return text


TESTED: Mapping[TestedTree, str] = {
    "change": "with the change",
    "again": "again, only what failed",
    "before": "before the change",
    "proof": "proof of the new tests",
}
"""What tests ran on."""


def moment(data: Mapping[str, object]) -> str:
    """Say one event of the timeline in words; '' for one that only programs follow."""
    match data["event"]:
        case "node_started":
            return f"Cairn {STEPS[str(data['node'])]}"
        case "model_answered":
            return f"{data['model']} answered in {data['seconds']} s{_used(data)}"
        case "verified":
            words, passed = TESTED[cast(TestedTree, data["tested"])], data["passed"]
            seen = "" if data["by_tests"] or not passed else "; no test ran"
            return f"tests {'passed' if passed else 'failed'} ({words}){seen}"
        case "run_changed":
            parts = (run_word(str(data["status"])), data["detail"])
            return ": ".join(str(word) for word in parts if word)
    return ""


def _used(data: Mapping[str, object]) -> str:
    return f", {counted(cast(int, data['tokens']), 'token')}" if data["tokens"] else ""


FORM = web.RequestKey("form", dict[str, str])
"""Set on the request of a form that was checked: what it says."""

MARK = web.RequestKey("mark", str)
"""Set on the request of who is logged in: what the forms of the page have to send."""

GUEST = web.RequestKey("guest", bool)
"""Set on the request of who came by the link of a run."""

_ASSETS = {
    "pages.css": "text/css",
    "live.js": "text/javascript",
    "cairn.svg": "image/svg+xml",
}


def wants_page(request: web.Request) -> bool:
    """Say whether a person with a browser asks; programs name JSON or nothing in particular."""
    return "text/html" in request.headers.get("Accept", "")


def answer(
    request: web.Request, template: str, data: Mapping[str, Any], *, status: int = 200
) -> web.Response:
    """Return ``data`` as the page or, unless a browser asks, as JSON."""
    if not wants_page(request):
        return web.json_response(dict(data), status=status)
    guest, mark = request.get(GUEST, False), request.get(MARK, "")
    return page(template, data, status=status, guest=guest, mark=mark)


def page(
    template: str,
    data: Mapping[str, Any],
    *,
    status: int = 200,
    guest: bool = False,
    mark: str = "",
) -> web.Response:
    """Render a page; every value in it is escaped. A ``guest`` sees one run and has no session.

    ``mark`` is what the forms of a session have to send, '' where there is none.
    """
    shown = _environment().get_template(f"{template}.html.j2")
    text = shown.render(**data, guest=guest, mark=mark)
    return web.Response(text=text, status=status, content_type="text/html")


def problem(request: web.Request, text: str, *, status: int) -> web.Response:
    """Say what is wrong and what to do."""
    if not wants_page(request):
        return web.json_response({"error": text}, status=status)
    return page("problem", {"text": text, "status": status}, status=status)


async def asset(request: web.Request) -> web.Response:
    """Serve the style sheet, the script and the icon; they hold nothing of anybody."""
    name = request.match_info["name"]
    if name not in _ASSETS:
        raise web.HTTPNotFound
    # the set-up's last page is styled although its server may be gone by then
    headers = None if name == "live.js" else {"Cache-Control": "max-age=3600"}
    return web.Response(body=_content(name), content_type=_ASSETS[name], headers=headers)


@cache
def _content(name: str) -> bytes:
    return (resources.files("app.pages") / "static" / name).read_bytes()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("app.pages", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["moment"] = moment
    environment.globals["steps_in_words"] = STEPS
    environment.globals["tested_words"] = TESTED
    environment.globals["statuses"] = STATUSES
    environment.globals["tone"] = tone_of
    environment.globals["timeline_picture"] = timeline
    environment.globals["legend"] = LEGEND
    environment.globals["tones"] = CHECK_TONES
    environment.globals["periods"] = PERIODS
    environment.globals["colours"] = COLOURS
    environment.filters["diff_lines"] = diff_lines
    environment.filters["by_answer"] = by_answer
    environment.filters["count"] = counted
    environment.filters["run_word"] = run_word
    environment.filters["task_word"] = task_word
    environment.filters["number"] = lambda value: "–" if value is None else f"{value:,}"  # noqa: RUF001
    environment.filters["when"] = lambda value: value.replace("T", " ").replace("+00:00", " UTC")
    return environment
