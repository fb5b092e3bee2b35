"""Single files of a commit through the API: of a push only one or two are looked at.

https://docs.github.com/en/rest/repos/contents#get-repository-content
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

from app.github.repository_api import RepositoryApi, ref_path
from app.github.repository_config import content_of
from runner.config import CONFIG_PATH
from runner.errors import Outage, TaskError
from runner.roadmap.limits import MOST_BYTES


class Contents:
    """Files and commits of one repository. Every method raises ``Outage`` or ``TaskError``.

    A file larger than any roadmap that is read is not fetched (``TaskError``).
    """

    def __init__(self, api: RepositoryApi) -> None:
        self._api = api

    async def read(self, path: str, commit: str) -> bytes | None:
        """Return a file as it is in a commit; None when there is none, or no ordinary one."""
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
        """Return the repository's configuration as it is in a commit; None when there is none.

        Raises ``ConfigError`` when something stands there that cannot be one.
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
