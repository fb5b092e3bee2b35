"""Tasks without a model, on a checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.patterns.pattern import FOLDER
from tests.app.checkout import checkout

TABLE = b"| Part | Status |\n|---|---|\n| parser | planned |\n"
HANDLER = """\
name: handler
when: ["Add the handler `{name}`"]
files:
  "{{ name }}.py": "NAME = {{ name|quoted }}\\n"
"""


async def test_a_built_in_pattern_does_a_task(tmp_path: Path) -> None:
    """It is committed, and no model is asked; what did it is in the run's files."""
    roadmap = b"- [ ] Mark `parser` as implemented in `status.md`\n"
    async with checkout(tmp_path / "here", {"ROADMAP.md": roadmap, "status.md": TABLE}) as here:
        said = await here.cairn("run")

        assert said.code == 0
        assert here.model.requests == []
        assert (here.folder / "status.md").read_bytes() == TABLE.replace(b"planned", b"implemented")
        [kept] = here.folder.glob(".executor/runs/*/iteration-1.json")
        assert "done by the pattern implementation_status (built in)" in kept.read_text()
        task = json.loads(kept.read_text())["task"]
        shown = await here.cairn("show", kept.parent.name, task)
        assert "done by the pattern implementation_status" in " ".join(shown.out.split())


@pytest.mark.parametrize("before", [True, False])
async def test_what_a_run_writes_is_no_pattern_for_it(tmp_path: Path, before: bool) -> None:
    """A pattern counts from the next run on, when people have seen it."""
    write = f"{FOLDER}handler.yml\n```yaml\n{HANDLER}```\n"
    roadmap = b"- [ ] 1.1 Write a pattern for handlers\n- [ ] 1.2 Add the handler `ping`\n"
    async with checkout(tmp_path / "here", {"ROADMAP.md": roadmap}) as here:
        here.model.says(write, *(() if before else ["ping.py\n```python\nNAME = 1\n```\n"]))
        if before:
            await here.cairn("run", "--max-tasks", "1")

        await here.cairn("run")

        made = b'NAME = "ping"\n' if before else b"NAME = 1\n"
        assert (here.folder / "ping.py").read_bytes() == made
