"""Read the workflow job around us: the inputs of action.yml (``WITH_*``), the runner and the event.

https://docs.github.com/en/actions/reference/workflows-and-actions/variables
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from app.github.token_identity import INSTALLATION
from app.texts import action_texts as texts
from handlers.events import MalformedPayload, User
from handlers.webhooks import SUBSCRIBED, read_webhook
from runner.agents.adapters import ADAPTERS
from runner.config.model import RepositoryConfig
from runner.state.proposal import ApprovalMode
from runner.state.publishing import PullRequests


class ActionRefused(Exception):
    """Nothing was changed; the message says what to do. The exit code is 2."""


MAX_TASKS = 10
STATE_BRANCH = "cairn/state"
_MOST_TASKS = 1000
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What the workflow says; '' and None where it says nothing. ``budget`` is in USD."""

    roadmap: str = ""
    max_tasks: int = MAX_TASKS
    approval_mode: ApprovalMode | None = None
    strategy: str = ""
    agent: str = ""
    budget: float | None = None
    dry_run: bool = False
    state_branch: str = STATE_BRANCH


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """Read and check them. Raises ``ActionRefused`` with every problem."""
    given = {name: environment.get(f"WITH_{name.upper()}", "").strip() for name in KNOWN}
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name, text in given.items():
        try:
            if text:
                values[name] = KNOWN[name](text)
        except ValueError as error:
            problems.append(texts.bad_input(name, str(error)))
    if problems:
        raise ActionRefused("\n".join(problems))
    return Inputs(**values)


def laid_over(inputs: Inputs, config: RepositoryConfig) -> RepositoryConfig:
    """Apply the inputs on top of a repository's configuration.

    What an input says holds; what neither says is as everywhere, but that a push runs the tasks it
    brings: whoever adds the workflow has asked for that.
    """
    changed: dict[str, Any] = {"approval_mode": inputs.approval_mode or config.approval_mode}
    if inputs.roadmap:
        project = config.project(inputs.roadmap)
        path = project.plan_setting if project else inputs.roadmap
        changed["roadmap"] = config.roadmap.model_copy(update={"path": path})
    if "push" not in config.triggers.model_fields_set:
        changed["triggers"] = config.triggers.model_copy(update={"push": "execute"})
    tasks = min(inputs.max_tasks, config.limits.tasks)
    changed["limits"] = config.limits.model_copy(update={"tasks": tasks})
    if inputs.strategy:
        stacking = {"strategy": inputs.strategy}
        changed["pull_requests"] = config.pull_requests.model_copy(update=stacking)
    if inputs.agent:
        changed["agent"] = config.agent.model_copy(update={"name": inputs.agent, "command": ()})
    return config.model_copy(update=changed)


def _roadmap(text: str) -> str:
    parts = text.split("/")
    if text.startswith("/") or ".." in parts or "\\" in text or "\n" in text:
        raise ValueError("name a file inside the repository, like docs/ROADMAP.md")
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_TASKS:
        raise ValueError(f"give a whole number from 1 to {_MOST_TASKS}")
    return int(text)


def _money(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise ValueError("give an amount in US dollars above 0, like 2.50")
    return value


def _branch(text: str) -> str:
    if not _BRANCH.fullmatch(text) or ".." in text or text.endswith((".", ".lock")):
        raise ValueError("give the name of a branch that holds nothing else, like cairn/state")
    return text


def _one_of(text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise ValueError(f"give one of {', '.join(choices)}")
    return text


KNOWN: Mapping[str, Callable[[str], Any]] = {
    "roadmap": _roadmap,
    "max_tasks": _count,
    "approval_mode": lambda text: _one_of(text, get_args(ApprovalMode)),
    "strategy": lambda text: _one_of(text, get_args(PullRequests)),
    # the command line of any other program is in the repository's file
    "agent": lambda text: _one_of(text, ("cairn", *ADAPTERS)),
    "budget": _money,
    "dry_run": lambda text: _one_of(text.lower(), ("true", "false")) == "true",
    "state_branch": _branch,
}


DELIVERED = frozenset(SUBSCRIBED) - {"check_run", "issues", "repository", "status"}
"""Events that are worked as the server works a delivery.

The buttons of a check reach no job, and the dashboard, renamed repositories and the checks of
others are a server's.
"""

STARTED = frozenset({"schedule", "workflow_dispatch"})
"""Events that start a run without a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job of one workflow run. ``run`` is its number, the same when it is run again."""

    repository: str
    event: str
    payload: Mapping[str, Any]
    run: str
    name: str
    output: Path | None
    summary: Path | None
    data: Path

    @property
    def delivery(self) -> str:
        """Name the event: what happens once has one name, however often it is delivered."""
        comment = self.payload.get("comment")
        if isinstance(comment, dict) and self.payload.get("action") == "created":
            return comment_delivery(comment.get("id"))
        if self.event == "push":
            return f"push-{self.payload.get('after')}"
        return f"workflow-{self.run}-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"

    @property
    def sender(self) -> User:
        """Who started it by hand; nobody in particular on a schedule."""
        found = self.payload.get("sender")
        if self.event == "schedule" or not isinstance(found, dict):
            return User(id=0, login=self.event)
        return User.model_validate(found)


def comment_delivery(id: object) -> str:
    """Name a new comment, whatever reports it."""
    return f"comment-{id}"


def delivered(payload: Mapping[str, Any]) -> bytes:
    """A payload with the installation it would have if an App got it."""
    return json.dumps({**payload, "installation": {"id": INSTALLATION}}).encode()


def read_job(environment: Mapping[str, str]) -> Job:
    """Read what the runner says. Raises ``ActionRefused`` for what no job can be."""
    repository, event = (environment.get(f"GITHUB_{n}", "") for n in ("REPOSITORY", "EVENT_NAME"))
    if not repository or not event:
        raise ActionRefused(texts.no_job())
    if event not in DELIVERED | STARTED:
        raise ActionRefused(texts.unknown_event(event, sorted(DELIVERED | STARTED)))
    path, payload = environment.get("GITHUB_EVENT_PATH", ""), None
    with suppress(OSError, ValueError):
        payload = json.loads(Path(path).read_text(encoding="utf-8")) if path else None
    if not isinstance(payload, dict) or (event in DELIVERED and not payload):
        raise ActionRefused(texts.no_payload(event))
    if event in DELIVERED:
        whole = json.loads(delivered(payload))
        try:
            read_webhook(name=event, delivery="", payload=whole)
        except MalformedPayload as wrong:
            raise ActionRefused(texts.malformed(str(wrong))) from wrong
    output, summary = (environment.get(f"GITHUB_{n}") for n in ("OUTPUT", "STEP_SUMMARY"))
    temporary = environment.get("RUNNER_TEMP") or "."
    return Job(
        repository=repository,
        event=event,
        payload=payload,
        run=environment.get("GITHUB_RUN_ID", "0"),
        name=environment.get("GITHUB_JOB", ""),
        output=Path(output) if output else None,
        summary=Path(summary) if summary else None,
        data=Path(temporary, "cairn-data").resolve(),
    )
