"""A change that breaks nothing and that no test shows to do its task waits for a person."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.checkout import Checkout, checkout, once
from tests.model_server import Fault
from tests.scenarios.projects import ADD, ADD_MODULE, answer, note

CALC = {
    "ROADMAP.md": b"- [ ] 1.1 Add `add(a, b)` to `calc/add.py`\n"
    b"- [ ] 1.2 Add `twice(a)` to `calc/twice.py`\n  - Depends on: 1.1\n",
    "calc/__init__.py": b"",
    "calc/half.py": b"def half(a):\n    return a / 2\n",
    "tests/test_half.py": b"from calc.half import half\n\n\ndef test_half():\n"
    b"    assert half(4) == 2\n",
}
TWICE = answer(
    {"calc/twice.py": "from calc.add import add\n\n\ndef twice(a):\n    return add(a, a)\n"}
)
WHY = "no test uses what changed"


@pytest.fixture
async def calc(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A project with tests, of which none is about the tasks."""
    async with checkout(tmp_path / "here", CALC) as here:
        yield here


async def reviewed(here: Checkout, *more: str) -> None:
    """Let the first task be done, with nothing that shows it."""
    await once(here, ADD_MODULE, run=("run", "--max-tasks", "1", *more))


async def statuses(here: Checkout) -> list[str]:
    """How the tasks of the newest run stand, as programs read it."""
    tasks = json.loads((await here.cairn("status", "--json")).out)["runs"][0]["tasks"]
    return [task["status"] for task in tasks]


def boxes(here: Checkout) -> str:
    """The state of each box in the roadmap."""
    lines = (here.folder / "ROADMAP.md").read_text().splitlines()
    return "".join(line[3] for line in lines if line.startswith("- ["))


async def test_it_is_committed_and_stays_in_review(calc: Checkout) -> None:
    """Its box is open; the run ends with 0, and every place says where it stands."""
    calc.model.says(ADD_MODULE)
    said = await calc.cairn("run", "--max-tasks", "1")

    assert said.code == 0
    assert "Task 1.1 is in review: no test shows that it is done." in said.err
    assert "`cairn accept 1.1` to tick its box" in said.err
    assert f"| in review: {WHY} |" in said.out
    assert "0 of 2 tasks done" in said.out
    assert boxes(calc) == "  "
    trailers = calc.git("log", "-1", "--format=%(trailers:key=Cairn-Status,valueonly)")
    assert trailers.strip() == "in review"
    report = calc.left("report.json")
    assert (report["tasks"]["in_review"], report["tasks"]["completed"]) == (1, 0)
    assert report["roadmap_modifications"] == []
    (line,) = report["timeline"]
    assert (line["status"], line["verdict"], line["verified"]) == ("in_review", "unbroken", False)
    todo: dict[str, Any] = calc.left("todos.json")["todos"][0]
    assert (todo["status"], todo["checked"]) == ("in_review", False)
    status = (await calc.cairn("status")).out
    assert "1 in review" in status
    assert "cairn accept 1.1" in status
    assert "in review" in (await calc.cairn("history")).out
    shown = (await calc.cairn("show", "1.1")).out
    assert "attempt 1: in review" in shown
    assert f"no test shows that it is done (unbroken, {WHY})." in shown
    assert "`cairn accept 1.1` to tick its box, or `cairn undo 1.1` to take it back." in shown
    roadmap = (await calc.cairn("roadmap", "show")).out
    assert "2 to work on (0 done, 1 in review)" in roadmap
    rows = [row for row in roadmap.splitlines() if "[ ]" in row]
    assert [(row[:5].strip(), row.endswith("in review")) for row in rows] == [
        ("", True),
        ("1", False),
    ]
    assert len(json.loads((await calc.cairn("roadmap", "show", "--json")).out)["in_review"]) == 1


async def test_later_runs_build_on_it(calc: Checkout) -> None:
    """It is not taken again; what depends on it is done. Asked for by name, it is refused."""
    await reviewed(calc)
    calc.model.says(TWICE)

    said = await calc.cairn("run")

    assert said.code == 0
    assert "2 tasks are in review (1.1, 1.2)" in said.err
    assert calc.log()[:2] == [
        "1.2 Add twice(a) to calc/twice.py",
        "1.1 Add add(a, b) to calc/add.py",
    ]
    again = await calc.cairn("run")
    assert (again.code, "in review" in again.out) == (0, True)
    by_name = await calc.cairn("run", "--task", "1.1")
    assert (by_name.code, "is already in review" in by_name.out) == (0, True)


