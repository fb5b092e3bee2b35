"""What the pages show, over real HTTP on a real database."""

from __future__ import annotations

import asyncio

import pytest

from app.store.database import open_store
from runner.money import Usage
from runner.state.events import Advanced, NodeStarted, RunChanged
from runner.state.findings import Level, Verification
from runner.state.run_state import Failure, Status
from tests.app.pages.pages_bench import BEARER, PAGE, Bench
from tests.app.store.rows import put_wakeup
from tests.runner.states import at, run_state, with_status

HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
async def bench(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield Bench(store)
    await store.close()


@pytest.fixture
async def client(aiohttp_client, bench):
    return await aiohttp_client(bench.app())


async def text(client, path, status=200, **how):
    answer = await client.get(path, headers=PAGE, **how)
    assert answer.status == status
    return await answer.text()


async def data(client, path):
    answer = await client.get(path, headers=BEARER)
    assert answer.status == 200
    return await answer.json()


async def test_an_empty_list_says_so(client):
    """Where there is no run the page says how to start one."""
    assert "There is no run yet" in await text(client, "/")


async def test_the_list_is_paged_newest_first(client, bench):
    """Each run is on one page, the newest first."""
    await bench.queue("r1", "r2", "r3", "r4", "r5")
    seen, path = [], "/runs"
    while path:
        page = await data(client, path)
        seen.append([run["run"] for run in page["runs"]])
        path = page["older"]

    assert seen == [["r5", "r4"], ["r3", "r2"], ["r1"]]


async def test_the_list_can_be_filtered(client, bench):
    """Status and repository choose runs; both are kept on the next page."""
    await bench.queue("r1", "r2", "r3", repository="octo/a b")
    await bench.queue("r4")
    await bench.let("r2", "ended")

    found = await data(client, "/runs?repository=octo/a%20b&status=queued")
    by_name = await data(client, "/runs?repository=octo/a%20b")
    assert [run["run"] for run in found["runs"]] == ["r3", "r1"]
    assert by_name["older"].startswith("/runs?repository=octo%2Fa+b&before=")
    assert "No run matches" in await text(client, "/runs?status=paused")


@pytest.mark.parametrize("query", ["status=lost", "before=x", "before=-1", "before=" + "9" * 30])
async def test_a_filter_nobody_can_mean_is_refused(client, query):
    """A wrong filter is told, not ignored."""
    assert (await client.get(f"/runs?{query}", headers=BEARER)).status == 400


@pytest.mark.parametrize("id", ["nothing", "%3Cscript%3E", "..%2f..%2fetc", "%00"])
async def test_an_unknown_run_is_404(client, id):
    """The page says that there is no such run; JSON too."""
    assert "There is no run with this id" in await text(client, f"/runs/{id}", status=404)
    assert (await client.get(f"/runs/{id}/events", headers=BEARER)).status == 404


async def test_a_queued_run_shows_its_turn(client, bench):
    """A run that waits behind another says its position; one whose turn has come says none."""
    await bench.queue("r1", "r2", "r3")
    for run in ("r1", "r2"):
        await put_wakeup(bench.store, f"{run}-0", run, "waiting", bench.clock.now())

    assert "Position 2 in the queue" in await text(client, "/runs/r2")
    assert (await data(client, "/runs/r1"))["queue"]["position"] == 1
    assert (await data(client, "/runs/r3"))["queue"] is None


async def test_a_paused_run_says_why_and_what_to_do(client, bench):
    """Reason, time and the command that goes on."""
    await bench.queue("r1")
    await bench.let(
        "r1",
        "paused",
        reason="The model <hunter2> is away",
        until=bench.clock.now(),
    )

    page = await text(client, "/runs/r1")
    assert "The model &lt;***&gt; is away" in page
    assert "continues automatically at 2026-01-02 03:04 UTC" in page
    assert "/execute resume" in page


def finished():
    """Two tasks done and given up, with usage of two nodes that do not divide evenly."""
    tests = Level("tests", "skipped", reason="there are none")
    usage = {"execute_task": Usage(1.0, 1, 0.1, 1), "repair_code": Usage(1.0, 2, 0.2, 1)}
    state = run_state(f"- [ ] 1.1 Add `{HOSTILE}`\n- [ ] 1.2 Add b\n")
    state = with_status(
        state,
        Status.COMPLETED,
        commit="c" * 40,
        url="https://github.test/pull/7",
        verification=Verification("t", (tests,)),
        usage=usage,
        answers=2,
        code_repairs=1,
    )
    failure = Failure("x", f"cannot {HOSTILE}", "verify_task")
    return with_status(
        state, Status.FAILED, number=1, failure=failure, usage=usage, url="javascript:alert(1)"
    )


async def test_a_run_shows_its_tasks(client, bench):
    """Status, repairs, pull request, and why a task failed; what no test saw is called so."""
    await bench.queue("r1")
    bench.states["r1"] = finished()

    page = await text(client, "/runs/r1")
    first, second = (await data(client, "/runs/r1"))["tasks"]
    assert (first["status"], first["repairs"], first["verified"]) == ("completed", 1, False)
    assert second["status"] == "failed"
    assert (first["result"], second["result"]) == ("untested", "")
    assert "<em>untested: there are none</em>" in page
    assert '<a href="https://github.test/pull/7">7</a>' in page


async def test_foreign_text_is_escaped(client, bench):
    """Titles, reasons and addresses of others are text and nothing else."""
    await bench.queue("r1", repository=HOSTILE, roadmap=HOSTILE, request={"by": HOSTILE})
    bench.states["r1"] = finished()
    await bench.hub.emit(RunChanged("r1", "", "paused", HOSTILE))

    for path in ("/runs", "/runs/r1"):
        page = await text(client, path)
        assert "<script>alert" not in page
        assert "javascript:" not in page


async def test_shares_add_up_to_100(client, bench):
    """What each node used is shown in percent that sum to 100.0 exactly."""
    await bench.queue("r1")
    bench.states["r1"] = finished()

    percentages = [row["percent"] for row in (await data(client, "/runs/r1"))["nodes"]]
    assert percentages == [33.3, 66.7]


async def test_a_working_run_shows_where_it_is(client, bench):
    """The newest state that was told is shown, with task, node and the newest events."""
    await bench.queue("r1")
    await bench.let("r1", "running")
    state = at("validate_code")
    await bench.hub.emit(RunChanged("r1", "", "started"))
    await bench.hub.emit(Advanced("r1", state.current, state))
    await bench.hub.emit(NodeStarted("r1", state.current, "validate_code"))

    seen = await data(client, "/runs/r1")
    assert seen["current"] == {"task": "1.1", "title": "Add a.py", "node": "validate_code"}
    assert [event["event"] for event in seen["timeline"]] == [
        "node_started", "advanced", "run_changed",
    ]  # fmt: skip
    assert "Cairn checks the answer now" in await text(client, "/runs/r1")


@pytest.mark.parametrize("node", ["end", "rest"])
async def test_a_run_between_two_steps_has_a_page(client, bench, node):
    """Where it works on nothing, nothing is said of it."""
    await bench.queue("r1")
    await bench.let("r1", "running")
    state = at(node)
    await bench.hub.emit(Advanced("r1", state.current, state))

    assert "Now:" not in await text(client, "/runs/r1")


async def test_what_a_run_used_is_listed(client, bench):
    """The list has tokens and cost from the journal, read once for a run that rests."""
    await bench.queue("r1")
    bench.states["r1"] = finished()
    await data(client, "/runs")
    del bench.states["r1"]

    (row,) = (await data(client, "/runs"))["runs"]
    assert (row["tokens"], row["cost"]) == (6, 0.6)


async def test_events_arrive_while_they_happen(client, bench):
    """A reader is sent each event with its id, heartbeats between, and the end."""
    await bench.queue("r1")
    await bench.let("r1", "running")
    stream = await client.get("/runs/r1/events", headers=BEARER)

    assert await stream.content.readuntil(b"\n\n") == b": still here\n\n"
    await bench.hub.emit(RunChanged("r1", "", "started", "a\nb"))
    await bench.hub.emit(RunChanged("r1", "", "ended"))
    rest = (await stream.content.read()).decode()
    assert stream.content_type == "text/event-stream"
    assert '"detail": "a\\nb"' in rest
    assert rest.endswith("event: end\ndata: {}\n\n")


async def test_a_run_that_ends_elsewhere_ends_its_stream(client, bench):
    """A stream asks the table in every silence: not every end is told by an event."""
    await bench.queue("r1")
    stream = await client.get("/runs/r1/events", headers=BEARER)
    await bench.let("r1", "ended")

    async with asyncio.timeout(5):
        assert (await stream.content.read()).endswith(b"event: end\ndata: {}\n\n")


async def test_a_browser_is_told_not_to_come_back(client, bench):
    """An ended run has nothing new for who has heard it all: 204."""
    await bench.queue("r1")
    await bench.let("r1", "ended")
    await bench.hub.emit(RunChanged("r1", "", "ended"))
    (last,) = bench.hub.newest("r1", 1)

    heard = await client.get("/runs/r1/events", headers={**BEARER, "Last-Event-ID": last.id})
    not_yet = await client.get("/runs/r1/events", headers=BEARER)
    assert (heard.status, not_yet.status) == (204, 200)
    assert last.id in await not_yet.text()
