"""What a run leaves below ``.executor``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import ScriptedModel
from tests.runner.git.scratch_git import ScratchGit
from tests.scenarios.projects import ADD, ADD_OPEN_BRACKET, CALC

SECRET = "sk-very-secret"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout after one task that needed a repair and whose answer held a secret."""
    folder = tmp_path_factory.mktemp("done") / "here"

    async def work() -> None:
        files = {path: content for path, content in CALC.items() if isinstance(content, bytes)}
        async with checkout(folder, files) as here:
            here.model.says(f"The key is {SECRET}.\n\n{ADD_OPEN_BRACKET}", ADD)
            assert (await here.cairn("run", "--max-tasks", "1")).code == 0

    asyncio.run(work())
    return Checkout(ScratchGit(folder), ScriptedModel())


def test_the_work_items(done: Checkout) -> None:
    """``todos.json`` has every work item with its status and line."""
    todos = done.left("todos.json")["todos"]

    assert [(todo["id"], todo["status"], todo["line"]) for todo in todos] == [
        ("1.1", "completed", 3),
        ("1.2", "pending", 4),
    ]


def test_the_report(done: Checkout) -> None:
    """``report.json`` counts the tasks; they sum to the total."""
    tasks = done.left("report.json")["tasks"]

    assert tasks.pop("total") == sum(tasks.values()) == 2
    assert tasks["completed"] == 1


def test_the_report_for_people(done: Checkout) -> None:
    """``report.md`` says the same in a table."""
    text = (done.folder / ".executor" / "report.md").read_text()

    assert "1 of 2 tasks done" in text


def test_the_exchanges(done: Checkout) -> None:
    """Each model exchange has a file with prompt, reply and tokens."""
    first, second = (done.left(f"runs/*/agent-{n}.json") for n in (1, 2))

    assert first["node"] == "execute_task"
    assert "The key is" in first["reply"]
    assert second["node"] == "repair_code"
    assert second["prompt_tokens"] > 0


def test_the_attempt(done: Checkout) -> None:
    """An iteration links to its files and says which way it went."""
    iteration = done.left("runs/*/iteration-1.json")

    # the second verification is that of the base, the third is the first one with its proof
    verified = [f"verification-{n}.json" for n in (1, 2, 3)]
    assert iteration["files"] == ["agent-1.json", "agent-2.json", *verified]
    assert "repair_code" in iteration["path"]
    assert iteration["outcome"] == "completed"


def test_the_verification(done: Checkout) -> None:
    """A verification has every level with its result."""
    levels = done.left("runs/*/verification-1.json")["levels"]

    assert {level["result"] for level in levels} <= {"passed", "skipped"}


def test_secrets_are_masked(done: Checkout) -> None:
    """No file of the run holds the key, though the model repeated it."""
    for path in (done.folder / ".executor" / "runs").rglob("*.json"):
        assert SECRET not in path.read_text(), path


def test_git_does_not_see_it(done: Checkout) -> None:
    """The folder ignores itself."""
    assert done.git("status", "--porcelain") == ""
    assert Path(done.folder, ".executor", ".gitignore").read_text() == "*\n"
