"""True changes of real projects, given as answers: does ``cairn run`` verify them?

``make bench ARGS="oracle [--task ID ...] [--sample N] [--init] [--wrong KIND] [--show]"``. Each
task is played on a checkout of the older release, with the project's own tools on the PATH and
nothing configured; with ``--init`` in an environment without any of them, once ``cairn init`` has
been called. The model answers with the true change as far as it was shown what it changes. What is
counted: tasks that end completed and verified, answers each, and runs that are called verified
though the tree does not have the whole change. With ``--wrong`` the model answers with what is
none of it (``bench.oracle.wrong``), and no run may be called verified.
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
from statistics import median
from typing import Any

from bench.finding import Finding, Line, Unmeasured
from bench.oracle.author import Author
from bench.oracle.catalogue import Change, Project, Task, change_of, tasks
from bench.oracle.fetching import NoSource
from bench.oracle.sources import environment, node_modules
from bench.oracle.wrong import KINDS, made_wrong
from tests.answers.drawing import drawn
from tests.model_server import serve
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit

PROJECT = Path(__file__).parents[2]
_RUN = ("run", "--approval-mode", "review_only")
_TOOLCHAINS = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "GOCACHE": ".cache/go-build"}
"""What compilers keep in the home of the user, who has another one in a play."""


@dataclass(frozen=True)
class Played:
    """How a task ended: ``verified`` as the report says, ``right`` as the tree is.

    Of the ``files`` that were there and change, so many were ``seen`` well enough to edit.
    """

    task: Task
    code: int
    completed: bool
    verdict: str
    verified: bool
    right: bool
    answers: int
    plans: int
    looks: int
    tokens: int
    seconds: float
    unseen: int
    files: int
    seen: int
    why: str
    log: str

    @property
    def ok(self) -> bool:
        """Whether it is what a user hopes for."""
        return self.completed and self.verified and self.right


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read what is to be played."""
    parser = argparse.ArgumentParser(prog="python -m bench oracle", description=__doc__)
    parser.add_argument("--task", nargs="+", default=[], metavar="ID", help="these, or projects")
    parser.add_argument("--sample", type=int, default=0, help="so many tasks only (0: all)")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample")
    parser.add_argument("--init", action="store_true", help="nothing installed, but `cairn init`")
    parser.add_argument("--wrong", choices=KINDS, default="", help="answer with a wrong change")
    parser.add_argument("--no-planning", action="store_true", help="no task is planned first")
    parser.add_argument("--show", action="store_true", help="print what cairn said of each miss")
    parser.add_argument("--longest", type=int, default=900, help="seconds a task may take")
    return parser.parse_args(arguments)


async def measure(
    folder: Path, arguments: Sequence[str] = ("--sample", "2")
) -> AsyncIterator[Line | str]:
    """Play the catalogue: a line a task, then the sums."""
    asked = options(arguments)
    found: list[Played] = []
    for task in _chosen(asked):
        try:
            run = (*_RUN, *(("--no-planning",) if asked.no_planning else ()))
            played = await play(
                task, folder, init=asked.init, run=run, longest=asked.longest, wrong=asked.wrong
            )
        except NoSource as problem:
            yield Unmeasured(task.id, str(problem))
            continue
        found.append(played)
        yield _wrong_line(played) if asked.wrong else _line(played)
        missed = played.verdict == "shown" if asked.wrong else not played.ok
        if asked.show and missed:
            yield played.log
    for line in _wrong_sums(found) if asked.wrong else _sums(found):
        yield line


def _chosen(asked: argparse.Namespace) -> list[Task]:
    named = set(asked.task)
    chosen = [t for t in tasks() if not named or {t.id, t.project.name} & named]
    return drawn(asked.seed).sample(chosen, min(asked.sample or len(chosen), len(chosen)))


