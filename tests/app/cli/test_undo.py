"""``cairn undo``: a finished task is taken back, whatever was done after it."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, once
from tests.scenarios.projects import note

ONE, TWO = note("one.md"), note("two.md")


def roadmap(here: Checkout) -> list[str]:
    """The tasks as they stand in the file."""
    return (here.folder / "ROADMAP.md").read_text().splitlines()


async def finished(here: Checkout) -> None:
    """Let both tasks be done."""
    await once(here, ONE, TWO)


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(("name", "left"), [("1.1", "two.md"), ("1.2", "one.md")])
async def test_a_task_is_taken_back_beside_its_neighbour(
    here: Checkout, name: str, left: str
) -> None:
    """Its file is gone, its box is open; the neighbour's stay as they are. One more commit."""
    await finished(here)

    said = await here.cairn("undo", name)

    assert said.code == 0, said.err
    assert f"Took back task {name} " in said.out
    assert [line[2:5] for line in roadmap(here)].count("[ ]") == 1
    assert sorted(path.name for path in here.folder.glob("*.md")) == [
        "README.md",
        "ROADMAP.md",
        left,
    ]
    assert here.log()[0].startswith(f"Undo: {name} ")
    assert here.git("status", "--porcelain") == ""


async def test_what_the_folder_keeps_knows_of_it(here: Checkout) -> None:
    """Status, ``todos.json`` and memory say that it is open; its file is forgotten."""
    await finished(here)

    said = await here.cairn("undo", "1.1")

    assert "The tests say nothing about it: " in said.out  # the project has none
    status = json.loads((await here.cairn("status", "--json")).out)["runs"][0]["tasks"]
    assert [task["status"] for task in status] == ["pending", "completed"]
    assert "pending               1.1" in (await here.cairn("status")).out
    todos = here.left("todos.json")["todos"]
    assert [(task["status"], task["checked"]) for task in todos] == [
        ("pending", False),
        ("completed", True),
    ]
    memory = (await here.cairn("memory")).out
    assert "  two.md: " in memory
    assert "  one.md: " not in memory


PASSES = b"def test_it():\n    assert True\n"


async def test_a_commit_of_several_tasks(here: Checkout) -> None:
    """All its tasks are open again, in what the folder keeps as well."""
    plan = b"- [ ] 1.1 Begin `one.md`\n- [ ] 1.2 End `one.md`\n"
    here.git.commit({".github/cairn.yml": b"grouping: 2\n", "ROADMAP.md": plan})
    here.model.says(ONE)
    assert (await here.cairn("run")).code == 0

    assert (await here.cairn("undo", "1.1")).code == 0

    todos = here.left("todos.json")["todos"]
    assert [task["status"] for task in todos] == ["pending", "pending"]


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("test", "says"),
    [
        ("def test_it():\n    assert True\n", "The tests pass without it."),
        (
            "from pathlib import Path\n\n\ndef test_it():\n    assert Path('one.md').exists()\n",
            "Without task 1.1 the tests fail:\n\n- tests/test_it.py::test_it: ",
        ),
    ],
)
async def test_the_tests_are_run_without_the_task(here: Checkout, test: str, says: str) -> None:
    """What they say is told, and stands in the commit; the task is taken back in either case."""
    here.git.commit({"tests/test_it.py": test.encode()})
    here.model.says(ONE)
    assert (await here.cairn("run", "--task", "1.1")).code == 0

    said = await here.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert says in said.out
    assert says in here.git("show", "--format=%B", "--no-patch")


@pytest.mark.nightly("test_a_broken_command_is_not_the_tasks_fault")
async def test_what_fails_with_the_task_as_well_is_no_word_about_it(here: Checkout) -> None:
    """An old failure beside the task's own test, which goes with it, does not read as its fault."""
    old = b"def test_old():\n    assert not 'red as ever'\n"
    here.git.commit({"tests/test_old.py": old, "tests/test_it.py": PASSES})
    own = "def test_one():\n    assert open('one.md').read()\n"
    here.model.says(f"{ONE}\ntests/test_one.py\n```python\n{own}```\n")
    assert (await here.cairn("run", "--task", "1.1")).code == 0

    said = await here.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert "No test fails without it that passes with it (1 passed; 1 fails as before" in said.out


async def test_no_test_is_left(here: Checkout) -> None:
    """The task brought the only ones: none of them fails."""
    own = "def test_one():\n    assert open('one.md').read()\n"
    here.model.says(f"{ONE}\ntests/test_one.py\n```python\n{own}```\n")
    assert (await here.cairn("run", "--task", "1.1")).code == 0

    said = await here.cairn("undo", "1.1")

    assert "The tests say nothing about it: without the task, no test is left." in said.out


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("python -m nobody_has_this", "nothing about it: no test passes; 1 fails as before"),
        ("nobody-has-this", "The tests say nothing about it: The command `nobody-has-this` of"),
    ],
)
async def test_a_broken_command_is_not_the_tasks_fault(
    here: Checkout, command: str, says: str
) -> None:
    """What fails in the same way with the task says nothing about it."""
    config = f"verify:\n  commands: [{command!r}]\n".encode()
    here.model.says(ONE)
    assert (await here.cairn("run", "--task", "1.1")).code == 0
    here.git.commit({".github/cairn.yml": config})

    said = await here.cairn("undo", "1.1")

    assert (said.code, says in said.out, "Without task" in said.out) == (0, True, False)


