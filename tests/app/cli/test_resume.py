"""``cairn resume``: a run goes on where it stood, whatever ended the process before."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.app.cli.test_verdicts import CALC
from tests.model_server import Fault, Held
from tests.scenarios.projects import ADD, ADD_WRONG, note

ONE, TWO = note("one.md"), note("two.md")
SIX = "## Phase 1\n\n{}\n\n## Phase 2\n\n{}\n"


async def interrupted(here: Checkout, number: signal.Signals) -> None:
    """Begin a run and end it while the second task's answer is awaited."""
    kept = Held(TWO)
    here.model.says(ONE, kept)
    process = await here.start("run")
    await kept.asked.wait()
    if number is signal.SIGKILL:
        process.kill()
        await process.wait()
    else:
        assert (await here.interrupt(process)).code == 130
    kept.go.set()


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_after_an_end_in_the_middle(here: Checkout, number: signal.Signals) -> None:
    """What was done is not done again: only the lost answer is asked for once more; 0."""
    await interrupted(here, number)
    (run,) = json.loads((await here.cairn("status", "--json")).out)["runs"]
    assert (run["state"], [task["status"] for task in run["tasks"]]) == (
        "interrupted",
        ["completed", "in_progress"],
    )
    here.model.says(TWO)

    said = await here.cairn("resume")

    assert said.code == 0, said.err
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]
    assert here.left("report.json")["run"] == run["run"]
    assert (await here.cairn("resume")).code == 2


async def test_a_new_run_says_that_an_older_one_could_go_on(here: Checkout) -> None:
    """``cairn run`` begins anew from the boxes, and names what it leaves behind."""
    await interrupted(here, signal.SIGINT)
    here.model.says(TWO)

    said = await here.cairn("run")

    assert said.code == 0
    assert "was interrupted; `cairn resume " in said.err
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]


async def test_many_older_runs_are_told_in_one_line(here: Checkout) -> None:
    """One that will never be continued is abandoned by deleting its folder."""
    await interrupted(here, signal.SIGINT)
    (kept,) = (path.parent for path in here.folder.glob(".executor/journal/*/run.json"))
    for name in ("older1", "older2"):
        shutil.copytree(kept, kept.with_name(name))
    here.model.says(TWO)

    said = await here.cairn("run")

    assert said.err.count("This is a new run.") == 1
    assert "3 older runs could continue, the newest is " in said.err
    for path in (kept, kept.with_name("older1"), kept.with_name("older2")):
        shutil.rmtree(path)
    runs = json.loads((await here.cairn("status", "--json")).out)["runs"]
    assert [run["state"] for run in runs] == ["ended"]


async def test_after_an_outage(here: Checkout) -> None:
    """A run that was paused says how to go on, leaves its report, and does; 0."""
    here.model.says(ONE, Fault.http_status(401, "no"))
    paused = await here.cairn("run")
    assert paused.code == 4
    assert "cairn resume" in paused.err
    assert "Paused: " in here.left("report.json")["problem"]
    here.model.says(TWO)

    assert (await here.cairn("resume")).code == 0
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("answers", [[], [ADD_WRONG]], ids=["nothing", "a red answer"])
async def test_another_run_did_the_task(tmp_path: Path, answers: list[str]) -> None:
    """A run that was paused in it has the verdict of that commit, and says whose it is."""
    async with checkout(tmp_path / "here", CALC) as here:
        here.model.says(*answers, Fault.http_status(401, "no"), ADD)
        assert (await here.cairn("run")).code == 4
        paused = here.left("report.json")["run"]
        assert (await here.cairn("run", "--task", "1.1")).code == 0
        other = here.left("report.json")["run"]

        said = await here.cairn("resume", paused)

        report = here.left("report.json")
        (line,), (trust,) = report["timeline"], report["trust"]
        assert (said.code, report["run"]) == (0, paused), said.err
        assert "| completed |" in said.out
        assert (line["status"], line["verdict"], line["verified"]) == ("completed", "shown", True)
        assert (trust["result"], trust["shown"]) == (
            "verified",
            f"by run {other}, which did the task",
        )
        assert "not shown" not in (await here.cairn("history")).out
        assert here.log() == ["1.1 Add add(a, b) to calc/add.py", "a commit"]


async def test_another_run_did_the_task_and_nothing_shows_it(here: Checkout) -> None:
    """It is as little shown as that run's commit says, for the same reason."""
    here.model.says(Fault.http_status(401, "no"), ONE, TWO)
    assert (await here.cairn("run")).code == 4
    paused = here.left("report.json")["run"]
    assert (await here.cairn("run", "--task", "1.1")).code == 0
    (done,) = here.left("report.json")["timeline"]
    other = here.left("report.json")["run"]

    said = await here.cairn("resume", paused)

    line = here.left("report.json")["timeline"][0]
    why = f"by run {other}, which did the task ({done['not_verified_because']})"
    assert (said.code, line["verdict"]) == (0, done["verdict"])
    assert f"| completed (not shown): {why} |" in said.out


async def test_on_another_branch(here: Checkout) -> None:
    """A run goes on where it began: the message says what to type; 2. So does a lost commit."""
    await interrupted(here, signal.SIGINT)
    here.git("switch", "--quiet", "--create", "other")
    assert "Type: git switch main" in (await here.cairn("resume")).err

    here.git("switch", "--quiet", "main")
    here.git("reset", "--quiet", "--hard", "HEAD~1")
    lost = await here.cairn("resume")

    assert lost.code == 2
    assert "no longer present here" in lost.err


async def test_six_tasks_in_three_runs(tmp_path: Path) -> None:
    """Two, then killed in the third, then the rest: every task is worked once, six boxes ticked."""
    lines = [f"- [ ] {n // 3 + 1}.{n % 3 + 1} Write `n{n}.md`" for n in range(6)]
    roadmap = SIX.format("\n".join(lines[:3]), "\n".join(lines[3:]))
    async with checkout(tmp_path / "here", {"ROADMAP.md": roadmap.encode()}) as here:
        for n in (0, 1):
            here.model.says(note(f"n{n}.md"))
        assert (await here.cairn("run", "--max-tasks", "2")).code == 0
        assert len(here.log()) == 3
        kept = Held(note("n2.md"))
        here.model.says(kept)
        process = await here.start("run")
        await kept.asked.wait()
        process.kill()
        await process.wait()
        kept.go.set()
        for n in range(2, 6):
            here.model.says(note(f"n{n}.md"))

        assert (await here.cairn("resume")).code == 0

        assert len(set(here.log())) == len(here.log()) == 7
        assert (here.folder / "ROADMAP.md").read_text().count("[x]") == 6
