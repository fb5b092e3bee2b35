"""What a stored run asks for: its request to the loop, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType

from app.store.runs import Run, RunRequest
from handlers.events import InstalledRepository
from handlers.ports import RunRequested
from runner.config.model import RepositoryConfig
from runner.config.options import options_of
from runner.history.recording import RunOrigin
from runner.history.records import StartedBy
from runner.roadmap.plans.issue import issue_path
from runner.state.options import LONGEST_NOTE, Request, Scope
from runner.state.revising import RevisionRequest
from runner.text.sanitize import cut_middle


def row_of(
    request: RunRequested, roadmap: str, asked: Mapping[str, object] = MappingProxyType({})
) -> RunRequest:
    """The row of a run; ``asked`` is what it does besides, or instead of working on tasks.

    The text of an issue that is the task itself is kept: what people write later does not count.
    """
    own = request.told and roadmap == issue_path(request.issue)
    return RunRequest(
        id=request.run,
        delivery=request.delivery,
        repository=request.repository,
        issue=request.issue,
        roadmap=roadmap,
        request={
            **asdict(request.command),
            "by": request.by.login,
            "by_id": request.by.id,
            "private": request.repository.private,
            **({"told": request.told} if own else {}),
            **asked,
        },
        priority=request.command.priority,
    )


def no_run(
    repository: InstalledRepository, roadmap: str = "", *, delivery: str | None = None
) -> RunRequest:
    """A repository as no run in particular sees it."""
    return RunRequest(
        id="",
        delivery=delivery,
        repository=repository,
        issue=None,
        roadmap=roadmap,
        request={},
    )


def request_of(run: Run, config: RepositoryConfig) -> Request:
    """What the command asked for, within what the repository's configuration says."""
    asked, options = run.request, options_of(config)
    # where nothing is shown on GitHub nobody can be asked, whatever was asked for
    mode = None if config.github_mode == "disabled" else asked.get("approval_mode")
    scope = Scope(
        max_tasks=min(asked["max_tasks"], options.scope.max_tasks),
        task=asked.get("task") or "",
        tasks=tuple(asked.get("tasks") or ()),
        phase=asked.get("phase") or "",
        retry=bool(asked.get("retry")),
        again=asked.get("again") or "",
        note=cut_middle(asked.get("note") or "", LONGEST_NOTE),
        revision=RevisionRequest(**asked["revision"]) if asked.get("revision") else None,
        fix=bool(asked.get("fix")),
    )
    test, verify = config.fixes.regression_test, options.verify
    if scope.repairs and test != "off":
        require = "shown" if test == "require" else verify.verify_require
        verify = replace(verify, verify_ask=True, verify_regression=True, verify_require=require)
    options = replace(
        options,
        scope=scope,
        verify=verify,
        models=replace(options.models, model=asked.get("model") or options.models.model),
        approvals=replace(options.approvals, approval_mode=mode or options.approvals.approval_mode),
        sandbox=replace(options.sandbox, project=run.repository.full_name),
    )
    return Request(run.id, run.roadmap, options)


def revised_for(run: Run) -> str:
    """Why a run works on a pull request: review, checks, conflict, fix; '' if it works on tasks."""
    asked = run.request.get("revision") or {}
    known = {"fix": "fix", "conflict": "conflict", "failing": "checks"}
    return next((why for word, why in known.items() if asked.get(word)), "review" if asked else "")


def origin_of(run: Run) -> RunOrigin:
    """Where a run belongs, who asked for it, and how."""
    asked, why = run.request, revised_for(run)
    how = "comment" if why in ("", "fix") else why
    if not why and asked.get("tasks"):
        how = "push"
    return RunOrigin(
        run.repository.full_name,
        run.repository.id,
        run.repository.installation_id,
        StartedBy(str(asked.get("by") or ""), how, run.issue or 0),
    )
