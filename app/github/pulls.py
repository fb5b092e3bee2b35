"""Checkpoint pull requests: reading, finding ours, opening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.github.markers import marked, marker, with_markers
from app.github.repository_api import RepositoryApi
from runner.errors import Outage, TaskError
from runner.ports import Checkpoint

PREFIX = "cairn/"
_LONGEST_TITLE = 256


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request of ours: head and base branch, and which task of which roadmap it is."""

    number: int
    url: str
    open: bool
    merged: bool
    head: str
    sha: str
    base: str
    task: str
    roadmap: str


class Pulls:
    """The checkpoint pull requests our App wrote (``bot_login``) in one repository."""

    def __init__(self, api: RepositoryApi, *, bot_login: str, roadmap: str) -> None:
        self._api = api
        self._bot_login = bot_login
        self._roadmap = roadmap

    async def all(self) -> list[Pull]:
        """Return every one of ours, open, merged or closed. Raises ``Outage``."""
        query = urlencode({"state": "all", "per_page": 100})
        listed = self._api.items(f"pulls?{query}", "list pull requests", refused=Outage)
        return [ours async for each in listed if (ours := read_pull(each, self._bot_login))]

    async def ensure(self, checkpoint: Checkpoint) -> Pull:
        """Return the open pull request of a checkpoint; it is opened when there is none."""
        return await self._find(checkpoint) or await self._open(checkpoint)

    async def _find(self, checkpoint: Checkpoint) -> Pull | None:
        owner = self._api.full_name.partition("/")[0]
        head = f"{owner}:{checkpoint.branch}"
        query = urlencode({"state": "open", "head": head, "per_page": 100})
        doing = f"look for the pull request of {checkpoint.branch}"
        async for each in self._api.items(f"pulls?{query}", doing):
            ours = read_pull(each, self._bot_login)
            if ours and (ours.head, ours.task) == (checkpoint.branch, checkpoint.task):
                return ours
        return None

    async def _open(self, checkpoint: Checkpoint) -> Pull:
        markers = [marker("checkpoint", checkpoint.task), marker("roadmap", self._roadmap)]
        data = {
            "title": checkpoint.title[:_LONGEST_TITLE],
            "head": checkpoint.branch,
            "base": checkpoint.below,
            "body": with_markers(markers, checkpoint.body),
        }
        doing = f"open the pull request of {checkpoint.branch} against {checkpoint.below}"
        made = await self._api.create("pulls", data, doing)
        # somebody was faster: another try of ours, or a person
        ours = read_pull(made, self._bot_login) if made else await self._find(checkpoint)
        if ours is None:
            raise TaskError(
                "github",
                f"There is a pull request of branch {checkpoint.branch} that Cairn did not open."
                " Close it, then run the task again.",
            )
        return ours


def read_pull(found: Any, bot_login: str) -> Pull | None:
    """Read GitHub's form; None for what is not ours: another author, a fork, no marker."""
    head, body = found["head"], found["body"]
    task = marked(body, "checkpoint")
    ours = (
        (found["user"] or {}).get("login") == bot_login
        and head["ref"].startswith(PREFIX)
        and (head["repo"] or {}).get("id") == found["base"]["repo"]["id"]
    )
    if not ours or task is None:
        return None
    return Pull(
        number=found["number"],
        url=found["html_url"],
        open=found["state"] == "open",
        merged=found["merged_at"] is not None,
        head=head["ref"],
        sha=head["sha"],
        base=found["base"]["ref"],
        task=task,
        roadmap=marked(body, "roadmap") or "",
    )
