"""The same tasks, played by Cairn, by aider and by mini-swe-agent, with the same scripted model.

``make bench ARGS="peers --install"`` installs the two others into the cache folder, each into a
virtual environment of its own; without ``--install``, those that are not there are left out. The
model (``author.py``, ``peer_authors.py``) knows the true change, but of what is there only what the
tool showed it or what it asked to see. ``--slips`` makes it forget an edit of the code in its first
answer; it adds that once it is shown a failing test. Afterwards the bench itself runs the true test
on what each left: *verified* is what the tool says is done and is, *wrong and claimed* is not.

Each tool works in its normal mode without a person: ``cairn run`` with defaults; ``aider
--yes-always --auto-test`` with a command that runs the task's test file, which Cairn is not told;
``mini --yolo`` with its bash loop (``mini_textbased.yaml``) in its local environment.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from bench.finding import Unmeasured
from bench.oracle.author import Author
from bench.oracle.catalogue import Change, Task, change_of, tasks
from bench.oracle.fetching import CACHE, NoSource
from bench.oracle.peer_authors import AiderAuthor, Counted, MiniAuthor, test_command
from bench.oracle.playing import PROJECT, checkout, report_of, texts, true_files
from bench.oracle.sources import environment
from runner.code.languages import is_among_tests
from tests.model_server import serve
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit

TASKS = (
    *("django-environ-1", "h11-1", "itsdangerous-1", "more-itertools-1", "pluggy-1", "pluggy-2"),
    *("python-dotenv-1", "sqlparse-1", "werkzeug-1", "werkzeug-2"),
)
PACKAGES = {"aider": "aider-chat==0.86.2", "mini": "mini-swe-agent==2.4.6"}
_MODEL = "openai/gpt-4o"
"""What the scripted model is called where a tool chooses its form of answers by the name."""
_LONGEST = 900


@dataclass(frozen=True)
class Outcome:
    """How a tool left a task: what it ``claimed``, whether the true test passes, what it took."""

    task: str
    tool: str
    claimed: bool
    right: bool
    calls: int
    tokens: int
    unseen: int
    log: str

    @property
    def word(self) -> str:
        """One word for both."""
        if self.claimed:
            return "verified" if self.right else "WRONG AND CLAIMED"
        return "right, not claimed" if self.right else "not done"


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read what is to be played."""
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("--install", action="store_true", help="install the peers first")
    parser.add_argument("--task", nargs="+", default=TASKS, metavar="ID")
    parser.add_argument("--tool", nargs="+", default=list(_PLAYERS), choices=list(_PLAYERS))
    parser.add_argument("--slips", action="store_true", help="the first answer lacks an edit")
    parser.add_argument("--show", action="store_true", help="print what a tool said of each miss")
    return parser.parse_args(arguments)


async def measure(
    folder: Path, arguments: Sequence[str] = ("--task", "h11-1", "itsdangerous-1")
) -> AsyncIterator[str | Unmeasured]:
    """Play: a line for each task and tool, then a row of the table for each tool."""
    asked = options(arguments)
    tools = []
    for tool in asked.tool:
        if why := await asyncio.to_thread(_missing, tool, install=asked.install):
            yield Unmeasured(tool, why)
        else:
            tools.append(tool)
    found: list[Outcome] = []
    for task in (task for task in tasks() if task.id in asked.task):
        try:
            change = await asyncio.to_thread(change_of, task)
        except NoSource as problem:
            yield Unmeasured(task.id, str(problem))
            continue
        for tool in tools:
            outcome = await _play(tool, task, change, folder, slips=asked.slips)
            found.append(outcome)
            yield _line(outcome)
            if asked.show and outcome.word != "verified":
                yield outcome.log[-6_000:]
    for line in _table(found, tools):
        yield line


def _missing(tool: str, *, install: bool) -> str:
    """Why a tool cannot be played; '' if it can."""
    if tool == "cairn" or _program(tool).exists():
        return ""
    if not install:
        return f'not installed; make bench ARGS="peers --install" does it ({PACKAGES[tool]})'
    folder = _program(tool).parents[1]
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", PACKAGES[tool]]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"pip: {done.stderr.strip()[-300:]}"


def _program(tool: str) -> Path:
    return CACHE / "peers" / PACKAGES[tool].replace("==", "-") / "bin" / tool


async def _play(tool: str, task: Task, change: Change, folder: Path, *, slips: bool) -> Outcome:
    place = folder / tool / task.id
    git = checkout(task, change, place / "repository", bare=False)
    tools = await asyncio.to_thread(environment, task.project.name, ("pytest", *task.project.needs))
    author = _author(tool, task, change, slips=slips)
    counted = Counted(author)
    async with serve(counted) as url:
        own = _environment(url, tools, place)
        code, log = await _run(git.root, own, _PLAYERS[tool](task, change, place))
    claimed = _CLAIMED[tool](git, code, log, place)
    right = await asyncio.to_thread(_passes, git, task, change, tools, place)
    return Outcome(
        task=task.id,
        tool=tool,
        claimed=claimed,
        right=right,
        calls=len(counted.requests),
        tokens=counted.tokens,
        unseen=author.unseen,
        log=log,
    )


