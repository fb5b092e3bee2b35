"""Checkpoints on GitHub are exactly the change set, on their own branch and pull request."""

from __future__ import annotations

import logging
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage, TaskError
from runner.state.changes import tree_sha
from tests.app.github.repository_bench import FILES, NAME, Bench, bench

BRANCH = "cairn/r1/t1-add-it"


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def test_a_snapshot_is_the_commits_tree(github: Bench) -> None:
    """What is read through the mirror is GitHub's tree, export-ignored files too."""
    repository = github.repository()
    snapshot = await repository.snapshot((await repository.stack()).tip)
    assert (tree_sha(snapshot.entries), set(snapshot.entries)) == (
        github.fake.repo(NAME).tree("main"),
        set(FILES),
    )


async def test_contents_come_byte_for_byte(github: Bench) -> None:
    """Line ends are as they were committed."""
    repository = github.repository()
    sha = (await repository.snapshot((await repository.stack()).tip)).entries["dos.txt"].sha
    assert await repository.blobs([sha]) == {sha: b"one\r\n"}


async def test_what_the_mirror_lost_comes_from_github(github: Bench, tmp_path: Path) -> None:
    """Contents that a remade mirror lacks are asked of the API."""
    repository = github.repository()
    snapshot = await repository.snapshot((await repository.stack()).tip)
    for objects in (tmp_path / "mirrors").glob("*/objects"):
        shutil.rmtree(objects)
        objects.mkdir()
    sha = snapshot.entries["dos.txt"].sha
    assert await repository.blobs([sha]) == {sha: b"one\r\n"}


async def test_an_unknown_commit_is_this_tasks_error(github: Bench) -> None:
    """A commit that GitHub does not have is named."""
    with pytest.raises(TaskError, match="no longer has 1111111"):
        await github.repository().snapshot("1" * 40)


async def test_a_checkpoint_has_the_verified_tree(github: Bench) -> None:
    """Writes, deletions, an empty file and kept modes make exactly the tree that was verified."""
    made = await github.checkpoint(
        {"src/app.py": None, "new/empty": b"", "dos.txt": b"two\r\n", "run.sh": b"exit 1\n"}
    )
    await github.repository().publish_checkpoint(made)
    repo = github.fake.repo(NAME)
    kept = {path: mode for path, (mode, _) in repo.files(BRANCH).items()}
    assert (repo.tree(BRANCH), kept["run.sh"], kept["link"]) == (made.tree, "100755", "120000")


async def test_a_checkpoint_has_one_parent_and_the_message(github: Bench) -> None:
    """The commit stands on the given one and ends in the trailers."""
    made = await github.checkpoint({"new": b"n\n"})
    published = await github.repository().publish_checkpoint(made)
    bare = github.fake.repo(NAME).state.bare
    text = bare.text("log", "-1", "--format=%P %(trailers:separator=%x2C)", published.commit)
    assert text == f"{made.parent} Cairn-Run: r1,Cairn-Task: t1"


