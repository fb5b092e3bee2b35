"""Which options a run on a checkout has: those that were said, then the repository's, then ours."""

from __future__ import annotations

import sys
from dataclasses import replace

from app.checkout.asked import LocalRun
from app.runs.options import options_of
from runner.config import CONFIG_PATH, RepositoryConfig, config_entry, parse_config
from runner.deps import Deps
from runner.reading import contents
from runner.recovery.values import ApprovalMode
from runner.state import Options

EVERY_TASK = sys.maxsize


async def read_config(deps: Deps, commit: str) -> RepositoryConfig:
    """Read the configuration of a commit. Raises ``ConfigError`` with every problem's line."""
    snapshot = await deps.repository.snapshot(commit)
    if config_entry(snapshot.entries) is None:
        return RepositoryConfig()
    return parse_config((await contents(deps, snapshot, [CONFIG_PATH]))[CONFIG_PATH])


def options_for(asked: LocalRun, config: RepositoryConfig) -> Options:
    """Return the options of a new run.

    On a checkout all tasks are done. Where neither the command line nor the configuration says who
    is asked about a failed task, somebody at the terminal is; without one, proposals are reported.
    """
    options = options_of(config)
    most = config.limits.tasks if "tasks" in config.limits.model_fields_set else EVERY_TASK
    said = config.model_fields_set
    unasked: ApprovalMode = "interactive" if asked.answers else "review_only"
    options = replace(
        options,
        max_tasks=most,
        approval_mode=config.approval_mode if "approval_mode" in said else unasked,
        pause_destructive="pause_destructive" in said and config.pause_destructive,
        pull_requests="stacked",  # here are none: each task is a commit on the branch
    )
    given = dict(asked.given)
    if isinstance(tasks := given.get("max_tasks"), int):
        given["max_tasks"] = min(tasks, most)
    # a task that is named is taken up though an older run has a proposal about it
    return replace(options, retry=bool(given.get("task")), **given)  # type: ignore[arg-type]
