"""Comment ``/execute``, show what Cairn does, and say in the end what has come of it."""

from __future__ import annotations

import asyncio
import re
import subprocess

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from tests.demo.stage import REPOSITORY, Stage

_LOG = re.compile(r"^\S+ \S+ (?P<level>[A-Z]+) (?P<logger>\S+?): (?P<message>.*)$")
_LONGEST = 900.0


class Show:
    """One demo, from the comment to the summary."""

    def __init__(self, console: Console, stage: Stage) -> None:
        self._console = console
        self._stage = stage

    async def run(self) -> None:
        """Play the maintainer and print what happens until the run is over."""
        stage = self._stage
        self._console.rule("ada comments /execute on issue 1")
        status = await stage.github.comment(REPOSITORY, stage.issue.number, "/execute", by="ada")
        self._console.print(f"webhook answered {status}")
        async with asyncio.timeout(_LONGEST):
            while not self._over():
                await self._next_line()
        while not stage.lines.empty():
            await self._next_line()

    def summary(self, *, real: bool) -> int:
        """Print progress comment, pull requests and commits; 1 when less came than promised."""
        github = self._stage.github
        view = github.repo(REPOSITORY)
        for comment in view.comments(self._stage.issue.number):
            if comment.user is github.app.bot:
                self._console.rule("the bot says")
                self._console.print(Markdown(re.sub(r"<!--.*?-->|</?\w+>", "", comment.body)))
        table = Table("pull request", "on", "files changed")
        for issue in view.pulls:
            files = self._git("diff", "--stat=60", issue.pull.base, issue.pull.head)
            table.add_row(f"#{issue.number} {issue.title}", issue.pull.base, files.rstrip())
        self._console.rule("pull requests, each on the one before")
        self._console.print(table)
        self._console.print(self._git("log", "--graph", "--oneline", "--decorate", "--all"))
        self._console.print(f"Look around: git --git-dir {view.git} log --all --patch")
        violations = github.violations
        for violation in violations:
            self._console.print(f"GitHub objects: {violation}", style="red")
        return int(bool(violations) or (len(view.pulls) < 3 and not real))

    def _over(self) -> bool:
        """The run is over when its progress comment says so."""
        comments = self._stage.github.repo(REPOSITORY).comments(self._stage.issue.number)
        ends = ("is done", "is paused", "was cancelled")
        return any(end in c.body.split("\n")[0] for c in comments for end in ends)

    async def _next_line(self) -> None:
        """Print the next line Cairn logs; look up twice a second meanwhile."""
        try:
            line = await asyncio.wait_for(self._stage.lines.get(), timeout=0.5)
        except TimeoutError:
            return
        found = _LOG.match(line)
        if found and found["logger"] == "app.webhook":
            return
        level, text = (found["level"], found["message"]) if found else ("INFO", line)
        style = {"WARNING": "yellow", "ERROR": "red"}.get(level, "")
        self._console.print(text, style=style, markup=False, highlight=False)

    def _git(self, *arguments: str) -> str:
        folder = self._stage.github.repo(REPOSITORY).git
        command = ["git", "--git-dir", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