async def test_github_signs_the_commit(github: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """Without author and committer the commit is verified, and nothing is complained about."""
    made = await github.checkpoint({"new": b"n\n"})
    with caplog.at_level(logging.WARNING, logger="app.github.commits"):
        await github.repository().publish_checkpoint(made)
    assert not caplog.messages


async def test_the_pull_request_shows_what_was_asked(github: Bench) -> None:
    """Title, body, base and head are the checkpoint's; the answer says where it stands."""
    made = await github.checkpoint({"new": b"n\n"})
    published = await github.repository().publish_checkpoint(made)
    [issue] = github.fake.repo(NAME).pulls
    assert issue.pull is not None
    shown = (issue.title, issue.pull.base, issue.pull.head, issue.pull.sha, issue.number)
    assert shown == ("t1 Add it", "main", BRANCH, published.commit, published.number)


async def test_the_body_carries_hidden_markers(github: Bench) -> None:
    """Task and roadmap can be found again in the body, before the text."""
    await github.repository().publish_checkpoint(await github.checkpoint({"new": b"n\n"}))
    [issue] = github.fake.repo(NAME).pulls
    assert issue.body == (
        "<!-- cairn:checkpoint:t1 -->\n<!-- cairn:roadmap:ROADMAP.md -->\n<!-- cairn:on:main -->"
        "\n\nWhat and why."
    )


async def test_each_checkpoint_stands_on_the_one_before(github: Bench) -> None:
    """The second pull request is made against the first one's branch."""
    for task in ("t1", "t2"):
        made = await github.checkpoint({task: b"x\n"}, task=task)
        await github.repository().publish_checkpoint(made)
    bases = [issue.pull.base for issue in github.fake.repo(NAME).pulls if issue.pull]
    assert bases == ["main", BRANCH]


async def test_another_tree_is_refused(github: Bench) -> None:
    """When GitHub's tree is not the verified one nothing is committed."""
    made = replace(await github.checkpoint({"new": b"n\n"}), tree="0" * 40)
    with pytest.raises(TaskError, match="nothing was committed"):
        await github.repository().publish_checkpoint(made)
    assert set(github.fake.repo(NAME).branches) == {"main"}


async def test_a_branch_of_others_is_left_alone(github: Bench) -> None:
    """A branch of the same name with another tree is not taken over."""
    await github.fake.push(NAME, {"theirs": b"t\n"}, branch=BRANCH)
    theirs = github.fake.repo(NAME).branches[BRANCH]
    with pytest.raises(TaskError, match="already exists with other content"):
        await github.repository().publish_checkpoint(await github.checkpoint({"new": b"n\n"}))
    assert github.fake.repo(NAME).branches[BRANCH] == theirs


async def test_a_pull_request_of_others_is_left_alone(github: Bench) -> None:
    """A person's pull request of our branch is not taken for ours."""
    made = await github.checkpoint({"new": b"n\n"})
    await github.repository().publish_checkpoint(made)
    [ours] = github.fake.repo(NAME).pulls
    await github.fake.close(NAME, ours.number)
    await github.fake.open_pull(NAME, "Mine", head=BRANCH)
    with pytest.raises(TaskError, match="Cairn did not open"):
        await github.repository().publish_checkpoint(made)


def _forbid_branches(github: Bench) -> None:
    """Answer as GitHub does when the App lacks a permission."""
    github.fake.fail(
        "POST",
        f"/repos/{NAME}/git/refs",
        status=403,
        body={"message": "Resource not accessible by integration"},
        headers={"x-accepted-github-permissions": "contents=write; workflows=write"},
    )


async def test_a_refused_workflow_file_is_this_tasks_error(github: Bench) -> None:
    """A workflow file that the App may not write blames the task that wants it."""
    _forbid_branches(github)
    made = await github.checkpoint({".github/workflows/x.yml": b"on: push\n"})
    with pytest.raises(TaskError, match=r"\.github/workflows/x\.yml.*workflows=write"):
        await github.repository().publish_checkpoint(made)


async def test_a_missing_permission_is_an_outage(github: Bench) -> None:
    """Any other missing permission blames no task."""
    _forbid_branches(github)
    with pytest.raises(Outage, match="workflows=write"):
        await github.repository().publish_checkpoint(await github.checkpoint({"new": b"n\n"}))


async def test_githubs_refusal_is_this_tasks_error(github: Bench) -> None:
    """What GitHub refuses is told in its own words."""
    made = await github.checkpoint({"new": b"n\n"}, below="gone")
    with pytest.raises(TaskError, match=r"against gone: 422 Validation Failed for 'base'"):
        await github.repository().publish_checkpoint(made)


async def test_a_name_off_utf8_is_this_tasks_error(github: Bench) -> None:
    """A path that JSON cannot hold is named, and nothing is published."""
    made = await github.checkpoint({"caf\udce9": b"x\n"})
    with pytest.raises(TaskError, match=r"only UTF-8 paths, not caf\\udce9"):
        await github.repository().publish_checkpoint(made)


async def test_a_missing_base_branch_is_an_outage(github: Bench) -> None:
    """A base branch that is not there stops the run with its name."""
    with pytest.raises(Outage, match="no branch release/1#x"):
        await github.repository(base="release/1#x").stack()


async def test_text_that_github_keeps_otherwise_is_sent_as_bytes(github: Bench) -> None:
    """A tree that came out otherwise than verified is made once more from blobs."""
    made = await github.checkpoint({"a.txt": b"one\r\n", "empty": b"", "b.bin": b"\xff\0"})
    other = {"sha": github.fake.repo(NAME).tree("main")}
    github.fake.fail("POST", f"/repos/{NAME}/git/trees", status=201, body=other)

    await github.repository().publish_checkpoint(made)

    assert github.fake.repo(NAME).tree(BRANCH) == made.tree
    blobs = [each for each in github.fake.requests if each.path.endswith("/git/blobs")]
    assert len(blobs) == 2 + 3  # what is no text, then everything
