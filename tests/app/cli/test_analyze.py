"""``cairn analyze``: what the history of a folder teaches."""

from __future__ import annotations

import json
import time
from pathlib import Path

from runner.files.history_file import NAME, FileHistory
from tests.app.checkout import Checkout
from tests.runner.analysis.histories import flawed


async def with_history(folder: Path) -> None:
    """Put 300 attempts into the history of a checkout."""
    history = FileHistory(folder / ".executor" / NAME)
    for execution in flawed(time.time()):
        await history.record(execution, details=False)
    history.close()


async def test_the_flaw_is_found(here: Checkout) -> None:
    """The model that is used today does worse than both others, like with like."""
    await with_history(here.folder)
    (here.folder / ".github").mkdir(exist_ok=True)
    (here.folder / ".github/cairn.yml").write_text("model: oak-1\n")

    said = await here.cairn("analyze", "models")
    programs = await here.cairn("analyze", "models", "--json")

    assert said.code == 0, said.err
    assert (await here.cairn("analyze")).out == said.out
    found = json.loads(programs.out)
    assert found["executions"] == 300
    assert [c["other"]["name"] for c in found["comparisons"] if c["better"]] == ["elm-2", "yew-3"]
    [advice] = found["advice"]
    assert advice["changes"] == {"model.name": "elm-2"}
    best = next(c for c in found["comparisons"] if c["other"]["name"] in advice["id"])
    shown = (
        f"{100 * best['difference']['value']:+.0f} points "
        f"({100 * best['difference']['low']:+.0f} to {100 * best['difference']['high']:+.0f})"
    )
    assert f"Advice: set `model.name: {best['other']['name']}`" in said.out
    assert said.out.count(shown) == 2  # in the advice and in the table
    assert best["difference"]["low"] > 0


async def test_every_topic_of_an_empty_history(here: Checkout) -> None:
    """It says that there is nothing yet, and makes no file."""
    for topic in ("routing", "models"):
        said = await here.cairn("analyze", topic)
        assert (said.code, "nothing to analyse yet" in said.out) == (0, True)
    assert not (here.folder / ".executor").exists()


async def test_routes(here: Checkout) -> None:
    """Tasks of one size all went one way, so nothing is known about the other one."""
    await with_history(here.folder)

    routing = await here.cairn("analyze", "routing")

    assert "There is no advice" in routing.out
    assert "No size of task has 10 attempts with a plan and 10 without one yet" in routing.out
    assert (await here.cairn("analyze", "weather")).code == 2
