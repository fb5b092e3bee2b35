"""What a repository's configuration says about its runs, as the options of a run."""

from __future__ import annotations

from runner.config import RepositoryConfig
from runner.state import Options


def options_of(config: RepositoryConfig) -> Options:
    """Return the options of a run for which nothing else was asked.

    Where nothing is written to GitHub nobody can be asked: proposals are only told, and what a
    person would have to agree to is not done.
    """
    mute = config.github_mode == "disabled"
    box, limits = config.sandbox, config.limits
    return Options(
        max_tasks=limits.tasks,
        model=config.model.name or "",
        models=config.model.roles,
        seed=config.model.seed,
        temperature=config.model.temperature,
        structured=config.model.structured,
        embeddings=config.model.embeddings or "",
        loop=config.loop,
        planning=config.planning,
        approval_mode="review_only" if mute else config.approval_mode,
        pause_destructive=config.pause_destructive and not mute,
        pull_requests=config.pull_requests.strategy,
        grouping=config.grouping,
        verify_mode=config.verify.mode,
        verify_commands=config.verify.commands,
        verify_report=config.verify.report,
        verify_reruns=config.verify.reruns,
        max_iterations=limits.iterations,
        max_tokens=limits.tokens_per_task,
        context_tokens=limits.context_tokens,
        max_seconds=60.0 * limits.minutes,
        max_files=limits.files,
        max_bytes=limits.patch_size,
        protect=(*config.protect, *(config.pause_protected if mute else ())),
        pause_protected=() if mute else tuple(config.pause_protected),
        image=box.image or "",
        memory=box.memory,
        cpus=box.cpus,
        pids=box.pids,
        test_timeout=box.timeout,
        setup=box.setup,
        setup_files=box.setup_files,
        setup_network=box.network == "setup",
    )
