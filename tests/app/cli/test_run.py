"""``cairn run`` on a developer's checkout: commits, exit codes, what is printed."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import Fault
from tests.scenarios.projects import ADD, ADD_OPEN_BRACKET, CALC, DOUBLE, answer, note

ONE, TWO = note("one.md"), note("two.md")
BROKEN = "one.json\n```json\n{\n```\n"


async def test_every_task_becomes_a_commit(here: Checkout) -> None:
    """Without ``--max-tasks`` all tasks are done, each a commit with its tick; 0."""
    here.model.says(ONE, TWO)

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]
    assert here.git("show", "--format=", "--name-only", "HEAD").split() == ["ROADMAP.md", "two.md"]
    assert b"[ ]" not in (here.folder / "ROADMAP.md").read_bytes()
    again = await here.cairn("run", "--task", "1.2")
    assert (again.code, again.out) == (
        0,
        "Task `1.2` (line 2) is already done: its checkbox is ticked.\n",
    )
    assert (await here.cairn("status")).out.count("ROADMAP.md") == 1  # that is no run


async def test_the_first_line_names_a_model_that_ends(here: Checkout) -> None:
    """Before anything else, and the run works all the same."""
    here.model.listed = {"scripted": {"shutdown_date": "2026-01-02"}}
    here.model.says(ONE, TWO)

    said = await here.cairn("run")

    assert said.code == 0
    assert "The model scripted was switched off on 2026-01-02. " in said.err.splitlines()[0]


async def test_the_work_tree_is_clean_afterwards(here: Checkout) -> None:
    """The files move with the commits, and git does not see what the run leaves behind."""
    here.model.says(ONE, TWO)

    await here.cairn("run")

    assert here.git("status", "--porcelain") == ""
    assert (here.folder / "one.md").read_text() == "A note.\n"
    assert (here.folder / ".executor" / "report.md").exists()


async def test_a_roadmap_that_is_done_is_no_failure(here: Checkout) -> None:
    """Nothing left to do is all that was asked for; 0."""
    here.git.commit({"ROADMAP.md": b"- [x] done\n"})

    assert (await here.cairn("run")).code == 0


async def test_a_roadmap_that_is_a_link(here: Checkout) -> None:
    """The file that it leads to is read and ticked; hooks do not run, and the run says so."""
    (here.folder / "docs").mkdir()
    (here.folder / "ROADMAP.md").rename(here.folder / "docs/PLAN.md")
    (here.folder / "ROADMAP.md").symlink_to("docs/PLAN.md")
    here.git.commit({})
    hook = here.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    here.model.says(ONE)

    said = await here.cairn("run", "--max-tasks", "1")

    assert said.code == 0
    assert "Cairn commits without this repository's git hooks (pre-commit)." in said.err
    assert (here.folder / "ROADMAP.md").is_symlink()
    assert "[x] 1.1" in (here.folder / "docs/PLAN.md").read_text()


@pytest.mark.parametrize("target", ["docs/GONE.md", "/etc/hostname", "docs"])
async def test_a_roadmap_that_is_a_link_to_no_file_of_ours(here: Checkout, target: str) -> None:
    """Nothing is read through it, and the sentence does not name it as what to use."""
    (here.folder / "docs").mkdir()
    (here.folder / "docs/a.txt").write_text("A\n")
    (here.folder / "ROADMAP.md").unlink()
    (here.folder / "ROADMAP.md").symlink_to(target)
    here.git.commit({})

    for command in ("run", "doctor"):
        said = await here.cairn(command)

        assert said.code == 2
        assert "is not a file, or a link that leads to none" in said.err + said.out
        assert "--roadmap ROADMAP.md" not in said.err + said.out


async def test_a_roadmap_in_utf_16(here: Checkout) -> None:
    """What to do is said by both; that it has no checkboxes would be untrue."""
    here.git.commit({"ROADMAP.md": "- [ ] 1.1 Write `one.md`\n".encode("utf-16")})

    for command in ("run", "doctor"):
        said = await here.cairn(command)

        assert "ROADMAP.md" in said.err + said.out
        assert "looks like UTF-16; save it as UTF-8" in said.err + said.out
        assert "checkboxes" not in said.err + said.out


async def test_max_tasks_stops_after_so_many(here: Checkout) -> None:
    """Reaching ``--max-tasks`` is a success; 0."""
    here.model.says(ONE)

    said = await here.cairn("run", "--max-tasks", "1")

    assert said.code == 0
    assert here.log()[0] == "1.1 Write one.md"


async def test_one_task_can_be_chosen(here: Checkout) -> None:
    """``--task`` works on that task only."""
    here.model.says(TWO)

    await here.cairn("run", "--task", "1.2")

    assert here.log() == ["1.2 Write two.md", "a commit"]


async def test_a_task_nobody_knows_is_wrong_usage(here: Checkout) -> None:
    """The message names the tasks there are; 2."""
    said = await here.cairn("run", "--task", "9.9")

    assert said.code == 2
    assert "- `1.1` (line 1) Write one.md\n- `1.2` (line 2) Write two.md" in said.err


async def test_a_roadmap_that_is_not_there_is_wrong_usage(here: Checkout) -> None:
    """The message names the file; 2."""
    said = await here.cairn("run", "--roadmap", "PLAN.md")

    assert said.code == 2
    assert "There is no file `PLAN.md`" in said.err


async def test_a_failed_task_is_told_by_the_exit_code(here: Checkout) -> None:
    """A task that cannot be finished leaves no commit, and waits for a person who can answer; 3.

    Where nothing is proposed it is failed; 1.
    """
    here.model.when(contains="one.md", without=("two.md`\n",)).says(BROKEN, repeat_last=True)
    here.model.when(contains="two.md").says(TWO)

    asked = ("--task", "1.1", "--approval-mode", "interactive")
    assert (await here.cairn("run", *asked)).code == 3
    assert (await here.cairn("run", "--task", "1.1", "--no-recovery")).code == 1
    assert here.log() == ["a commit"]
    assert (await here.cairn("run", "--task", "1.2")).code == 0


async def test_an_outage_is_told_by_the_exit_code(here: Checkout) -> None:
    """A model that refuses the key pauses the run, which says why; 4."""
    here.model.says(Fault.http_status(401, "Incorrect API key provided: sk-very-secret"))

    said = await here.cairn("run")

    assert said.code == 4
    assert "Paused: " in said.err
    assert "OPENAI_API_KEY" in said.err
    assert "sk-very-secret" not in said.err + said.out


@pytest.mark.long("runs real tests five times")
async def test_the_log_says_what_happens(tmp_path: Path) -> None:
    """People grep for these words."""
    files = {path: content for path, content in CALC.items() if isinstance(content, bytes)}
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(ADD_OPEN_BRACKET, ADD, DOUBLE.replace("add(a, a)", "add(a, 1)"), DOUBLE)

        said = await here.cairn("run")

    assert said.code == 0, said.err
    for words in (
        "Executing task [1.1]",
        "Validation failed: SyntaxError at line 1: '(' was never closed (calc/add.py)",
        "Repairing code (attempt 1/2)",
        "Test repair attempt 1/2",
    ):
        assert words in said.err.splitlines(), said.err


async def test_the_log_names_a_task_without_an_id_and_every_complaint(here: Checkout) -> None:
    """A key alone tells nobody which task it is, and an error's name alone not what is wrong."""
    here.git.commit({"ROADMAP.md": b"- [ ] Write `one.json`\n"})
    here.model.when(contains="one.json").says(BROKEN, "I cannot.", repeat_last=True)

    lines = (await here.cairn("run", "--no-recovery")).err.splitlines()

    assert any(re.fullmatch(r"Executing task \[\w{10}\] Write one\.json", line) for line in lines)
    assert any(
        re.match(r"Validation failed: JSONDecodeError at line 2: .+ \(one\.json\)$", line)
        for line in lines
    )
    assert any(re.match(r"Validation failed: UnreadableAnswer: \w+", line) for line in lines), lines
    assert any(line.endswith("The model said: “I cannot.”") for line in lines), lines


