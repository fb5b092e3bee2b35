"""No answer ends a run: ten thousand odd ones, and a bug that one brings out."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from runner.answers.reply import parse_reply
from runner.files.results import RunFiles
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.state.options import Options, Request
from runner.state.run_state import Status
from tests.runner.fields import changed
from tests.runner.memory_repository import MemoryRepository
from tests.runner.nodes.odd_answers import odd_answer
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import ScriptedModel, answer, block, deps

BASE = {
    "ROADMAP.md": "# Plan\n\n- [ ] 1 Make `add` in `calc.py` add\n- [ ] 2 Write `b.py`\n",
    "calc.py": "def add(a, b):\n    return 0\n",
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert 1\n",
}


AUTO = changed(Options(), approval_mode="auto")


class OddModel:
    """Says the odd answers of these numbers, one after another."""

    def __init__(self, first: int) -> None:
        self._seeds = itertools.count(first)
        self.said = 0

    async def ask(self, question):
        self.said += 1
        return answer(odd_answer(next(self._seeds)))


async def run_through(first: int, number: int, folder) -> None:
    """Drive runs until so many answers were read; a bug in a node fails the test."""
    read = 0
    while read < number:
        model = OddModel(first + read)
        ports = deps(model=model, repository=MemoryRepository(BASE), sandbox=RecordingSandbox())
        ports = replace(ports, events=RunFiles(folder / str(read), mask=str))
        ended = await drive(Request("r1", options=AUTO), NODES, ports)
        assert ended.status in ("ended", "waiting")
        assert model.said
        read += model.said


@pytest.mark.sample(1, "ten thousand odd answers")
@pytest.mark.parametrize("part", range(50))
async def test_odd_answers_end_no_run(part, tmp_path):
    """Of ten thousand answers that nobody would think of none ends a run, or keeps it for good."""
    await run_through(part * 1_000, 200, tmp_path)


def test_a_fence_that_names_a_file_right_below_another_is_read():
    """Found by the answers above: reading it had no end. What is read is no YAML, so not taken."""
    text = "conf.yaml\n```y.yaml\n```yaml\na: 1\n```\n"

    found = parse_reply(text, paths=BASE, read=lambda path: BASE[path].encode())

    assert found.changes.files["y.yaml"].content == b"```yaml\na: 1\n"


@pytest.mark.parametrize(
    "node", ["plan_task", "build_context", "execute_task", "validate_code", "write_files",
             "verify_task", "repair_code", "checkpoint", "classify_failure", "propose_recovery"],
)  # fmt: skip
async def test_a_bug_in_a_node_costs_its_task_an_answer_and_not_the_run(node, caplog):
    """Whatever node it is in: the task ends in its own way, the next one is done."""
    bugs, met = [], iter([True])
    real = NODES[node]

    async def broken(state, ports, work):
        if "calc.py" in state.task.text and (state.node in _ENDS or next(met, False)):
            raise KeyError("a bug\ud800")
        return await real(state, ports, work)

    model = Says(node in ("repair_code", "classify_failure", "propose_recovery"))
    ports = deps(model=model, repository=MemoryRepository(BASE), sandbox=RecordingSandbox())
    ports = replace(ports, on_bug=bugs.append)
    options = changed(AUTO, planning="always")

    ended = await drive(Request("r1", options=options), {**NODES, node: broken}, ports)

    first, second = (ended.state.attempts[task.key] for task in ended.state.tasks)
    assert second.status is Status.COMPLETED
    assert first.status not in (Status.IN_PROGRESS, Status.PENDING)
    assert (first.status is Status.COMPLETED) == (node in _AGAIN)
    assert bugs
    assert {type(bug) for bug in bugs} == {KeyError}
    assert any(each.exc_info and "bug" in each.message for each in caplog.records)


_ENDS = ("classify_failure", "propose_recovery")
_AGAIN = ("plan_task", "execute_task", "validate_code", "write_files", "verify_task")
"""Nodes after whose bug the task is asked about again, or goes on."""


class Says:
    """A model that does both tasks, or of the first one nothing that can be read."""

    def __init__(self, fails: bool) -> None:
        self._fails = fails

    async def ask(self, question):
        text = "\n".join(message.content for message in question.messages)
        if "Write `b.py`" in text:
            return answer(block("b.py", "B = 1"))
        return answer("no" if self._fails else block("calc.py", "def add(a, b):\n    return a + b"))


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"files": [{"path": "a\ud800.py", "content": "x = 1\n"}]}),
        json.dumps({"files": [{"path": "calc.py", "content": "x = '\ud800'\n"}]}),
        json.dumps({"path": "calc.py\udcff", "search": "return 0", "replace": "return 1"}),
    ],
    ids=["path", "content", "edit"],
)
async def test_half_a_character_is_refused_and_asked_about(reply, tmp_path):
    """JSON can say what no file can hold: the answer is refused, and the next one counts."""
    model = ScriptedModel(reply, block("calc.py", "def add(a, b):\n    return a + b"))
    base = BASE | {"ROADMAP.md": "- [ ] 1 Make `add` in `calc.py` add\n"}
    ports = deps(model=model, repository=MemoryRepository(base), sandbox=RecordingSandbox())
    ports = replace(ports, events=RunFiles(tmp_path, mask=str))

    ended = await drive(Request("r1"), NODES, ports)

    [attempt] = ended.state.attempts.values()
    assert attempt.status is Status.COMPLETED
    assert attempt.answered.answers == 2
