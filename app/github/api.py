"""The API of one repository: paths below ``/repos/OWNER/NAME``, errors as the port has them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from gidgethub import (
    BadGraphQLRequest,
    BadRequest,
    GraphQLException,
    GraphQLResponseTypeError,
    HTTPException,
    InvalidField,
    QueryError,
)
from gidgethub.abc import GitHubAPI

from app.github.client import RULES, exhausted
from runner.errors import Outage, TaskError

_log = logging.getLogger(__name__)


@contextmanager
def refusals_explained(
    doing: str, *, refused: type[TaskError] | type[Outage] = TaskError
) -> Iterator[None]:
    """Raise ``refused`` with GitHub's own words when it refuses to do something.

    A bad credential, every answer that is not a refusal (5xx, redirects) and an unusable GraphQL
    API are an ``Outage``.
    """
    try:
        yield
    except BadRequest as refusal:
        why = f"GitHub refused to {doing}: {_explanation(refusal)}"
        if refusal.status_code == 401:
            raise Outage("credential", why) from refusal
        raise refused("github", why) from refusal
    except HTTPException as broken:
        raise Outage("github", f"GitHub could not {doing}: {_explanation(broken)}") from broken
    except GraphQLException as refusal:
        if is_closed(refusal):
            raise Outage("permission", _closed(doing, refusal)) from refusal
        kind = refused if _errors(refusal) and not is_limit(refusal) else Outage
        raise kind("github", f"GitHub refused to {doing}: {refusal}") from refusal


@contextmanager
def rules_are_refusals() -> Iterator[None]:
    """Make a branch that rules forbid a refusal: what is done beside a run does not wait for it."""
    try:
        yield
    except Outage as outage:
        if outage.kind != RULES:
            raise
        raise TaskError(RULES, outage.message) from outage


class BestEffort:
    """What nobody's work depends on may be refused: it is noted for the report.

    A ``strict`` one (``github_mode: fail_fast``) lets the refusal through.
    """

    def __init__(self) -> None:
        self.strict = False
        self._notes: list[str] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Let a refusal of what is done inside pass. An outage stays one."""
        try:
            yield
        except TaskError as refused:
            self._note(refused)
        except Outage as outage:
            if outage.kind != "permission":
                raise
            self._note(outage)

    def notes(self) -> tuple[str, ...]:
        """Hand out what was refused since it was asked last."""
        noted, self._notes = tuple(self._notes), []
        return noted

    def _note(self, refused: TaskError | Outage) -> None:
        if self.strict:
            raise refused
        _log.warning("Not done, continued without it: %s", refused.message)
        self._notes.append(refused.message)


@contextmanager
def workflow_refusal_explained(paths: Iterable[str]) -> Iterator[None]:
    """Make a missing permission the task's error when the task changes workflow files.

    GitHub wants ``workflows: write`` for them and only for them, so other tasks can continue
    (https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app).
    """
    try:
        yield
    except Outage as outage:
        files = sorted(path for path in paths if path.startswith(".github/workflows/"))
        if outage.kind != "permission" or not files:
            raise
        message = f"GitHub refused the workflow files {', '.join(files)}: {outage.message}"
        raise TaskError("permission", message) from outage


