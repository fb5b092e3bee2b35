"""Small neighbours worked on as one: one attempt, one checkpoint, several ticks, or none at all."""

from __future__ import annotations

from runner.loop.driver import drive
from runner.nodes import NODES
from runner.people.report import todos
from runner.state.options import Options, Request
from runner.state.run_state import Status
from tests.runner.fields import changed
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import MemoryJournal, ScriptedModel, block, deps

ROADMAP = (
    "- [ ] 1.1 Say `A` in `words.txt`\n- [ ] 1.2 Say `B` in `words.txt`\n"
    "- [ ] 1.3 Say `C` in `words.txt`\n- [ ] 1.4 Write `other.txt`\n"
)
ALL = block("words.txt", "A\nB\nC")
OTHER = block("other.txt", "x")


def request(**options: object) -> Request:
    """A run that may group three tasks."""
    return Request("r1", options=changed(Options(), grouping=3, recovery=False, **options))


async def test_three_small_tasks_are_one_checkpoint() -> None:
    """One question names them all, one commit ticks them all, and each is completed."""
    repository, model = MemoryRepository({"ROADMAP.md": ROADMAP}), ScriptedModel(ALL, OTHER)
    ended = await drive(request(), NODES, deps(model=model, repository=repository))
    first, second = repository.checkpoints.values()

    assert ended.status == "ended"
    assert all(f"Say `{letter}`" in model.questions[0].messages[-1].content for letter in "ABC")
    assert (first.members, second.members) == (tuple(t.key for t in ended.state.tasks[1:3]), ())
    assert [name for name, _ in first.text.trailers].count("Cairn-Task") == 3
    assert repository.text(ended.state.stack.tip, "ROADMAP.md").count("[x]") == 4
    assert {ended.state.status(task) for task in ended.state.tasks} == {Status.COMPLETED}
    assert (len(ended.state.attempts), ended.state.picked) == (2, 4)


async def test_a_group_that_fails_falls_apart() -> None:
    """Its tasks are then worked on one by one, and the failure is nobody's."""
    repository = MemoryRepository({"ROADMAP.md": ROADMAP})
    alone = [block("words.txt", text) for text in ("A", "A\nB", "A\nB\nC")]
    model = ScriptedModel(*["nothing"] * 3, *alone, OTHER)
    ended = await drive(request(), NODES, deps(model=model, repository=repository))

    assert ended.status == "ended"
    assert len(repository.checkpoints) == 4
    assert {ended.state.status(task) for task in ended.state.tasks} == {Status.COMPLETED}
    statuses = [todo["status"] for todo in todos(ended.state)["todos"]]  # type: ignore[index,attr-defined]
    assert statuses == ["completed"] * 4


async def test_the_limit_counts_tasks_not_groups() -> None:
    """--max-tasks 2 takes two of the three."""
    repository = MemoryRepository({"ROADMAP.md": ROADMAP})
    model = ScriptedModel(block("words.txt", "A\nB"))
    ended = await drive(request(max_tasks=2), NODES, deps(model=model, repository=repository))

    assert repository.text(ended.state.stack.tip, "ROADMAP.md").count("[x]") == 2


async def test_without_grouping_every_task_is_its_own() -> None:
    """It is off unless somebody asks for it."""
    repository = MemoryRepository({"ROADMAP.md": ROADMAP})
    model = ScriptedModel(block("words.txt", "A"))
    one = Request("r1", options=changed(Options(), max_tasks=1))
    ended = await drive(one, NODES, deps(model=model, repository=repository))

    assert repository.text(ended.state.stack.tip, "ROADMAP.md").count("[x]") == 1


async def test_a_group_survives_a_crash() -> None:
    """The journal knows who goes together."""
    repository, journal = MemoryRepository({"ROADMAP.md": ROADMAP}), MemoryJournal()
    first = deps(model=ScriptedModel(ALL, OTHER), repository=repository, journal=journal)
    ended = await drive(request(), NODES, first)
    again = await drive(request(), NODES, deps(repository=repository, journal=journal))

    assert again.state == ended.state
