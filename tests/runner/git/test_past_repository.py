"""A checkout as it was: what is made on a commit of the past moves no branch and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import Outage
from runner.git.local_repository import LocalRepository
from runner.git.past_repository import PastRepository
from runner.state.publishing import Member
from runner.state.run_state import RunStack
from tests.runner.git.checkpoints import checkpoint
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit


async def test_its_checkpoints_belong_to_no_branch(tmp_path: Path) -> None:
    """They build on each other, and the run's own are found; the checkout stays as it is."""
    git = ScratchGit(tmp_path / "here")
    first = git.commit({"ROADMAP.md": b"- [ ] add it\n"}) or git("rev-parse", "HEAD")
    git.commit({"ROADMAP.md": b"- [x] add it\n"})
    git("config", "commit.gpgsign", "true")
    git.write({"mine.txt": b"mine\n"})
    here = LocalRepository(git.root, environment=ENVIRONMENT)
    looks = (git("for-each-ref"), git("status", "--porcelain"))
    past = PastRepository(here, RunStack(first, "feature"), "{} is gone".format)

    made = []
    for name in ("one.txt", "two.txt"):
        stack = await past.stack()
        base = await past.snapshot(stack.tip)
        published = await past.publish_checkpoint(checkpoint(base, {name: b"x\n"}, below="feature"))
        assert published.branch == "cairn/r1/t1-add-it"
        made.insert(0, published.commit)

    assert (git("for-each-ref"), git("status", "--porcelain")) == looks
    assert [each.id for each in await past.task_commits()] == made
    assert git("ls-tree", "--name-only", made[0]).split() == ["ROADMAP.md", "one.txt", "two.txt"]
    assert git("rev-parse", f"{made[1]}^") == first
    with pytest.raises(Outage, match="4444 is gone"):
        await past.snapshot("4" * 40)


async def test_pull_requests_are_those_of_then(tmp_path: Path) -> None:
    """Those of a server's run, which built on them."""
    git = ScratchGit(tmp_path / "here")
    first = git.commit({"ROADMAP.md": b"- [ ] add it\n"}) or git("rev-parse", "HEAD")
    member = Member(("1.1",), first, "cairn/r1/1.1", "main")
    then = RunStack(first, "main", base=first, members={"1.1": member}, open=2)

    past = PastRepository(LocalRepository(git.root, environment=ENVIRONMENT), then, str)

    stack = await past.stack()
    assert (stack.tip, stack.base, stack.base_branch) == (first, first, "main")
    assert (stack.members, stack.open) == ((member,), 2)
