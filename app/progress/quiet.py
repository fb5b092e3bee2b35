"""Whether we may say anything in a repository at all (``github_mode: disabled`` says no)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Quiet = Callable[[int, int, str], Awaitable[bool]]
"""Answers for an installation, a repository (by id) and its full name. Raises ``Outage``."""


async def aloud(installation_id: int, repository_id: int, full_name: str) -> bool:
    """Everything may be said."""
    return False
