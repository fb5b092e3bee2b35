"""The durable engine on a real SQLite file: worked once, taken up again, and nothing strange."""

from __future__ import annotations

import asyncio
import base64
import logging
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy.engine import Connection

from app.jobs.engine import VERSION, Engine, RemoteError
from app.jobs.worker import SegmentEngine
from app.logs import set_up_logging
from app.store.database import open_store
from runner.errors import Outage
from tests.app.jobs.engine_kit import Data, Steps, Stuck, ended, recorded, worked
from tests.scenarios.in_process import InProcessEngine
from tests.scenarios.template import used_database


@pytest.fixture
def make() -> Callable[[str], SegmentEngine]:
    """The server's engine; ``EITHER`` asks the same of the one that conversations use."""
    return Engine


EITHER = pytest.mark.parametrize("make", [Engine, InProcessEngine])


@pytest.fixture
async def data(tmp_path: Path, make: Callable[[str], SegmentEngine]) -> AsyncIterator[Data]:
    """A database as an earlier server left it."""
    await used_database(tmp_path)
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Data(tmp_path, store, make)
    await store.close()


@EITHER
async def test_an_order_is_worked_once(data: Data) -> None:
    """A wakeup that is enqueued twice, also in a later transaction, is worked once."""
    steps = Steps()
    async with data.engine(steps.take) as engine:
        await data.enqueue(engine, "a", "a")
        await worked(steps.done)
        await ended(engine, "a")
        steps.done.clear()
        await data.enqueue(engine, "a", "b")
        await worked(steps.done)

    assert steps.taken == ["a", "b"]


@EITHER
async def test_steps_are_taken_until_one_is_the_last(data: Data) -> None:
    """The engine asks for steps as long as they say that there is more."""
    steps = Steps(True, True, False)
    async with data.engine(steps.take) as engine:
        await data.enqueue(engine, "a")
        await worked(steps.done)

    assert steps.taken == ["a", "a", "a"]


@EITHER
async def test_a_transaction_that_is_rolled_back(data: Data) -> None:
    """A wakeup of a transaction that failed was never given."""
    steps = Steps()
    async with data.engine(steps.take) as engine:

        def fails(connection: Connection) -> None:
            engine.enqueue(connection, "gone")
            raise LookupError

        with suppress(LookupError):
            await data.store.write(fails)
        await data.enqueue(engine, "kept")
        await worked(steps.done)
        assert await engine.lost(["gone"]) == ["gone"]

    assert steps.taken == ["kept"]


@EITHER
async def test_what_was_cut_off_is_taken_again(data: Data) -> None:
    """A step that ``stop`` cut off is taken by the next engine, one that was finished is not."""
    stuck, steps = Stuck(), Steps()

    async def take(wakeup: str) -> bool:
        return await (steps if wakeup == "finished" else stuck).take(wakeup)

    async with data.engine(take) as engine:
        await data.enqueue(engine, "finished")
        await worked(steps.done)
        await ended(engine, "finished")
        await data.enqueue(engine, "cut")
        await worked(stuck.begun)
    again = Steps()
    async with data.engine(again.take):
        await worked(again.done)

    assert again.taken == ["cut"]


async def test_a_finished_step_is_not_taken_again(data: Data) -> None:
    """In a wakeup that was cut off only the step at work is taken again."""
    begun, taken = asyncio.Event(), []

    async def take(wakeup: str) -> bool:
        taken.append(len(taken))
        if len(taken) == 3:
            begun.set()
            await asyncio.Event().wait()
        return True

    async with data.engine(take) as engine:
        await data.enqueue(engine, "a")
        await worked(begun)
    again = Steps()
    async with data.engine(again.take) as engine:
        await worked(again.done)
        await recorded("a")
    steps = data.rows("SELECT function_id FROM operation_outputs WHERE workflow_uuid = 'a'")

    assert (len(taken), again.taken, len(steps)) == (3, ["a"], 3)


async def test_an_order_whose_last_step_is_taken_when_the_engine_stops(
    data: Data, caplog: pytest.LogCaptureFixture
) -> None:
    """It is written down as worked before the engine is gone: nothing is cut off, nothing said."""
    steps = Steps()
    async with data.engine(steps.take) as engine:
        await data.enqueue(engine, "a")
        await worked(steps.done)

    assert data.rows("SELECT status FROM workflow_status") == [("SUCCESS",)]
    assert [record.message for record in caplog.records if record.name == "dbos"] == []


async def test_what_was_enqueued_when_the_process_ended(data: Data) -> None:
    """A wakeup that no step was taken of is worked by the next engine."""
    async with data.engine(Stuck().take) as engine:

        def delayed(connection: Connection) -> None:
            engine.enqueue(connection, "a")
            connection.exec_driver_sql(
                "UPDATE workflow_status SET status = 'DELAYED', delay_until_epoch_ms = 1"
            )

        await data.store.write(delayed)
    steps = Steps()
    async with data.engine(steps.take):
        await worked(steps.done)

    assert steps.taken == ["a"]


async def test_a_step_that_raises_is_lost(data: Data) -> None:
    """What a step raises ends its wakeup, and only this one."""
    steps = Steps()

    async def take(wakeup: str) -> bool:
        if wakeup == "bad":
            raise LookupError("no such run")
        return await steps.take(wakeup)

    async with data.engine(take) as engine:
        await data.enqueue(engine, "bad", "good")
        await worked(steps.done)
        with pytest.raises(RemoteError, match="LookupError: no such run"):
            await recorded("bad")
        assert await engine.lost(["bad"]) == ["bad"]
    rows = data.rows("SELECT status FROM workflow_status WHERE workflow_uuid = 'bad'")

    assert rows == [("ERROR",)]


