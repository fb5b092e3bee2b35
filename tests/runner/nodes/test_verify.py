"""Writing the tree into the box and judging what the tests say."""

from __future__ import annotations

import pytest

from runner.errors import Outage
from runner.loop.deps import Deps, TaskWork
from runner.nodes.verify import verify_task, write_files
from runner.state.changes import ChangeSet, Write
from runner.state.events import ModelAnswered, Verified
from runner.state.findings import Verdict
from runner.state.run_state import RunState
from tests.runner.fields import with_attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import Files, RecordingSandbox, says_red
from tests.runner.scripted import Killed, MemoryAnswers, ScriptedModel, block, deps
from tests.runner.states import ROADMAP, at, run_state

UNUSED = "no test uses what changed"

BASE = {"ROADMAP.md": ROADMAP, "test_old.py": "def test_o():\n    assert 1\n"}


def ports(sandbox: RecordingSandbox | None = None, **files: str) -> Deps:
    """The ports of a repository with tests."""
    base = BASE | {f"{name}.py": text for name, text in files.items()}
    return deps(repository=MemoryRepository(base), sandbox=sandbox or RecordingSandbox())


def verifying(code: str, **attempt: object) -> RunState:
    """A task whose code is to be verified."""
    changes = ChangeSet({"a.py": Write(code.encode())})
    return at("verify_task", answers=1, changes=changes, **attempt)


async def test_writing() -> None:
    """The box holds base and change set, to the byte."""
    sandbox = RecordingSandbox()
    step = await write_files(verifying("A = 1\r\n"), ports(sandbox), TaskWork())

    assert step.outcome == "ok"
    assert sandbox.seen == [
        {path: text.encode() for path, text in BASE.items()} | {"a.py": b"A = 1\r\n"}
    ]


async def test_green() -> None:
    """Green tests lead to the checkpoint; they are kept and told, as are those of the base."""
    asked = ports()
    step = await verify_task(verifying("A = 1\n"), asked, TaskWork())

    assert step.outcome == "ok"
    assert step.state.attempt.tested.verification
    assert step.state.attempt.tested.verification.verified
    assert step.state.attempt.tested.verdict == Verdict("unbroken", UNUSED, untested=())
    assert len(asked.events.of(Verified)) == 2  # type: ignore[attr-defined]


async def test_red() -> None:
    """Red tests lead to a repair that knows the failures."""
    step = await verify_task(verifying("A = 'RED'\n"), ports(), TaskWork())
    attempt = step.state.attempt

    assert step.outcome == "rejected"
    assert attempt.tested.verification
    assert len(attempt.tested.verification.failures) == 1
    assert "a.py" in attempt.answered.avoid[0]
    assert attempt.answered.tried == (attempt.answered.changes.digest,)


async def test_a_machine_that_got_busy() -> None:
    """Tests may take longer where those of the base do, too, though they ended at once before."""
    sandbox, work = RecordingSandbox(), TaskWork()
    old = ports(sandbox, old="O = 'RED'\n")
    await verify_task(verifying("A = 'RED'\n"), old, work)
    sandbox.seconds = lambda files: 100.0 if "a.py" in files else 400.0
    step = await verify_task(verifying("A = 1\n"), old, work)

    assert step.outcome == "ok"


async def test_tests_that_end_no_more() -> None:
    """Where the base's tests end at once, the others are not waited for."""
    sandbox = RecordingSandbox()
    sandbox.seconds = lambda files: 100.0 if "a.py" in files else 0.0
    step = await verify_task(verifying("A = 1\n"), ports(sandbox), TaskWork())

    assert step.outcome == "rejected"
    assert "the tests timed out after 30 s" in step.state.attempt.answered.avoid[0]


async def test_red_without_a_call_left() -> None:
    """Red tests after the last call end the attempt."""
    step = await verify_task(with_attempt(verifying("A = 'RED'\n"), answers=5), ports(), TaskWork())

    assert step.outcome == "exhausted"


async def test_what_was_red_before() -> None:
    """A test that fails without the change as well is not the change's fault."""
    step = await verify_task(verifying("A = 1\n"), ports(old="O = 'RED'\n"), TaskWork())

    assert step.outcome == "ok"
    assert "before this change" in step.state.attempt.spent.reasons[-1]


async def test_what_became_red() -> None:
    """A new failure beside an old one is the change's fault."""
    step = await verify_task(verifying("A = 'RED'\n"), ports(old="O = 'RED'\n"), TaskWork())

    assert step.outcome == "rejected"