def is_limit(refusal: GraphQLException) -> bool:
    """Say whether a limit is spent, which comes as an error in an answer that is otherwise good.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    return any(each.get("type") == "RATE_LIMITED" for each in _errors(refusal))


def is_closed(refusal: GraphQLException) -> bool:
    """Say whether there is no GraphQL for us at that address (403, 404, or no JSON).

    A proxy before a GitHub Enterprise Server may let only REST through.
    """
    if isinstance(refusal, BadGraphQLRequest):
        return refusal.status_code in (403, 404)
    return isinstance(refusal, GraphQLResponseTypeError)


def _closed(doing: str, refusal: GraphQLException) -> str:
    status = f"{refusal.status_code}: " if isinstance(refusal, BadGraphQLRequest) else ""
    return (
        f"Cairn could not {doing}, because GitHub's GraphQL API cannot be reached ({status}"
        f"{refusal}). GitHub's REST API cannot do this without overwriting what somebody may have "
        "pushed in the meantime. The operator has to let requests to GraphQL through "
        "(https://docs.github.com/en/graphql/guides/forming-calls-with-graphql)."
    )


def _errors(refusal: GraphQLException) -> list[dict[str, object]]:
    found = refusal.response.get("errors") if isinstance(refusal.response, dict) else None
    return [each for each in found or [] if isinstance(each, dict)]


def _explanation(answer: HTTPException) -> str:
    """Status and message, and the permission that is missing where GitHub names it.

    https://docs.github.com/en/rest/overview/permissions-required-for-github-apps
    """
    text = f"{int(answer.status_code)} {answer}"
    needed = answer.headers.get("x-accepted-github-permissions")
    missing = int(answer.status_code) in (403, 404) and needed
    return f"{text} (the App needs {needed})" if missing else text


Refused = type[TaskError] | type[Outage]


class RepositoryApi:
    """Asks GitHub about one repository. ``doing`` ends the sentence "GitHub refused to ..."."""

    def __init__(self, client: GitHubAPI, full_name: str) -> None:
        self._client = client
        self._root = f"/repos/{full_name}"
        self.full_name = full_name
        self._shown: Any = None

    async def find(self, path: str, doing: str, *, refused: Refused = TaskError) -> Any:
        """Return what is at ``path``, None when there is nothing (404), or no longer (410)."""
        with refusals_explained(doing, refused=refused):
            try:
                return await self._client.getitem(f"{self._root}/{path}")
            except BadRequest as refusal:
                if refusal.status_code in (404, 410):
                    return None
                raise

    async def get(self, path: str, doing: str, *, refused: Refused = TaskError) -> Any:
        """Return what must be at ``path``."""
        with refusals_explained(doing, refused=refused):
            return await self._client.getitem(f"{self._root}/{path}")

    async def items(
        self, path: str, doing: str, *, key: str = "items", refused: Refused = TaskError
    ) -> AsyncIterator[Any]:
        """Yield every item of a list, page after page as ``Link`` says.

        Where GitHub wraps the list in an object, ``key`` is its name there.
        """
        with refusals_explained(doing, refused=refused):
            async for item in self._client.getiter(f"{self._root}/{path}", iterable_key=key):
                yield item

    async def post(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Create something."""
        with refusals_explained(doing):
            return await self._client.post(f"{self._root}/{path}", data=data)

    async def change(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Change something that exists."""
        with refusals_explained(doing):
            return await self._client.patch(f"{self._root}/{path}", data=data)

    async def graphql(self, query: str, doing: str, **variables: Any) -> Any:
        """Ask GraphQL; any error in the answer is a refusal."""
        with refusals_explained(doing):
            try:
                return await self._client.graphql(query, **variables)
            except QueryError as refusal:
                limit = self._client.rate_limit
                if limit and is_limit(refusal):
                    raise exhausted(limit.reset_datetime) from refusal
                raise

    async def node(self) -> str:
        """Return the repository's id for GraphQL; asked once."""
        return str((await self.repository())["node_id"])

    async def merge_methods(self) -> frozenset[str]:
        """Return how pull requests may be merged; empty where GitHub does not say. Asked once."""
        names = {"merge": "merge_commit", "squash": "squash_merge", "rebase": "rebase_merge"}
        found = await self.repository()
        return frozenset(each for each, name in names.items() if found.get(f"allow_{name}"))

    async def repository(self) -> Any:
        """Return what GitHub says of the repository itself; asked once."""
        if self._shown is None:
            with refusals_explained("show the repository"):
                self._shown = await self._client.getitem(self._root)
        return self._shown

    async def create(self, path: str, data: dict[str, Any], doing: str) -> Any:
        """Create something, or return None if GitHub says that it already exists (422)."""
        with refusals_explained(doing):
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
    exists = refusal.status_code == 422 and "already exists" in str(refusal)
    return exists or "already_exists" in codes
