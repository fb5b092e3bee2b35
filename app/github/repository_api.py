"""The API of one repository: paths below ``/repos/OWNER/NAME``, errors as the port has them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from gidgethub import BadRequest, InvalidField, QueryError
from gidgethub.abc import GitHubAPI

from app.github.faults import exhausted
from app.github.refusals import is_limit, told
from runner.errors import Outage, TaskError

Refused = type[TaskError] | type[Outage]


class RepositoryApi:
    """Asks GitHub about one repository. ``doing`` ends the sentence "GitHub refused to ..."."""

    def __init__(self, client: GitHubAPI, full_name: str) -> None:
        self._client = client
        self._root = f"/repos/{full_name}"
        self.full_name = full_name
        self._node = ""

    async def find(self, path: str, doing: str, *, refused: Refused = TaskError) -> Any:
        """Return what is at ``path``, None when there is nothing (404)."""
        with told(doing, refused=refused):
            try:
                return await self._client.getitem(f"{self._root}/{path}")
            except BadRequest as refusal:
                if refusal.status_code == 404:
                    return None
                raise

    async def get(self, path: str, doing: str, *, refused: Refused = TaskError) -> Any:
        """Return what must be at ``path``."""
        with told(doing, refused=refused):
            return await self._client.getitem(f"{self._root}/{path}")

    async def items(
        self, path: str, doing: str, *, refused: Refused = TaskError
    ) -> AsyncIterator[Any]:
        """Yield every item of a list, page after page as ``Link`` says."""
        with told(doing, refused=refused):
            async for item in self._client.getiter(f"{self._root}/{path}"):
                yield item

    async def post(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Create something."""
        with told(doing):
            return await self._client.post(f"{self._root}/{path}", data=data)

    async def change(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Change something that is there."""
        with told(doing):
            return await self._client.patch(f"{self._root}/{path}", data=data)

    async def graphql(self, query: str, doing: str, **variables: Any) -> Any:
        """Ask GraphQL; any error in the answer is a refusal."""
        with told(doing):
            try:
                return await self._client.graphql(query, **variables)
            except QueryError as refusal:
                limit = self._client.rate_limit
                if limit and is_limit(refusal):
                    raise exhausted(limit.reset_datetime) from refusal
                raise

    async def node(self) -> str:
        """Return the repository's id for GraphQL; asked once."""
        if not self._node:
            with told("show the repository"):
                self._node = str((await self._client.getitem(self._root))["node_id"])
        return self._node

    async def create(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Create something, or return None when GitHub says that it is there already (422)."""
        with told(doing):
            try:
                return await self._client.post(f"{self._root}/{path}", data=data)
            except BadRequest as refusal:
                if _is_there(refusal):
                    return None
                raise


def ref_path(branch: str) -> str:
    """Return the path of a branch's ref; a name may hold ``#`` or ``%``."""
    return f"git/ref/heads/{quote(branch)}"


def _is_there(refusal: BadRequest) -> bool:
    """Read a 422: of some things GitHub says so in words, of others by a code."""
    errors = refusal.errors if isinstance(refusal, InvalidField) else None
    codes = [each.get("code") for each in errors or [] if isinstance(each, dict)]
    said = refusal.status_code == 422 and "already exists" in str(refusal)
    return said or "already_exists" in codes
