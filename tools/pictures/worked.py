"""A real workflow run of the Action on the same shop: its job summary."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.action.job_kit import workflows
from tools.pictures.story import FILES, tell


async def summary(folder: Path, sandbox: str) -> str:
    """Let ``cairn action`` work as a process of its own; return the Markdown of its summary."""
    async with workflows(folder, FILES) as ci:
        tell(ci.model).go.set()
        environment = ci.environment(
            "workflow_dispatch",
            ci.dispatch(),
            CAIRN_SANDBOX=sandbox,
            WITH_APPROVAL_MODE="interactive",
        )
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        engine = {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app", "action"),
            env={"PATH": path, **engine, **environment},
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await process.communicate()
        assert process.returncode == 0, printed.decode()
        return await asyncio.to_thread(Path(environment["GITHUB_STEP_SUMMARY"]).read_text)