def _author(tool: str, task: Task, change: Change, *, slips: bool) -> Author:
    old, new = texts(change, change.base), texts(change, change.after)
    if tool == "aider":
        return AiderAuthor(old, new, slips=slips)
    if tool == "mini":
        return MiniAuthor(old, new, _asked(task), slips=slips)
    return Author(old, new, slips=slips)


def _asked(task: Task) -> str:
    return f"{task.title}\n\n{task.details.strip()}\n"


def _environment(url: str, tools: Path, home: Path) -> dict[str, str]:
    path = os.pathsep.join((str(tools), os.environ["PATH"]))
    quiet = {"MSWEA_CONFIGURED": "true", "MSWEA_GLOBAL_CONFIG_DIR": str(home / "mini")}
    quiet |= {"MSWEA_COST_TRACKING": "ignore_errors", "AIDER_ANALYTICS": "false"}
    model = {"OPENAI_API_KEY": "sk-of-the-bench", "OPENAI_BASE_URL": url, "OPENAI_API_BASE": url}
    own = {"HOME": str(home), "PATH": path, "CAIRN_SANDBOX": "process", "CAIRN_MODEL": "scripted"}
    return {**ENVIRONMENT, **own, **model, **quiet, "CI": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "1"}


def _cairn(_task: Task, _change: Change, _place: Path) -> list[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from app.cli.main import main; main()"
    )
    return [sys.executable, "-P", "-c", code, "run", "--approval-mode", "review_only"]


def _aider(task: Task, change: Change, _place: Path) -> list[str]:
    return [
        *(str(_program("aider")), "--model", _MODEL, "--yes-always", "--no-pretty"),
        *("--no-check-update", "--no-show-release-notes", "--no-show-model-warnings"),
        *("--auto-test", "--test-cmd", test_command(change.paths)),
        *("--message", _asked(task)),
    ]


def _mini(task: Task, _change: Change, place: Path) -> list[str]:
    return [
        *(str(_program("mini")), "-c", "mini_textbased.yaml", "-m", _MODEL),
        *("--model-class", "litellm_textbased", "--yolo", "--exit-immediately"),
        *("-o", str(place / "trajectory.json"), "-t", _asked(task)),
    ]


_PLAYERS = {"cairn": _cairn, "aider": _aider, "mini": _mini}


def _cairn_claims(git: ScratchGit, _code: int, _log: str, _place: Path) -> bool:
    row: Mapping[str, Any] = next(iter(report_of(git.root).get("timeline", [])[-1:]), {})
    return row.get("status") == "completed" and row.get("verified") is True


def _aider_claims(git: ScratchGit, code: int, log: str, _place: Path) -> bool:
    """It committed a change, and its last run of the tests was green (red ones are printed)."""
    committed = git("rev-list", "--count", "HEAD").strip() != "1"
    return code == 0 and committed and "reflections allowed, stopping" not in log


def _mini_claims(_git: ScratchGit, _code: int, _log: str, place: Path) -> bool:
    kept = place / "trajectory.json"
    info = json.loads(kept.read_text(encoding="utf-8"))["info"] if kept.exists() else {}
    return info.get("exit_status") == "Submitted"


_CLAIMED = {"cairn": _cairn_claims, "aider": _aider_claims, "mini": _mini_claims}


async def _run(folder: Path, environ: dict[str, str], command: Sequence[str]) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), _LONGEST)
    except TimeoutError:
        process.kill()
        await process.wait()
        return -1, f"not finished after {_LONGEST} s"
    return process.returncode or 0, out.decode("utf-8", "replace")


def _passes(git: ScratchGit, task: Task, change: Change, tools: Path, place: Path) -> bool:
    """Whether the true test passes on what the tool left in the checkout."""
    tree = place / "judged"
    shutil.copytree(git.root, tree, ignore=shutil.ignore_patterns(".git", ".executor"))
    for path, content in true_files(change).items():
        if is_among_tests(path):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
    sources = os.pathsep.join(str(tree / part) for part in ("src", "."))
    done = subprocess.run(
        [str(tools / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", task.turns],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": sources},
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def _line(outcome: Outcome) -> str:
    unseen = f", {outcome.unseen} edits unseen" if outcome.unseen else ""
    return (
        f"   {outcome.task:<20} {outcome.tool:<6} {outcome.word:<18} {outcome.calls} calls, "
        f"{outcome.tokens:,} tokens{unseen}"
    )


def _table(found: Sequence[Outcome], tools: Sequence[str]) -> list[str]:
    lines = [
        "| tool | tasks | verified | wrong and claimed | not claimed | calls | tokens a task |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for tool in tools:
        mine = [each for each in found if each.tool == tool]
        if not mine:
            continue
        good = sum(each.claimed and each.right for each in mine)
        wrong = sum(each.claimed and not each.right for each in mine)
        calls, tokens = mean(e.calls for e in mine), mean(e.tokens for e in mine)
        lines.append(
            f"| {tool} | {len(mine)} | {good} | {wrong} | {len(mine) - good - wrong} | "
            f"{calls:.1f} | {tokens:,.0f} |"
        )
    return lines