async def test_the_log_says_why_each_answer_is_not_taken(here: Checkout) -> None:
    """Between one question and the next stands a reason, also if the answer changes nothing."""
    same = answer({"README.md": here.folder.joinpath("README.md").read_text()})
    here.model.when(contains="one.md").says(same, repeat_last=True)

    lines = (await here.cairn("run", "--task", "1.1", "--no-recovery")).err.splitlines()

    asked = [at for at, line in enumerate(lines) if line == "Executing task [1.1]"]
    assert len(asked) > 1, lines
    for first, second in pairwise(asked):
        between = lines[first + 1 : second]
        assert any(line.startswith("Validation failed: ") for line in between), lines


async def test_the_log_says_why_it_gives_up(here: Checkout) -> None:
    """The end of a failing task has its words too."""
    here.model.when(contains="one.md").says(BROKEN, repeat_last=True)

    said = await here.cairn("run", "--task", "1.1")

    for words in (
        "Max repairs exceeded, classifying failure",
        "Classified failure: UNKNOWN",
        "Recovery strategy: ESCALATE",
    ):
        assert words in said.err.splitlines(), said.err


async def test_json_is_one_object_a_line(here: Checkout) -> None:
    """Programs read events from standard output, the report last, and nothing else."""
    here.model.says(ONE, TWO)

    events = (await here.cairn("run", "--json")).events

    assert {"run_changed", "node_finished", "model_answered", "verified"} <= {
        event["event"] for event in events
    }
    assert events[-1]["event"] == "report"
    assert events[-1]["report"]["tasks"]["completed"] == 2


async def test_json_ends_with_a_report_of_a_paused_run_too(here: Checkout) -> None:
    """However a run stops, its report is the last line."""
    here.model.says(Fault.http_status(401, "no"))

    said = await here.cairn("run", "--json")

    assert said.events[-1]["report"]["tasks"]["in_progress"] == 1
