"""A retry goes on from what people pushed: when, with what, and what is said when it cannot."""

from __future__ import annotations

import pytest

from runner.errors import TaskError
from runner.loop.deps import Deps, TaskWork
from runner.nodes.generate import execute_task
from runner.nodes.human_commits import set_aside
from runner.nodes.run import pick_task
from runner.state.changes import EXECUTABLE, FILE, SYMLINK, Write
from runner.state.publishing import HumanCommits
from runner.state.run_state import RunState
from tests.runner.fields import changed
from tests.runner.memory_repository import START, MemoryRepository, Tree
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.states import ROADMAP, at, run_state

HANDED = HumanCommits(
    "cairn/r0/recovery-1-1", "theirs", "fork", ("Ada <ada@x.org>",), "https://x/7"
)
FORK: Tree = {
    "ROADMAP.md": (FILE, ROADMAP.encode()),
    "old.py": (FILE, b"old = 1\n"),
    "run.sh": (FILE, b"echo\n"),
}


def pushed(theirs: Tree, now: Tree | None = None) -> MemoryRepository:
    """A repository whose tip is ``now``; people made ``theirs`` of the tree of the fork."""
    made = MemoryRepository({path: entry for path, entry in (now or FORK).items()})
    made.commits |= {"fork": FORK, "theirs": theirs}
    return made


def picked(**attempt: object) -> RunState:
    """A retried task whose attempt was handed people's work."""
    return at("execute_task", run_state(task="1.1", retry=True), human_commits=HANDED, **attempt)


async def answered(where: MemoryRepository) -> RunState:
    """The state after the first answer; no model may be asked."""
    return (await execute_task(picked(), deps(repository=where), TaskWork())).state


async def test_only_a_retry_by_name_asks_for_it() -> None:
    """Any other run leaves people's branches alone."""
    where = MemoryRepository({"ROADMAP.md": ROADMAP})
    retried = run_state(task="1.1", retry=True)
    where.pushed[retried.tasks[0].key] = HANDED

    taken = await pick_task(retried, deps(repository=where), TaskWork())
    other = await pick_task(run_state(), deps(repository=where), TaskWork())

    assert taken.state.attempt.planned.human_commits == HANDED
    assert other.state.attempt.planned.human_commits is None


async def test_a_task_with_an_answer_needs_no_plan() -> None:
    """People's work is there already, so nothing is planned."""
    where = MemoryRepository({"ROADMAP.md": ROADMAP})
    state = run_state(task="1.1", retry=True, planning="on")
    where.pushed[state.tasks[0].key] = HANDED

    assert (await pick_task(state, deps(repository=where), TaskWork())).outcome == "direct"


async def test_their_work_is_the_first_answer() -> None:
    """New, changed and deleted files and modes are taken; edits of the roadmap are not."""
    theirs: Tree = {
        "ROADMAP.md": (FILE, ROADMAP.replace("[ ]", "[x]").encode()),
        "a.py": (FILE, b"a = 1\n"),
        "run.sh": (EXECUTABLE, b"echo\n"),
    }
    attempt = (await answered(pushed(theirs))).attempt

    assert attempt.answered.changes.files == {
        "a.py": Write(b"a = 1\n", FILE),
        "old.py": None,
        "run.sh": Write(b"echo\n", EXECUTABLE),
    }
    assert attempt.answered.answers == 1
    assert "Ada" in attempt.spent.reasons[-1]


async def test_what_others_merged_meanwhile_stays() -> None:
    """Only what people changed on the branch counts, and what is merged already is no change."""
    theirs = FORK | {"a.py": (FILE, b"a = 1\n"), "b.py": (FILE, b"b = 1\n")}
    now = FORK | {"b.py": (FILE, b"b = 1\n"), "new.py": (FILE, b"new = 1\n")}

    assert set((await answered(pushed(theirs, now))).attempt.answered.changes.files) == {"a.py"}


async def test_both_changed_a_file() -> None:
    """It is said which, and what to do; nothing of either is lost."""
    theirs = FORK | {"old.py": (FILE, b"old = 2\n")}
    now = FORK | {"old.py": (FILE, b"old = 3\n")}

    with pytest.raises(TaskError, match=r"old\.py changed both on cairn/r0/.*resolve the conflict"):
        await answered(pushed(theirs, now))


async def test_links_are_not_written() -> None:
    """What a change set cannot hold is said before anything is done."""
    with pytest.raises(TaskError, match="is a link or a submodule"):
        await answered(pushed(FORK | {"link": (SYMLINK, b"old.py")}))


async def test_nothing_new_is_no_work() -> None:
    """Where all of it is merged already the model is asked as ever."""
    model = ScriptedModel("a.py\n```python\na = 1\n```\n")
    ports: Deps = deps(repository=pushed(FORK), model=model)

    attempt = (await execute_task(picked(context=b"x"), ports, TaskWork())).state.attempt

    assert (attempt.planned.human_commits, set(attempt.answered.changes.files)) == (None, {"a.py"})


def test_a_fresh_start_leaves_it_where_it_is() -> None:
    """Nobody is credited with what was written anew."""
    attempt = set_aside(picked(answers=2)).attempt

    assert attempt.planned.human_commits is None
    assert "was not used" in attempt.spent.reasons[-1]
    assert changed(attempt, reasons=()).base == START