async def test_a_person_accepts_it(calc: Checkout) -> None:
    """One more commit ticks the box, and says who; the trailers are those of the change."""
    await reviewed(calc)

    said = await calc.cairn("accept", "1.1")

    assert said.code == 0, said.err
    assert said.out.startswith("Accepted task 1.1 Add add(a, b) to calc/add.py (change ")
    assert boxes(calc) == "x "
    body = calc.git("log", "-1", "--format=%B")
    assert body.startswith("Accept: 1.1 ")
    assert "Cairn-Verdict: unbroken" in body
    assert "Cairn-Status" not in body
    assert calc.git("rev-parse", "HEAD~1").strip() in body
    assert calc.git("status", "--porcelain") == ""
    assert await statuses(calc) == ["completed", "pending"]
    assert "completed (not shown)" in (await calc.cairn("status")).out
    assert calc.left("todos.json")["todos"][0]["checked"] is True
    again = await calc.cairn("accept", "1.1")
    assert (again.code, "is ticked already. Nothing was changed." in again.err) == (2, True)
    for command in ("accept", "undo"):
        begins = await calc.cairn(command, "1.")
        assert "No task is called '1.'. Did you mean 1.1 or 1.2?" in begins.err
    unknown = await calc.cairn("accept", "9.9")
    assert "No task is in review here." in unknown.err
    calc.git.commit({".github/cairn.yml": b"verify: {ticks: any}\n"})
    faulty = await calc.cairn("accept", "1.1")
    assert (faulty.code, ".github/cairn.yml has errors" in faulty.err) == (2, True)


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("accepted", [False, True])
async def test_a_person_takes_it_back(calc: Checkout, accepted: bool) -> None:
    """Its file is gone and its box open, accepted or not; a run takes the task again."""
    await reviewed(calc)
    if accepted:
        assert (await calc.cairn("accept", "1.1")).code == 0

    said = await calc.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert not (calc.folder / "calc" / "add.py").exists()
    assert boxes(calc) == "  "
    assert await statuses(calc) == ["pending", "pending"]
    assert (await calc.cairn("accept", "1.1")).code == 2
    calc.model.says(ADD)
    assert (await calc.cairn("run", "--max-tasks", "1")).code == 0
    assert boxes(calc) == "x "


@pytest.mark.sample(0, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize("first", [ADD_MODULE, ADD], ids=["in review", "ticked"])
async def test_what_a_paused_run_did_is_taken_back(calc: Checkout, first: str) -> None:
    """``cairn resume`` does the task again, and only then what depends on it."""
    calc.model.says(first, Fault.http_status(401, "no"))
    assert (await calc.cairn("run")).code == 4
    assert (await calc.cairn("undo", "1.1")).code == 0
    calc.model.says(ADD, TWICE)

    said = await calc.cairn("resume")

    assert said.code == 0, said.err
    assert calc.log()[:2] == [
        "1.2 Add twice(a) to calc/twice.py",
        "1.1 Add add(a, b) to calc/add.py",
    ]
    assert boxes(calc)[0] == "x"


@pytest.mark.nightly("test_a_person_takes_it_back")
async def test_what_an_earlier_run_left_in_review_is_taken_back(calc: Checkout) -> None:
    """A later run that found it in review is shown with the task open."""
    await reviewed(calc)
    calc.model.says(TWICE)
    assert (await calc.cairn("run")).code == 0
    assert await statuses(calc) == ["in_review", "in_review"]
    assert (await calc.cairn("undo", "1.2")).code == 0

    assert (await calc.cairn("undo", "1.1")).code == 0

    assert await statuses(calc) == ["pending", "pending"]


async def test_a_box_ticked_by_hand_accepts_it(calc: Checkout) -> None:
    """The roadmap is people's: what they tick is done, and can be taken back."""
    await reviewed(calc)
    ticked = (calc.folder / "ROADMAP.md").read_text().replace("- [ ] 1.1", "- [x] 1.1")
    calc.git.commit({"ROADMAP.md": ticked.encode()})

    assert await statuses(calc) == ["completed", "pending"]
    assert (await calc.cairn("undo", "1.1")).code == 0
    assert (boxes(calc), (calc.folder / "calc" / "add.py").exists()) == ("  ", False)


async def test_what_cannot_be_accepted(calc: Checkout) -> None:
    """A name nobody knows, an open task, a roadmap with uncommitted changes: 2, nothing done."""
    await reviewed(calc)
    before = calc.log()

    for name in ("9.9", "1.2"):
        said = await calc.cairn("accept", name)
        assert (said.code, f"No task {name} is in review. In review: 1.1." in said.err) == (2, True)
    (calc.folder / "ROADMAP.md").write_text("- [ ] 1.1 mine\n")
    said = await calc.cairn("accept", "1.1")
    assert (said.code, "uncommitted changes in ROADMAP.md" in said.err) == (2, True)
    assert calc.log() == before


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("tick", "mode", "box"),
    [("unbroken", "auto", "x"), ("unbroken", "off", " "), ("any", "off", "x")],
)
async def test_a_setting_says_what_is_ticked(
    calc: Checkout, tick: str, mode: str, box: str
) -> None:
    """``verify.tick`` names the least verdict; nothing runs where verification is off."""
    calc.git.commit({".github/cairn.yml": f"verify:\n  tick: {tick}\n".encode()})
    await reviewed(calc, "--verify-mode", mode)

    assert boxes(calc)[0] == box


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("task", "box"),
    [
        ("Describe the package in `README.md`", "x"),
        ("Let `half` refuse 0", " "),
    ],
)
async def test_text_is_ticked_where_the_task_is_about_text(
    calc: Checkout, task: str, box: str
) -> None:
    """No test can show it; text alone is not what a task asks for that names code."""
    calc.git.commit({"ROADMAP.md": f"- [ ] 1.1 {task}\n".encode()})
    written = note("README.md", "# Calc\n\nHalves.")
    calc.model.when().says(written, repeat_last=True)
    said = await calc.cairn("run")

    assert boxes(calc) == box, said.out
    if box == "x":
        assert "completed (not shown): " in said.out
        assert "completed (not shown)" in (await calc.cairn("history")).out


