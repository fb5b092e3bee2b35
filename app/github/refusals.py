"""What is left of GitHub's refusals after the client's retries, as errors of the port."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gidgethub import (
    BadGraphQLRequest,
    BadRequest,
    GraphQLException,
    GraphQLResponseTypeError,
    HTTPException,
)

from runner.errors import Outage, TaskError

_log = logging.getLogger(__name__)


@contextmanager
def told(doing: str, *, refused: type[TaskError] | type[Outage] = TaskError) -> Iterator[None]:
    """Raise ``refused`` with GitHub's own words when it refuses to do something.

    A bad credential, every answer that is no refusal (5xx, redirects) and a GraphQL API that cannot
    be used at all are an ``Outage``.
    """
    try:
        yield
    except BadRequest as refusal:
        kind = Outage if refusal.status_code == 401 else refused
        raise kind(_kind(refusal), f"GitHub refused to {doing}: {_said(refusal)}") from refusal
    except HTTPException as broken:
        raise Outage("github", f"GitHub could not {doing}: {_said(broken)}") from broken
    except GraphQLException as refusal:
        if is_closed(refusal):
            raise Outage("permission", _closed(doing, refusal)) from refusal
        raise _of_graphql(refusal, refused)(
            "github", f"GitHub refused to {doing}: {refusal}"
        ) from refusal


class Effort:
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
        told, self._notes = tuple(self._notes), []
        return told

    def _note(self, refused: TaskError | Outage) -> None:
        if self.strict:
            raise refused
        _log.warning("Not done, and gone on without it: %s", refused.message)
        self._notes.append(refused.message)


@contextmanager
def told_of_workflows(paths: Iterable[str]) -> Iterator[None]:
    """Make a missing permission the task's error when the task changes workflow files.

    GitHub wants ``workflows: write`` for them and only for them, so other tasks can go on
    (https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app).
    """
    try:
        yield
    except Outage as outage:
        files = sorted(path for path in paths if path.startswith(".github/workflows/"))
        if outage.kind != "permission" or not files:
            raise
        said = f"GitHub refused the workflow files {', '.join(files)}: {outage.message}"
        raise TaskError("permission", said) from outage


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
        "pushed meanwhile. The operator has to let requests to GraphQL through "
        "(https://docs.github.com/en/graphql/guides/forming-calls-with-graphql)."
    )


def _of_graphql(
    refusal: GraphQLException, refused: type[TaskError] | type[Outage]
) -> type[TaskError] | type[Outage]:
    return refused if _errors(refusal) and not is_limit(refusal) else Outage


def _errors(refusal: GraphQLException) -> list[dict[str, object]]:
    found = refusal.response.get("errors") if isinstance(refusal.response, dict) else None
    return [each for each in found or [] if isinstance(each, dict)]


def _kind(refusal: BadRequest) -> str:
    return "credential" if refusal.status_code == 401 else "github"


def _said(answer: HTTPException) -> str:
    """Status and message, and the permission that is missing where GitHub names it.

    https://docs.github.com/en/rest/overview/permissions-required-for-github-apps
    """
    said = f"{int(answer.status_code)} {answer}"
    needed = answer.headers.get("x-accepted-github-permissions")
    missing = int(answer.status_code) in (403, 404) and needed
    return f"{said} (the App needs {needed})" if missing else said
