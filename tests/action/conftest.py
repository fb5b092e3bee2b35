"""The ``ci`` fixture: a repository whose workflows run the Action."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.action.job_kit import Workflows, workflows
from tests.scenarios.projects import NOTES


@pytest.fixture
def files() -> Mapping[str, object]:
    """What the repository holds; ``projects.on`` puts something else in its place."""
    return NOTES


@pytest.fixture
async def ci(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Workflows]:
    """Fails on anything against GitHub's rules, an unasked model turn, and bugs."""
    async with workflows(tmp_path, files) as ci:
        yield ci
        ci.read_all()
        ci.github.verify()
        ci.model.verify()
        assert ci.bugs == []