async def play(
    task: Task,
    folder: Path,
    *,
    init: bool = False,
    run: Sequence[str] = _RUN,
    longest: float = 900,
    wrong: str = "",
) -> Played:
    """Run ``cairn`` on a checkout of the older release. Raises ``NoSource``."""
    change = await asyncio.to_thread(change_of, task)
    if wrong:
        change = made_wrong(change, wrong)
    git = checkout(task, change, folder / task.id / "repository", bare=init)
    programs = await asyncio.to_thread(_bare if init else _programs, task, change, folder / task.id)
    for command in () if init else task.project.set_up:
        await asyncio.to_thread(_set_up, git.root, command, _environment("", programs, git.root))
    first = ""
    if init:
        _, first = await _run(git.root, _environment("", programs, folder / task.id), ("init",))
        git.commit({}, "what cairn init wrote")
    author = Author(texts(change, change.base), texts(change, change.after))
    async with serve(author) as url:
        started = asyncio.get_running_loop().time()
        own = _environment(url, programs, folder / task.id)
        code, log = await _run(git.root, own, run, longest)
        seconds = asyncio.get_running_loop().time() - started
    edited = {path for path in change.paths if path in change.base and path in change.after}
    report = report_of(git.root)
    row: Mapping[str, Any] = next(iter(report.get("timeline", [])[-1:]), {})
    errors = [str(error.get("message")) for error in report.get("errors", ())]
    return Played(
        task=task,
        code=code,
        completed=row.get("status") in ("completed", "in_review"),
        verdict=str(row.get("verdict") or ""),
        verified=row.get("verified") is True,
        right=_is_right(git, change),
        answers=author.kinds["answer"],
        looks=author.kinds["look"],
        plans=author.kinds["plan"] + author.kinds["word"],
        tokens=int(row.get("tokens", 0)),
        seconds=seconds,
        unseen=author.unseen,
        files=len(edited),
        seen=len(edited - author.blind),
        why=str(row.get("not_verified_because") or report.get("problem") or " | ".join(errors)),
        log=first + log,
    )


def checkout(task: Task, change: Change, folder: Path, *, bare: bool) -> ScratchGit:
    """Commit the older release with a roadmap that has the task; ``bare`` installs nothing."""
    git = ScratchGit(folder)
    details = "".join(f"\n  {line}" for line in task.details.splitlines())
    roadmap = f"# Roadmap\n\n- [ ] {task.title}{details}\n"
    git.write({**change.base, "ROADMAP.md": roadmap.encode()})
    git("add", "--all", "--force")  # projects have files that their .gitignore names
    git.commit({})
    git("tag", f"v{task.project.old}")
    git("tag", task.project.old)
    if "package.json" in change.base and not bare:
        _copy_modules(task.project, change, folder)
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "exclude").write_text("node_modules\n", encoding="utf-8")
    return git


def _copy_modules(project: Project, change: Change, folder: Path) -> None:
    """Put all that each ``package.json`` asks for, or what the catalogue names, into a checkout.

    The packages of a workspace lead to one another: within the checkout, not where they were
    installed.
    """
    packages = {p: c for p, c in change.base.items() if _name(p) == "package.json"}
    if b'"workspaces"' not in packages["package.json"]:
        packages = {"package.json": packages["package.json"]}
    locks = {p: change.base[p] for p in {"package-lock.json"} & change.base.keys()}
    installed = node_modules(project.name, packages | locks, project.needs)
    for path in packages:
        modules = installed.parent / Path(path).parent / "node_modules"
        if modules.is_dir():
            target = folder / Path(path).parent / "node_modules"
            shutil.copytree(modules, target, symlinks=True, copy_function=os.link)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _set_up(folder: Path, command: str, environ: Mapping[str, str]) -> None:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder, env=dict(environ), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise NoSource(f"{command}: {' '.join((done.stderr or done.stdout).split())[-300:]}")


