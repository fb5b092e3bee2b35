"""What keeps a command from beginning is said in a sentence, never in a traceback."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.app.checkout import PROJECT, Checkout, checkout
from tests.app.parked import parked
from tests.model_server import Fault, Held
from tests.scenarios.bot import conversation
from tests.scenarios.process import environment
from tests.scenarios.projects import NOTES, note


async def test_uncommitted_changes_are_named(here: Checkout) -> None:
    """A run refuses to begin on top of edits, names the files and says what to do; 2."""
    (here.folder / "README.md").write_text("mine\n")

    said = await here.cairn("run")

    assert said.code == 2
    assert "uncommitted changes in README.md" in said.err
    assert "git stash" in said.err
    assert not (here.folder / ".executor").exists()


async def test_a_folder_without_git(tmp_path: Path, here: Checkout) -> None:
    """A plain folder has no branches, which is said when one is asked for; 2."""
    here.git.root = tmp_path / "plain"
    here.git.root.mkdir()

    said = await here.cairn("run", "--branch", "work")

    assert said.code == 2
    assert "has no branches; leave out --branch" in said.err


@pytest.mark.parametrize("command", ["run", "doctor", "status"])
async def test_a_folder_that_was_deleted(here: Checkout, command: str) -> None:
    """Who stands in it is told so in one sentence, by every command; 2."""
    gone = here.folder / "gone"
    gone.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c"),
        "import os; os.rmdir(os.getcwd())\nfrom app.__main__ import main\nmain()",
        command,
        cwd=gone,
        env=here.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said = await here.end(process)

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("The current folder does not exist any more.")
    assert len(said.err.splitlines()) == 1


async def test_a_file_where_a_folder_should_be(here: Checkout) -> None:
    """It is named, and what to do: space and permissions are not the trouble; 2."""
    (here.folder / ".executor").write_text("mine\n")

    for words in (("run",), ("accept", "1.1")):
        said = await here.cairn(*words)

        assert said.code == 2
        assert f"Move {here.folder / '.executor'} away" in said.err
        assert "Free some space" not in said.err


async def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    """An unborn branch has nothing to build on; 2."""
    async with checkout(tmp_path / "here", {}) as here:
        said = await here.cairn("run")

    assert said.code == 2
    assert "has no commit yet" in said.err


async def test_a_detached_head(here: Checkout) -> None:
    """Without a branch there is nothing to commit to; ``--branch`` is the way out; 2."""
    here.git("checkout", "--quiet", "--detach")

    said = await here.cairn("run")

    assert said.code == 2
    assert "detached HEAD" in said.err
    assert "--branch" in said.err


async def test_a_branch_can_be_named(here: Checkout) -> None:
    """``--branch`` makes the branch, from a detached HEAD too."""
    here.git("checkout", "--quiet", "--detach")
    here.model.says(note("one.md"))

    said = await here.cairn("run", "--branch", "work", "--max-tasks", "1")

    assert said.code == 0, said.err
    assert here.git("log", "-1", "--format=%s", "work") == "1.1 Write one.md"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run --sandbox vm", "'--sandbox': 'vm' is not one of 'auto', "),
        ("run --parallel 99", "'--parallel': should be less than or equal to 16"),
        ("roadmap show --json=3", "does not take a value"),
    ],
)
async def test_a_value_that_cannot_be(here: Checkout, words: str, says: str) -> None:
    """It is told in plain words; 2."""
    said = await here.cairn(*words.split())

    assert said.code == 2
    assert says in said.err


async def test_no_key_for_the_model(here: Checkout) -> None:
    """OpenAI answers nobody without a key: that is said before anything begins; 2."""
    del here.environment["OPENAI_API_KEY"], here.environment["OPENAI_BASE_URL"]

    said = await here.cairn("run")

    assert said.code == 2
    assert "OPENAI_API_KEY is not set" in said.err
    assert not (here.folder / ".executor").exists()


async def test_a_model_that_is_not_there(here: Checkout) -> None:
    """A wrong name ends a new run at its first question, with what there is instead; 2."""
    here.model.says(Fault.http_status(404, "The model `scriptet` does not exist"))

    unpriced = await here.cairn("run", "--model", "scriptet", "--max-cost", "1")
    said = await here.cairn("run", "--model", "scriptet")

    assert "lists no model scriptet. It offers scripted. The price" in unpriced.err
    assert said.code == 2
    assert "has no model scriptet" in said.err
    assert "It offers scripted." in said.err
    assert "Correct the name (CAIRN_MODEL, --model, or `model`" in said.err
    assert not re.search(r"\b[0-9a-f]{10}\b", said.err)  # no run is named that is not there
    assert "resume" not in said.err
    assert "paused" not in said.err
    assert said.out == ""
    assert here.log() == ["a commit"]
    assert here.git("status", "--porcelain") == ""
    assert "There is no run to resume" in (await here.cairn("resume")).err
    left = {path.name for path in (here.folder / ".executor").iterdir()}
    assert not left & {"report.md", "report.json", "runs", "todos.json"}
    assert (await here.cairn("status", "--json")).out == '{"runs": []}\n'


async def test_a_proposal_outlives_a_model_that_is_not_there(here: Checkout) -> None:
    """A run that never began has not taken up the task, so the answer to it still counts."""
    await asyncio.to_thread(parked, here.folder, (here.folder / "ROADMAP.md").read_text())
    here.model.says(Fault.http_status(404, "The model `scriptet` does not exist"))
    assert (await here.cairn("run", "--task", "1.1", "--model", "scriptet")).code == 2

    said = await here.cairn("approve", "1.1")

    assert said.code == 0, said.err


async def test_a_roadmap_that_is_not_committed(here: Checkout) -> None:
    """It is there to see, so that "there is none" would be a riddle; 2."""
    (here.folder / "PLAN.md").write_text("- [ ] 1.1 Write `one.md`\n")

    said = await here.cairn("run", "--roadmap", "PLAN.md", "--allow-dirty")

    assert said.code == 2
    assert "PLAN.md is not committed yet" in said.err


async def test_a_model_server_that_is_not_there(here: Checkout) -> None:
    """Nothing is begun, no branch is made; the address and the variable are named; 2."""
    here.environment["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"

    said = await here.cairn("run", "--branch", "work")

    assert said.code == 2
    assert "http://127.0.0.1:9/v1" in said.err
    assert "set OPENAI_BASE_URL" in said.err
    assert not (here.folder / ".executor").exists()
    assert here.git("branch", "--list", "work") == ""


async def test_a_roadmap_elsewhere(here: Checkout) -> None:
    """The file that was meant is named with what to type; 2."""
    (here.folder / "docs").mkdir()
    here.git("mv", "ROADMAP.md", "docs/Roadmap.md")
    here.git("commit", "--quiet", "--message", "moved")

    for said in (await here.cairn("run"), await here.cairn("run", "--dry-run")):
        assert said.code == 2
        assert "`cairn run --roadmap docs/Roadmap.md`" in said.out + said.err
    assert not (here.folder / ".executor").exists()


async def test_a_folder_that_is_no_project(tmp_path: Path, here: Checkout) -> None:
    """A run begun in the wrong folder reads none of it, and leaves nothing there; 2."""
    here.git.root = tmp_path / "home"
    (here.git.root / "todo").mkdir(parents=True)
    (here.git.root / "todo" / "TODO.md").write_text("- [ ] a\n")

    said = await here.cairn("run")

    assert said.code == 2
    assert "`cairn run --roadmap todo/TODO.md`" in said.err
    assert sorted(path.name for path in here.git.root.rglob("*")) == ["TODO.md", "todo"]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap makes the read-only disk")
async def test_a_disk_that_cannot_be_written(here: Checkout) -> None:
    """A read-only folder is said before anything is asked of the model; 2."""
    process = await asyncio.create_subprocess_exec(
        *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(sys.executable, "-P", "-m", "app", "run"),
        cwd=here.folder,
        env=here.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )

    said = await here.end(process)

    assert said.code == 2
    assert "You do not have permission to write to" in said.err
    assert here.model.requests == []


async def test_something_in_the_way_of_what_runs_leave(here: Checkout) -> None:
    """A file of the name of Cairn's folder is named; 2."""
    (here.folder / ".executor").write_text("mine\n")

    said = await here.cairn("run")

    assert said.code == 2
    assert ".executor" in said.err
    assert (here.folder / ".executor").read_text() == "mine\n"


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--sandbox", "cloud"),
        ("run", "--max-tasks", "0"),
        ("rnu",),
        ("resume", "nothing"),
        ("approve", "nothing"),
        ("reject",),
        ("edit", "--file", "none.md"),
        ("roadmap", "show", "none.md"),
        ("roadmap", "normalize", "."),
    ],
)
async def test_words_that_mean_nothing(here: Checkout, words: tuple[str, ...]) -> None:
    """Whatever is typed wrong is answered in words, and nothing is left behind; 2."""
    said = await here.cairn(*words)

    assert said.code == 2
    assert said.err.strip()
    assert not (here.folder / ".executor").exists()
    assert here.log() == ["a commit"]


