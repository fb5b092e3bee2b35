"""The issue of the plan: one, whatever happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.github.api import RepositoryApi
from app.github.token_identity import PLAN
from app.plan_issue.issue import PlanIssue
from runner.errors import Outage, TaskError
from tests.app.github.repository_bench import NAME, Bench, bench, installed
from tests.fake_github.state import Issue


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def plan(github: Bench) -> PlanIssue:
    """The issue as a push is worked with it."""
    client = github.identity.client(installed(github.fake, NAME), PLAN)
    return PlanIssue(RepositoryApi(client, NAME), bot_login=github.fake.app.bot.login)


def issues(github: Bench) -> list[Issue]:
    """All issues by number."""
    return list(github.fake.repo(NAME).issues.values())


async def test_it_is_made_once_and_edited_in_place(github: Bench) -> None:
    """The second text replaces the first one; the third, which is the same, asks for nothing."""
    number = await plan(github).show("Plan", "one")
    assert await plan(github).show("Plan", "two") == number
    edits = [r.method for r in github.fake.requests].count("PATCH")
    assert await plan(github).show("Plan", "two") == number

    (issue,) = issues(github)
    assert (issue.title, (issue.body or "").endswith("\ntwo")) == ("Plan", True)
    assert [r.method for r in github.fake.requests].count("PATCH") == edits == 1


async def test_an_issue_of_another_with_our_marker_is_left_alone(github: Bench) -> None:
    """The marker counts only on what our App wrote, and only at the beginning."""
    number = await plan(github).show("Plan", "one")
    body = issues(github)[0].body or ""
    issues(github)[0].body = f"somebody took it away {body}"
    theirs = github.fake.open_issue(NAME, "Plan", body, by="writer")

    made = await plan(github).show("Plan", "two")

    assert made not in (number, theirs.number)
    assert theirs.body == body


async def test_a_closed_one_stays_closed_and_true(github: Bench) -> None:
    """Who does not want to see it closes it; there is no second one."""
    number = await plan(github).show("Plan", "one")
    assert number is not None
    await github.fake.close(NAME, number)

    assert await plan(github).show("Plan", "two") == number
    (issue,) = issues(github)
    assert (issue.state, (issue.body or "").endswith("\ntwo")) == ("closed", True)


async def test_a_title_that_people_gave_it_stays(github: Bench) -> None:
    """Only the text is ours."""
    await plan(github).show("Plan", "one")
    issues(github)[0].title = "What comes next"

    await plan(github).show("Plan", "two")

    assert issues(github)[0].title == "What comes next"


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "issues"), ("PATCH", "issues/*"), ("GET", "issues")]
)
async def test_a_lost_effect_is_made_once(
    github: Bench, method: str, path: str, after: bool, drop: bool
) -> None:
    """Each call fails in turn, before or after it happened: one issue with the newest text."""
    status = {} if drop else {"status": 502}
    if method == "PATCH":
        await plan(github).show("Plan", "old")
    github.fake.fail(method, f"/repos/{NAME}/{path}", after=after, drop=drop, **status)

    with suppress(Outage):
        await plan(github).show("Plan", "new")
    await plan(github).show("Plan", "new")

    (issue,) = issues(github)
    assert (issue.body or "").endswith("\nnew")


async def test_a_repository_without_issues_refuses(github: Bench) -> None:
    """Where issues are switched off nobody can be told; that is no outage."""
    gone = {"message": "Issues has been disabled in this repository."}
    github.fake.fail("GET", f"/repos/{NAME}/issues", status=410, body=gone)

    with pytest.raises(TaskError, match="disabled"):
        await plan(github).show("Plan", "one")
