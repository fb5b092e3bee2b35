"""A node lets an agent work: what it is told, what it is answered, and what counts of its work."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.agents.adapters import ADAPTERS, AgentRequest, adapter_of
from runner.errors import Outage, Stopped, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.model import chat_server
from runner.nodes.generate import execute_task, repair_code, repair_test
from runner.prompts.questions import Call
from runner.sandbox.process import ProcessSandbox
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.options import AgentOptions
from runner.state.run_state import RunState
from runner.text.mask import Mask
from tests.app.agents.scripted_agent import AGENT
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import Reply, ScriptedControl, ScriptedModel, deps
from tests.runner.states import ROADMAP, at, run_state

FILE = "a.py\n```python\n{}\n```\n"


def ports(tmp_path: Path, *says: Reply, control: ScriptedControl | None = None) -> Deps:
    """A repository with an agent in it, which a box without isolation can run."""
    files = {"ROADMAP.md": ROADMAP, "agent.py": AGENT, "a.py": "x = 0\n", "b.py": "y = 0\n"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    return replace(
        deps(
            model=ScriptedModel(*says),
            repository=MemoryRepository(files),
            control=control or ScriptedControl(),
        ),
        sandbox=ProcessSandbox(owner="test", path=path, parent=tmp_path),
        chat_server=chat_server,
    )


def attempt(node: str, *steps: str, **given: Any) -> RunState:
    """An attempt whose agent takes these steps."""
    command = ("python3", "agent.py", *steps)
    return at(node, run_state(agent="command", agent_command=command), **given)


def written(state: RunState) -> dict[str, str | None]:
    """The change set of the attempt, as texts."""
    files = state.attempt.answered.changes.files
    return {path: write and write.content.decode() for path, write in files.items()}


async def test_what_it_changed_is_the_answer(tmp_path: Path) -> None:
    """New, changed and deleted files, but for what it left behind; its questions are paid."""
    steps = ("ask", "Do:", "write", "new/c.py", "z = 1\n", "delete", "b.py", "write", "x.pyc", "?")
    done = await execute_task(
        attempt("execute_task", *steps), ports(tmp_path, FILE.format("x = 1")), TaskWork()
    )

    assert done.outcome == "ok"
    assert written(done.state) == {"a.py": "x = 1\n", "new/c.py": "z = 1\n", "b.py": None}
    assert done.state.attempt.spent.total.calls == 1
    assert not os.listdir(tmp_path)  # noqa: PTH208 - nothing is left of its folder


async def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    """After a crash an agent that calls tools gets the answers it had; what it says is masked."""
    call = {"id": "1", "function": {"arguments": '{"path": "a.py", "text": "x = 1"}'}}
    said = [{"role": "assistant", "tool_calls": [call]}, {"role": "assistant", "content": "Done."}]
    replies = [json.dumps({"choices": [{"message": message}]}) for message in said]
    mine = replace(ports(tmp_path, *replies), mask=Mask(["words-of-ours"]))
    state = attempt("execute_task", "call", "Do with words-of-ours:")

    for _ in range(2):
        done = await execute_task(state, mine, TaskWork())
        assert written(done.state) == {"a.py": "x = 1"}

    first, second = mine.model.questions  # type: ignore[attr-defined]
    assert first.call == second.call == Call("chat/completions")
    assert "words-of-ours" not in first.text + second.text
    assert json.loads(second.messages[0].content)["messages"][-1]["content"] == "written"


async def test_a_repair_goes_on_from_the_change(tmp_path: Path) -> None:
    """Its words are what is wrong; the same change again is not judged again."""
    before = ChangeSet({"a.py": Write(b"x = 2\n")})
    complaint = Complaint("a.py", "SyntaxError", "this line is odd", line=1)
    given = {"changes": before, "complaints": (complaint,), "tried": (before.digest,)}
    mine = ports(tmp_path, FILE.format("x = 3"))
    done = await repair_code(attempt("repair_code", "ask", "Do:", **given), mine, TaskWork())

    assert written(done.state) == {"a.py": "x = 3\n"}
    assert done.state.attempt.answered.code_repairs == 1
    assert "a.py, line 1: this line is odd" in mine.model.questions[0].messages[-1].content  # type: ignore[attr-defined]

    same = attempt("repair_code", "write", "a.py", "x = 2\n", **given)
    again = await repair_code(same, ports(tmp_path), TaskWork())
    assert again.outcome != "ok" or again.state.attempt.checked.complaints


async def test_a_failing_test_is_told(tmp_path: Path) -> None:
    """With its name and its message."""
    failure = TestFailure("test_a.py::test_x", "assert 2 == 3", file="test_a.py", line=4)
    level = Level("tests", "failed", ("pytest",), failures=(failure,))
    state = attempt(
        "repair_test",
        *("ask", "Do:"),
        changes=ChangeSet({"a.py": Write(b"x = 2\n")}),
        verification=Verification("tree", (level,)),
    )
    mine = ports(tmp_path, FILE.format("x = 3"))
    done = await repair_test(state, mine, TaskWork())

    asked = mine.model.questions[0].messages[-1].content  # type: ignore[attr-defined]
    assert "test_a.py::test_x (test_a.py, line 4)" in asked
    assert "assert 2 == 3" in asked
    assert written(done.state) == {"a.py": "x = 3\n"}


async def test_nothing_done_is_an_empty_answer(tmp_path: Path) -> None:
    """Whatever it says; an agent that ends with an error says which."""
    steps = ("print", "All done!", "exit", "4")
    done = await execute_task(attempt("execute_task", *steps), ports(tmp_path), TaskWork())

    (complaint,) = done.state.attempt.checked.complaints
    assert complaint.error == "EmptyAnswer"
    assert complaint.message == (
        "The agent changed nothing and ended with code 4. It printed: All done!"
    )


@pytest.mark.parametrize(
    "failure",
    [Outage("budget", "No money is left."), TaskError("model", "This model refuses.")],
)
async def test_no_more_answers_end_the_agent(tmp_path: Path, failure: Exception) -> None:
    """At once, and the failure is the run's or the task's, as for any question."""
    state = attempt("execute_task", "ask", "Do:", "hang")
    with pytest.raises(type(failure), match=str(failure)):
        await execute_task(state, ports(tmp_path, failure), TaskWork())


async def test_a_stop_request_ends_the_agent(tmp_path: Path) -> None:
    """A person does not wait for the end of its turn."""
    control = ScriptedControl({1: "pause"})
    with pytest.raises(Stopped):
        await execute_task(
            attempt("execute_task", "ask", "Do:", "hang"),
            ports(tmp_path, control=control),
            TaskWork(),
        )


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        *(({"agent": name}, f"agent {name} is not in the sandbox.*install") for name in ADAPTERS),
        (
            {"agent": "command", "agent_command": ("no-such", "x")},
            "there is no no-such on its PATH",
        ),
        (
            {"agent": "command", "agent_command": ("sh", "-c", "no-such x | cat")},
            "no no-such on its PATH. Add it to the image, or to sandbox.setup$",
        ),
    ],
)
async def test_an_agent_that_is_not_there(
    tmp_path: Path, agent: Mapping[str, object], says: str
) -> None:
    """The run pauses and says what to install: no task can be worked on without it."""
    state = at("execute_task", run_state(**agent))
    with pytest.raises(Outage, match=says):
        await execute_task(state, ports(tmp_path), TaskWork())


def test_how_agents_are_started() -> None:
    """With the model, the task and nobody to ask; a command is taken as it stands."""
    request = AgentRequest("do it", "oak-1", "127.0.0.1:1", 9.0, ("a.py",))
    lines = {name: " ".join(each.command(request)) for name, each in ADAPTERS.items()}

    assert "aider --model openai/oak-1 --message-file /tmp/cairn-task.md" in lines["aider"]
    assert lines["aider"].endswith("a.py")
    assert lines["mini-swe-agent"].endswith("-t do it")
    long = replace(request, text="x" * 200_000)
    assert "/tmp/cairn-task.md" in ADAPTERS["mini-swe-agent"].command(long)[-1]
    own = adapter_of(AgentOptions("command", ("make", "it")))
    assert tuple(own.command(request)) == ("make", "it")
    assert adapter_of(AgentOptions("aider")) is ADAPTERS["aider"]
