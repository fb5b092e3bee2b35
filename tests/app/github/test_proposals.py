"""A proposal on GitHub: one pull request, one comment, one label, one row of buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.github.checks import RECOVERY as CHECK
from runner.errors import TaskError
from runner.state.publishing import Proposed, Published
from tests.app.github.repository_bench import NAME, Bench, bench
from tests.fake_github.state import Issue

BRANCH = "cairn/r1/recovery-t1-add-it"
EDIT: dict[str, bytes | None] = {"ROADMAP.md": b"- [ ] one\n- [ ] two\n- [ ] test it\n"}
FIRST, SECOND = "f" * 64, "0" * 64


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _published(github: Bench, proposed: Proposed | None = None) -> tuple[Published, Issue]:
    """Publish a proposal and read its comments."""
    proposed = proposed or await github.proposed(EDIT)
    published = await github.repository().publish_proposal(proposed)
    assert published.number is not None
    github.fake.says(NAME, published.number)
    return published, github.fake.repo(NAME).issues[published.number]


async def _stack(github: Bench) -> tuple[str, set[str], set[str], set[str]]:
    stack = await github.repository(run="r2").stack()
    return stack.branch, set(stack.in_review), set(stack.declined), set(stack.proposed)


async def test_the_diff_is_what_approval_would_do(github: Bench) -> None:
    """The pull request is a draft with one commit of the edit, made against the tip's branch."""
    proposed = await github.proposed(EDIT)
    published, issue = await _published(github, proposed)
    repo = github.fake.repo(NAME)
    assert issue.pull is not None
    assert (issue.pull.draft, issue.pull.base, issue.pull.head) == (True, "main", BRANCH)
    assert (repo.tree(BRANCH), issue.pull.sha) == (proposed.shown.tree, published.commit)


async def test_the_description_says_what_it_is(github: Bench) -> None:
    """Task, roadmap, run, proposal and state stand hidden before the text."""
    _, issue = await _published(github)
    assert (issue.body or "").split("\n") == [
        "<!-- cairn:recovery:t1 -->",
        "<!-- cairn:roadmap:ROADMAP.md -->",
        "<!-- cairn:on:main -->",
        "<!-- cairn:run:r1 -->",
        f"<!-- cairn:proposal:{FIRST} -->",
        "<!-- cairn:state:proposed -->",
        "",
        "What and why.",
    ]


async def test_the_first_comment_is_the_proposal(github: Bench) -> None:
    """What is published names the comment that people react to."""
    published, issue = await _published(github)
    (comment,) = issue.comments
    assert comment.body == f"<!-- cairn:proposal:{FIRST} -->\n\n### Proposal\n\nSplit it."
    found = (published.comment_id, published.comment_node_id)
    assert found == (comment.id, f"IC_{comment.id}")


async def test_people_find_it_by_its_label(github: Bench) -> None:
    """The label is made once and put on every proposal."""
    _, one = await _published(github)
    _, two = await _published(github, await github.proposed(EDIT, task="t2"))
    assert [label.name for issue in (one, two) for label in issue.labels] == ["cairn:recovery"] * 2
    assert github.fake.repo(NAME).labels == ["cairn:recovery"]


async def test_its_buttons_decide(github: Bench) -> None:
    """A completed check on the head has three buttons and names the proposal."""
    published, _ = await _published(github)
    (check,) = github.fake.repo(NAME).checks
    shown = (check["name"], check["head_sha"], check["external_id"], check["status"])
    assert shown == (CHECK, published.commit, FIRST, "completed")
    buttons = [button["identifier"] for button in check["actions"]]  # type: ignore[attr-defined]
    assert buttons == ["approve", "reject", "skip"]


async def test_an_escalation_may_be_empty(github: Bench) -> None:
    """Without a change there is an empty commit, so that people can push to the branch."""
    published, issue = await _published(github, await github.proposed({}, strategy="escalate"))
    repo = github.fake.repo(NAME)
    assert repo.tree(BRANCH) == repo.tree("main")
    assert issue.pull is not None
    assert issue.pull.sha == published.commit != repo.branches["main"]


async def test_without_drafts_it_is_an_ordinary_one(github: Bench) -> None:
    """Private repositories of free plans have no drafts."""
    github.fake.repo(NAME).state.drafts = False
    _, issue = await _published(github)
    assert issue.pull is not None
    assert not issue.pull.draft


async def test_another_refusal_is_told(github: Bench) -> None:
    """A 422 that is not about drafts is this task's error, not tried twice."""
    proposed = await github.proposed(EDIT, below="gone")
    with pytest.raises(TaskError, match="against gone: 422"):
        await github.repository().publish_proposal(proposed)


async def test_labels_and_buttons_may_be_refused(github: Bench) -> None:
    """A missing permission for either fails nothing; the proposal stands."""
    body = {"message": "Resource not accessible by integration"}
    for path in (f"/repos/{NAME}/labels/*", f"/repos/{NAME}/commits/*"):
        github.fake.fail("GET", path, status=403, body=body, times=9)
    published, issue = await _published(github)
    assert (published.comment_id, issue.labels) == (issue.comments[0].id, [])
    assert ["label" in note for note in published.notes] == [True, False]
    assert github.fake.repo(NAME).checks == []


async def test_an_installation_without_checks_has_no_buttons(github: Bench) -> None:
    """An owner who has not accepted the new permission loses the buttons and nothing else."""
    del github.fake.installation(NAME).permissions["checks"]
    published, issue = await _published(github)
    assert (published.number, github.fake.repo(NAME).checks) == (issue.number, [])


