"""Tasks side by side: each in its own box, one line of commits, nothing twice after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from runner.errors import Outage, Stopped
from runner.loop.driver import drive, driving
from runner.nodes import NODES
from runner.prompts.questions import Answer, Question
from runner.state.events import Advanced
from runner.state.options import Options, Request
from runner.state.run_state import RunState, Status
from tests.runner.fields import changed
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import Killed, MemoryJournal, Recorder, answer, block, deps

ROADMAP = "- [ ] T1 Write `a.py`\n- [ ] T2 Write `b.py`\n- [ ] T3 Write `c.py`\n"
FILES = {"ROADMAP.md": ROADMAP}


class Meeting:
    """A model that answers only once ``size`` questions wait for it at the same time."""

    def __init__(self, size: int, answers: Mapping[str, str]) -> None:
        self._size = size
        self._answers = answers
        self._waiting = 0
        self._met = asyncio.Event()
        self.most = 0

    async def ask(self, question: Question) -> Answer:
        self._waiting += 1
        self.most = max(self.most, self._waiting)
        if self._waiting >= self._size:
            self._met.set()
        await self._met.wait()
        self._waiting -= 1
        asked = question.messages[-1].content
        return answer(next(reply for path, reply in self._answers.items() if f"`{path}`" in asked))


def blocks(*paths: str) -> dict[str, str]:
    """The right answer for each file."""
    return {path: block(path, f"{path[0].upper()} = 1") for path in paths}


def request(parallel: int = 2, **options: object) -> Request:
    """A run of that many tasks side by side."""
    return Request(
        "r1", options=changed(Options(), parallel=parallel, verify_mode="off", **options)
    )


async def final(parallel: int) -> tuple[dict[str, bytes], int]:
    """The tree a whole run leaves, and how many questions waited at once."""
    repository = MemoryRepository(FILES)
    model = Meeting(parallel, blocks("a.py", "b.py", "c.py"))
    ended = await drive(
        request(parallel),
        NODES,
        deps(model=model, repository=repository),  # type: ignore[arg-type]
    )
    assert {ended.state.status(task) for task in ended.state.tasks} == {Status.COMPLETED}
    tree = repository.commits[ended.state.stack.tip]
    return {path: content for path, (_, content) in tree.items()}, model.most


async def test_two_at_a_time_end_as_one_at_a_time() -> None:
    """Two questions wait together, and the tree in the end is the one of a run in sequence."""
    (one, alone), (two, together) = await final(1), await final(2)

    assert (alone, together) == (1, 2)
    assert two == one


async def test_each_task_has_its_own_box() -> None:
    """Nothing one task writes is seen by another before it is committed."""
    sandbox = RecordingSandbox()
    model = Meeting(3, blocks("a.py", "b.py", "c.py"))
    options = {"parallel": 3}
    await drive(
        Request("r1", options=changed(Options(), **options)),
        NODES,
        deps(model=model, repository=MemoryRepository(FILES), sandbox=sandbox),  # type: ignore[arg-type]
    )

    assert model.most == 3
    assert all(box.closed for box in sandbox.boxes)
    assert {"a.py", "b.py", "c.py"} <= set(sandbox.seen[-1])


async def test_tasks_that_share_a_file_go_one_after_the_other() -> None:
    """Two tasks that name the same file are never at work together."""
    roadmap = "- [ ] T1 Write `a.py`\n- [ ] T2 Say more in `a.py`\n"
    repository = MemoryRepository({"ROADMAP.md": roadmap})

    class Twice(Meeting):
        async def ask(self, question: Question) -> Answer:
            said = await super().ask(question)
            more = "say more" in question.messages[-1].content.lower()
            return answer(said.text.replace("1", "2") if more else said.text)

    model = Twice(1, blocks("a.py"))
    ended = await drive(request(), NODES, deps(model=model, repository=repository))  # type: ignore[arg-type]

    assert model.most == 1
    assert ended.state.picked == 2


@pytest.mark.parametrize("save", range(3, 40, 3))
async def test_killed_while_two_are_at_work(save: int) -> None:
    """Both are taken up again where they were, and each leaves one checkpoint."""
    repository, journal = MemoryRepository(FILES), MemoryJournal(dies_after=save)
    answers = blocks("a.py", "b.py", "c.py")
    try:
        await drive(
            request(),
            NODES,
            deps(model=Meeting(1, answers), repository=repository, journal=journal),  # type: ignore[arg-type]
        )
    except Killed:
        journal.dies_after = None
    ended = await drive(
        request(),
        NODES,
        deps(model=Meeting(1, answers), repository=repository, journal=journal),  # type: ignore[arg-type]
    )

    assert ended.status == "ended"
    assert {ended.state.status(task) for task in ended.state.tasks} == {Status.COMPLETED}
    assert len(repository.checkpoints) == 3
    assert repository.text(ended.state.stack.tip, "ROADMAP.md").count("[x]") == 3


async def test_every_event_tells_the_newest_of_all() -> None:
    """A task at work knows the others as they were when its step began; who watches does not."""
    repository, model = MemoryRepository(FILES), Meeting(2, blocks("a.py", "b.py", "c.py"))
    ports = deps(model=model, repository=repository)  # type: ignore[arg-type]
    await drive(request(), NODES, ports)

    seen: dict[str, int] = {}
    assert isinstance(ports.events, Recorder)
    for event in ports.events.events:
        if isinstance(event, Advanced):
            now = {key: a.spent.steps for key, a in event.state.attempts.items()}
            assert all(steps <= now.get(key, 0) for key, steps in seen.items())
            seen = now
    assert len(seen) == 3


async def test_commits_are_added_in_the_order_in_which_tasks_began() -> None:
    """The first one is asked most, and its commit is the first all the same."""
    unusable = "I would rather not."

    class Slow(Meeting):
        async def ask(self, question: Question) -> Answer:
            said = await super().ask(question)
            self.asked = getattr(self, "asked", 0) + 1
            return answer(unusable) if "A = 1" in said.text and self.asked < 3 else said

    repository = MemoryRepository(FILES)
    await drive(
        request(3),
        NODES,
        deps(model=Slow(3, blocks("a.py", "b.py", "c.py")), repository=repository),  # type: ignore[arg-type]
    )

    files = [path for made in repository.checkpoints.values() for path in made.changes.files]
    assert [path for path in files if path != "ROADMAP.md"] == ["a.py", "b.py", "c.py"]


async def test_nothing_is_begun_beside_others_while_another_run_waits() -> None:
    """Those at work go on; the next one begins once the place could be given away."""
    model, waits = Meeting(1, blocks("a.py", "b.py", "c.py")), iter([False] * 2 + [True] * 99)

    async def others_wait() -> bool:
        return next(waits)

    ports = deps(model=model, repository=MemoryRepository(FILES))  # type: ignore[arg-type]
    at_work: dict[int, int] = {}
    async for step in driving(request(3), NODES, replace(ports, others_wait=others_wait)):
        if isinstance(step, RunState):  # how many are at work beside the newest
            at_work.setdefault(len(step.attempts), len(step.at_work))

    assert at_work == {0: 0, 1: 0, 2: 1, 3: 0}


@pytest.mark.parametrize("trouble", [Outage("model", "down"), Stopped("pause")])
async def test_an_outage_lets_the_others_finish_their_step(trouble: Exception) -> None:
    """The run pauses; what another task was just told is saved, and not paid for again."""
    answers = blocks("a.py", "b.py", "c.py")

    class Down(Meeting):
        async def ask(self, question: Question) -> Answer:
            said = await super().ask(question)
            if "B = 1" in said.text:
                raise trouble
            return said

    repository, journal = MemoryRepository(FILES), MemoryJournal()
    model = Down(2, answers)
    paused = await drive(
        request(),
        NODES,
        deps(model=model, repository=repository, journal=journal),  # type: ignore[arg-type]
    )
    first = paused.state.attempts[paused.state.tasks[0].key]
    again = Meeting(1, blocks("b.py", "c.py"))
    ended = await drive(
        request(),
        NODES,
        deps(model=again, repository=repository, journal=journal),  # type: ignore[arg-type]
    )

    assert paused.status == "paused"
    assert first.answered.answers == 1
    assert ended.status == "ended"
    assert len(repository.checkpoints) == 3
