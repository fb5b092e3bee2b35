"""Comment ``/execute``, show what Cairn does, and say in the end what has come of it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from tests.fake_github.state import Issue
from tools.demo.site import BY
from tools.demo.stage import REPOSITORY, Stage

_LOG = re.compile(r"^\S+ \S+ (?P<level>[A-Z]+) (?P<logger>\S+?): (?P<message>.*)$")
_DRAWING = re.compile(r"<details><summary>[^<]*</summary>\s*```mermaid\n.*?</details>", re.DOTALL)
_HIDDEN = re.compile(r"<!--.*?-->|</?\w+>")
_ANSWERS = re.compile(r"model answers: (?P<answers>\d+) .*")
_LONGEST = 900.0


class Show:
    """One demo, from the comment to the summary."""

    def __init__(self, console: Console, stage: Stage, *, kill: bool) -> None:
        self._console = console
        self._stage = stage
        self._kills = int(kill)

    async def run(self) -> None:
        """Play the maintainer and print what happens until the run is over."""
        stage = self._stage
        self._console.rule(f"{BY} comments /execute on issue 1")
        status = await stage.github.comment(REPOSITORY, stage.issue.number, "/execute", by=BY)
        self._console.print(f"webhook answered {status}")
        async with asyncio.timeout(_LONGEST):
            while not self._over():
                await self._next_line()
        while not stage.lines.empty():
            await self._next_line()

    def summary(self, *, real: bool) -> int:
        """Print what the bot said and published; 1 when less came than promised."""
        github = self._stage.github
        view = github.repo(REPOSITORY)
        lines = [
            comment.body
            for number in sorted(view.issues)
            for comment in view.comments(number)
            if comment.user is github.app.bot
        ]
        for body in lines:
            self._console.rule("the bot says")
            self._markdown(body)
        self._pull_requests(view.pulls)
        self._console.print(self._git("log", "--graph", "--oneline", "--decorate", "--all"))
        self._one_of(view.pulls)
        missing = [] if real else _missing(view.pulls)
        for problem in (*github.violations, *missing):
            self._console.print(f"Not as promised: {problem}", style="red")
        return int(bool(github.violations or missing))

    def what_next(self) -> None:
        """Say what there is to look at now that everything is stopped."""
        git = self._stage.github.repo(REPOSITORY).git
        self._console.rule("what to look at next")
        self._say("what Cairn committed", f"git --git-dir {git} log --all --patch")
        self._say("the same with a browser", f"{_cairn()} demo --keep")
        self._say("one killed on the way", f"{_cairn()} demo --kill")
        self._say("your own project", "docs/quick-start.md, from 'On your own checkout' on")

    async def keep(self) -> None:
        """Leave everything up and print the addresses, until Ctrl-C."""
        stage = self._stage
        github = stage.github.repo(REPOSITORY)
        home = f"{stage.github.server_url}/{REPOSITORY}"
        self._console.rule("everything stays up until you press Ctrl-C")
        self._say("the runs, on Cairn's own pages", f"{stage.url}/runs")
        self._say("  the token to log in with", stage.token)
        self._say("the issue, where you can comment", f"{home}/issues/{stage.issue.number}")
        for issue in github.pulls:
            kind = "the proposal to decide on" if _asks(issue) else "a pull request"
            self._say(kind, f"{home}/pull/{issue.number}")
        self._say("what Cairn committed", f"git --git-dir {github.git} log --all --patch")
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        while not stop.is_set():
            await self._next_line()
        self._console.print("Stopping.")

    def _say(self, what: str, where: str) -> None:
        self._console.print(f"{what + ':':<34} {where}", markup=False, highlight=False)

    def _pull_requests(self, pulls: list[Issue]) -> None:
        self._console.rule("pull requests, each on the one before")
        table = Table("pull request", "on", "what it changes", "how it was made")
        for issue in pulls:
            assert issue.pull is not None
            changed = self._git("diff", "--name-only", issue.pull.base, issue.pull.head)
            made = _ANSWERS.search(issue.body or "")
            title = f"#{issue.number} {issue.title}"
            table.add_row(title, issue.pull.base, changed.rstrip(), made[0] if made else "")
        self._console.print(table)

    def _one_of(self, pulls: list[Issue]) -> None:
        """Show one pull request as its reviewer reads it: the one that took the most answers."""
        found = [(_ANSWERS.search(issue.body or ""), issue) for issue in pulls]
        finished = [(int(made["answers"]), issue) for made, issue in found if made]
        if not finished:
            return
        _, issue = max(finished, key=lambda each: (each[0], each[1].number))
        self._console.rule(f"pull request #{issue.number}, as its reviewer reads it")
        self._markdown(f"# {issue.title}\n\n{issue.body}")

    def _markdown(self, text: str) -> None:
        """Show what GitHub would render, but for drawings, which a terminal cannot show."""
        self._console.print(Markdown(_HIDDEN.sub("", _DRAWING.sub("", text))))

    def _over(self) -> bool:
        """The run is over, or waits for a person, when its progress comment says so."""
        comments = self._stage.github.repo(REPOSITORY).comments(self._stage.issue.number)
        ends = ("is done", "is paused", "was cancelled", "is waiting")
        return any(end in c.body.split("\n")[0] for c in comments for end in ends)

    async def _next_line(self) -> None:
        """Print the next line Cairn logs; look up twice a second meanwhile."""
        line = await self._stage.next_line()
        if line is None:
            return
        found = _LOG.match(line)
        if found and found["logger"] == "app.server.webhook":
            return
        level, text = (found["level"], found["message"]) if found else ("INFO", line)
        style = {"WARNING": "yellow", "ERROR": "red"}.get(level, "")
        self._console.print(text, style=style, markup=False, highlight=False)
        if self._kills and text.startswith("Test repair attempt"):
            self._kills = 0
            await self._stage.kill()

    def _git(self, *arguments: str) -> str:
        folder = self._stage.github.repo(REPOSITORY).git
        command = ["git", "--git-dir", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _missing(pulls: list[Issue]) -> list[str]:
    """What the scripted demo must show and did not."""
    bodies = "\n".join(issue.body or "" for issue in pulls)
    wanted = {
        "three pull requests or more": len(pulls) >= 3,
        "a syntax repair": "(1 code repair" in bodies,
        "a test repair": "1 test repair" in bodies,
        "a fault mended without the model": "repaired without a model" in bodies,
        "a draft that asks people about the task that no answer can solve": any(
            _asks(issue) for issue in pulls
        ),
    }
    return [f"{what} is missing" for what, there in wanted.items() if not there]


def _cairn() -> str:
    """How this Cairn is called in a shell."""
    ours = Path(sys.executable).parent / "cairn"
    return "cairn" if shutil.which("cairn") == str(ours) else os.path.relpath(ours)


def _asks(issue: Issue) -> bool:
    assert issue.pull is not None
    labelled = "cairn:recovery" in {label.name for label in issue.labels}
    first = issue.comments[0].body if issue.comments else ""
    return labelled and issue.pull.draft and issue.state == "open" and ": ESCALATE" in first
