"""The hub of events: in order, from where a reader left, and nobody waits for a reader."""

from __future__ import annotations

import asyncio

from app.runs.live import Hub
from runner.state.events import Exchange as Answered
from runner.state.events import ModelAnswered, NodeStarted, RunChanged
from tests.app.server.webhooks import FixedClock

SILENCE = 0.01
"""Seconds until a reader that hears nothing is told so."""


def started(n):
    return NodeStarted("r1", "", f"node{n}")


async def read(hub, count, after=""):
    """The nodes of the next messages."""
    found = []
    async for message in hub.follow("r1", after=after, patience=5):
        found.append(message)
        if len(found) == count:
            break
    return found


def nodes(messages):
    return [message.data.get("node") for message in messages]


async def test_a_reader_hears_what_was_and_what_comes():
    """Messages of before and after the reader's coming arrive in order."""
    hub = Hub(FixedClock())
    await hub.emit(started(1))
    reader = asyncio.create_task(read(hub, 2))
    await asyncio.sleep(0)
    await hub.emit(started(2))

    assert nodes(await reader) == ["node1", "node2"]


async def test_a_reader_goes_on_after_the_last_it_heard():
    """With the id of a message, only newer ones are sent."""
    hub = Hub(FixedClock())
    for n in (1, 2, 3):
        await hub.emit(started(n))
    first, *_ = await read(hub, 3)

    assert nodes(await read(hub, 2, after=first.id)) == ["node2", "node3"]


async def test_an_id_of_another_process_counts_for_nothing():
    """After a restart numbers begin anew, so that an old id does not hide new messages."""
    old, new = Hub(FixedClock()), Hub(FixedClock())
    for n in range(5):
        await old.emit(started(n))
    last = (await read(old, 5))[-1]
    await new.emit(started(1))

    assert nodes(await read(new, 1, after=last.id)) == ["node1"]


async def test_only_the_newest_are_kept():
    """The ring of a run is bounded."""
    hub = Hub(FixedClock(), keep=2)
    for n in range(5):
        await hub.emit(started(n))

    assert nodes(await read(hub, 2)) == ["node3", "node4"]
    assert nodes(hub.newest("r1", 9)) == ["node4", "node3"]


async def test_a_slow_reader_is_dropped():
    """Who falls behind what is kept is sent away, and the run has not waited."""
    hub = Hub(FixedClock(), keep=2)
    await hub.emit(started(0))
    stream = hub.follow("r1", patience=5)
    await anext(stream)
    for n in range(1, 6):
        await hub.emit(started(n))

    assert [message async for message in stream] == []


async def test_a_silence_is_told():
    """A reader who hears nothing for so long gets None, and can beat."""
    hub = Hub(FixedClock())
    stream = hub.follow("r1", patience=SILENCE)

    assert await anext(stream) is None
    await stream.aclose()


async def test_the_stream_ends_with_the_run():
    """After the run's last word the stream is over, for those who come late too."""
    hub = Hub(FixedClock())
    await hub.emit(RunChanged("r1", "", "ended"))

    for _ in range(2):
        told = [message async for message in hub.follow("r1", patience=5)]
        assert [message.data["status"] for message in told] == ["ended"]


async def test_closing_ends_every_stream():
    """The server's stop waits for no reader."""
    hub = Hub(FixedClock())
    reader = asyncio.create_task(read(hub, 1))
    await asyncio.sleep(0)
    await hub.close()

    assert await reader == []


async def test_runs_silent_for_longest_are_forgotten():
    """Memory is bounded by the number of runs that are kept; their readers are sent away."""
    hub = Hub(FixedClock(), runs=2)
    await hub.emit(started(1))
    reader = asyncio.create_task(read(hub, 2))
    await asyncio.sleep(0)
    for run in ("r2", "r3"):
        await hub.emit(NodeStarted(run, "", "x"))

    assert nodes(await reader) == ["node1"]
    assert hub.newest("r1", 9) == []


async def test_prompts_and_answers_are_not_told():
    """Watchers learn what a model call used, not what was said."""
    hub = Hub(FixedClock())
    said = Answered("m", "the prompt", "the reply", 3, 4, "stop", 0.5, 0, None)
    await hub.emit(ModelAnswered("r1", "", "execute_task", said))

    (message,) = hub.newest("r1", 1)
    assert message.data["tokens"] == 7
    assert not {"the prompt", "the reply"} & set(map(str, message.data.values()))


async def test_secrets_are_masked():
    """No secret of the server is told, whatever an error says."""
    hub = Hub(FixedClock(), mask=lambda text: text.replace("hunter2", "***"))
    await hub.emit(RunChanged("r1", "", "paused", "refused hunter2"))

    assert hub.newest("r1", 1)[0].data["detail"] == "refused ***"
