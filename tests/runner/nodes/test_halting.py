"""Whatever the model answers: the run ends, within its limits, and writes nothing unchecked."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.driver import Ended, drive
from runner.errors import TaskError
from runner.events import NodeFinished
from runner.nodes import NODES
from runner.ports import Answer, Question
from runner.state import SETTLED, Options, Request, Status
from runner.strategy import MAX_CALLS, MAX_REPAIRS
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import Files, RecordingSandbox
from tests.runner.scripted import Reply, answer, block, deps

ROADMAP = "# Plan\n- [ ] T1 Write `a.py`\n- [ ] T2 Say more in app.py\n  - [ ] T3 and more\n"
BASE = {
    "ROADMAP.md": ROADMAP,
    "app.py": "X = 1\n",
    "tests/test_app.py": "from app import X\n\n\ndef test_x():\n    assert X\n",
}
STEPS = 24
"""Plan, context, five answers each validated, written and verified, and the escalation."""

CODE = ["Y = 2", "Y = 3", "RED = 1", "RED = 2", "def (:", "X = 1", "", "Y = 'é'"]
PATHS = ["a.py", "app.py", "tests/test_app.py", "ROADMAP.md", "../up.py", ".git/config", "b.json"]
PROSE = ["", "I cannot do that.", "DELETE app.py", "DELETE tests/test_app.py", "{}", "```", "[1]"]

blocks = st.builds(block, st.sampled_from(PATHS), st.sampled_from(CODE))
texts = st.one_of(
    st.lists(blocks, min_size=1, max_size=3).map("\n".join),
    st.sampled_from(PROSE),
    st.text(max_size=30),
)
cut = st.builds(answer, texts, st.sampled_from(["length", "content_filter", "stop"]))
refusals = st.just(TaskError("model", "too long"))
replies: st.SearchStrategy[Reply] = st.one_of(texts, blocks, cut, refusals)


class Babbler:
    """A model that says its replies over and over."""

    def __init__(self, said: list[Reply]) -> None:
        self._said = said
        self.calls = 0

    async def ask(self, question: Question) -> Answer:
        reply = self._said[self.calls % len(self._said)]
        self.calls += 1
        if isinstance(reply, Exception):
            raise reply
        return answer(reply) if isinstance(reply, str) else reply


async def run(said: list[Reply], options: Options):
    """Drive a whole run through the real nodes."""
    repository, sandbox = MemoryRepository(BASE), RecordingSandbox()
    ports = deps(model=Babbler(said), repository=repository, sandbox=sandbox)  # type: ignore[arg-type]
    ended = await drive(Request("r1", options=options), NODES, ports)
    return ended, repository, sandbox, ports


options = st.builds(
    Options,
    loop=st.sampled_from(["hybrid", "repair", "fixed", "ralph"]),
    planning=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(replies, min_size=1, max_size=12), options)
async def test_any_replies(said: list[Reply], options: Options) -> None:
    """The run ends, every task is settled, no limit is passed, nothing unchecked is written."""
    ended, repository, sandbox, ports = await run(said, options)

    check_end(ended)
    check_limits(ended)
    assert len(ports.events.of(NodeFinished)) < STEPS * 3
    for files in sandbox.seen:
        check_files(files)
    for tree in repository.commits.values():
        check_commit({path: content for path, (_, content) in tree.items()})
    assert all(box.closed for box in sandbox.boxes)


def check_end(ended: Ended) -> None:
    """Every piece of work has got its last word."""
    state = ended.state
    assert (ended.status, state.node, state.current) == ("ended", "end", "")
    work = [task for task in state.tasks if task.kind == "work"]
    assert {state.status(task) for task in work} <= SETTLED
    for attempt in state.attempts.values():
        assert (attempt.status is Status.COMPLETED) == bool(attempt.commit)
        assert attempt.failure or attempt.commit


def check_limits(ended: Ended) -> None:
    """The counters of promise 2."""
    for attempt in ended.state.attempts.values():
        assert attempt.answers <= 1 + MAX_CALLS
        assert attempt.code_repairs <= MAX_REPAIRS
        assert attempt.test_repairs <= MAX_REPAIRS
        assert attempt.steps <= STEPS


def check_files(files: Files) -> None:
    """What stands in a box is in the tree, reads as Python, and is not the model's roadmap."""
    for path, content in files.items():
        assert not path.startswith(("..", "/", ".git/"))
        if path.endswith(".py"):
            ast.parse(content)
    assert files["ROADMAP.md"].replace(b"[x]", b"[ ]") == ROADMAP.encode()


def check_commit(files: Files) -> None:
    """What is committed was green as well."""
    check_files(files)
    assert not any(b"RED" in content for content in files.values())
