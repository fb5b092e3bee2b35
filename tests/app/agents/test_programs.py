"""The agents themselves, where they are installed, with a scripted model; what stands in for them.

They are looked for on PATH (docs/agents.md says how each gets there).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.app.agents.hostile import RIGHT, SEEN, TASK
from tests.app.checkout import KEY, checkout
from tests.model_server import Reply

WRITE = f"cat > slug.py <<'END'\n{RIGHT}END\n"
EDIT = f"slug.py\n```python\n{RIGHT}```\n"
SAID: Mapping[str, tuple[str | Reply, ...]] = {
    "aider": (EDIT,),
    "mini-swe-agent": (
        f"THOUGHT: write it\n\n```mswea_bash_command\n{WRITE}```\n",
        "```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```\n",
    ),
    "codex": (Reply(None, calls=[("exec_command", {"cmd": WRITE})]), "Done."),
    "claude": (Reply(None, calls=[("Bash", {"command": WRITE, "description": "Write"})]), "Done."),
}
"""What the model says for the same work."""

PROGRAMS = {"aider": "aider", "mini-swe-agent": "mini", "codex": "codex", "claude": "claude"}


@pytest.mark.parametrize("sandbox", ["process", "bubblewrap"])
@pytest.mark.parametrize("agent", SAID)
async def test_an_agent_does_a_task(agent: str, sandbox: str, tmp_path: Path) -> None:
    """It has no key, asks through Cairn, and its work is verified and ticked."""
    found = shutil.which(PROGRAMS[agent])
    if found is None:
        pytest.skip(f"{agent} is not installed")
    if sandbox == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    files = {"ROADMAP.md": TASK, "test_slug.py": SEEN}
    files[".github/cairn.yml"] = "limits: {tokens_per_task: 1000000}\n"
    encoded = {path: text.encode() for path, text in files.items()}
    async with checkout(tmp_path / "here", encoded) as here:
        here.environment["PATH"] += f"{os.pathsep}{Path(found).parent}"
        here.model.says(*SAID[agent])

        said = await here.cairn("run", "--agent", agent, "--sandbox", sandbox, "--no-recovery")

        assert said.code == 0, said.err
        assert here.git("show", "HEAD:slug.py") == RIGHT.strip()
        assert "[x] 1.1" in here.git("show", "HEAD:ROADMAP.md")
        assert {asked.key for asked in here.model.requests} == {KEY}
        assert len(here.model.requests) == len(SAID[agent])
