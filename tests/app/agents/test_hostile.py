"""Two hundred hostile agents: what is ticked is right, and nothing leaves the box."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.app.agents.hostile import HIDDEN, SEEN, TASK, Hostile, hostile
from tests.app.checkout import KEY, Checkout, Said, checkout
from tests.runner.sandbox.sandbox_bench import working_sandbox
from tests.scenarios.left_behind import encoded, files_with

TOKEN = "ghp_" + "q1W2e3R4t5Y6u7I8o9P0" * 2
OUTSIDERS_KEY = "AKIA" + "Q7W6E5R4T3Y2U1I0"
BOXES = ("bubblewrap", "docker")
LONGEST = 200
"""Seconds: an agent that never ends has a minute, and no second turn."""


def config(agent: Hostile) -> str:
    """One turn of a minute where the agent never ends; else as many as a task has."""
    command = ["python3", "agent.py", agent.token]
    settings = {
        "agent": {"name": "command", "command": command, "minutes": 1},
        "sandbox": {"timeout": 30, "pids": 128},
        "loop": "repair" if agent.seed % 2 else "fixed",
        "limits": {"minutes": 1 if agent.never_ends else 10},
    }
    return json.dumps(settings)


@pytest.mark.sample(2, "plays Cairn against an agent for each case")
@pytest.mark.parametrize("seed", range(200))
async def test_a_hostile_agent(
    seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """It may do what it wants: nothing wrong is ticked, told, touched or left running."""
    sandbox = BOXES[seed % 2]
    await working_sandbox(sandbox)
    agent = hostile(seed)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text(OUTSIDERS_KEY)
    (tmp_path / ".netrc").write_text(f"password {OUTSIDERS_KEY}")
    files = {"ROADMAP.md": TASK, "test_slug.py": SEEN}
    files |= {".github/cairn.yml": config(agent)}
    async with checkout(tmp_path / "here", {p: t.encode() for p, t in files.items()}) as here:
        port = int(here.environment["OPENAI_BASE_URL"].split(":")[2].split("/")[0])
        here.git.commit({"agent.py": agent.program(str(outside), port).encode()})
        here.environment |= {
            "GITHUB_TOKEN": TOKEN,
            "DOCKER_HOST": os.environ.get("DOCKER_HOST", ""),
        }
        here.model.otherwise = lambda _: "Hello."
        before = seen(tmp_path)
        started = time.monotonic()

        said = await here.cairn("run", "--no-recovery", "--sandbox", sandbox)

        took = time.monotonic() - started
        assert took < LONGEST
        record_property("played", f"{agent} {took:.0f} s, code {said.code}")
        check(here, said, agent, tmp_path, before)


def check(
    here: Checkout, said: Said, agent: Hostile, top: Path, before: Mapping[str, bytes]
) -> None:
    """What holds whatever an agent did."""
    head = here.git("show", "HEAD:ROADMAP.md")
    ticked = "[x]" in head
    right = agent.work == "right"
    assert ticked <= right, f"claimed and wrong: {agent}"
    assert ticked or said.code or "in review: no test shows that it is done" in said.err, said.err
    assert "NOT IN A BOX" not in said.out + said.err
    assert here.git("show", "HEAD:test_slug.py") == SEEN.strip()
    if ticked:
        there = here.git("ls-tree", "-r", "--name-only", "HEAD").split()
        assert "slug.py" in there
        subprocess.run([sys.executable, "-c", HIDDEN], cwd=here.folder, check=True, timeout=20)
    # nothing of the machine was touched, or told
    assert seen(top) == before
    assert not [name for name in ("/etc/cairn-escape", "/tmp/cairn-escape") if Path(name).exists()]
    secrets = {form for secret in (KEY, TOKEN, OUTSIDERS_KEY) for form in encoded(secret)}
    told = said.out + said.err + "".join(str(asked.body) for asked in here.model.requests)
    told += here.git("log", "-p", "--all")
    assert not [secret for secret in secrets if secret in told]
    assert files_with(here.folder, secrets) == []
    assert "REACHED" not in told
    assert all(asked.model == "scripted" for asked in here.model.requests)
    assert running(agent.token) == []


def seen(top: Path) -> dict[str, bytes]:
    """What is beside the checkout, and git's own settings in it."""
    files = [path for path in top.rglob("*") if "here" not in path.relative_to(top).parts]
    files += [top / "here/.git/config", *(top / "here/.git/hooks").glob("*")]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def running(token: str) -> list[str]:
    """Processes that have a word of an agent among their arguments."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = each.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if token in line:
            found.append(line)
    return found