@pytest.mark.nightly("test_a_task_in_review_on_another_branch")
async def test_another_branch_says_nothing_about_a_run(calc: Checkout) -> None:
    """Its tasks are as it left them, and the branch is named; on its own they are as they stand."""
    calc.model.says(ADD)
    assert (await calc.cairn("run", "--max-tasks", "1", "--branch", "work")).code == 0
    calc.git("switch", "-q", "main")

    assert await statuses(calc) == ["completed", "pending"]
    assert "on branch work" in (await calc.cairn("status")).out
    assert "1 completed" in (await calc.cairn("show")).out
    calc.git("merge", "-q", "work")
    assert "on branch" not in (await calc.cairn("status")).out


async def test_a_plain_folder_has_reviews_too(tmp_path: Path) -> None:
    """What the folder keeps of its states says which task is in review."""
    async with checkout(tmp_path / "here", CALC) as here:
        shutil.rmtree(here.folder / ".git")
        await reviewed(here)
        assert await statuses(here) == ["in_review", "pending"]

        assert (await here.cairn("accept", "1.1")).code == 0
        assert (boxes(here), await statuses(here)) == ("x ", ["completed", "pending"])


async def test_a_test_may_be_required(calc: Checkout) -> None:
    """With ``verify.require: shown`` the model is told what is missing, and the repair ticks."""
    calc.git.commit({".github/cairn.yml": b"verify:\n  require: shown\n"})
    calc.model.says(ADD_MODULE, ADD)

    assert (await calc.cairn("run", "--max-tasks", "1")).code == 0

    assert "no test shows that the task is done. The change must come with" in (
        calc.model.requests[1].prompt
    )
    assert boxes(calc) == "x "


async def test_tests_that_cannot_run_may_be_no_obstacle(calc: Checkout) -> None:
    """With ``verify.require: none`` the change is committed untested, and waits for a person."""
    broken = b"import a_plugin_that_is_not_here\n"
    calc.git.commit({".github/cairn.yml": b"verify:\n  require: none\n", "conftest.py": broken})
    calc.model.says(ADD_MODULE)

    said = await calc.cairn("run", "--max-tasks", "1")

    assert (said.code, boxes(calc)) == (0, "  "), said.out
    assert calc.left("report.json")["timeline"][0]["verdict"] == "untested"