def texts(change: Change, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the texts of the files that the change touches, in one of its trees."""
    return {path: files[path].decode() for path in change.paths if path in files}


def _programs(task: Task, change: Change, _: Path) -> list[str]:
    if not _is_python(change):
        return []
    return [str(environment(task.project.name, ("pytest", *task.project.needs)))]


def _is_python(change: Change) -> bool:
    """Whether nothing says that it is a project in another language."""
    return not {"package.json", "go.mod", "Cargo.toml"} & change.base.keys()


def _bare(_task: Task, change: Change, folder: Path) -> list[str]:
    """A virtual environment of its own, in which ``cairn init`` may install what it proposes."""
    if not _is_python(change):
        return []
    venv.create(folder / "venv", with_pip=True)
    return [str(folder / "venv" / "bin")]


def _environment(url: str, programs: Sequence[str], home: Path) -> dict[str, str]:
    path = os.pathsep.join((*programs, os.environ["PATH"]))
    model = {"OPENAI_API_KEY": "sk-of-the-bench", "OPENAI_BASE_URL": url, "CAIRN_MODEL": "scripted"}
    own = {"HOME": str(home), "PATH": path, "CAIRN_SANDBOX": "process", "CI": "1"}
    tools = {name: os.environ.get(name, str(Path.home() / at)) for name, at in _TOOLCHAINS.items()}
    return {**ENVIRONMENT, **tools, **own, **model}


async def _run(
    folder: Path, environ: Mapping[str, str], command: Sequence[str], longest: float = 900
) -> tuple[int, str]:
    code = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from app.cli.main import main; main()"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, *command,
        cwd=folder, env=dict(environ), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        out, _ = await asyncio.wait_for(process.communicate(), longest)
    except TimeoutError:
        process.kill()
        await process.wait()
        return -1, f"not finished after {longest:g} s"
    return process.returncode or 0, out.decode("utf-8", "replace")


def report_of(folder: Path) -> dict[str, Any]:
    """Return the report that a run left in a checkout; empty if it left none."""
    found = list((folder / ".executor").glob("**/report.json"))
    return json.loads(found[0].read_text(encoding="utf-8")) if found else {}


def true_files(change: Change) -> dict[str, bytes]:
    """Return the files of the true change as they are after it."""
    return {path: change.after[path] for path in change.paths if path in change.after}


def _is_right(git: ScratchGit, change: Change) -> bool:
    """Whether the newest commit has the true change, and nothing else but the ticked roadmap.

    Blanks and empty comments do not count: the project's own formatter may have set them.
    """
    paths = git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    files = {path: git.raw("show", f"HEAD:{path}") for path in change.paths if path in paths}
    return _without_blanks(files) == _without_blanks(true_files(change))


def _without_blanks(files: Mapping[str, bytes]) -> dict[str, bytes]:
    words = {path: content.split() for path, content in files.items()}
    return {path: b"".join(word for word in words[path] if word != b"//") for path in words}


def _line(played: Played) -> str:
    how = "verified" if played.ok else f"MISSED ({played.verdict or 'no verdict'})"
    if played.completed and played.verified and not played.right:
        how = "FALSE GREEN?"
    why = "" if played.ok else f" ({played.why[:200]})"
    unseen = f", {played.unseen} edits unseen" if played.unseen else ""
    return (
        f"   {played.task.id:<22} {how:<9} {played.answers} answers, {played.looks} looks, "
        f"{played.plans} plans, {played.tokens:,} tokens, {played.seconds:.0f} s{unseen}{why}"
    )


def _wrong_line(played: Played) -> str:
    how = "SHOWN" if played.verdict == "shown" else played.verdict or "refused"
    return f"   {played.task.id:<22} {how:<9} {played.tokens:,} tokens, {played.seconds:.0f} s"


def _wrong_sums(found: Sequence[Played]) -> list[Line | str]:
    shown = sum(played.verdict == "shown" for played in found)
    return [Finding(what=f"wrong, shown of {len(found)}", value=shown, unit="", goal="0",
                    ok=not shown)]  # fmt: skip


def _sums(found: Sequence[Played]) -> list[Line | str]:
    if not found:
        return [Unmeasured("oracle", "no task could be played")]
    good = [played for played in found if played.ok]
    share = 100 * len(good) / len(found)
    false = sum(p.completed and p.verified and not p.right for p in found)
    answers = sum(p.answers for p in good) / max(1, len(good))
    files, seen = sum(p.files for p in found), sum(p.seen for p in found)
    looks = median(p.looks for p in found)
    return [
        Finding(what=f"verified of {len(found)}", value=share, unit="%", goal=">= 90 %",
                ok=share >= 90),
        Finding(what="false green", value=false, unit="", goal="0", ok=not false),
        Finding(what=f"changed files seen, with looks ({seen} of {files})",
                value=100 * seen / max(1, files), unit="%", goal=">= 95 %",
                ok=seen >= 0.95 * files),
        Finding(what="looks a task, in the median", value=looks, unit="", goal="<= 2",
                ok=looks <= 2),
        Finding(what="answers a verified task", value=answers, unit="", goal="<= 1.2",
                ok=answers <= 1.2),
    ]  # fmt: skip
