"""What stands in the way is a sentence that says what to do; the exit code is 2."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.action.command import read_settings
from app.action.job import ActionRefused, read_inputs, read_job
from tests.action.job_kit import GRANTED, REPOSITORY, Workflows
from tests.fake_github.bare import Person
from tests.fake_github.git_shapes import SIGNED

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
STATE = "State of Cairn between workflow runs"


async def refused(said: dict[str, str]) -> str:
    """Run the command as a process, as action.yml does; return what it annotates."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", "action"),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])} | said,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    assert process.returncode == 2, printed.decode()
    errors = [line for line in printed.decode().splitlines() if line.startswith("::error ")]
    assert len(errors) == 1, printed.decode()
    return errors[0]


def nothing_changed(ci: Workflows) -> bool:
    """No branch, issue, comment or pull request is new."""
    return list(ci.view.branches) == ["main"] and ci.view.issues == {}


@pytest.mark.parametrize(
    ("changed", "advice"),
    [
        ({"GITHUB_TOKEN": ""}, "There is no token. Leave out the input `github-token`"),
        ({"GITHUB_EVENT_PATH": "/nowhere"}, "has no payload of `workflow_dispatch`"),
        ({"GITHUB_EVENT_NAME": "issues"}, "Start the workflow on: issue_comment"),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, "Start the workflow on: issue_comment"),
        ({"GITHUB_EVENT_NAME": "push"}, "Cairn cannot read the event: push payload"),
        ({"GITHUB_REPOSITORY": ""}, "On a checkout use `cairn run`."),
        ({"WITH_MAX_TASKS": "many"}, "The input `max-tasks` cannot be used"),
        ({"WITH_APPROVAL_MODE": "yes"}, "give one of auto, approve_decompose"),
        ({"WITH_STRATEGY": "heap"}, "The input `pull-request-strategy` cannot be used"),
        ({"WITH_BUDGET": "-1"}, "an amount in US dollars above 0"),
        ({"WITH_BUDGET": "nan"}, "an amount in US dollars above 0"),
        ({"WITH_ROADMAP": "../ROADMAP.md"}, "name a file inside the repository"),
        ({"WITH_STATE_BRANCH": "a b"}, "give the name of a branch"),
        ({"WITH_STATE_BRANCH": "a/../main"}, "give the name of a branch"),
    ],
)
async def test_what_the_workflow_says_wrong(
    ci: Workflows, changed: dict[str, str], advice: str
) -> None:
    """It is said before anything is asked of GitHub."""
    said = ci.environment("workflow_dispatch", ci.dispatch()) | changed

    with pytest.raises(ActionRefused, match=re.escape(advice)):
        read_settings(read_job(said), read_inputs(said), said)


async def test_a_model_without_a_key(ci: Workflows) -> None:
    """The input and the secret are named; GitHub is not asked for anything."""
    said = ci.environment("workflow_dispatch", ci.dispatch(), OPENAI_API_KEY="", OPENAI_BASE_URL="")

    assert "api-key: ${{ secrets.OPENAI_API_KEY }}" in await refused(said)
    assert ci.github.requests == []


@pytest.mark.parametrize("missing", sorted(GRANTED))
async def test_a_token_that_may_not_write(ci: Workflows, missing: str) -> None:
    """Each permission is missed before anything is changed."""
    ci.token = ci.github.token(REPOSITORY, **GRANTED | {missing: "read"})

    with pytest.raises(ActionRefused, match=f"`{missing.replace('_', '-')}: write`"):
        await ci.run("workflow_dispatch", ci.dispatch())

    assert nothing_changed(ci)
    ci.github.forgive("permission missing")


async def test_pull_requests_that_the_repository_forbids(ci: Workflows) -> None:
    """The setting of the repository is named where it stands in the way."""
    forbidden = {"message": "GitHub Actions is not permitted to create or approve pull requests."}
    ci.github.fail("POST", "*/pulls", status=403, body=forbidden)

    with pytest.raises(
        ActionRefused, match=r"Allow GitHub Actions to create and approve pull requests"
    ):
        await ci.run("workflow_dispatch", ci.dispatch())

    assert nothing_changed(ci)


async def test_a_state_that_others_wrote_is_not_read(ci: Workflows) -> None:
    """Whoever can push cannot hand decisions in: the branch must be ours."""
    await ci.github.push(REPOSITORY, {"state.tar.gz": b"theirs"}, branch="cairn/state")

    with pytest.raises(ActionRefused, match=r"was not made by github-actions\[bot\]"):
        await ci.run("workflow_dispatch", ci.dispatch())

    assert ci.view.issues == {}


@pytest.mark.parametrize(
    ("committer", "message"),
    [
        (Person("mallory", "mallory@example.org", MOMENT), STATE),
        (Person("GitHub", "noreply@github.com", MOMENT), "Release 2.0"),
    ],
    ids=["signed by another", "ours for something else"],
)
async def test_a_signed_commit_under_our_name_is_no_state(
    ci: Workflows, committer: Person, message: str
) -> None:
    """Anybody may write our name above a commit signed with a key of their own; and what else
    our account commits is neither read nor overwritten.
    """
    bare, bot = ci.view.state.bare, "github-actions[bot]"
    author = Person(bot, f"15368+{bot}@users.noreply.github.com", MOMENT)
    tree = bare.text("rev-parse", "main^{tree}").strip()
    forged = bare.commit(tree, (), message, author=author, committer=committer, signature=SIGNED)
    await ci.github.move_branch(REPOSITORY, "cairn/state", forged)

    with pytest.raises(ActionRefused, match=r"neither uses nor overwrites it"):
        await ci.run("workflow_dispatch", ci.dispatch())

    assert ci.view.branches["cairn/state"] == forged


async def test_code_is_not_run_beside_the_token_unasked(ci: Workflows) -> None:
    """Where nothing isolates, ``auto`` refuses; only the workflow can say ``process``."""
    nothing = {"DOCKER_HOST": "unix:///nowhere/docker.sock", "CAIRN_SANDBOX_IMAGE": "/nowhere"}
    said = ci.environment("workflow_dispatch", ci.dispatch(), CAIRN_SANDBOX="auto", **nothing)

    assert "Or set `sandbox: process`, if" in await refused(said)
    assert nothing_changed(ci)


async def test_a_repository_without_a_roadmap(ci: Workflows) -> None:
    """What is missing is named, and where to name another."""
    with pytest.raises(ActionRefused, match=r"There is no PLAN\.md on main\."):
        await ci.run("workflow_dispatch", ci.dispatch(), WITH_ROADMAP="PLAN.md")

    assert nothing_changed(ci)


async def test_a_refusal_stands_in_the_summary(ci: Workflows) -> None:
    """People look there first."""
    said = ci.environment("workflow_dispatch", ci.dispatch())
    ci.token = said["GITHUB_TOKEN"] = ci.github.token(REPOSITORY, **GRANTED | {"contents": "read"})

    await refused(said)

    summary = await asyncio.to_thread(Path(said["GITHUB_STEP_SUMMARY"]).read_text)
    assert "`contents: write`" in summary
    assert nothing_changed(ci)
    ci.github.forgive("permission missing")
