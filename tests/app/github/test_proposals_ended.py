"""How a proposal ends: handed over to people, or closed with a word and its branch gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.github.repository_bench import NAME, Bench, bench
from tests.app.github.test_proposals import BRANCH, EDIT, FIRST
from tests.fake_github.state import Issue


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _proposed(github: Bench) -> Issue:
    published = await github.repository().publish_proposal(await github.proposed(EDIT))
    assert published.number is not None
    github.fake.says(NAME, published.number)
    return github.fake.repo(NAME).issues[published.number]


async def _ended(github: Bench, issue: Issue, *, ready: bool, why: str = "by ada") -> list[str]:
    """End it, and return what the bot said about that."""
    await github.repository().end_proposal("t1", ready=ready, why=why)
    return github.fake.says(NAME, issue.number)


def _conclusions(github: Bench) -> list[tuple[object, object]]:
    return [(c["conclusion"], c["actions"]) for c in github.fake.repo(NAME).checks]


async def test_an_approved_escalation_is_for_people(github: Bench) -> None:
    """It is ready, says who approved and what to do, and its buttons are gone."""
    issue = await _proposed(github)
    (said,) = await _ended(github, issue, ready=True, why="approved by ada")
    assert issue.pull is not None
    assert (issue.state, issue.pull.draft, _conclusions(github)) == (
        "open",
        False,
        [("neutral", [])],
    )
    assert "approved by ada" in said
    assert f"Finish the task on `{BRANCH}`" in said
    assert "`/execute retry t1`" in said


async def test_it_stays_in_progress_with_people(github: Bench) -> None:
    """No run takes the task while its pull request is open for people, and none builds on it."""
    await _ended(github, await _proposed(github), ready=True)
    stack = await github.repository(run="r2").stack()
    assert (stack.branch, stack.in_review, stack.proposed) == ("main", set(), {"t1"})


async def test_a_refused_proposal_is_closed(github: Bench) -> None:
    """The comment says why, the pull request is closed, the branch and the buttons are gone."""
    issue = await _proposed(github)
    said = await _ended(github, issue, ready=False, why="rejected by ada: not now")
    assert said == [
        f"<!-- cairn:ended:{FIRST} -->\n\n**This proposal is closed:** rejected by ada: not now."
    ]
    assert (issue.state, _conclusions(github)) == ("closed", [("neutral", [])])
    assert set(github.fake.repo(NAME).branches) == {"main"}


@pytest.mark.parametrize("ready", [True, False])
async def test_ending_twice_says_it_once(github: Bench, ready: bool) -> None:
    """The second time nothing is left to do."""
    issue = await _proposed(github)
    await _ended(github, issue, ready=ready)
    assert await _ended(github, issue, ready=ready) == []


async def test_what_a_person_wrote_has_no_effect(github: Bench) -> None:
    """The reason of a refusal is a person's text."""
    (said,) = await _ended(
        github, await _proposed(github), ready=False, why="@octo/all closes #7\n<!-- x -->"
    )
    assert "@octo" not in said
    assert "closes #7" not in said
    assert "<!-- x" not in said


async def test_a_branch_with_a_persons_work_stays(github: Bench) -> None:
    """Closing throws nothing away that a person pushed."""
    issue = await _proposed(github)
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    await _ended(github, issue, ready=False)
    assert (issue.state, BRANCH in github.fake.repo(NAME).branches) == ("closed", True)


async def test_a_branch_that_others_build_on_stays(github: Bench) -> None:
    """Deleting it would close what is made against it."""
    issue = await _proposed(github)
    await github.fake.push(NAME, {"mine": b"m\n"}, branch="mine")
    theirs = await github.fake.open_pull(NAME, "Mine", head="mine", base=BRANCH)
    await _ended(github, issue, ready=False)
    assert (theirs.state, BRANCH in github.fake.repo(NAME).branches) == ("open", True)


async def test_a_person_may_have_closed_it_and_deleted_all(github: Bench) -> None:
    """A closed pull request without branch and comment is told why, and no more."""
    issue = await _proposed(github)
    await github.fake.delete_comment(issue.comments[0])
    await github.fake.close(NAME, issue.number)
    await github.fake.delete_branch(NAME, BRANCH)
    assert len(await _ended(github, issue, ready=False)) == 1


async def test_a_closed_one_is_not_handed_over(github: Bench) -> None:
    """What a person closed stays closed and is told nothing."""
    issue = await _proposed(github)
    await github.fake.close(NAME, issue.number)
    assert await _ended(github, issue, ready=True) == []
    assert issue.state == "closed"


@pytest.mark.parametrize("ready", [True, False])
async def test_a_merged_one_is_left_alone(github: Bench, ready: bool) -> None:
    """There is nothing to say about what a person merged."""
    issue = await _proposed(github)
    await github.fake.ready(NAME, issue.number)
    await github.fake.merge_pull(NAME, issue.number)
    assert await _ended(github, issue, ready=ready) == []
    assert BRANCH in github.fake.repo(NAME).branches


async def test_what_was_never_shown_ends_in_silence(github: Bench) -> None:
    """Without a pull request there is nothing to do."""
    before = len(github.fake.requests)
    await github.repository().end_proposal("t1", ready=False, why="x")
    posts = [r for r in github.fake.requests[before:] if r.method != "GET"]
    assert [r.path for r in posts if "access_tokens" not in r.path] == []


async def test_another_runs_proposal_is_not_ours_to_end(github: Bench) -> None:
    """Each run ends its own."""
    issue = await _proposed(github)
    await github.repository(run="r2").end_proposal("t1", ready=False, why="x")
    assert issue.state == "open"


async def test_an_applied_one_is_not_ended(github: Bench) -> None:
    """A member of the stack is no proposal any more."""
    issue = await _proposed(github)
    await github.repository().publish_checkpoint(await github.recovery(EDIT, body="Yes."))
    assert await _ended(github, issue, ready=False) == []
    assert issue.state == "open"


async def test_another_runs_proposal_about_the_task_takes_its_place(github: Bench) -> None:
    """Of two open proposals about one task the newer asks; the older says where."""
    older = await _proposed(github)
    again = await github.proposed(EDIT, fingerprint="e" * 64, run="r2")

    published = await github.repository(run="r2").publish_proposal(again)

    assert published.number is not None
    github.fake.says(NAME, published.number)
    (said,) = github.fake.says(NAME, older.number)
    assert f"#{published.number} is the new proposal" in said
    assert older.state == "closed"
