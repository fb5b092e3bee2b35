"""``cairn replay``: a run is played again from what it left, and nothing of the project changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app.local.runs import named
from runner.errors import PortError
from runner.files.decisions import KnownRun
from tests.app.checkout import Checkout, Said, checkout, once
from tests.scenarios.projects import ADD, CALC, answer, note

ONE, TWO = note("one.md"), note("two.md")
BROKEN = "one.json\n```json\n{\n```\n"
WRONG = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a - b\n",
        "tests/test_add.py": "from calc.add import add\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n",
    }
)


def newest(here: Checkout) -> Path:
    """The folder of the newest run's journal; only of the real ones."""
    kept = {
        file.parent: json.loads(file.read_bytes())
        for file in (here.folder / ".executor/journal").glob("*/run.json")
    }
    return max((run for run in kept if not kept[run]["replay_of"]), key=lambda r: kept[r]["began"])


async def replayed(here: Checkout, *arguments: str) -> Said:
    """Replay the newest run; nothing that people see may change, and no model may be asked."""
    before, asked = looks(here), len(here.model.requests)
    said = await here.cairn("replay", newest(here).name, *arguments)
    assert looks(here) == before
    assert "--ask" in arguments or len(here.model.requests) == asked
    return said


def looks(here: Checkout, *, kept: bool = True) -> tuple[object, ...]:
    """What people see of the project, and what later runs learn from if that is ``kept``."""
    left = here.folder / ".executor"
    names = ("todos.json", "report.md", "report.json", "memory.json", "history.db")
    learnt = [(left / name).read_bytes() for name in names if kept]
    files = {
        str(path): path.read_bytes()
        for path in here.folder.rglob("*")
        if path.is_file() and not {".git", ".executor"} & {*path.parts}
    }
    git = (here.folder / ".git").exists() and [here.git("for-each-ref"), here.git("status", "-s")]
    return git, files, learnt


async def test_a_finished_run_ends_as_it_did(here: Checkout) -> None:
    """Every answer is the recorded one, though the project has learned more since; 0."""
    await once(here, ONE, run=("run", "--task", "1.1"))
    await once(here, TWO, run=("run", "--task", "1.2"))

    said = await replayed(here)

    assert said.code == 0, said.err
    assert "1 recorded answer, 0 new ones.\n1.2: completed, untested (the same)\n" in said.out
    assert "replay of " in (await here.cairn("status")).out
    replay = said.out.split()[1]
    assert "completed" in (await here.cairn("show", replay)).out
    more = await here.cairn("resume", replay)
    assert (more.code, "and a replay is not continued." in more.err) == (2, True)
    attempts = json.loads((await here.cairn("history", "stats", "--json")).out)
    assert attempts["statistics"]["attempts"]["seen"] == 2


async def test_what_is_new_is_said_and_asked_only_if_wanted(here: Checkout) -> None:
    """Another model and another loop: the node, and in what its question differs; 4."""
    await once(here, BROKEN, ONE, run=("run", "--task", "1.1"))

    model = await replayed(here, "--set", "model=other")
    loop = await replayed(here, "--set", "loop=fixed", "--json")
    here.model.says(ONE)
    asked = await replayed(here, "1.1", "--set", "loop=fixed", "--ask")
    again = await here.cairn("replay", asked.out.split()[1])

    assert (model.code, loop.code, asked.code, again.code) == (4, 4, 1, 0)
    status = (await here.cairn("status")).out
    assert "stopped" in next(x for x in status.splitlines() if model.out.split()[1] in x)
    assert "it is for model other" in status
    file = here.folder / f".executor/journal/{model.out.split()[1]}/run.json"
    file.write_text(file.read_text().replace('"stopped"', '"working"'))  # as a kill leaves it
    killed = (await here.cairn("status")).out
    assert ("interrupted" in killed, "To continue" in killed) == (True, False)
    stops = "Stopped: The question of execute_task about 1.1 has no recorded answer: "
    assert f"{stops}it is for model other, and scripted answered. Nothing was paid." in model.err
    assert f"{stops}it says '# What was tried before and did not work'" in loop.err
    told = json.loads(loop.out)
    assert (told["recorded"], told["asked"], told["same"]) == (1, 0, False)
    assert told["tasks"][0]["before"]["status"] == "completed"
    assert "1 recorded answer, 1 new one.\n1.1: completed, untested\n  nodes:  " in asked.out
    assert "> repair_code > " in asked.out
    assert "2 recorded answers, 0 new ones" in again.out


