"""``CAIRN_EVENTS_FILE``: what a run on a checkout tells the operator's own systems."""

from __future__ import annotations

import json
import signal
from typing import Any

from tests.app.checkout import Checkout
from tests.app.cli.test_resume import TWO, interrupted
from tests.app.jobs.test_notices import SECRET, receiver


def events(here: Checkout) -> list[dict[str, Any]]:
    """What the file says; a line that is no event is a line of somebody else."""
    lines = (here.folder.parent / "events.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


async def test_a_killed_run_goes_on_in_the_file(here: Checkout) -> None:
    """Killed, its last line torn: after ``cairn resume`` all is there once, and in order."""
    file = here.folder.parent / "events.jsonl"
    here.environment["CAIRN_EVENTS_FILE"] = str(file)
    await interrupted(here, signal.SIGKILL)
    with file.open("a") as torn:
        torn.write('{"version": 1, "id": "half a line')
    here.model.says(TWO)

    said = await here.cairn("resume", "--max-tokens", "100000")

    assert said.code == 0, said.err
    told = events(here)
    changed = [(e["task"], e["status"]) for e in told if e["event"] == "task_changed"]
    assert changed == [
        ("1.1", "in_progress"),
        ("1.1", "completed"),
        ("1.2", "in_progress"),
        ("1.2", "completed"),
    ]
    assert len({e["id"] for e in told}) == len(told)
    commits = [e["commit"] for e in told if e["event"] == "checkpoint_published"]
    assert commits[-1] == here.git("rev-parse", "HEAD").strip()
    (reserved,) = (e for e in told if e["event"] == "budget_reserved")
    assert (reserved["task"], reserved["cost"]) == ("1.2", None)
    assert 0 < reserved["tokens"] <= 100_000
    assert {e["repository"] for e in told} == {here.folder.name}


async def test_a_file_that_cannot_be_written_stops_nothing(here: Checkout) -> None:
    """The run is as always, and says once what is wrong; 0."""
    here.environment["CAIRN_EVENTS_FILE"] = str(here.folder.parent / "nowhere" / "events.jsonl")
    here.model.says(TWO)

    said = await here.cairn("run", "--task", "1.2")

    assert said.code == 0, said.err
    assert said.err.count("events.jsonl cannot be written: No such file or directory") == 1


async def test_people_are_told_of_a_run_on_a_checkout(here: Checkout) -> None:
    """``CAIRN_NOTIFY``: when it is over; the doctor names the service, not its address."""
    async with receiver() as (url, heard):
        here.environment["CAIRN_NOTIFY"] = url.get_secret_value()
        here.model.says(TWO)
        said = await here.cairn("run", "--task", "1.2")
        told = await here.cairn("doctor")

    assert said.code == 0, said.err
    (notice,) = heard
    assert f"{here.folder.name}: run " in notice
    assert notice.endswith(" has ended|Tasks: 1 completed.")
    assert "Told of runs: JSON." in told.out
    assert SECRET not in said.out + said.err + told.out + told.err
