"""A data folder without room makes a server not ready."""

from __future__ import annotations

import pytest

from app.runs.parts import Folders
from runner.errors import Outage


async def test_a_full_disk_is_told(tmp_path):
    """With what to do; a folder with room says nothing."""

    def folders(least_free):
        return Folders(tmp_path, mask=str, turn=None, least_free=least_free)

    await folders(1).check()
    with pytest.raises(Outage, match="Make room there"):
        await folders(1 << 60).check()
