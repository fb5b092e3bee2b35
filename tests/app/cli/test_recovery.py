"""What ``cairn run`` makes of a task that fails: the task people wrote is the one that counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.scenarios.projects import note
from tests.scenarios.proposing import BROKEN, PARTS

CLASSIFY, REWRITE, DECOMPOSE = (
    "A programmer could not finish",
    "it does not clearly say what to do",
    "because it is too much at once",
)
TASK = "Write `one.md`, `two.md` and `table.json`"
OFF_TOPIC = {"title": "Write `greet(name)` in `hello.py`", "acceptance": ["`greet` greets"]}


def files(roadmap: str) -> dict[str, bytes]:
    """A repository with this roadmap."""
    return {"ROADMAP.md": roadmap.encode(), "README.md": b"# Notes\n"}


def stuck(here: Checkout, *, about: str = TASK) -> None:
    """Let no answer to the task be good enough."""
    about_it = here.model.when(contains=about, without=("1.1.1", "could not", "authors"))
    about_it.says(BROKEN, repeat_last=True)


def divides(here: Checkout) -> None:
    """Let the model propose to divide the task."""
    parts = [{"title": title, "acceptance": []} for title in PARTS]
    here.model.when(contains=CLASSIFY).says("task_too_complex\nToo much.")
    here.model.when(contains=DECOMPOSE).says(json.dumps(parts))


@pytest.mark.nightly("test_clear")
async def test_a_clear_task_is_never_rewritten(tmp_path: Path) -> None:
    """A task with files and criteria is not vague, whatever the model says of it: people decide."""
    task = "Write `rows` into `table.json`"
    roadmap = f"- [ ] 1.1 {task}\n  - Acceptance: it has three rows\n"
    async with checkout(tmp_path / "here", files(roadmap)) as here:
        stuck(here, about=task)
        here.model.when(contains=CLASSIFY).says("task_too_vague\nIt does not say which rows.")

        said = await here.cairn("run", "--approval-mode", "auto")

        assert said.code == 3, said.err
        assert "Recovery strategy: ESCALATE" in said.err
        proposal = (await here.cairn("status", "--json")).out
        assert "called the task too vague, but the task names its files" in proposal
        assert (here.folder / "ROADMAP.md").read_text() == roadmap
        assert here.log() == ["a commit"]


@pytest.mark.nightly("test_a_loss_is_named")
async def test_a_rewrite_keeps_what_the_task_names(tmp_path: Path) -> None:
    """A rewrite that loses a file is refused with the complaint; what keeps it may be taken."""
    async with checkout(tmp_path / "here", files("- [ ] 1.1 Improve `notes.md` a bit\n")) as here:
        stuck(here, about="Improve `notes.md` a bit")
        good = {"title": "Write a first paragraph into `notes.md`, which names the authors"}
        here.model.when(contains=CLASSIFY).says("task_too_vague")
        asked = here.model.when(contains=REWRITE)
        asked.says(json.dumps(OFF_TOPIC), json.dumps(good))
        here.model.when(contains="which names the authors", without=("could not",)).says(
            note("notes.md")
        )

        said = await here.cairn("run", "--approval-mode", "auto")

        assert said.code == 0, said.err
        complaint = "names `notes.md`, and the task does not; keep it word for word"
        assert complaint in here.model.requests[-2].prompt
        assert "hello.py" not in (here.folder / "ROADMAP.md").read_text()


@pytest.mark.nightly("test_after_two_useless_answers_people_are_asked")
async def test_a_rewrite_that_is_off_topic_twice_is_left_to_people(tmp_path: Path) -> None:
    """Another task never takes the place of the one people wrote."""
    roadmap = "- [ ] 1.1 Improve `notes.md` a bit\n"
    async with checkout(tmp_path / "here", files(roadmap)) as here:
        stuck(here, about="Improve `notes.md` a bit")
        here.model.when(contains=CLASSIFY).says("task_too_vague")
        here.model.when(contains=REWRITE).says(json.dumps(OFF_TOPIC), json.dumps(OFF_TOPIC))

        said = await here.cairn("run", "--approval-mode", "auto")

        assert said.code == 3, said.err
        assert "Recovery strategy: ESCALATE" in said.err
        assert (here.folder / "ROADMAP.md").read_text() == roadmap
        assert here.log() == ["a commit"]


async def halved(here: Checkout, *second: str) -> Checkout:
    """Run until a task is divided into two; the second part is answered by these."""
    task = "Write `one.md` and `two.md`"
    parts = [{"title": f"Write `{name}.md` with a note"} for name in ("one", "two")]
    stuck(here, about=task)
    why = ("task_too_complex\nToo much.", "unknown\nNobody knows.")
    here.model.when(contains=CLASSIFY).says(*why[: 1 + (len(second) > 1)])
    here.model.when(contains=DECOMPOSE).says(json.dumps(parts))
    here.model.says(note("one.md"), *second)
    await here.cairn("run", "--approval-mode", "auto", "--no-planning")
    return here


async def test_a_task_with_an_unfinished_part_is_not_done(tmp_path: Path) -> None:
    """What people wrote is one task: one of its two parts is not half of the work."""
    roadmap = "- [ ] 1.1 Write `one.md` and `two.md`\n"
    async with checkout(tmp_path / "here", files(roadmap)) as here:
        await halved(here, *[BROKEN.replace("table", "two")] * 3)

        report = here.left("report.json")
        assert (report["success_rate"], report["tasks"]["total"]) == (0.0, 1)
        assert report["tasks"]["completed"] == 0
        assert "0 of 1 task done" in (here.folder / ".executor/report.md").read_text()


async def test_a_divided_task_counts_once_and_both_texts_are_shown(tmp_path: Path) -> None:
    """Two finished parts are one finished task; the report has the old text and the new ones."""
    roadmap = "- [ ] 1.1 Write `one.md` and `two.md`\n"
    async with checkout(tmp_path / "here", files(roadmap)) as here:
        await halved(here, note("two.md"))

        report, text = here.left("report.json"), (here.folder / ".executor/report.md").read_text()
        assert (report["success_rate"], report["tasks"]["total"]) == (1.0, 1)
        assert "1 of 1 task done" in text
        (proposal,) = report["proposals"]
        assert proposal["original"] == roadmap.strip()
        assert proposal["replacements"][1] == "- [ ] 1.1.2 Write `two.md` with a note"
        assert "> - [ ] 1.1 Write `one.md` and `two.md`" in text
        assert "- **1.1.2** Write `two.md` with a note" in text


async def test_where_nobody_can_answer_a_proposal_is_only_reported(tmp_path: Path) -> None:
    """Without a terminal nothing is applied and nothing waits; 1. It can be approved later."""
    roadmap = f"- [ ] 1.1 {TASK}\n"
    content = {**files(roadmap), "table.json": b'{"a": 0}\n'}
    async with checkout(tmp_path / "here", content) as here:
        stuck(here)
        divides(here)

        said = await here.cairn("run", "--no-planning")

        assert said.code == 1, said.err
        assert (here.folder / "ROADMAP.md").read_text() == roadmap
        (proposal,) = here.left("report.json")["proposals"]
        assert (proposal["outcome"], len(proposal["replacements"])) == ("published", 2)
        assert "decompose, proposed only, nothing was applied" in said.out
        assert "Nothing was applied (approval mode review_only)" in said.err
        assert f"To decide, type `cairn approve {proposal['id']}`" in said.err

        here.model.says(note("one.md"), note("two.md"))
        approved = await here.cairn("approve", "--resume")

        assert approved.code == 0, approved.err
        assert here.left("report.json")["success_rate"] == 1.0
        assert "No proposal is waiting" in (await here.cairn("approve")).err


async def test_a_published_proposal_is_over_when_its_task_is_worked_on_again(
    tmp_path: Path,
) -> None:
    """A newer run makes a newer proposal, and an answer to the older one names that."""
    async with checkout(tmp_path / "here", files(f"- [ ] 1.1 {TASK}\n")) as here:
        stuck(here)
        here.model.when(contains=CLASSIFY).says("unknown\nNobody knows.", repeat_last=True)
        for _ in range(2):
            assert (await here.cairn("run", "--no-planning")).code == 1
        newest, oldest = json.loads((await here.cairn("status", "--json")).out)["runs"]

        assert (len(newest["proposals"]), oldest["proposals"]) == (1, [])
        assert "To decide" not in (await here.cairn("show", oldest["run"], "1.1")).out

        said = await here.cairn("approve")

        assert said.code == 0, said.err
        assert f"Type `cairn resume {here.left('report.json')['run']}`" in said.out


async def test_a_task_is_retried_with_an_answer(here: Checkout) -> None:
    """What is added with ``-m`` is a part of the task; the older proposal is taken up with it."""
    here.model.says("Which title should it have?", "Which title should it have?", note("one.md"))
    await here.cairn("run", "--task", "1.1")

    said = await here.cairn("retry", "1.1", "-m", "Call it 'A note'.")

    assert said.code == 0, said.err
    assert here.log()[0] == "1.1 Write one.md"
    asked = str(here.model.requests[2].messages[-1]["content"])
    assert "A person adds: Call it 'A note'." in asked