async def test_no_sandbox(here: Checkout) -> None:
    """A sandbox asked for by name is not replaced by another, and no run has begun; 2."""
    here.environment["DOCKER_HOST"] = f"unix://{here.folder}/none.sock"

    said = await here.cairn("run", "--sandbox", "docker")

    assert said.code == 2
    assert "No Docker Engine answers" in said.err
    assert "Start the Docker Engine" in said.err


async def test_prices_that_cannot_be_read(here: Checkout) -> None:
    """A broken file of prices is named, with its form; 2."""
    here.environment["CAIRN_PRICES"] = str(here.folder / "README.md")

    said = await here.cairn("run")

    assert said.code == 2
    assert "CAIRN_PRICES" in said.err
    assert "The form is" in said.err


async def test_a_second_run_waits_for_nobody(here: Checkout) -> None:
    """Two runs on one checkout would undo each other: the second one does not begin; 2."""
    kept = Held(note("one.md"))
    here.model.says(kept)
    first = await here.start("run", "--max-tasks", "1")
    await kept.asked.wait()

    said = await here.cairn("run")
    kept.go.set()

    assert (await here.end(first)).code == 0
    assert said.code == 2
    assert "Another Cairn uses" in said.err


async def test_an_interrupt(here: Checkout) -> None:
    """A second Ctrl-C ends a run at once; how to go on is said; 130."""
    kept = Held(note("one.md"))
    here.model.says(kept)
    process = await here.start("run")
    await kept.asked.wait()

    said = await here.interrupt(process)
    kept.go.set()

    assert said.code == 130
    assert "Type `cairn resume`" in said.err
    assert here.git("status", "--porcelain") == ""