@EITHER
async def test_lost_are_those_that_will_not_be_worked(data: Data) -> None:
    """Unknown and finished wakeups are lost; those at work or waiting are not."""
    steps, stuck = Steps(), Stuck()

    async def take(wakeup: str) -> bool:
        return await (steps if wakeup == "finished" else stuck).take(wakeup)

    async with data.engine(take) as engine:
        await data.enqueue(engine, "finished", "working")
        await worked(steps.done)
        await worked(stuck.begun)
        await ended(engine, "finished")
        await data.enqueue(engine, "waiting")

        lost = await engine.lost(["unknown", "finished", "working", "waiting"])
        assert lost == ["finished", "unknown"]
        assert await engine.lost([]) == []


async def test_another_process_on_the_file(data: Data) -> None:
    """A second process on a file is told who has it and what to do; the first one goes on."""
    program = (
        "import asyncio, sys\nfrom app.jobs.engine import Engine\n"
        "from runner.errors import Outage\n"
        "async def nothing(wakeup): return False\n"
        "try: asyncio.run(Engine(sys.argv[1]).start(nothing))\n"
        "except Outage as outage: print(outage)"
    )
    steps = Steps()
    async with data.engine(steps.take) as engine:
        command = [sys.executable, "-c", program, f"sqlite:///{data.file}"]
        ended = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, check=True
        )
        await data.enqueue(engine, "a")
        await worked(steps.done)

    assert str(data.file) in ended.stdout
    assert "CAIRN_DATA_DIR" in ended.stdout


async def test_a_second_engine_in_the_process(data: Data) -> None:
    """An engine that was refused may be stopped: the one that works does not notice."""
    steps = Steps()
    async with data.engine(steps.take) as engine:
        second = Engine(f"sqlite:///{data.file}")
        with pytest.raises(Outage, match="Another process"):
            await second.start(Stuck().take)
        await second.stop()
        await data.enqueue(engine, "a")
        await worked(steps.done)

    assert steps.taken == ["a"]


@EITHER
async def test_engines_follow_each_other_in_a_loop(data: Data) -> None:
    """After ``stop`` the loop's threads work, and an engine may start again."""
    for wakeup in ("a", "b", "c"):
        steps = Steps()
        async with data.engine(steps.take) as engine:
            await data.enqueue(engine, wakeup)
            await worked(steps.done)
        assert await asyncio.to_thread(str, steps.taken) == f"['{wakeup}']"


async def test_a_pickled_row_is_refused(data: Data, tmp_path: Path) -> None:
    """A row that is marked as pickle runs no code: its wakeup is not worked, others are."""
    marker = tmp_path / "unpickled"
    steps = Steps()
    async with data.engine(Stuck().take) as engine:

        def pickled(connection: Connection) -> None:
            engine.enqueue(connection, "evil")
            connection.exec_driver_sql(
                "UPDATE workflow_status SET serialization = 'py_pickle', inputs = ?",
                (_pickled(marker),),
            )

        await data.store.write(pickled)
    async with data.engine(steps.take) as engine:
        await data.enqueue(engine, "good")
        await worked(steps.done)
        with pytest.raises(ValueError, match="pickled row is refused"):
            await recorded("evil")
        assert await engine.lost(["evil"]) == ["evil"]

    assert steps.taken == ["good"]
    assert not marker.exists()


def _pickled(marker: Path) -> str:
    """Arguments as DBOS's own serializer writes them, which make a file when they are read."""

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str, str]]:
            return open, (str(marker), "w")

    return base64.b64encode(pickle.dumps(Evil())).decode()


async def test_a_row_of_another_version_stays(data: Data) -> None:
    """A wakeup of another application version is not touched: its code is not here."""
    steps = Steps()
    async with data.engine(steps.take) as engine:

        def both(connection: Connection) -> None:
            engine.enqueue(connection, "newer")
            connection.exec_driver_sql(
                "UPDATE workflow_status SET application_version = 'schema-9999'"
            )
            engine.enqueue(connection, "ours")

        await data.store.write(both)
        await worked(steps.done)
    rows = data.rows("SELECT workflow_uuid, status, application_version FROM workflow_status")

    assert steps.taken == ["ours"]
    assert ("newer", "ENQUEUED", "schema-9999") in rows
    assert {version for name, _, version in rows if name == "ours"} == {VERSION}


async def test_log_records_are_ours(data: Data, capsys: pytest.CaptureFixture[str]) -> None:
    """What the engine logs goes through our masked handler and no other."""
    set_up_logging("info")
    async with data.engine(Steps().take):
        logging.getLogger("dbos").error("Authorization: Bearer abcdefgh12345678")
        handlers = logging.getLogger("dbos").handlers
    said = capsys.readouterr()

    assert handlers == []
    assert "abcdefgh12345678" not in said.err + said.out
    assert said.err.count("Authorization: Bearer") == 1


@pytest.mark.parametrize("program", ["import app.cli.main", "from app.cli.main import cli; cli()"])
def test_the_command_line_does_without(program: str) -> None:
    """Neither the import of ``app.cli.main`` nor ``cairn run --help`` imports the engine."""
    told = f"import sys, atexit\natexit.register(lambda: print('dbos' in sys.modules))\n{program}"
    command = [sys.executable, "-c", told, "run", "--help"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)

    assert ended.stdout.splitlines()[-1] == "False"
