"""A repository of several projects on a checkout: one plan and one environment each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.checkout import checkout
from tests.model_server import Fault
from tests.scenarios.monorepo import DOUBLE, FILES, FLOOR
from tests.scenarios.projects import answer

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@needs_node
async def test_a_project_is_worked_on_in_its_own_surroundings(tmp_path: Path) -> None:
    """Its plan is read, its commands judge in its folder, its model is asked; ids are its own.

    What needs a task of another project waits for it.
    """
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says("Yes.", DOUBLE, FLOOR)

        either = await here.cairn("run")
        unknown = await here.cairn("run", "apu")
        doctor = await here.cairn("doctor")
        looked = await here.cairn("roadmap", "lint", "web/ROADMAP.md")
        early = await here.cairn("run", "web")
        api = await here.cairn("run", "api#1.1")
        left = here.left("report.json")
        web = await here.cairn("run", "web")

        assert either.code == 2
        assert "More than one project has open tasks:\n\n- `api`: `services/api/R" in either.err
        assert "Name it: `cairn run api`." in either.err
        assert "There is no project called 'apu' in .github/cairn.yml" in unknown.err
        assert "Open tasks in services/api/ROADMAP.md: 1 of 1. Open tasks in web" in doctor.out
        assert "More than one project" not in doctor.out
        assert looked.out == "web/ROADMAP.md: no findings.\n"
        assert early.code == 2
        assert ": waits for `api#1.1`\n" in early.err
        assert api.code == 0, api.out + api.err
        assert left["timeline"][0]["verdict"] == "shown"
        assert "services/api/tests/test_double.py::test_double" in str(left["trust"])
        assert "[x] 1.1" in (here.folder / "services/api/ROADMAP.md").read_text()
        assert web.code == 0, web.out + web.err
        left = here.left("report.json")
        assert left["timeline"][0]["verdict"] == "shown"
        assert "[x] 1.1" in (here.folder / "web/ROADMAP.md").read_text()
        checked, first, second = here.model.requests
        assert checked.body["model"] == "gpt-6.2-sol"  # which the server does not list
        assert first.body["model"] == "gpt-6.2-sol" != second.body["model"]
        assert "This plan is about the project in `web/`" in second.prompt


async def test_a_project_has_a_budget_of_its_own(tmp_path: Path) -> None:
    """Its setting is named; a limit given on going on takes its place, and is kept; 4, 4, 0."""
    config = b"projects: [{name: api, path: api, budget: {cost_per_run: 0.0001}}]\n"
    files = {".github/cairn.yml": config, "api/ROADMAP.md": b"- [ ] 1.1 Write one.md\n"}
    async with checkout(tmp_path / "here", files) as here:
        prices = tmp_path / "prices.json"
        prices.write_text('{"scripted": {"input": 100.0, "output": 0.0}}')
        here.environment["CAIRN_PRICES"] = str(prices)
        paused = await here.cairn("run", "api")
        more = await here.cairn("resume", "--max-cost", "0.0002")
        here.model.says(answer({"api/one.md": "One.\n"}))
        none = await here.cairn("resume", "--max-cost", "900")

    assert (paused.code, more.code, none.code) == (4, 4, 0), none.err
    assert "raise projects[api].budget.cost_per_run in .github/cairn.yml" in paused.err
    assert "of $0.0002 is spent" in more.err
    assert "cairn resume --max-cost" in more.err


async def test_a_project_and_a_task_of_it_are_named(tmp_path: Path) -> None:
    """By each command alike; half a name starts nothing; what waits is said before a run, too."""
    files = {
        ".github/cairn.yml": b"projects: [{name: api, path: api}, "
        b"{name: web, path: web/, model: gpt-9, budget: {tokens_per_run: 900000}}]\n",
        "api/ROADMAP.md": b"- [ ] 1.1 Write one.md\n",
        "web/ROADMAP.md": b"- [ ] 1.1 Write two.md (depends on api#1.1)\n- [ ] 1.2 Write a.md\n",
    }
    async with checkout(tmp_path / "here", files) as here:
        halves = [await here.cairn("run", word) for word in ("api#", "#1.1")]
        dry = await here.cairn("run", "web", "--dry-run")
        here.model.says(answer({"api/one.md": "One.\n"}), answer({"web/a.md": "A.\n"}))
        named = await here.cairn("run", "--task", "api#1.1", "--dry-run")
        await here.cairn("run", "api")
        undo = await here.cairn("undo", "1.1")
        here.git.commit({"api/ROADMAP.md": b"- [ ] 1.1 Write one.md\n"})
        web = await here.cairn("run", "web", "--model", "scripted")
        history = await here.cairn("history")
        shown = [await here.cairn("show", f"{name}#1.1") for name in ("api", "web")]
        here.model.otherwise = lambda _: Fault.http_status(404, "The model `gpt-9` does not exist")
        doctor = await here.cairn("doctor")

    assert [half.code for half in halves] == [2, 2]
    assert "Write a task as PROJECT#TASK, such as api#1.2" in halves[0].err
    assert "[DRY RUN] 1. 1.2: Write a.md" in dry.out
    assert "[DRY RUN] 1.1 waits for `api#1.1`" in dry.out
    assert "1.1: Write one.md (api/ROADMAP.md" in named.out
    assert (undo.code, "Say whose task you mean, such as api#1.2" in undo.err) == (2, True)
    assert "waits for `api#1.1` |" in web.out
    assert "\u200b" not in web.out
    assert [each.code for each in shown] == [0, 2]
    assert "Task 1.1 Write one.md" in shown[0].out
    assert "gpt-9" in doctor.out
    assert "projects[web].budget.tokens_per_run: 900000" in doctor.out
    assert "api/ROADMAP.md 1.1: Write one.md" in history.out
    assert "web/ROADMAP.md 1.2: Write a.md" in history.out
