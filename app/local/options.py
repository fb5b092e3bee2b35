"""What ``cairn run`` and ``cairn resume`` were asked for, and the options that follow.

Options from the command line come first, then the repository's, then ours.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from app.texts import checkout_texts as texts
from runner.config.model import CONFIG_PATH, RepositoryConfig, config_entry, parse_config
from runner.config.options import options_of
from runner.errors import PortError
from runner.loop.deps import Deps
from runner.loop.problems import StartCommands
from runner.loop.reading import contents
from runner.loop.stacking import plan_of
from runner.model.budget import Budget
from runner.ports import Repository
from runner.state.options import Options, with_given
from runner.state.proposal import ApprovalMode

FOLDER = ".executor"
"""Where a folder keeps what its runs leave behind."""

ON_A_CHECKOUT = StartCommands("cairn run", "cairn run --roadmap ", "cairn roadmap normalize ")


@dataclass(frozen=True, slots=True)
class LocalRun:
    """``given`` are the options on the command line (fields of ``Options``); the others are those
    of the configuration, or of the run that continues.

    ``lifted`` are the limits of the file for a run that do not hold, for others were given when it
    was continued. A run that ``repeats`` is not resumed: the same command does its work again.
    ``roadmap``, ``branch`` and ``sandbox`` are empty if not given; ``run`` is the run to continue
    ('' for a new one). With ``dirty`` uncommitted changes are left where they are. ``answers`` says
    that somebody is at the terminal who can be asked. A run of a server was ``copied`` to the
    folder: its code is that of strangers.
    """

    folder: Path
    roadmap: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    branch: str = ""
    sandbox: str = ""
    budget: Budget = field(default_factory=Budget)
    lifted: tuple[Literal["cost", "tokens"], ...] = ()
    repeats: bool = False
    run: str = ""
    dirty: bool = False
    answers: bool = False
    copied: bool = False

    @property
    def kept(self) -> Path:
        """The folder of what runs leave behind."""
        return self.folder / FOLDER


EVERY_TASK = sys.maxsize


async def read_config(deps: Deps, commit: str) -> RepositoryConfig:
    """Read the configuration of a commit. Raises ``ConfigError`` with every problem's line."""
    snapshot = await deps.repository.snapshot(commit)
    if config_entry(snapshot.entries) is None:
        return RepositoryConfig()
    return parse_config((await contents(deps, snapshot, [CONFIG_PATH]))[CONFIG_PATH])


async def settings_of(name: str, deps: Deps, commit: str) -> RepositoryConfig:
    """Read the settings of a run; ``roadmap.path`` is the plan that it works on.

    ``name`` is the path of the plan, or a project ('': what the configuration says). Raises
    ``ConfigError``, and ``PortError`` for a project that is not there.
    """
    config = await read_config(deps, commit)
    project = config.project(name)
    if config.projects and name and not (project or {*"./"} & {*name}):
        raise PortError("file", texts.no_project(name, [each.name for each in config.projects]))
    named = project.plan_setting if project else name
    path = named or config.roadmap.path
    path = await plan_of(deps.repository, commit, path, () if named else config.plans)
    return config.of_plan(path)


async def every_plan(
    repository: Repository, commit: str, config: RepositoryConfig
) -> tuple[str, ...]:
    """Return the plans of a repository and its projects; with projects, it needs none of its own.

    Raises ``Outage`` and ``TaskError``.
    """
    own = await plan_of(repository, commit, config.roadmap.path)
    plans = [await plan_of(repository, commit, each) for each in config.plans]
    there = (await repository.snapshot(commit)).entries
    return tuple(dict.fromkeys(plans if plans and own not in there else (own, *plans)))


def of_project(word: str) -> tuple[str, str]:
    """Return the project and the task that people name: ``api#1.2``, or a task alone."""
    project, sign, task = word.partition("#")
    return (project, task) if sign and project and task else ("", word)


def options_for(asked: LocalRun, config: RepositoryConfig) -> Options:
    """Return the options of a new run.

    On a checkout all tasks are done. Where neither the command line nor the configuration says who
    is asked about a failed task, somebody at the terminal is; without one, proposals are reported.
    """
    options = options_of(config)
    most = config.limits.tasks if "tasks" in config.limits.model_fields_set else EVERY_TASK
    chosen = config.model_fields_set
    unasked: ApprovalMode = "interactive" if asked.answers else "review_only"
    options = replace(
        options,
        # a task that is named is taken up though an older run has a proposal about it
        scope=replace(options.scope, max_tasks=most, retry=bool(asked.given.get("task"))),
        approvals=replace(
            options.approvals,
            approval_mode=config.approval_mode if "approval_mode" in chosen else unasked,
            pause_destructive="pause_destructive" in chosen and config.pause_destructive,
        ),
        pull_requests="stacked",  # here are none: each task is a commit on the branch
        push="at_once",
    )
    given = dict(asked.given)
    if isinstance(tasks := given.get("max_tasks"), int):
        given["max_tasks"] = min(tasks, most)
    return with_given(options, given)
