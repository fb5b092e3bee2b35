"""What GitHub refuses over GraphQL, and what may be refused without harm."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest

from app.github.api import BestEffort, RepositoryApi
from app.github.client import GitHubClient
from runner.errors import Outage, TaskError
from tests.app.github.kit import Answer, Script


def _errors(kind: str) -> Answer:
    return Answer(data={"data": None, "errors": [{"type": kind, "message": "said by GitHub"}]})


async def _asked(client: GitHubClient) -> object:
    return await RepositoryApi(client, "o/r").graphql("query { x }", "ask")


async def test_an_error_in_an_answer_is_a_refusal(client: GitHubClient, script: Script) -> None:
    """GraphQL tells errors with status 200; the words are GitHub's."""
    script.says(_errors("UNPROCESSABLE"))
    with pytest.raises(TaskError, match="refused to ask: said by GitHub"):
        await _asked(client)


async def test_a_spent_limit_blames_no_task(client: GitHubClient, script: Script) -> None:
    """A limit is an error in an answer that is otherwise good."""
    script.says(_errors("RATE_LIMITED"))
    with pytest.raises(Outage, match="said by GitHub"):
        await _asked(client)


async def test_a_spent_limit_ends_when_github_says(client: GitHubClient, script: Script) -> None:
    """The run goes on by itself then."""
    limit = {"limit": "5000", "remaining": "1", "used": "4999", "reset": "1767226200"}
    headers = {f"x-ratelimit-{name}": value for name, value in limit.items()}
    script.says(Answer(data=_errors("RATE_LIMITED").data, headers=headers))
    with pytest.raises(Outage) as caught:
        await _asked(client)
    assert caught.value.kind == "rate_limit"
    assert caught.value.until == datetime.fromtimestamp(1767226200, UTC)


async def test_an_answer_without_anything_blames_no_task(
    client: GitHubClient, script: Script
) -> None:
    """Neither data nor errors: GitHub has trouble."""
    script.says(Answer(data={}))
    with pytest.raises(Outage):
        await _asked(client)


@pytest.mark.parametrize("refused", [TaskError("github", "no"), Outage("permission", "no")])
def test_what_nobody_depends_on_may_be_refused(
    refused: TaskError | Outage, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told in the log, noted for the report, and the work goes on."""
    effort = BestEffort()
    with caplog.at_level(logging.WARNING), effort():
        raise refused
    assert caplog.messages == ["Not done, continued without it: no"]
    assert (effort.notes(), effort.notes()) == (("no",), ())


def test_a_strict_repository_wants_to_fail() -> None:
    """With ``github_mode: fail_fast`` a refused label is a refusal like any other."""
    effort = BestEffort()
    effort.strict = True
    with pytest.raises(TaskError), effort():
        raise TaskError("github", "no")


def test_an_outage_is_none_the_less_one() -> None:
    """While GitHub is away nothing is skipped: it is done when GitHub is back."""
    with pytest.raises(Outage), BestEffort()():
        raise Outage("github", "away")
