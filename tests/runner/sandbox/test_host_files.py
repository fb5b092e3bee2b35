"""Without isolation Cairn writes the files itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.loop.workspace import materialise
from runner.sandbox.process import ProcessSandbox
from runner.state.changes import FILE
from tests.runner.sandbox.sandbox_bench import opened


async def test_a_tree_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    async with opened(ProcessSandbox(owner="test", parent=tmp_path)) as session:
        with pytest.raises(TaskError, match="cannot be written into the workspace: File name too"):
            await materialise(session, {"a.py": (FILE, b""), "n" * 300: (FILE, b"")})

        assert (await session.run(["ls", "-A"])).stdout == b""
