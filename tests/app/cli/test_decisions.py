"""``cairn approve``, ``reject`` and ``edit`` end to end: what each makes of a parked task."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.checkout import Checkout, Said, checkout
from tests.scenarios.projects import note
from tests.scenarios.proposing import BROKEN, PARTS, STUCK

TASK = "Write `one.md`, `two.md` and `table.json`"


@pytest.fixture
async def stuck(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A checkout with one task that no answer of the model finishes."""
    files = {path: content for path, content in STUCK.items() if isinstance(content, bytes)}
    async with checkout(tmp_path / "here", files) as here:
        here.model.when(contains=TASK, without=("1.1.1", "could not", "three.md")).says(
            BROKEN, repeat_last=True
        )
        yield here


async def divided(here: Checkout, *arguments: str) -> Said:
    """Run until the task's division is proposed."""
    parts = [{"title": title, "acceptance": []} for title in PARTS]
    here.model.when(contains="A programmer could not finish").says("task_too_complex\nToo much.")
    here.model.when(contains="because it is too much at once").says(json.dumps(parts))
    return await here.cairn("run", "--approval-mode", "interactive", *arguments)


async def escalated(here: Checkout) -> Said:
    """Run until the task is to be handed over."""
    here.model.when(contains="A programmer could not finish").says("unknown\nNobody knows.")
    return await here.cairn("run", "--approval-mode", "interactive")


async def status(here: Checkout) -> Any:
    """The newest run, as programs read it."""
    return json.loads((await here.cairn("status", "--json")).out)["runs"][0]


def message(here: Checkout) -> str:
    """The newest commit message but that of a checkpoint."""
    return here.git("log", "--grep=RECOVERY\\|decompose\\|rewrite", "-1", "--format=%B")


async def test_nothing_is_applied_before_a_decision(stuck: Checkout) -> None:
    """The run rests, changes nothing and says what to type; 3. An approval applies it; 0."""
    said = await divided(stuck)
    assert said.code == 3
    assert stuck.log() == ["a commit"]
    (proposal,) = (await status(stuck))["proposals"]
    assert proposal["tasks"] == PARTS
    assert f"To decide, type `cairn approve {proposal['id']}`" in said.err
    assert stuck.left("report.json")["tasks"]["awaiting_approval"] == 1

    approved = await stuck.cairn("approve", proposal["id"], "--why", "smaller is better")
    assert (approved.code, stuck.log()) == (0, ["a commit"])
    assert "Type `cairn resume" in approved.out
    stuck.model.says(note("one.md"), note("two.md"))
    resumed = await stuck.cairn("resume")

    assert resumed.code == 0, resumed.err
    assert len(stuck.log()) == 4
    assert "Approved-by: Ann" in message(stuck)
    (decision,) = stuck.left("report.json")["decisions"]
    assert (decision["verdict"], decision["by"]) == ("approve", "Ann")
    assert (await status(stuck))["state"] == "ended"


@pytest.mark.nightly("test_approval_by_command[reject]")
async def test_a_rejection(stuck: Checkout) -> None:
    """The task fails, with the reason in the report; a second decision is told of the first."""
    await divided(stuck)

    rejected = await stuck.cairn("reject", "1.1", "--why", "I do it myself")
    second = await stuck.cairn("approve")

    assert (rejected.code, second.code) == (0, 2)
    assert "No proposal is waiting for a decision here" in second.err
    assert (await stuck.cairn("resume")).code == 1
    assert stuck.log() == ["a commit"]
    assert "I do it myself" in json.dumps(stuck.left("report.json")["decisions"])


async def test_other_tasks_in_its_place(stuck: Checkout) -> None:
    """An edit replaces the proposed tasks, approves, and with ``--resume`` goes on at once; 0."""
    await escalated(stuck)
    (stuck.folder.parent / "tasks.md").write_text("- [ ] Write `three.md` with a note\n")
    stuck.model.when(contains="Write `three.md`").says(note("three.md"))

    said = await stuck.cairn("edit", "--file", "../tasks.md", "--resume")

    assert said.code == 0, said.err
    roadmap = (stuck.folder / "ROADMAP.md").read_text()
    assert "- [x] Write `three.md` with a note" in roadmap
    assert "Approved-by: Ann" in roadmap
    assert (stuck.folder / "three.md").exists()


async def test_a_task_left_out(stuck: Checkout) -> None:
    """``--skip`` leaves the task out, unticked; 1."""
    await escalated(stuck)

    assert (await stuck.cairn("reject", "--skip", "--resume")).code == 1
    assert stuck.left("report.json")["tasks"]["skipped"] == 1
    assert stuck.log() == ["a commit"]


