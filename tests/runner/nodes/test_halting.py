"""Whatever the model answers: the run ends, within its limits, and writes nothing unchecked."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from runner.errors import TaskError
from runner.loop.asking import MAX_CONTINUATIONS
from runner.loop.driver import drive
from runner.loop.strategy import MAX_CALLS, MAX_REPAIRS
from runner.loop.task_pool import Ended
from runner.money import Usage
from runner.nodes import NODES
from runner.nodes.recover import MAX_QUESTIONS
from runner.prompts.questions import Answer, Question
from runner.state.events import NodeFinished
from runner.state.options import Options, Request
from runner.state.proposal import MAX_DEPTH, MAX_REPLACEMENTS
from runner.state.run_state import Status
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import Files, RecordingSandbox
from tests.runner.scripted import Reply, answer, block, deps
from tests.runner.tries import tries

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
TASKS = [
    "unknown",
    "task_too_vague\nIt says little.",
    "task_too_complex",
    "missing_dependency",
    '{"title": "Write `K = 1` to `a.py`", "acceptance": ["`K` is 1"]}',
    '[{"title": "Write `A = 1` to `a.py`"}, {"title": "Write `B = 2` to `b.py`"}]',
    "1. Write `C = 1` to `c.py`\n2. Write `D = 1` to `d.py`\n3. Write `E = 1` to `e.py`",
]
PROSE = ["", "I cannot do that.", "DELETE app.py", "DELETE tests/test_app.py", "{}", "```", "[1]"]

blocks = st.builds(block, st.sampled_from(PATHS), st.sampled_from(CODE))
texts = st.one_of(
    st.lists(blocks, min_size=1, max_size=3).map("\n".join),
    st.sampled_from(PROSE),
    st.sampled_from(TASKS),
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
    planning=st.sampled_from(["auto", "always", "never"]),
)


@tries(1.25)
@given(st.lists(replies, min_size=1, max_size=12), options)
async def test_any_replies(said: list[Reply], options: Options) -> None:
    """The run ends, every task is settled, no limit is passed, nothing unchecked is written."""
    ended, repository, sandbox, ports = await run(said, options)

    check_end(ended)
    check_limits(ended)
    agreed = [attempt.agreed for attempt in ended.state.attempts.values()]
    rewritten = [each.rewritten for each in agreed if each.rewritten]
    tasks = 3 + len(ended.state.replaced.origins)
    assert len(ended.state.replaced.origins) <= MAX_REPLACEMENTS
    assert max(ended.state.depths.values(), default=0) <= MAX_DEPTH + 1
    assert len(ports.events.of(NodeFinished)) < STEPS * 2 * tasks
    allowed = {open_boxes(text) for text in (ROADMAP.encode(), *rewritten)}
    for files in sandbox.seen:
        check_files(files, allowed)
    for tree in repository.commits.values():
        check_commit({path: content for path, (_, content) in tree.items()}, allowed)
    assert all(box.closed for box in sandbox.boxes)


def check_end(ended: Ended) -> None:
    """Every piece of work has got its last word."""
    state = ended.state
    asked = any(a.status is Status.AWAITING_APPROVAL for a in state.attempts.values())
    how = ("waiting", "rest", "") if asked else ("ended", "end", "")
    assert (ended.status, state.node, state.current) == how
    work = [task for task in state.tasks if task.kind == "work"]
    assert not {state.status(task) for task in work} & {Status.PENDING, Status.IN_PROGRESS}
    for attempt in state.attempts.values():
        replaced = attempt.status is Status.REPLACED
        assert (attempt.status is Status.COMPLETED) == (
            bool(attempt.published.commit) and not replaced
        )
        assert replaced == bool(attempt.agreed.rewritten)
        assert attempt.failure or attempt.published.commit


def check_limits(ended: Ended) -> None:
    """The counters of promise 2."""
    for attempt in ended.state.attempts.values():
        assert attempt.answered.answers <= 1 + MAX_CALLS
        assert attempt.answered.code_repairs <= MAX_REPAIRS
        assert attempt.answered.test_repairs <= MAX_REPAIRS
        assert attempt.spent.steps <= STEPS
        assert attempt.spent.usage.get("classify_failure", Usage()).calls <= 1 + MAX_CONTINUATIONS
        asked = attempt.spent.usage.get("propose_recovery", Usage()).calls
        assert asked <= MAX_QUESTIONS * (1 + MAX_CONTINUATIONS)


def open_boxes(roadmap: bytes) -> bytes:
    """The roadmap before anything of it was done."""
    return roadmap.replace(b"[x]", b"[ ]")


def check_files(files: Files, roadmaps: set[bytes]) -> None:
    """What stands in a box is in the tree, reads as Python, and has a roadmap of the run's own."""
    for path, content in files.items():
        assert not path.startswith(("..", "/", ".git/"))
        if path.endswith(".py"):
            ast.parse(content)
    assert open_boxes(files["ROADMAP.md"]) in roadmaps


def check_commit(files: Files, roadmaps: set[bytes]) -> None:
    """What is committed was green as well."""
    check_files(files, roadmaps)
    assert not any(b"RED" in content for content in files.values())