async def test_a_repeat_leaves_one_of_each(github: Bench) -> None:
    """Publishing again finds everything and asks for no effect at all."""
    proposed = await github.proposed(EDIT)
    first, _ = await _published(github, proposed)
    before = len(github.fake.requests)
    assert await github.repository().publish_proposal(proposed) == first
    methods = {r.method for r in github.fake.requests[before:] if "access_tokens" not in r.path}
    assert methods == {"GET"}


async def test_a_fresh_proposal_is_a_fresh_comment(github: Bench) -> None:
    """On the same pull request, whose branch shows the new edit; the buttons name the new one."""
    await _published(github)
    fresh = await github.proposed({"ROADMAP.md": b"- [ ] other\n"}, fingerprint=SECOND)
    published, issue = await _published(github, fresh)
    repo = github.fake.repo(NAME)
    assert [pull.number for pull in repo.pulls] == [published.number]
    assert [c.id for c in issue.comments][1:] == [published.comment_id]
    assert repo.tree(BRANCH) == fresh.shown.tree
    named = [c["external_id"] for c in repo.checks if c["head_sha"] == published.commit]
    assert (f"proposal:{SECOND}" in (issue.body or ""), named) == (True, [SECOND])


async def test_only_the_text_may_be_fresh(github: Bench) -> None:
    """The same diff under a new text keeps its commit, and the check's buttons change the name."""
    first, _ = await _published(github)
    published, _ = await _published(github, await github.proposed(EDIT, fingerprint=SECOND))
    (check,) = github.fake.repo(NAME).checks
    assert (published.commit, check["external_id"]) == (first.commit, SECOND)


async def test_a_fresh_proposal_keeps_what_a_person_pushed(github: Bench) -> None:
    """The branch stays as the person left it; the proposal is a new comment above it."""
    await _published(github)
    await github.fake.push(NAME, {"mine": b"m\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    fresh = await github.proposed({"ROADMAP.md": b"- [ ] other\n"}, fingerprint=SECOND)
    published, _ = await _published(github, fresh)
    assert github.fake.repo(NAME).branches[BRANCH] == theirs == published.commit


async def test_what_was_closed_stays_closed(github: Bench) -> None:
    """A repeat after somebody closed or merged the pull request opens no other."""
    proposed = await github.proposed(EDIT)
    first, issue = await _published(github, proposed)
    await github.fake.close(NAME, issue.number)
    await github.fake.delete_branch(NAME, BRANCH)
    again = await github.repository().publish_proposal(proposed)
    assert (again.number, again.comment_id) == (first.number, first.comment_id)
    assert set(github.fake.repo(NAME).branches) == {"main"}


async def test_a_deleted_comment_is_made_again(github: Bench) -> None:
    """What people decide on must be there to be read."""
    proposed = await github.proposed(EDIT)
    first, issue = await _published(github, proposed)
    await github.fake.delete_comment(issue.comments[0])
    again, issue = await _published(github, proposed)
    assert (again.comment_id, again.comment_id != first.comment_id) == (issue.comments[0].id, True)


async def test_a_persons_branch_of_that_name_is_left_alone(github: Bench) -> None:
    """A branch with a person's commit and no pull request of ours is not taken over."""
    await github.fake.push(NAME, {"theirs": b"t\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    with pytest.raises(TaskError, match="Somebody pushed to branch"):
        await github.repository().publish_proposal(await github.proposed(EDIT))
    assert github.fake.repo(NAME).branches[BRANCH] == theirs


async def test_a_persons_comment_is_no_proposal(github: Bench) -> None:
    """Whoever copies our marker does not speak for us."""
    proposed = await github.proposed(EDIT)
    _, issue = await _published(github, proposed)
    text = issue.comments[0].body
    await github.fake.delete_comment(issue.comments[0])
    await github.fake.comment(NAME, issue.number, text)
    published, issue = await _published(github, proposed)
    assert [c.id for c in issue.comments if c.by_app] == [published.comment_id]


async def test_a_marker_in_its_text_changes_nothing(github: Bench) -> None:
    """A description that quotes markers of ours is still that of a proposal."""
    body = "<!-- cairn:checkpoint:t9 --> <!-- cairn:state:applied --> <!-- cairn:recovery:t8 -->"
    await _published(github, await github.proposed(EDIT, body=body))
    assert await _stack(github) == ("main", set(), set(), {"t1"})


async def test_an_open_proposal_carries_nothing(github: Bench) -> None:
    """Its task is in progress for every run, which all build on what is below it."""
    await _published(github)
    assert await _stack(github) == ("main", set(), set(), {"t1"})


async def test_a_merge_is_no_open_proposal(github: Bench) -> None:
    """Merged by a person, even while the server was down: approved, not proposed any more."""
    _, issue = await _published(github)
    await github.fake.ready(NAME, issue.number)
    await github.fake.merge_pull(NAME, issue.number)
    assert await _stack(github) == ("main", set(), set(), set())
    assert github.fake.repo(NAME).file("main", "ROADMAP.md") == EDIT["ROADMAP.md"]


async def test_a_closed_proposal_declines_nothing(github: Bench) -> None:
    """Refusing what was proposed leaves the task to be tried again; only a checkpoint is a no."""
    _, issue = await _published(github)
    await github.fake.close(NAME, issue.number)
    assert await _stack(github) == ("main", set(), set(), set())
