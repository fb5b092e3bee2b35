"""A repository whose workflows run the Action: GitHub, a model, and jobs that are started here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from app.action.command import act
from app.action.job import Inputs, Job, read_inputs, read_job
from app.action.report import ActionReport
from app.runs.parts import Surroundings
from app.settings import ActionSettings
from tests.fake_github import FakeGitHub
from tests.fake_github.reading import View
from tests.fake_github.state import Issue
from tests.model_server import ScriptedModel, serve
from tests.scenarios.proposing import BROKEN, PARTS
from tests.scenarios.template import used_database

REPOSITORY = "octo/hello"
GRANTED = {"contents": "write", "issues": "write", "pull_requests": "write"}


@dataclass
class Workflows:
    """The repository and its workflow runs, each on a machine of its own (a new folder)."""

    github: FakeGitHub
    model: ScriptedModel
    base_url: str
    folder: Path
    token: str
    bugs: list[Exception] = field(default_factory=list)
    runs: int = 0

    @property
    def view(self) -> View:
        """The repository as it is on GitHub now."""
        return self.github.repo(REPOSITORY)

    @property
    def proposals(self) -> list[Issue]:
        """The pull requests that put a proposal before people."""
        return [p for p in self.view.pulls if "cairn:recovery" in {one.name for one in p.labels}]

    @property
    def plan(self) -> Issue:
        """The issue the Action opened for its runs to talk on."""
        mine = self.github.app.bot
        (found,) = [i for i in self.view.issues.values() if i.user is mine and i.pull is None]
        return found

    def says(self, issue: Issue) -> str:
        """What the bot said there and nobody read yet."""
        return "\n".join(self.github.says(REPOSITORY, issue.number))

    def read_all(self) -> None:
        """Read everything the bot said."""
        for issue in self.view.issues.values():
            self.github.says(REPOSITORY, issue.number)

    def environment(self, event: str, payload: object, **more: str) -> dict[str, str]:
        """The variables of a job; each has a machine of its own."""
        self.runs += 1
        place = self.folder / f"job-{self.runs}"
        place.mkdir(parents=True)
        if payload is not None:
            (place / "event.json").write_text(json.dumps(payload))
        names = ("event.json", "output", "summary.md")
        path, output, summary = (str(place / name) for name in names)
        said = {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": path,
            "GITHUB_OUTPUT": output,
            "GITHUB_STEP_SUMMARY": summary,
            "GITHUB_RUN_ID": f"{100 + self.runs}",
            "GITHUB_JOB": "cairn",
            "GITHUB_TOKEN": self.token,
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.server_url,
            "RUNNER_TEMP": str(place),
            "OPENAI_API_KEY": "sk-test",
            "OPENAI_BASE_URL": self.base_url,
            "CAIRN_MODEL": "scripted",
            "CAIRN_SANDBOX": "process",
        }
        return said | more

    async def run(self, event: str, payload: object = None, **more: str) -> ActionReport:
        """Let one workflow run do its work, in this process."""
        said = self.environment(event, {} if payload is None else payload, **more)
        return await self.act(read_job(said), read_inputs(said), said)

    async def act(self, job: Job, inputs: Inputs, said: Mapping[str, str]) -> ActionReport:
        """The same with what was read."""
        await used_database(job.data)
        clock = self.github.clock

        async def sleep(seconds: float) -> None:
            clock.advance(seconds)
            await asyncio.sleep(0)

        async def rest(seconds: float) -> None:
            if seconds > timedelta(minutes=10).total_seconds():
                await asyncio.Event().wait()
            await asyncio.Event().wait()

        around = Surroundings(clock, sleep, self.bugs.append, rest=rest)
        return await act(job, inputs, _settings(job, inputs, said), around)

    def payload(self) -> dict[str, Any]:
        """What the newest webhook says; a workflow is not told an installation."""
        told = dict(self.github.world.deliveries[-1].payload)
        told.pop("installation", None)
        return told

    async def comment(self, where: Issue, body: str, *, by: str = "writer") -> dict[str, Any]:
        """Comment; return the payload of the event that starts a workflow."""
        await self.github.comment(REPOSITORY, where.number, body, by=by)
        return self.payload()

    def gets_stuck(self) -> None:
        """Line up a model that cannot finish the task of ``STUCK`` and proposes to divide it."""
        self.model.when(contains="A programmer could not finish").says(
            "task_too_complex\nIt is several files."
        )
        parts = [{"title": title, "acceptance": []} for title in PARTS]
        self.model.when(contains="because it is too much at once").says(json.dumps(parts))
        about = self.model.when(contains="`two.md` and `table.json`", without=("1.1.1",))
        about.says(BROKEN, repeat_last=True)

    def dispatch(self, by: str = "writer") -> dict[str, Any]:
        """The payload of a workflow that somebody starts by hand."""
        who = self.github.world.user(by)
        sender = {"id": who.id, "login": who.login, "type": who.type}
        return {"inputs": None, "ref": "refs/heads/main", "sender": sender}


def _settings(job: Job, inputs: Inputs, said: Mapping[str, str]) -> ActionSettings:
    """The settings as the environment would say them, without touching this process's own."""
    names = {n: v for n, v in said.items() if n.lower() in ActionSettings.model_fields}
    own = {"CAIRN_DATA_DIR": job.data, "DATABASE_URL": f"sqlite:///{job.data}/cairn.db"}
    return ActionSettings(**(names | own))  # type: ignore[arg-type]


@asynccontextmanager
async def workflows(folder: Path, files: Mapping[str, object]) -> AsyncIterator[Workflows]:
    """GitHub with one repository and the App every workflow's token belongs to."""
    model = ScriptedModel()
    async with FakeGitHub(folder / "github") as github, serve(model) as base_url:
        github.create_app("github-actions", id=15368)
        github.add_repository(REPOSITORY, files, roles={"writer": "write", "keeper": "maintain"})
        token = github.token(REPOSITORY, **GRANTED)
        yield Workflows(github, model, base_url, folder / "jobs", token)