async def test_it_can_be_done_again_and_undone_again(here: Checkout) -> None:
    """The task is open, so that the next run does it; the newest commit is what is undone."""
    await finished(here)
    await here.cairn("undo", "1.1")
    here.model.says(note("one.md", "Better."))
    assert (await here.cairn("run")).code == 0

    said = await here.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert not (here.folder / "one.md").exists()
    again = await here.cairn("undo", "1.1")
    assert again.code == 2
    assert "The roadmap has no finished task called '1.1'. Finished tasks: 1.2." in again.err


async def test_later_changes_of_the_same_file_are_kept(here: Checkout) -> None:
    """Lines that somebody added elsewhere in the file stay."""
    body = "".join(f"line {number}\n" for number in range(20))
    here.git.commit({"one.md": body.encode()})
    here.model.says(f"one.md\n```markdown\n{body.replace('line 2', 'second')}```\n")
    assert (await here.cairn("run", "--task", "1.1")).code == 0
    now = (here.folder / "one.md").read_text()
    here.git.commit({"one.md": f"{now}the end\n".encode()})

    said = await here.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert (here.folder / "one.md").read_text() == f"{body}the end\n"


async def test_what_was_changed_since_is_not_taken_back(here: Checkout) -> None:
    """The message names the file, and nothing is changed."""
    await finished(here)
    here.git.commit({"one.md": b"Something else.\n"})
    before = here.log()

    said = await here.cairn("undo", "1.1")

    assert said.code == 2
    assert "What 1.1 wrote in one.md was changed since" in said.err
    assert here.log() == before


async def test_uncommitted_changes_are_not_overwritten(here: Checkout) -> None:
    """The message names the file, and nothing is changed."""
    await finished(here)
    (here.folder / "one.md").write_text("Mine.\n")

    said = await here.cairn("undo", "1.1")

    assert said.code == 2
    assert "uncommitted changes in one.md" in said.err
    assert (here.folder / "one.md").read_text() == "Mine.\n"
    assert here.log()[0] == "1.2 Write two.md"


async def test_what_happens_while_the_tests_run(here: Checkout, tmp_path: Path) -> None:
    """An edit of the task's file is not overwritten; Ctrl-C undoes nothing; both are said."""
    await finished(here)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    here.git.commit({"tests/test_it.py": f"open({str(pipe)!r}).read()\n".encode()})
    before = here.log()

    process = await here.start("undo", "1.1")
    writer = await here.read_by(process, pipe)
    (here.folder / "one.md").write_text("Mine.\n")
    pipe.rename(tmp_path / "gone")  # whoever reads after this one does not wait
    os.close(writer)
    said = await here.end(process)

    assert said.code == 2
    assert "Nothing was undone" in said.err
    assert "run the task again" not in said.err
    assert (here.folder / "one.md").read_text() == "Mine.\n"

    here.git("checkout", "one.md")
    (tmp_path / "gone").rename(pipe)
    process = await here.start("undo", "1.1")
    writer = await here.read_by(process, pipe)
    process.send_signal(signal.SIGINT)
    said = await here.end(process)
    os.close(writer)

    assert said.code == 130
    assert "Interrupted. Nothing was undone." in said.err
    assert here.log() == before


async def test_a_box_that_a_person_ticked(here: Checkout) -> None:
    """There is no commit of ours to take back, which is said."""
    here.git.commit({"ROADMAP.md": b"- [x] 1.1 Write `one.md`\n"})

    said = await here.cairn("undo", "1.1")

    assert said.code == 2
    assert "Task 1.1 Write one.md was not finished here by Cairn" in said.err


async def test_in_a_plain_folder(here: Checkout) -> None:
    """Without git the states are below .executor, and undoing works all the same."""
    (here.folder / ".git").rename(here.folder.parent / "git-away")
    await finished(here)

    said = await here.cairn("undo", "1.1")

    assert said.code == 0, said.err
    assert not (here.folder / "one.md").exists()
    assert (here.folder / "two.md").exists()


@pytest.mark.parametrize("git", [True, False], ids=["git", "folder"])
async def test_where_nothing_was_done_nothing_is_left(here: Checkout, git: bool) -> None:
    """Nothing was changed: there is no folder of Cairn's where there was none; 2."""
    if not git:
        shutil.rmtree(here.folder / ".git")

    for command in ("undo", "accept"):
        said = await here.cairn(command, "9")

        assert said.code == 2
        assert "Nothing was changed." in said.err
        assert not (here.folder / ".executor").exists()