async def test_every_place_says_the_same_of_a_task(calc: Checkout) -> None:
    """What people say later counts wherever a run, an attempt or the history is shown."""
    calc.model.says(ADD_MODULE, TWICE)
    assert (await calc.cairn("run", "--max-tasks", "1")).code == 0
    waiting = json.loads((await calc.cairn("history", "--json")).out)["statistics"]
    assert (waiting["in_review"], waiting["attempts"]["good"], waiting["attempts"]["over"]) == (
        1,
        0,
        1,
    )
    told = (await calc.cairn("history")).out
    assert "1 attempt at a task, 0 of 1 (0 %) completed." in told
    assert "1 in review; each counts as completed once a person accepts it." in told

    assert (await calc.cairn("accept", "1.1")).code == 0
    assert (await calc.cairn("run", "--max-tasks", "1")).code == 0
    assert (await calc.cairn("undo", "1.2")).code == 0

    status = (await calc.cairn("status")).out.splitlines()
    newest, *tasks, oldest = [line for line in status if "cairn " not in line]
    assert newest.endswith("1 completed (not shown), 1 pending")
    assert [line.split("1.")[0].strip() for line in tasks] == ["completed (not shown)", "pending"]
    assert oldest.endswith("  1 completed (not shown)")
    assert oldest in (await calc.cairn("show", oldest.split()[0])).out.replace(", 1 pending", "")
    now = json.loads((await calc.cairn("history", "--json")).out)["statistics"]
    assert (now["in_review"], now["attempts"]["good"], now["attempts"]["over"]) == (0, 1, 2)
    assert [each["name"] for each in now["statuses"]] == ["completed", "declined"]
    assert "attempt 1: declined" in (await calc.cairn("show", "1.2")).out


async def test_a_task_without_an_id_is_told_with_its_title(calc: Checkout) -> None:
    """Its key alone means nothing to a person."""
    calc.git.commit({"ROADMAP.md": b"- [ ] Add `add(a, b)` to `calc/add.py`\n"})
    await reviewed(calc)
    key = json.loads((await calc.cairn("status", "--json")).out)["runs"][0]["tasks"][0]["key"]
    named = f"{key} Add add(a, b) to calc/add.py"

    for words in ("status", "accept 9.9", "undo 9.9", f"accept {key}", f"undo {key}"):
        said = await calc.cairn(*words.split())
        assert named in said.out + said.err, words
    told = await calc.cairn("retry", "9.9")
    assert f"Its tasks:\n\n- `{key}` (line 1) Add add(a, b) to calc/add.py" in told.err + told.out


@pytest.mark.nightly("test_every_place_says_the_same_of_a_task")
async def test_a_task_that_was_taken_back_and_done_again(calc: Checkout) -> None:
    """The first run's change was declined, the second one's counts: for people and programs."""
    runs = []
    for _ in range(2):
        calc.model.says(ADD)
        assert (await calc.cairn("run", "--max-tasks", "1")).code == 0
        runs.append(json.loads((await calc.cairn("status", "--json")).out)["runs"][0]["run"])
        if len(runs) == 1:
            assert (await calc.cairn("undo", "1.1")).code == 0
            assert await statuses(calc) == ["pending", "pending"]

    listed = json.loads((await calc.cairn("status", "--json")).out)["runs"]
    stand = {each["run"]: each["tasks"][0]["status"] for each in listed}
    shown = [json.loads((await calc.cairn("show", each, "1.1", "--json")).out) for each in runs]
    recorded = json.loads((await calc.cairn("history", "--json")).out)["executions"]
    ended = {each["key"]["run"]: each["end"]["status"] for each in recorded}

    assert stand == dict(zip(runs, ("pending", "completed"), strict=True))
    assert [each["status"] for each in shown] == ["declined", "completed"]
    assert ended == dict(zip(runs, ("declined", "completed"), strict=True))


async def test_a_box_ticked_later_counts_everywhere(calc: Checkout) -> None:
    """Of a task in review, and of one that no run took up."""
    await reviewed(calc)
    ticked = (calc.folder / "ROADMAP.md").read_text().replace("- [ ]", "- [x]")
    calc.git.commit({"ROADMAP.md": ticked.encode()})

    assert await statuses(calc) == ["completed", "completed"]
    (recorded,) = json.loads((await calc.cairn("history", "--json")).out)["executions"]
    assert recorded["end"]["status"] == "completed"


async def test_a_task_in_review_on_another_branch(calc: Checkout) -> None:
    """Its branch is named, and that it has to be checked out first."""
    calc.model.says(ADD_MODULE)
    assert (await calc.cairn("run", "--branch", "work", "--max-tasks", "1")).code == 0
    calc.git("switch", "-q", "main")

    for command in ("accept", "undo"):
        said = await calc.cairn(command, "1.1")
        assert said.code == 2
        assert "Task 1.1 is in review on branch work; check that out first." in said.err
    for command in (("status",), ("show", "1.1")):
        assert "Switch to branch work, then type `cairn show" in (await calc.cairn(*command)).out
