"""Playing a case through ``cairn run``: a checkout, and a model that says what it was told."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.answers.judging import difference, problems
from tests.answers.projects import ROADMAP, Change, Files, Task, changed
from tests.app.checkout import Checkout, Said
from tests.app.warm import PROJECT
from tests.model_server import Reply, ScriptedModel, serve
from tests.model_server.script import APART
from tests.model_server.turns import Asked, Turn
from tests.plain_python import plain_path
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit
from tests.scenarios.bot import conversation

_MOST_CALLS = 30
_ELSEWHERE = Path("/tmp/cairn-answers-escape.txt")
FLAGS = ("--approval-mode", "review_only", "--no-planning")
_AT = re.compile(r"Answer with one new file, `([^`]+)`")

Apart = Callable[[str], str]
"""The answer to a question for a test apart, which is to stand at this path."""


class Told(ScriptedModel):
    """Says its answers in order, and the last few again and again when it is asked more often."""

    def __init__(
        self,
        turns: Sequence[str | Reply],
        again: Sequence[str | Reply],
        apart: Apart | None = None,
    ) -> None:
        super().__init__()
        self._turns, self._again, self._apart = list(turns), list(again), apart

    def answer(self, asked: Asked) -> Turn:
        """Keep the request and return what is said to it."""
        if APART in asked.prompt:
            path = _AT.search(asked.prompt)
            return self._apart(path[1]) if self._apart and path else super().answer(asked)
        self.requests.append(asked)
        number = len(self.requests) - 1
        if number < len(self._turns):
            return self._turns[number]
        if not self._again or number > _MOST_CALLS:
            return super().answer(self.requests.pop())
        return self._again[(number - len(self._turns)) % len(self._again)]


@dataclass(frozen=True)
class Played:
    """What a run left: ``files`` is the newest commit's tree, ``complaints`` how it asked again.

    ``shown`` is the first question, ``escaped`` what was written where no answer may write, and
    ``verdict`` what the commit says of it ('': there is none).
    """

    task: Task
    code: int
    calls: int
    files: Files
    dirty: str
    complaints: tuple[str, ...]
    shown: str
    escaped: tuple[str, ...]
    said: Said
    verdict: str

    @property
    def committed(self) -> tuple[str, ...]:
        """The paths the commits changed, without the roadmap."""
        return tuple(path for path in difference(self.task.base, self.files) if path != ROADMAP)

    @property
    def unharmed(self) -> bool:
        """Whether nothing at all was committed or left in the work tree."""
        return not (difference(self.task.base, self.files) or self.dirty or self.escaped)

    def wrong(self, extra: Sequence[str] = ()) -> list[str]:
        """Say what is wrong with the tree as a result of the task; ``extra`` may be there too."""
        plain = {path: self.task.base.get(path) for path in extra}
        files = changed(self.files, plain)
        found = problems(self.task, files)
        dirty = [f"left in the work tree: {self.dirty}"] if self.dirty else []
        return [*found, *dirty, *(f"written outside: {path}" for path in self.escaped)]


async def play(
    task: Task,
    folder: Path,
    turns: Sequence[str | Reply],
    again: Sequence[str | Reply] = (),
    apart: Apart | None = None,
) -> Played:
    """Run ``cairn`` on the task's repository with a model that gives these answers."""
    model = Told(turns, again, apart)
    git = ScratchGit(folder / "in" / "here")
    git.commit({path: text.encode() for path, text in task.base.items()})
    async with serve(model) as url:
        here = Checkout(git, model, _environment(url, folder))
        said = await here.cairn("run", *FLAGS)
    return Played(
        task=task,
        code=said.code,
        calls=len(model.requests),
        files=_tree(git),
        dirty=git("status", "--porcelain"),
        complaints=tuple(str(each.messages[-1]["content"]) for each in model.requests[1:]),
        shown=model.requests[0].prompt if model.requests else "",
        escaped=_escaped(folder, git.root),
        said=said,
        verdict=git("log", "-1", "--format=%(trailers:key=Cairn-Verdict,valueonly)").strip(),
    )


async def drafts(task: Task, folder: Path, answer: str, *, test: str) -> list[bool]:
    """Run the task through the server: for each pull request, whether it is a draft.

    ``test`` is the answer where a test apart is asked for.
    """
    files = {path: text.encode() for path, text in task.base.items()}
    async with conversation(folder, files, CAIRN_SANDBOX="process") as bot, bot.started():
        bot.model.otherwise = lambda _: answer
        bot.model.gives_tests(test)
        await bot.comment("/execute --max-tasks 1")
        made = [pull for pull in bot.pulls if pull not in bot.proposals]
        return [bool(pull.pull and pull.pull.draft) for pull in made]


def naive(task: Task, change: Change) -> Files:
    """Return the tree of somebody who writes an answer into it as it stands."""
    return changed(task.base, change)


def _escaped(folder: Path, root: Path) -> tuple[str, ...]:
    """Return what was written where no answer may write: around the checkout, and into ``.git``."""
    around = {path.name for place in (folder, root.parent) for path in place.iterdir()}
    odd = around - {"in", "here", ".cache", ".config", ".local", ".npm", ".git"}
    hooks = {path.name for path in (root / ".git" / "hooks").glob("*") if path.suffix != ".sample"}
    settings = "fsmonitor" in (root / ".git" / "config").read_text(encoding="utf-8")
    elsewhere = [path for path in (_ELSEWHERE,) if path.exists()]
    for path in elsewhere:
        path.unlink()
    return (*sorted(odd | hooks), *(["config"] if settings else []), *map(str, elsewhere))


def _environment(url: str, folder: Path) -> dict[str, str]:
    path = plain_path(Path(sys.executable).parent)
    kept = {"HOME": str(folder), "PATH": path, "PYTHONPATH": str(PROJECT)}
    model = {"OPENAI_API_KEY": "sk-of-the-tests", "OPENAI_BASE_URL": url, "CAIRN_MODEL": "scripted"}
    caches = {"GOCACHE": os.environ.get("GOCACHE", str(Path.home() / ".cache" / "go-build"))}
    return {**ENVIRONMENT, **kept, **model, **caches, "CAIRN_SANDBOX": "process"}


def _tree(git: ScratchGit) -> Files:
    paths = [path for path in git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0") if path]
    return {path: git.raw("show", f"HEAD:{path}").decode() for path in paths}
