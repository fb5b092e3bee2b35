"""Somebody who has only the README: a shell in a clean folder, and a model of their own."""

from __future__ import annotations

import os
import re
from asyncio import create_subprocess_exec, subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.app.checkout import interruptible
from tests.runner.git.scratch_git import ENVIRONMENT
from tools.docs.parts import ROOT, SOURCE

# how this machine reaches the package index and the engine
_MACHINE = re.compile(
    "DOCKER_HOST|PIP_.*|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|(https?|no)_proxy", re.IGNORECASE
)


@dataclass
class Stranger:
    """What is public comes from this repository; ``home`` is empty at first."""

    home: Path
    environment: dict[str, str]

    async def begins(self, *blocks: str, folder: str = "", **more: str) -> subprocess.Process:
        """Type commands into a shell and leave them running."""
        return await create_subprocess_exec(
            *("bash", "-eu", "-o", "pipefail", "-c", "\n".join(blocks)),
            cwd=self.home / folder,
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=interruptible,
        )

    async def types(self, *blocks: str, folder: str = "", **more: str) -> str:
        """Type commands; return what they print. One that fails fails the test."""
        shell = await self.begins(*blocks, folder=folder, **more)
        out, err = await shell.communicate()
        assert shell.returncode == 0, (out + err).decode()
        return out.decode()


def stranger(home: Path) -> Stranger:
    """A new user, with git's identity set."""
    machine = {name: value for name, value in os.environ.items() if _MACHINE.fullmatch(name)}
    # what was downloaded for this checkout need not be downloaded again
    machine.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache/pip"))
    public = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": SOURCE,
    }
    own = {"HOME": str(home), "CAIRN_MODEL": "scripted"}
    return Stranger(home, {**ENVIRONMENT, **machine, **public, **own})
