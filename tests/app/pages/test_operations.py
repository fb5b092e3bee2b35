"""What operators' programs read over HTTP: metrics, the queue, and single wakeups."""

from __future__ import annotations

import re

import pytest

from app.server.metrics import RunMetrics
from app.store.database import open_store
from runner.money import Usage
from runner.state.events import Exchange, ModelAnswered, NodeFinished, RunChanged, Verified
from runner.state.findings import Level, Verification
from tests.app.pages.pages_bench import BEARER, Bench
from tests.app.store.rows import put_wakeup

LINE = re.compile(r'[a-z_]+(\{[a-z]+="([^"\\\n]|\\.)*"(,[a-z]+="([^"\\\n]|\\.)*")*\})? [0-9.]+')


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Bench(store, tmp_path)
    await store.close()


@pytest.fixture
async def client(aiohttp_client, bench):
    return await aiohttp_client(bench.app())


async def metrics(client):
    answer = await client.get("/metrics", headers=BEARER)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return await answer.text()


async def data(client, path, status=200):
    answer = await client.get(path, headers=BEARER)
    assert answer.status == status
    return await answer.json()


PATHS = ["/metrics", "/queue/stats", "/work-orders/x", "/work-orders/x/position"]


@pytest.mark.parametrize("path", PATHS)
async def test_only_the_operator_sees_them(client, bench, path):
    """Neither strangers nor guests of a run."""
    await bench.queue("r1")
    await client.get(bench.link("r1"), headers={"Accept": "text/html"})

    assert (await client.get(path)).status == 401


async def test_metrics_count_what_runs_report(client, bench):
    """Nodes, answers, tokens, money and verifications, in Prometheus' own format."""
    asked = Exchange('gpt "x"\n', "p", "r", 100, 20, "stop", 1.5, 0, 0.25)
    free = Exchange("local", "p", "r", 10, 2, "stop", 0.5, 0, None, cached=8)
    for event in (
        RunChanged("r1", "", "started"),
        NodeFinished("r1", "1", "verify_task", "ok", Usage(2.5)),
        NodeFinished("r1", "1", "verify_task", "ok", Usage(1.0)),
        ModelAnswered("r1", "1", "execute_task", asked),
        ModelAnswered("r1", "1", "execute_task", free),
        Verified("r1", "1", Verification("t", (Level("tests", "failed"),))),
    ):
        await bench.metrics.emit(event)
    text = await metrics(client)

    assert 'cairn_node_finished_total{node="verify_task",outcome="ok"} 2\n' in text
    assert 'cairn_node_seconds_total{node="verify_task"} 3.5\n' in text
    assert 'cairn_model_dollars_total{model="gpt \\"x\\"\\n"} 0.25\n' in text
    assert 'cairn_model_tokens_total{model="local",kind="prompt"} 10\n' in text
    assert 'cairn_model_cached_tokens_total{model="local"} 8\n' in text
    assert 'cairn_model_unpriced_total{model="local"} 1\n' in text
    assert 'cairn_verifications_total{result="failed"} 1\n' in text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not LINE.fullmatch(line)] == []


async def test_metrics_say_how_much_there_is(client, bench):
    """Runs and the queue, and how long the first has waited."""
    await bench.queue("r1", "r2")
    await put_wakeup(bench.store, "r1-0", "r1", "waiting", bench.clock.now())
    bench.clock.forward(90)
    text = await metrics(client)

    assert 'cairn_runs{status="queued"} 2\n' in text
    assert 'cairn_wakeups{status="waiting"} 1\n' in text
    assert "cairn_queue_oldest_seconds 90\n" in text
    assert 'cairn_deliveries{status="stored"} 0\n' in text


async def test_labels_are_bounded():
    """A thousand names of models do not fill the memory."""
    counted = RunMetrics()
    for number in range(1_000):
        asked = Exchange(f"m{number}", "", "", 1, 1, "stop", 0.1, 0, None)
        await counted.emit(ModelAnswered("r", "1", "execute_task", asked))

    calls = counted.counters["cairn_model_calls_total"]
    assert len(calls) == 201
    assert sum(calls.values()) == 1_000


async def test_the_queue_in_numbers(client, bench):
    """How many wait and work, how many may, and for how long the first has waited."""
    await bench.queue("r1", "r2")
    await put_wakeup(bench.store, "r1-0", "r1", "sent", bench.clock.now())
    await put_wakeup(bench.store, "r2-0", "r2", "waiting", bench.clock.now())
    bench.clock.forward(30)

    stats = await data(client, "/queue/stats")
    assert (stats["waiting"], stats["at_work"], stats["at_once"]) == (1, 1, 2)
    assert stats["oldest_waiting_seconds"] == 30
    assert stats["runs"] == {"queued": 2}
    assert [(each["waiting"], each["at_work"]) for each in stats["shares"]] == [(1, 1)]
    assert stats["run_seconds"] is None


async def test_one_wakeup_and_its_place(client, bench):
    """Urgent ones go first, then older ones; what works has no place."""
    await bench.queue("r1", "r2", "r3")
    now = bench.clock.now()
    await put_wakeup(bench.store, "r1-0", "r1", "sent", now)
    await put_wakeup(bench.store, "r2-0", "r2", "waiting", now)
    await put_wakeup(bench.store, "r3-0", "r3", "waiting", now, priority=5)

    assert await data(client, "/work-orders/r2-0/position") == {
        "id": "r2-0",
        "status": "waiting",
        "position": 2,
    }
    assert (await data(client, "/work-orders/r3-0"))["position"] == 1
    assert (await data(client, "/work-orders/r1-0"))["position"] == 0
    assert "no wakeup" in (await data(client, "/work-orders/nothing", 404))["error"]
