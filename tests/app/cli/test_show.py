"""``cairn show``: a run, a task or a proposal in full, before anybody decides about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.checkout import Checkout
from tests.app.parked import cairn, parked
from tests.model_server import Reply
from tests.scenarios.projects import note

ONE, TWO = note("one.md"), note("two.md")
BROKEN = "one.json\n```json\n{\n```\n"


async def test_a_finished_task_in_full(here: Checkout) -> None:
    """Its text, its diff, the levels it passed and every question with its file."""
    here.model.says(ONE, TWO)
    await here.cairn("run")

    said = (await here.cairn("show", "1.1")).out

    assert said.startswith("Task 1.1 Write one.md\n")
    assert "attempt 1: completed" in said
    assert "- [ ] 1.1 Write `one.md`" in said or "- [x] 1.1 Write `one.md`" in said
    assert "+++ b/one.md" in said
    assert "\n+A note.\n" in said
    assert "two.md" not in said
    assert "files     passed" in said
    assert "1. execute_task: scripted" in said
    assert "agent-1.json" in said


async def test_what_was_asked_and_answered(here: Checkout) -> None:
    """With ``--exchanges`` the prompt and the reply are there, word for word."""
    here.model.says(ONE)
    await here.cairn("run", "--max-tasks", "1")

    brief, full = [(await here.cairn("show", "1.1", *more)).out for more in ((), ("--exchanges",))]

    assert "With --exchanges" in brief
    assert "> # The task" in full
    assert ONE.strip() in full
    assert "> # The task" not in brief


async def test_what_came_from_the_models_cache(here: Checkout) -> None:
    """Each exchange, the report and the run's cost say how many tokens did."""
    here.model.says(Reply(ONE, details={"cached_tokens": 300}))
    await here.cairn("run", "--max-tasks", "1")

    said = (await here.cairn("show", "1.1")).out
    (run,) = json.loads((await here.cairn("status", "--json")).out)["runs"]

    assert " (300 from a cache) + " in said
    assert here.left("runs/*/agent-1.json")["cached"] == 300
    assert (
        "300 tokens came from the endpoint's cache."
        in (here.folder / ".executor" / "report.md").read_text()
    )
    assert here.left("report.json")["model_usage"]["cached"] == 300
    assert ", 300 of them from a cache" in (await here.cairn("show", run["run"])).out


async def test_the_newest_run_without_a_name(here: Checkout) -> None:
    """It lists the tasks and says how to see one in full."""
    here.model.says(ONE)
    await here.cairn("run", "--max-tasks", "1")

    said = (await here.cairn("show")).out
    id = json.loads((await here.cairn("status", "--json")).out)["runs"][0]["run"]

    assert "completed" in said
    assert f"To see a task in full: cairn show {id} TASK (1.1)" in said
    assert (await here.cairn("show", id, "1.1")).out.startswith("Task 1.1 ")


async def test_a_proposal_before_it_is_approved(here: Checkout) -> None:
    """The answer that did not work, why, and what is proposed, by the proposal's own id."""
    here.model.when().says(BROKEN, repeat_last=True)
    await here.cairn("run", "--task", "1.1", "--approval-mode", "interactive")
    (run, *_) = json.loads((await here.cairn("status", "--json")).out)["runs"]
    (proposal,) = run["proposals"]

    said = (await here.cairn("show", proposal["id"])).out

    assert f"Proposal {proposal['id']}: " in said
    assert "To decide, type `cairn approve" in said
    assert "Why: " in said


async def test_a_proposal_that_waits_no_more(here: Checkout) -> None:
    """A newer run finished the task: what was proposed before, and why, can still be read."""
    here.model.says(*[BROKEN] * 3, "unknown", note("one.md"))
    await here.cairn("run", "--max-tasks", "1")
    (first,) = json.loads((await here.cairn("status", "--json")).out)["runs"]
    await here.cairn("run", "--max-tasks", "1")

    said = (await here.cairn("show", first["run"], "1.1")).out

    assert "\nProposal\n" in said
    assert "ESCALATE" in said
    assert "Nobody needs to decide on it any more" in said
    assert "To decide" not in said


async def test_one_object_for_programs(here: Checkout) -> None:
    """``--json`` has the same, with the exchanges."""
    here.model.says(ONE)
    await here.cairn("run", "--max-tasks", "1")

    data = json.loads((await here.cairn("show", "1.1", "--json")).out)

    assert (data["id"], data["status"], data["attempt"]) == ("1.1", "completed", 1)
    assert data["diff"].startswith("diff --git a/one.md b/one.md\nnew file\n--- /dev/null\n")
    assert data["exchanges"][0]["reply"] == ONE
    assert data["levels"][0]["name"] == "files"
    assert data["proposal"] is None


async def test_in_a_plain_folder(here: Checkout) -> None:
    """Without git the states are below .executor, and the diff is made from them."""
    (here.folder / ".git").rename(here.folder.parent / "git-away")
    here.model.says(ONE)
    await here.cairn("run", "--max-tasks", "1")

    assert "+A note." in (await here.cairn("show", "1.1")).out


@pytest.mark.parametrize("word", ["9.9", "zzzz", "\x1b[31m", "x" * 5_000])
def test_a_name_nobody_knows(tmp_path: Path, word: str) -> None:
    """The message says so and names the runs there are; 2."""
    parked(tmp_path)

    said = cairn(tmp_path, "show", word)

    assert said.exit_code == 2
    assert "No run here is called" in said.stderr
    assert "r1" in said.stderr
    assert "\x1b" not in said.stderr


def test_a_task_of_a_run_nobody_knows(tmp_path: Path) -> None:
    """Its task is not looked for in other runs; the message names the runs there are; 2."""
    parked(tmp_path)

    for words in (("show", "zzz", "1.1"), ("resume", "zzz")):
        said = cairn(tmp_path, *words)

        assert (said.exit_code, said.stdout) == (2, "")
        assert "There is no run called 'zzz' here. The newest runs: r1." in said.stderr


def test_a_folder_without_runs(tmp_path: Path) -> None:
    """Nothing is there, which is said; nothing is made."""
    said = cairn(tmp_path, "show")

    assert (said.exit_code, list(tmp_path.iterdir())) == (0, [])
    assert "There is no run in this folder yet" in said.stdout
