"""Read the repository's configuration from its default branch, and single files of a commit.

https://docs.github.com/en/rest/repos/contents#get-repository-content
"""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from cachetools import LRUCache
from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from app.github.api import RepositoryApi, ref_path
from runner.config.model import CONFIG_PATH, RepositoryConfig, parse_config
from runner.config.reading import check_size, not_a_file
from runner.errors import Outage, TaskError
from runner.loop.problems import similar_roadmaps
from runner.ports import Clock
from runner.roadmap.plans.choosing import USUAL, plan_at, plans_in
from runner.roadmap.source import MOST_BYTES
from runner.state.changes import EXECUTABLE, FILE, SYMLINK

LONGEST_KEPT = 60.0
"""Seconds: who reads it for no delivery (a timer, a poll) may see one that is so old."""

_MOST_KEPT = 1000

Overlay = Callable[[RepositoryConfig], RepositoryConfig]
"""What the request for work overrides in a repository's configuration."""


def as_it_is(config: RepositoryConfig) -> RepositoryConfig:
    """Nothing is laid over it."""
    return config


@dataclass(frozen=True, slots=True)
class _Read:
    """What GitHub showed at the configuration's path (None: nothing), and when.

    ``files`` are roadmaps by the path that is configured: a link leads to another file.
    """

    found: Any
    at: float
    files: dict[str, str] = field(default_factory=dict)


class Configurations:
    """Reads ``.github/cairn.yml``, once for all who need it during one delivery.

    ``images`` may be asked for. What was read is used for at most ``LONGEST_KEPT`` seconds.
    """

    def __init__(self, *, clock: Clock, images: Collection[str]) -> None:
        self._clock = clock
        self._images = images
        self._kept: LRUCache[str, _Read] = LRUCache(_MOST_KEPT)

    async def read(self, github: GitHubAPI, repository: str) -> RepositoryConfig:
        """Return the configuration of a repository (its full name); without one the defaults.

        If the roadmap is a symbolic link to a file of the repository, ``roadmap.path`` is that
        file. Raises ``ConfigError`` with every problem and its line.
        """
        kept = await self._read(github, repository)
        config = RepositoryConfig()
        if kept.found is not None:
            config = parse_config(content_of(kept.found), images=self._images)
        path = config.roadmap.path
        if path not in kept.files:
            kept.files[path] = await plan_on(github, repository, path, projects=config.plans)
        return with_plan(config, kept.files[path] or path)

    async def plan(self, github: GitHubAPI, repository: str, setting: str) -> str:
        """Return the file that a path or pattern of a configuration means; itself where none is."""
        kept, known = await self._read(github, repository), f"plan {setting}"
        if known not in kept.files:
            kept.files[known] = await plan_on(github, repository, setting)
        return kept.files[known] or setting

    async def _read(self, github: GitHubAPI, repository: str) -> _Read:
        kept, now = self._kept.get(repository), self._clock.monotonic()
        if kept is None or now - kept.at > LONGEST_KEPT:
            kept = self._kept[repository] = _Read(await _find(github, repository), now)
        return kept

    def lacks_plan(self, repository: str) -> bool:
        """Say whether what was read last has no plan, and no file that could be meant as one."""
        kept = self._kept.get(repository)
        return kept is not None and kept.files.get(USUAL) == ""

    def forget(self, repository: str) -> None:
        """Let the next reader ask GitHub: a new delivery may follow a change."""
        self._kept.pop(repository, None)


def with_plan(config: RepositoryConfig, path: str) -> RepositoryConfig:
    """Return a configuration with the plan that its path means."""
    roadmap = config.roadmap.model_copy(update={"path": path})
    return config.model_copy(update={"roadmap": roadmap})


async def _find(github: GitHubAPI, repository: str) -> Any:
    return await _get(github, f"/repos/{{+name}}/contents/{CONFIG_PATH}", repository)


async def _get(github: GitHubAPI, path: str, repository: str) -> Any:
    """What GitHub shows there; None where there is nothing, also in an empty repository."""
    try:
        return await github.getitem(path, {"name": repository})
    except BadRequest as refusal:
        if refusal.status_code in (404, 409, 422):
            return None
        raise


_MOST_LINKS = 8


def each_once(path: str, own: Sequence[str]) -> tuple[str, ...]:
    """The plan of a repository, and its projects' ``own``: one of these may be meant as that."""
    return tuple(dict.fromkeys(own if path in own else (path, *own)))