async def test_an_interrupt_loses_no_answer(here: Checkout) -> None:
    """The first Ctrl-C waits for the step in hand: going on asks nothing again; 130, then 0."""
    kept = Held(note("one.md"))
    here.model.says(kept)
    process = await here.start("run", "--max-tasks", "1")
    await kept.asked.wait()

    said = await here.interrupt(process, kept.go.set)

    assert said.code == 130
    assert "Type `cairn resume`" in said.err
    assert "it was interrupted" in said.out
    assert here.log() == ["a commit"]
    assert (await here.cairn("resume")).code == 0
    assert here.log() == ["1.1 Write one.md", "a commit"]


async def test_a_run_after_an_interrupt_goes_on(here: Checkout) -> None:
    """What was committed before Ctrl-C is not done again."""
    kept = Held(note("two.md"))
    here.model.says(note("one.md"), kept, note("two.md"))
    process = await here.start("run")
    await kept.asked.wait()
    await here.interrupt(process)
    kept.go.set()

    assert (await here.cairn("run")).code == 0
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]


async def test_settings_of_the_server_are_told_all_at_once(here: Checkout) -> None:
    """``cairn serve`` names every variable that is wrong; 2."""
    here.environment |= {"CAIRN_CONCURENCY": "2", "PORT": "99999999"}

    said = await here.cairn("serve")

    assert said.code == 2
    for name in ("GITHUB_APP_ID", "GITHUB_WEBHOOK_SECRET", "PORT", "CAIRN_CONCURRENCY?"):
        assert name in said.err
    assert "sk-very-secret" not in said.err


@pytest.mark.parametrize("command", [("worker",), ("serve", "--no-work")])
async def test_several_processes_need_a_database_that_serves_several(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """A worker beside a server on a SQLite file is told what to set; 2."""
    code, said = await _serve(tmp_path, *command)

    assert code == 2
    assert "DATABASE_URL" in said
    assert "SQLite serves one process" in said


async def _serve(folder: Path, *command: str, **settings: str) -> tuple[int, str]:
    """Run ``cairn serve`` with good settings but for these; exit code and standard error."""
    async with conversation(folder, NOTES) as bot:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "app", *(command or ("serve",))),
            env={**environment(bot.settings), "PYTHONPATH": str(PROJECT), **settings},
            stderr=asyncio.subprocess.PIPE,
        )
        _, err = await process.communicate()
    assert b"Traceback" not in err, err.decode()
    return process.returncode or 0, err.decode()