async def test_a_change_that_takes_every_test_away() -> None:
    """Where there were tests, having none is not "nothing to run" but a failure with its reason."""
    gone = ChangeSet({"a.py": Write(b"A = 1\n"), "test_old.py": None})
    step = await verify_task(at("verify_task", answers=1, changes=gone), ports(), TaskWork())

    assert step.outcome == "rejected"
    assert "deletes every test" in step.state.attempt.answered.avoid[0]


async def test_a_tree_is_verified_once() -> None:
    """The same tree is not put through its tests again, and neither is the base."""
    sandbox = RecordingSandbox()
    asked = ports(sandbox)
    work = TaskWork()
    first = await verify_task(verifying("A = 1\n"), asked, work)
    second = await verify_task(verifying("A = 1\n"), asked, work)

    assert len(asked.events.of(Verified)) == 2  # type: ignore[attr-defined]
    assert first.state.attempt.tested.verification == second.state.attempt.tested.verification


async def test_after_a_verification_comes_a_fresh_box() -> None:
    """What ran in a box may have left anything there: the next tree is written into another one."""
    sandbox = RecordingSandbox()
    asked = ports(sandbox)
    work = TaskWork()
    await write_files(verifying("A = 1\n"), asked, work)
    await verify_task(verifying("A = 1\n"), asked, work)
    await write_files(verifying("A = 1\n"), asked, work)

    assert [box.closed for box in sandbox.boxes] == [True, True, True, False]
    *_, last = sandbox.seen
    assert last["a.py"] == b"A = 1\n"


async def test_another_task_gets_another_box() -> None:
    """A box serves one task and is gone when the next one opens its own."""
    sandbox = RecordingSandbox()
    asked = ports(sandbox)
    work = TaskWork()
    await write_files(verifying("A = 1\n"), asked, work)
    other = at("write_files", number=1, changes=ChangeSet({"b.py": Write(b"B = 1\n")}))
    await write_files(other, asked, work)

    assert [(box.closed, box.spec.task) for box in sandbox.boxes] == [
        (True, run_state().tasks[0].key),
        (False, run_state().tasks[1].key),
    ]


async def test_a_dead_engine() -> None:
    """A dead engine is an outage, never a finding; nothing is remembered of it."""
    sandbox = RecordingSandbox()
    asked = ports(sandbox)
    sandbox.outages = [Outage("sandbox", "engine down")]
    with pytest.raises(Outage):
        await verify_task(verifying("A = 1\n"), asked, TaskWork())

    assert (await verify_task(verifying("A = 1\n"), asked, TaskWork())).outcome == "ok"


@pytest.mark.parametrize(("count", "untested"), [(0, ("quiet.py",)), (500, None)])
async def test_whether_a_file_is_tested_is_not_known_where_tests_were_not_read(
    count: int, untested: tuple[str, ...] | None
) -> None:
    """Of very many tests some are not read; one of those may start the file by its name."""
    tests = {f"tests/test_{number:03}": "def test_o(): ...\n" for number in range(count)}
    asked = ports(**tests, **{"tests/test_it": "import b\n"})
    changes = ChangeSet({"quiet.py": Write(b"A = 1\n"), "b.py": Write(b"B = 1\n")})
    state = with_attempt(verifying(""), changes=changes)
    step = await verify_task(state, asked, TaskWork())

    assert step.state.attempt.tested.verdict
    assert step.state.attempt.tested.verdict.untested == untested


async def test_a_test_is_asked_for_once_also_by_a_process_after_one_that_died() -> None:
    """The answer was paid for before the end came; its exchange belongs to the verification."""
    model, answers, sandbox = ScriptedModel(), MemoryAnswers(), RecordingSandbox()
    model.tests.append(block("test_a_as_asked.py", "import a\n\n\ndef test_a():\n    assert a.A\n"))
    died = []

    def dies_once(files: Files) -> list[str]:
        if "test_a_as_asked.py" in files and not died:
            died.append(True)
            raise Killed
        return says_red(files)

    sandbox.rule = dies_once
    base = MemoryRepository(BASE | {"a.py": "A = 0\n"})
    used = deps(model=model, repository=base, sandbox=sandbox, answers=answers)
    with pytest.raises(Killed):
        await verify_task(verifying("A = 1\n"), used, TaskWork())
    step = await verify_task(verifying("A = 1\n"), used, TaskWork())

    assert (step.outcome, len(model.apart)) == ("ok", 1)
    assert [each.node for each in used.events.of(ModelAnswered)] == ["verify_task"]  # type: ignore[attr-defined]
    assert step.state.attempt.spent.total.calls == 1
    assert step.state.attempt.calls == 0