async def test_from_a_node_everything_before_it_is_reused(tmp_path: Path) -> None:
    """Tests run again: what they say of the first answer leads to the recorded repair."""
    async with checkout(tmp_path / "here", {k: bytes(v) for k, v in CALC.items()}) as here:  # type: ignore[call-overload]
        await once(here, WRONG, ADD, run=("run", "--task", "1.1"))

        said = await replayed(here, "--from", "verify")
        shutil.rmtree(newest(here) / "answers")
        later = await replayed(here, "1.1", "--from", "checkpoint")
        gone = await replayed(here, "--from", "repair_test")

    assert (said.code, later.code, gone.code) == (0, 0, 4)
    assert "1 recorded answer, 0 new ones.\n1.1: completed, shown (the same)" in said.out
    assert "Executing task" not in said.err
    assert "The question of repair_test about 1.1 has no recorded answer: no answer of" in gone.err


async def test_decisions_are_taken_again(here: Checkout) -> None:
    """A proposal is parked, and what a person said then counts; nobody is asked now; 0."""
    here.model.when().says(BROKEN, repeat_last=True)
    await here.cairn("run", "--task", "1.1", "--approval-mode", "interactive")
    await here.cairn("approve", "--resume")

    said = await replayed(here)

    assert said.code == 0, said.err
    assert "1.1: failed, untested (the same)" in said.out
    assert "Task [1.1]: approve by Ann" in said.err


async def test_a_folder_without_git(here: Checkout) -> None:
    """The states that Cairn keeps of it do not move either: the next run goes on from there."""
    shutil.rmtree(here.folder / ".git")
    await once(here, ONE, run=("run", "--task", "1.1"))

    said = await replayed(here, "1.1")

    assert said.code == 0, said.err
    here.model.says(TWO)
    assert (await here.cairn("run")).code == 0


WORDS = {
    "nope": "There is no run called 'nope' here. The newest runs: ",
    "{} 9.9": "did not work on '9.9'. Its tasks: 1.1.",
    "{} --from nowhere": "'nowhere' is not a node. Nodes: parse_roadmap, decide_next, ",
    "{} --from repair": "'repair' can be repair_code or repair_test.",
    "{} --from repair_test": "The run never came to repair_test. It came to: decide_next, ",
    "{} 1.1 --from pick_task": "The run never came to pick_task. It came to: build_context, ",
    "{} --set speed=9": "'speed=9' is not NAME=VALUE with one of the names loop, model, ",
    "{} --set loop": "'loop' is not NAME=VALUE with one of the names loop, model, ",
    "{} --set loop=fast": "should be 'hybrid', 'repair', 'fixed' or 'ralph', not 'fast'",
}


@pytest.mark.parametrize("words", WORDS)
async def test_what_cannot_be_played(here: Checkout, words: str) -> None:
    """One sentence says what is wrong, and what there is; 2."""
    await once(here, ONE, run=("run", "--task", "1.1"))

    said = await here.cairn("replay", *words.format(newest(here).name).split())

    assert said.code == 2
    assert WORDS[words] in " ".join(said.err.split())


def test_the_beginning_of_more_than_one_id() -> None:
    """They are listed, the first five of them."""
    runs = [KnownRun(f"3{n}", roadmap="ROADMAP.md", state="ended", began=0.0) for n in range(7)]
    assert named(runs, "36") == runs[6]
    with pytest.raises(PortError, match=r"meant: 30, 31, 32, 33, 34 and 2 more\. Type more of"):
        named(runs, "3")


async def test_files_of_runs_that_a_commit_brings(here: Checkout) -> None:
    """They may lead anywhere, so that nothing is written there; 2."""
    await once(here, ONE, run=("run", "--task", "1.1"))
    here.git("add", "--force", ".executor")
    here.git("commit", "-q", "-m", "theirs")

    said = await here.cairn("replay", newest(here).name)

    assert (said.code, ".executor is in the commits" in said.err) == (2, True)


async def test_a_run_of_a_server(here: Checkout) -> None:
    """Where a server's database is named it is looked for there, with its settings; 2."""
    here.environment["DATABASE_URL"] = "sqlite:///cairn.db"
    said = await here.cairn("replay", "3f2a91c0")
    assert said.code == 2
    assert "GITHUB_WEBHOOK_SECRET is not set" in said.err


async def test_what_a_run_left_and_cannot_be_used(here: Checkout) -> None:
    """Rows of another version are not guessed at, and the first commit may be gone; 2."""
    await once(here, ONE, run=("run", "--task", "1.1"))
    file = newest(here) / "journal.jsonl"
    rows = file.read_bytes()
    file.write_bytes(rows.replace(b'"request"', b'"asked"'))
    older = await here.cairn("replay", newest(here).name)
    lost = here.git("rev-parse", "HEAD~1").strip()
    file.write_bytes(rows.replace(lost.encode(), b"0" * 40))
    gone = await here.cairn("replay", newest(here).name)

    assert (older.code, gone.code) == (2, 2)
    assert "was left by another version (KeyError)." in older.err
    assert "builds on commit 000000000000, which is no longer in this repository" in gone.err