@pytest.mark.skipif(os.geteuid() != 0, reason="this is not root")
@pytest.mark.long("starts a server as a process")
async def test_a_server_runs_no_code_without_isolation_as_root(tmp_path: Path) -> None:
    """Whoever allows it: what a model writes would own the machine; 2."""
    code, said = await _serve(tmp_path, CAIRN_ALLOW_UNSANDBOXED="1")

    assert code == 2
    assert "CAIRN_SANDBOX is process, and Cairn runs as root" in said


@pytest.mark.long("starts a server as a process")
async def test_a_server_without_its_sandbox(tmp_path: Path) -> None:
    """A server whose engine is dead does not start; 4."""
    nowhere = {"CAIRN_SANDBOX": "docker", "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}

    code, said = await _serve(tmp_path, **nowhere)

    assert code == 4
    assert "No Docker Engine answers" in said


@pytest.mark.long("starts a server as a process")
async def test_a_database_of_a_newer_version(tmp_path: Path) -> None:
    """A database that a newer Cairn wrote is left alone; 2."""
    (tmp_path / "data").mkdir()
    with sqlite3.connect(tmp_path / "data" / "cairn.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    database.close()

    code, said = await _serve(tmp_path)

    assert code == 2
    assert "written by a newer Cairn (schema 9999)" in said


async def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """A port somebody else listens on is named; 2."""
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]

    code, said = await _serve(tmp_path, PORT=str(port))
    taken.close()

    assert code == 2
    assert f"PORT {port} on HOST 127.0.0.1 cannot be listened on" in said


@pytest.mark.long("starts a server as a process")
async def test_a_data_folder_in_use(tmp_path: Path) -> None:
    """Two servers on one data folder would do everything twice: the second does not start; 4."""
    async with conversation(tmp_path / "one", NOTES) as bot, bot.started():
        folder = str(bot.settings.cairn_data_dir)
        code, said = await _serve(tmp_path / "two", CAIRN_DATA_DIR=folder)

    assert code == 4
    assert f"Another Cairn uses the data folder {folder}" in said
    assert f"process {os.getpid()}" in said


@pytest.mark.parametrize(
    ("roadmap", "words", "said"),
    [
        (
            "- [ ] 1.1 Write `one.md`\n",
            ("--task", "9.9"),
            "no task called `9.9`. Its tasks:\n\n- `1.1` (line 1) Write one.md",
        ),
        (
            "# Phase 1\n\n- [ ] 1.1 Write `one.md`\n\n# Phase 2\n\n- [ ] 2.1 Write `two.md`\n",
            ("--phase", "2", "--task", "1.1"),
            "Task `1.1` (line 3) is not in phase `2`.",
        ),
        ("- [ ] 1.1 Write `one.md`\n", ("--phase", "7"), "no tasks in a phase called `7`."),
        (
            "# Phase 1\n\n- [x] 1.1 Write `one.md`\n\n# Phase 2\n\n- [x] 2.1 Write `two.md`\n",
            ("--phase", "7"),
            "no tasks in a phase called `7`. Its phases: `1`, `2`.",
        ),
        (
            "# Phase 1\n\n- [ ] 1.1 Write `one.md`\n",
            ("--phase", "7", "--task", "1.1"),
            "no tasks in a phase called `7`. Its phases: `1`.",
        ),
        (
            "# Plan\n\n## 1 Notes\n\n- [ ] Write `one.md`\n",
            ("--phase", "7"),
            "Its headings: `1 Notes`.",
        ),
        ("- [ ] ~~1.1 Write~~\n", (), "optional, crossed out or put off"),
        ("\n", (), "`ROADMAP.md` is empty. Add tasks to it"),
        ("- Write one\n", (), "let `cairn roadmap normalize ROADMAP.md` propose checkboxes."),
    ],
)
async def test_no_such_work(here: Checkout, roadmap: str, words: Sequence[str], said: str) -> None:
    """What cannot be worked on is a sentence on standard error, without a report; 2."""
    here.git.commit({"ROADMAP.md": roadmap.encode()})

    told = await here.cairn("run", *words)

    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert not (here.folder / ".executor").exists()