async def plan_on(
    github: GitHubAPI,
    repository: str,
    path: str,
    commit: str = "HEAD",
    projects: Collection[str] = (),
) -> str:
    """Return the file of a commit (the default branch's) that a configured path or pattern means.

    The path itself where that is none, several, or a link that leads out of the repository; ''
    where nothing in the repository could be meant. ``projects`` are the plans of projects, one of
    which may be meant.
    """
    followed = await _followed(github, repository, path, commit)
    if followed is not None:
        return followed
    tree = await _get(github, f"/repos/{{+name}}/git/trees/{commit}?recursive=1", repository)
    files = {e["path"]: e["sha"] for e in (tree["tree"] if tree else ()) if e["mode"] in _FILES}
    if not (plans_in(path, files, projects) or similar_roadmaps(path, files)):
        return ""

    async def read(paths: Sequence[str]) -> dict[str, bytes]:
        return {each: await _blob(github, repository, files[each]) for each in paths}

    return await plan_at(path, files, read, projects)


_FILES = (FILE, EXECUTABLE)


async def _followed(github: GitHubAPI, repository: str, path: str, commit: str) -> str | None:
    """The file of a commit that a path leads to; None if there is nothing.

    The path itself where it is a link that leads nowhere or out of the repository.
    https://docs.github.com/en/rest/git/trees#get-a-tree
    """
    at = path
    for _ in range(_MOST_LINKS):
        entry: Any = {"sha": commit}
        for name in at.split("/"):
            where = f"/repos/{{+name}}/git/trees/{entry['sha']}"
            tree = await _get(github, where, repository)
            entry = next((e for e in tree["tree"] if e["path"] == name), None) if tree else None
            if entry is None:
                return None if at == path else path
        if entry["mode"] != SYMLINK:
            return at
        target = (await _blob(github, repository, entry["sha"])).decode("utf-8", "replace")
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), target))
    return path


async def _blob(github: GitHubAPI, repository: str, sha: str) -> bytes:
    found = await _get(github, f"/repos/{{+name}}/git/blobs/{sha}", repository)
    return base64.b64decode(found["content"])


def content_of(found: Any) -> bytes:
    """Take the configuration from what GitHub shows at its path.

    Raises ``ConfigError`` for a folder (a list), a link, a submodule and a file that is too large:
    beyond 1 MB GitHub sends no content.
    https://docs.github.com/en/rest/repos/contents#get-repository-content
    """
    kind = "dir" if isinstance(found, list) else found["type"]
    if kind != "file":
        raise not_a_file(_KINDS[kind])
    check_size(found["size"])
    return base64.b64decode(found["content"])


_KINDS = {"dir": "a folder", "symlink": "a symbolic link", "submodule": "a submodule"}


class Contents:
    """Files and commits of one repository. Every method raises ``Outage`` or ``TaskError``.

    A file larger than any roadmap that is read is not fetched (``TaskError``).
    """

    def __init__(self, api: RepositoryApi) -> None:
        self._api = api

    async def read(self, path: str, commit: str) -> bytes | None:
        """Return a file as it is in a commit; None if there is no ordinary file."""
        found = await self._find(path, commit)
        if not isinstance(found, dict) or found.get("type") != "file":
            return None
        if found["size"] > MOST_BYTES:
            raise TaskError("file", f"{path} of {commit} has more than {MOST_BYTES:,} bytes.")
        if found.get("encoding") == "base64":
            return base64.b64decode(found["content"])
        # contents beyond 1 MB are not sent with the file
        blob = await self._api.get(f"git/blobs/{found['sha']}", f"show {path} of {commit}")
        return base64.b64decode(blob["content"])

    async def config(self, commit: str) -> bytes | None:
        """Return the repository's configuration as it is in a commit, or None.

        Raises ``ConfigError`` if something else has its place.
        """
        found = await self._find(CONFIG_PATH, commit)
        return None if found is None else content_of(found)

    async def _find(self, path: str, commit: str) -> Any:
        where = f"contents/{quote(path)}?ref={quote(commit)}"
        return await self._api.find(where, f"show {path} of {commit}")

    async def has(self, commit: str) -> bool:
        """Say whether a commit is still there: after a force push the old one can be gone."""
        path = f"git/commits/{quote(commit)}"
        return await self._api.find(path, f"show commit {commit}") is not None

    async def head(self, branch: str) -> str:
        """Return the commit a branch points to; '' when it is gone."""
        ref = await self._api.find(ref_path(branch), f"show branch {branch}", refused=Outage)
        return str(ref["object"]["sha"]) if ref else ""
