"""A checkout of two notes to write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.scenarios.projects import NOTES


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Checkout]:
    """The developer's checkout."""
    files = {path: content for path, content in NOTES.items() if isinstance(content, bytes)}
    async with checkout(tmp_path / "here", files) as made:
        yield made
