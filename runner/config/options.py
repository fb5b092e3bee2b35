"""What a configuration asks of a run: the values that the loop works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.checks.paths import ASKED_ABOUT, PROTECTED_CI
from runner.config.model import RepositoryConfig
from runner.retries.policy import RetryOptions
from runner.state.options import (
    AgentOptions,
    ApprovalOptions,
    AttemptLimits,
    HistoryOptions,
    ModelOptions,
    Options,
    ProjectOptions,
    RoutingLimits,
    SandboxOptions,
    Scope,
    VerifyOptions,
)

if TYPE_CHECKING:
    from runner.analysis.sample import Factor
    from runner.analysis.today import TodaysSettings


def options_of(config: RepositoryConfig) -> Options:
    """Return the options of a run that asks for nothing else.

    If nothing is written to GitHub, nobody can be asked: proposals are only reported, and what a
    person would have to approve is not done.
    """
    mute = config.github_mode == "disabled"
    asked_about = (*ASKED_ABOUT, *config.pause_protected)
    limits, model, verify, sandbox = config.limits, config.model, config.verify, config.sandbox
    retry, project = config.retry, config.project_of(config.roadmap.path)
    return Options(
        parallel=limits.parallel,
        loop=config.loop,
        patterns=config.patterns,
        grouping=config.grouping,
        planning=config.planning,
        routing=RoutingLimits(config.routing.words, config.routing.files, config.routing.lines),
        memory_notes=config.memory.notes if config.memory.enabled else 0,
        pull_requests=config.pull_requests.strategy,
        open_pull_requests=0 if mute else config.most_open,
        push="at_once" if mute else config.pull_requests.push,
        scope=Scope(max_tasks=config.limits.tasks),
        limits=AttemptLimits(
            max_iterations=limits.iterations,
            max_tokens=limits.tokens_per_task,
            max_answer_tokens=limits.answer_tokens or 0,
            context_tokens=limits.context_tokens or 0,
            looks=None if limits.looks == "auto" else limits.looks,
            max_seconds=60.0 * limits.minutes,
            max_files=limits.files,
            max_bytes=limits.patch_size,
        ),
        models=ModelOptions(
            model=model.name or "",
            roles=model.roles,
            seed=model.seed,
            temperature=model.temperature,
            timeout=model.timeout,
            window=model.window or 0,
            api=model.api,
            effort=model.effort or "",
            more=model.extra_body,
        ),
        agents=AgentOptions(
            agent=config.agent.name,
            agent_command=config.agent.command,
            agent_seconds=60.0 * config.agent.minutes,
        ),
        verify=VerifyOptions(
            verify_mode=verify.mode,
            verify_commands=verify.commands,
            verify_report=verify.report,
            verify_reruns=verify.reruns,
            verify_tick=verify.tick,
            verify_require=verify.require,
            verify_ask=verify.ask,
            verify_folder=project.path if project and project.verify.commands else "",
        ),
        sandbox=SandboxOptions(
            image=sandbox.image or "",
            memory=sandbox.memory,
            cpus=sandbox.cpus,
            pids=sandbox.pids,
            test_timeout=sandbox.timeout,
            setup=sandbox.setup,
            setup_files=sandbox.setup_files,
            setup_network=sandbox.network == "setup",
        ),
        approvals=ApprovalOptions(
            approval_mode="review_only" if mute else config.approval_mode,
            pause_destructive=config.pause_destructive and not mute,
            protect=(*PROTECTED_CI, *config.protect, *(asked_about if mute else ())),
            pause_protected=() if mute else asked_about,
        ),
        retry=RetryOptions(
            of_model=retry.model.policy(retry.never),
            of_github=retry.github.policy(retry.never),
            of_sandbox=retry.sandbox.policy(retry.never),
            never=retry.never,
        ),
        remembers=HistoryOptions(
            history=config.history.enabled,
            history_days=config.history.days,
            history_details=config.history.details,
        ),
        projects=ProjectOptions(
            name=project.name if project else "",
            folder=project.path if project else "",
            plans={each.name: each.plan_setting for each in config.projects},
        ),
    )


def todays_settings(config: RepositoryConfig) -> TodaysSettings:
    """Return what the analysis of the history has to know of a configuration."""
    from runner.analysis.sample import context_level
    from runner.analysis.today import TodaysSettings
    from runner.windows import undated

    levels: dict[Factor, str] = {"loop": config.loop}
    if config.model.name:
        levels["model"] = undated(config.model.name)
    if config.limits.context_tokens:
        levels["context"] = context_level(config.limits.context_tokens)
    return TodaysSettings(
        planning=config.planning,
        words=config.routing.words,
        files=config.routing.files,
        lines=config.routing.lines,
        levels=levels,
    )
