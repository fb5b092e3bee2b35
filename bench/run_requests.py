"""Runs that were asked for, with what the measures do not care about filled in."""

from __future__ import annotations

from app.store.runs import RunRequest
from handlers.events import InstalledRepository


def run_request(id: str, *, repository_id: int = 1, repository: str = "octo/one") -> RunRequest:
    """A run of a repository's roadmap, asked for in its first issue."""
    return RunRequest(
        id=id,
        delivery=None,
        repository=InstalledRepository(repository_id, repository, 1, "main"),
        issue=1,
        roadmap="ROADMAP.md",
        request={"name": "execute", "max_tasks": 10, "by": "ada", "by_id": 1},
    )