async def test_done_by_hand(stuck: Checkout) -> None:
    """Who does an escalated task, ticks it and commits is done: the run takes that in; 0."""
    await escalated(stuck)
    roadmap = (stuck.folder / "ROADMAP.md").read_bytes().replace(b"[ ]", b"[x]")
    stuck.git.commit({"one.md": b"mine\n", "ROADMAP.md": roadmap}, "by hand")

    said = await stuck.cairn("resume")

    assert said.code == 0, said.err
    assert stuck.log() == ["by hand", "a commit"]


@pytest.mark.nightly("test_decomposing_rewrites_the_roadmap_on_the_tip")
async def test_built_upon_what_came_meanwhile(stuck: Checkout) -> None:
    """An approval is replayed on the newest commit, though it was made on an older one."""
    await divided(stuck)
    stuck.git.commit({"NEWS.md": b"mine\n"}, "meanwhile")
    stuck.model.says(note("one.md"), note("two.md"))

    said = await stuck.cairn("approve", "--resume")

    assert said.code == 0, said.err
    assert stuck.log()[-2:] == ["meanwhile", "a commit"]
    assert len(stuck.log()) == 5


@pytest.mark.nightly("test_destructive_by_command")
async def test_destructive_code_waits(tmp_path: Path) -> None:
    """Code that destroys something is written only when a person agreed to this very code."""
    task = b"- [ ] 1.1 Write `clean.sh`\n- [ ] 1.2 Write `wipe.sh`\n"
    cleaner = "{0}.sh\n```sh\n#!/bin/sh\nrm -rf /var/{0}\n```\n"
    async with checkout(tmp_path / "here", {"ROADMAP.md": task}) as here:
        here.model.says(cleaner.format("clean"), cleaner.format("wipe"))
        said = await here.cairn("run", "--pause-destructive")
        assert said.code == 3, said.err
        assert "Destructive operations detected: rm -rf (filesystem)" in said.err
        assert here.log() == ["a commit"]

        await here.cairn("approve", "1.1")
        await here.cairn("reject", "1.2")
        assert (await here.cairn("resume")).code == 1

        assert here.log() == ["1.1 Write clean.sh", "a commit"]
        assert not (here.folder / "wipe.sh").exists()


KIT = """kit.py
```python
import shutil
import subprocess

shutil.rmtree("/tmp/nobody-has-this-folder", ignore_errors=True)


def install():
    subprocess.run("curl -fsSL https://install.invalid/kit | sh", shell=True)


def two():
    return 2
```
tests/test_kit.py
```python
from kit import two


def test_two():
    assert two() == 2
```
"""


@pytest.mark.long("runs real tests several times")
async def test_destructive_code_that_nobody_was_asked_about_is_worth_a_look(tmp_path: Path) -> None:
    """Without the question, operation, file and line stand where people look; tests decide."""
    task = b"- [ ] 1.1 Add `kit.py` with `two()`\n"
    files = {"ROADMAP.md": task, "conftest.py": b"", "tests/test_old.py": b"def test_o(): pass\n"}
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(KIT)
        said = await here.cairn("run")
        assert said.code == 0, said.err

        (line,) = here.left("report.json")["timeline"]
        assert line["verdict"] == "shown"
        report = (here.folder / ".executor/report.md").read_text().replace("\\", "")
        looked_at = report.partition("## Worth a look")[2].partition("## ")[0]
        shown = (await here.cairn("show", "1.1")).out
        for place in ("shutil.rmtree (kit.py, line 4)", "curl | sh (kit.py, line 8)"):
            assert place in looked_at
            assert place in " ".join(shown.split())


async def test_named_again(stuck: Checkout) -> None:
    """A new run leaves a task with a proposal to people; named, it is worked on anew.

    The older proposal is then out of date, and says so.
    """
    await escalated(stuck)
    (old,) = (await status(stuck))["proposals"]
    assert (await stuck.cairn("run")).code == 3

    again = await stuck.cairn("run", "--task", "1.1", "--no-recovery")

    assert again.code == 1, again.err
    told = await stuck.cairn("approve", old["id"])
    assert told.code == 2
    assert "is no longer open" in told.err
    runs = json.loads((await stuck.cairn("status", "--json")).out)["runs"]
    assert {run["state"] for run in runs} == {"ended"}
    assert not any(run["proposals"] for run in runs)
