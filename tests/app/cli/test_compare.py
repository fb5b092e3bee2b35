"""``cairn run --compare``: several models do one task, and nothing of the project changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, Said, checkout
from tests.app.cli.test_replay import looks
from tests.model_server import Fault, Held, Reply
from tests.scenarios.projects import ADD, ADD_WRONG, CALC, note, notes

MODELS = "gpt-6-luna,gpt-6-sol"


async def compared(here: Checkout, *arguments: str) -> Said:
    """Compare; nothing that people see may change."""
    (here.folder / ".executor").mkdir(exist_ok=True)
    before = looks(here, kept=False)
    said = await here.cairn("run", *arguments)
    assert looks(here, kept=False) == before
    kept = {path.name for path in (here.folder / ".executor").iterdir()}
    assert not kept & {"todos.json", "report.md", "report.json", "memory.json", "history.db"}
    return said


@pytest.fixture
async def calc(tmp_path: Path):
    """A checkout whose tests can show a task."""
    async with checkout(tmp_path / "here", {k: bytes(v) for k, v in CALC.items()}) as here:  # type: ignore[call-overload]
        yield here


async def test_each_does_the_task_in_its_own_copy(calc: Checkout) -> None:
    """One is right at once, one after a repair: tests, calls and where to read the change; 0."""
    calc.model.says(Reply(ADD, details={"cached_tokens": 300}), ADD_WRONG, ADD)

    said = await compared(calc, "--task", "1.1", "--compare", MODELS)
    asked = [request.model for request in calc.model.requests]
    (read,) = [line for line in said.out.splitlines() if line.startswith("  Read ")]
    first, second = read.removeprefix("  Read").split("cairn show ")[1:]

    assert said.code == 0, said.err
    assert asked == ["gpt-6-luna", "gpt-6-sol", "gpt-6-sol"]
    assert "No branch, no file and no roadmap was changed." in said.out
    lines = {line.split()[0]: line.split()[1:] for line in said.out.splitlines()[1:]}
    assert lines["Status"] == ["completed", "completed"]
    assert lines["Verdict"] == ["shown", "shown"]
    assert lines["Shown"] == ["by", *["tests/test_add.py::test_add"] * 2]
    assert lines["Calls"] == ["1", "2"]
    assert "(300 from a cache)" in said.out
    assert lines["Change"] == ["2", "files,", "7", "lines"] * 2
    for run in (first, second):
        assert "+def add(a, b):" in (await calc.cairn("show", *run.split())).out
    status = (await calc.cairn("status")).out
    assert status.count("for a comparison (the plan was not changed)  1 completed") == 2
    assert "1.1" not in status
    again = await calc.cairn("resume", first.split()[0])
    assert (again.code, "made to compare models" in again.err) == (2, True)


async def test_for_programs(calc: Checkout) -> None:
    """One object, with the commit of what was done, which no branch has; 1."""
    calc.model.when().says(ADD, ADD_WRONG, repeat_last=True)

    said = await compared(calc, "--json", "--task", "1.1", "--compare", MODELS)
    right, wrong = json.loads(said.out)["models"]

    assert said.code == 1
    assert (right["model"], right["status"], wrong["status"]) == (
        "gpt-6-luna",
        "completed",
        "failed",
    )
    assert right["shown_by"] == ["tests/test_add.py::test_add"]
    assert (right["files"], right["lines"]) == (["calc/add.py", "tests/test_add.py"], 7)
    assert (right["cost"], right["stopped"], wrong["commit"]) == (None, None, None)
    assert (right["verdict"], right["failing"]) == ("shown", [])
    assert (wrong["verdict"], wrong["failing"]) == ("failed", ["tests/test_add.py::test_add"])
    assert wrong["why"].startswith("the tests still fail after 3 answers: ")
    assert calc.git("log", "-1", "--format=%P", right["commit"]) == calc.git("rev-parse", "HEAD")
    assert right["tokens"] < wrong["tokens"]
    assert right["seconds"] > 0


async def test_a_limit_holds_for_each(here: Checkout) -> None:
    """What one has used is not taken from the other; one that stops does not stop the other; 4.

    One that is not there, or has no price, is no result; 2.
    """
    here.model.says(Fault.http_status(404, "The model `gpt-6-luna` does not exist"), note("one.md"))

    unknown = await compared(here, "--task", "1.1", "--compare", MODELS)
    few = await compared(
        here, "--task", "1.1", "--compare", MODELS, "--json", "--max-tokens", "1000"
    )

    assert unknown.code == 2
    assert "gpt-6-luna refused: " in unknown.err
    assert "has no model gpt-6-luna" in unknown.err
    lines = {line.split()[0]: line.split()[1:] for line in unknown.out.splitlines()[1:]}
    assert lines["Status"] == ["refused", "completed"]
    assert (len(lines["Tokens"]), lines["Calls"]) == (1, ["1"])
    told = json.loads(few.out)["models"]
    assert few.code == 4
    assert ["1,000" in row["stopped"] for row in told] == [True, True]
    assert {(row["status"], row["verdict"]) for row in told} == {("stopped", None)}
    assert "Type the same command with a higher limit, such as --max-tokens" in few.err
    assert "resume" not in few.err


async def test_one_without_a_price_does_not_stop_the_others(here: Checkout) -> None:
    """With a limit of money it is refused, and the others do the task; 2."""
    prices = here.folder.parent / "prices.json"
    prices.write_text('{"gpt-6-sol": {"input": 1.0, "output": 2.0}}')
    here.environment["CAIRN_PRICES"] = str(prices)
    here.model.says(note("one.md"))

    said = await compared(here, "--task", "1.1", "--compare", MODELS, "--json", "--max-cost", "1")
    luna, sol = json.loads(said.out)["models"]

    assert (luna["status"], sol["status"]) == ("refused", "completed")
    assert "The price of model gpt-6-luna is unknown" in luna["stopped"]
    assert (said.code, "resume" in said.err) == (2, False)


async def test_an_interrupt_leaves_what_the_others_did(here: Checkout) -> None:
    """The table of those that had ended is shown, and that all are paid for again; 130."""
    held = Held(note("one.md"))
    here.model.says(note("one.md"), held)

    process = await here.start("run", "--task", "1.1", "--compare", MODELS, "--json")
    await held.asked.wait()
    said = await here.interrupt(process)
    held.go.set()

    assert said.code == 130
    assert json.loads(said.out)["models"][0]["status"] == "completed"
    assert "The same command asks all models again, and each answer is paid for" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--task", "1.9", "--compare", MODELS], "has no task called `1.9`"),
        (["--task", "1.1", "--compare", "gpt-6-luna,"], "it names only gpt-6-luna."),
        (["--task", "1.1", "--compare", " , "], "needs two models or more"),
        (["--task", "1.1", "--compare", "a, b,a"], "--compare names a twice."),
        (["--task", "1.3", "--compare", MODELS], "is already done: its checkbox is ticked"),
        (["--compare", MODELS], "--compare needs --task ID"),
        (["--task", "1.1", "--compare", MODELS, "--model", "a"], "does not go with --model."),
        (["--task", "1.1", "--compare", MODELS, "--dry-run"], "does not go with --dry-run or"),
        (["--task", "1.1", "--compare", MODELS, "--max-cost", "1"], "price of model gpt-6-luna"),
    ],
)
async def test_what_cannot_be_compared(tmp_path: Path, arguments: list[str], says: str) -> None:
    """One sentence says why, and nothing is asked; 2."""
    roadmap = "- [ ] 1.1 Write one.md\n- [x] 1.3 Write three.md\n"
    files = {name: bytes(text) for name, text in notes(roadmap).items()}  # type: ignore[call-overload]
    async with checkout(tmp_path / "here", files) as here:
        said = await compared(here, *arguments)

    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert here.model.requests == []


async def test_uncommitted_work_is_not_compared(calc: Checkout) -> None:
    """It stays as it is, and that no model sees it is said."""
    (calc.folder / "calc" / "__init__.py").write_text("X = 1\n")
    calc.model.says(ADD, ADD)

    said = await compared(calc, "--task", "1.1", "--compare", MODELS)

    assert (said.code, "2 models" in said.out) == (0, True)
    assert "What you have not committed is left as it is, and no model sees it." in said.err
