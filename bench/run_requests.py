"""Runs that were asked for, with what the measures do not care about filled in."""

from __future__ import annotations

from app.store.runs import RunRequest


def run_request(id: str, *, repository_id: int = 1, repository: str = "octo/one") -> RunRequest:
    """A run of a repository's roadmap, asked for in its first issue."""
    return RunRequest(
        id=id,
        delivery=None,
        repository_id=repository_id,
        repository=repository,
        installation_id=1,
        issue=1,
        roadmap="ROADMAP.md",
        base_branch="main",
        request={"name": "execute", "max_tasks": 10, "by": "ada", "by_id": 1},
    )
