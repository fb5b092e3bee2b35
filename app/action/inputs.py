"""The Action's inputs, as action.yml hands them over: one ``WITH_*`` variable each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from app.action import texts
from app.action.errors import Refused
from runner.config import RepositoryConfig
from runner.publishing import PullRequests
from runner.recovery.values import ApprovalMode

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
    budget: float | None = None
    dry_run: bool = False
    state_branch: str = STATE_BRANCH


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """Read and check them. Raises ``Refused`` with every problem."""
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
        raise Refused("\n".join(problems))
    return Inputs(**values)


def laid_over(inputs: Inputs, config: RepositoryConfig) -> RepositoryConfig:
    """Lay the inputs over a repository's configuration.

    What an input says holds; what neither says is as everywhere, but that a push runs the tasks it
    brings: whoever adds the workflow has asked for that.
    """
    changed: dict[str, Any] = {"approval_mode": inputs.approval_mode or config.approval_mode}
    if inputs.roadmap:
        changed["roadmap"] = config.roadmap.model_copy(update={"path": inputs.roadmap})
    if "push" not in config.triggers.model_fields_set:
        changed["triggers"] = config.triggers.model_copy(update={"push": "execute"})
    tasks = min(inputs.max_tasks, config.limits.tasks)
    changed["limits"] = config.limits.model_copy(update={"tasks": tasks})
    if inputs.strategy:
        stacking = {"strategy": inputs.strategy}
        changed["pull_requests"] = config.pull_requests.model_copy(update=stacking)
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


def _mode(text: str) -> str:
    return _one_of(text, get_args(ApprovalMode))


def _strategy(text: str) -> str:
    return _one_of(text, get_args(PullRequests))


def _money(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise ValueError("give an amount in US dollars above 0, like 2.50")
    return value


def _yes(text: str) -> bool:
    return _one_of(text.lower(), ("true", "false")) == "true"


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
    "approval_mode": _mode,
    "strategy": _strategy,
    "budget": _money,
    "dry_run": _yes,
    "state_branch": _branch,
}
