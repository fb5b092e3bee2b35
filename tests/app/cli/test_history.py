"""``cairn history``: what the runs of a folder did."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

from runner.files.history_file import FileHistory
from runner.history.inquiry import HistoryQuery
from tests.app.checkout import Checkout, checkout
from tests.app.cli.test_recovery import stuck
from tests.app.cli.test_resume import TWO, interrupted
from tests.model_server import Fault
from tests.scenarios.projects import note

BOTH = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `table.json`\n"


async def asked(here: Checkout, *words: str) -> dict:
    """What ``cairn history --json`` says."""
    said = await here.cairn("history", *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


async def test_before_anything_was_recorded(here: Checkout) -> None:
    """Nothing is there, nothing is made, and it says so; 0."""
    said = await here.cairn("history")

    assert (said.code, said.out) == (
        0,
        "Nothing is recorded yet. Each attempt at a task is recorded when it ends.\n",
    )
    assert not (here.folder / ".executor").exists()


async def test_a_file_that_is_damaged(here: Checkout) -> None:
    """A new one begins at once, and is empty; 0."""
    file = here.folder / ".executor" / "history.db"
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 500)

    said = await here.cairn("history")

    assert said.code == 0, said.err
    assert "a new one begins" in said.err
    assert "cannot be used" not in said.err


async def test_a_run_with_a_failure_can_be_explained(tmp_path: Path) -> None:
    """The newest attempts, the failures with their types, and what it all adds up to agree."""
    files = {"ROADMAP.md": BOTH.encode(), "README.md": b"# Notes\n"}
    async with checkout(tmp_path / "here", files) as here:
        here.model.when(contains="Write `one.md`", without=("table.json",)).says(note("one.md"))
        stuck(here, about="Write `table.json`")
        assert (await here.cairn("run", "--no-recovery")).code == 1

        found = await asked(here)
        recent, errors, stats = [
            (await here.cairn("history", what)).out for what in ("recent", "errors", "stats")
        ]
        shown = (await here.cairn("show")).out

    one, two = sorted(found["executions"], key=lambda each: each["place"]["name"])
    assert (one["end"]["status"], two["end"]["status"]) == ("completed", "failed")
    assert (two["end"]["error"], two["calls"]["answers"]) == ("syntax", 3)
    assert one["started"]["how"] == "command_line"
    assert one["started"]["by"]
    assert one["models"]["by_node"] == {"execute_task": "scripted"}
    assert any(name.startswith("runs/") for name in one["references"])
    statistics = found["statistics"]
    assert (statistics["attempts"]["seen"], statistics["attempts"]["good"]) == (2, 1)
    assert statistics["models"][0]["name"] == "scripted"
    for text in (recent, errors, stats):
        assert "2 attempts at tasks, 1 of 2 (50 %) completed." in text
    assert "1.2: Write table.json" in recent.replace("`", "")
    assert "syntax errors: 1 seen, 0 recovered (0 %)" in errors
    assert "Time by node" in stats
    title, _, dearest, cheaper = recent[recent.index("Cost of run ") :].splitlines()[:4]
    assert f"{statistics['attempts']['tokens']:,} tokens" in title
    assert "3 answers; after syntax errors; failed" in dearest
    assert "1 answer; completed" in cheaper
    assert all(line in shown for line in (title, dearest, cheaper))
    assert {each["place"]["name"] for each in found["newest_run"]} == {"1.1", "1.2"}


async def test_a_killed_run_is_recorded_once(here: Checkout) -> None:
    """A crash loses no record and makes none twice, wherever it comes."""
    await interrupted(here, signal.SIGKILL)
    assert [e["end"]["status"] for e in (await asked(here))["executions"]] == ["completed"]
    (here.folder / ".executor" / "history.db").unlink()
    here.model.says(TWO)

    assert (await here.cairn("resume")).code == 0

    found = await asked(here)
    assert [e["end"]["status"] for e in found["executions"]] == ["completed", "completed"]
    assert found["statistics"]["attempts"]["seen"] == 2


async def test_nodes_have_rows(here: Checkout) -> None:
    """What each node used is kept."""
    here.model.says(note("one.md"), TWO)
    assert (await here.cairn("run")).code == 0
    history = FileHistory(here.folder / ".executor" / "history.db")

    (run,) = {e["key"]["run"] for e in (await asked(here))["executions"]}
    first, _ = (await history.of_run(run)).executions

    assert {node.node for node in first.nodes} >= {"build_context", "execute_task", "checkpoint"}
    assert sum(node.usage.tokens for node in first.nodes) == first.used.tokens
    assert first.change.lines > 0
    history.close()


async def test_a_rate_limit_that_was_waited_out(here: Checkout) -> None:
    """It is an error while the run is paused; the attempt that ends later has got over it."""
    here.model.says(Fault.http_429(retry_after=7200), note("one.md"))
    paused = await here.cairn("run", "--max-tasks", "1")
    waiting = await here.cairn("history", "errors")
    resumed = await here.cairn("resume")
    over = await here.cairn("history", "errors")

    assert "Rate limit" in paused.out + paused.err
    assert "rate limit errors: 1 seen, 0 recovered (0 %)." in waiting.out
    assert resumed.code == 0, resumed.err
    assert "rate limit errors: 1 seen, 1 recovered (100 %)." in over.out


async def test_switched_off_it_stops(here: Checkout) -> None:
    """A repository that wants no history gets none."""
    here.git.commit({".github/cairn.yml": b"history: {enabled: false}\n"})
    here.model.says(note("one.md"), TWO)

    assert (await here.cairn("run")).code == 0

    assert not (here.folder / ".executor" / "history.db").exists()


async def test_a_history_that_cannot_be_written_harms_no_run(here: Checkout) -> None:
    """It is said once, and the run ends as it would have."""
    (here.folder / ".executor" / "history.db").mkdir(parents=True)
    here.model.says(note("one.md"), TWO)

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert said.err.count("The history is not recorded") == 1


async def test_what_is_too_old_is_deleted(here: Checkout) -> None:
    """Records older than ``history.days`` go when the next run begins."""
    here.model.says(note("one.md"), TWO)
    assert (await here.cairn("run", "--max-tasks", "1")).code == 0
    history = FileHistory(here.folder / ".executor" / "history.db")
    (kept,) = (await history.recent(HistoryQuery(until=4e9))).executions
    old = replace(kept, key=replace(kept.key, run="old"), at=kept.at - 100 * 86_400)
    await history.record(old)
    history.close()
    assert (await asked(here))["statistics"]["attempts"]["seen"] == 2

    assert (await here.cairn("run")).code == 0

    found = await asked(here)
    assert "old" not in {each["key"]["run"] for each in found["executions"]}
    assert found["statistics"]["attempts"]["seen"] == 2
