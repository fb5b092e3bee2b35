"""Independent pull requests after a merge: ticks made anew, conflicts left to people."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.roadmap.parse import parse_roadmap
from tests.app.github.repository_bench import NAME, Bench, bench
from tests.fake_github.state import Issue
from tests.runner.git.checkpoints import checkpoint

OLD = b"- [ ] add it\n- [ ] test it\n"
KEYS = [task.key for task in parse_roadmap("ROADMAP.md", OLD).tasks]


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


async def _apart(github: Bench, *files: dict[str, bytes | None]) -> list[Issue]:
    """A pull request each against main, which ticks a box of its own."""
    repository = github.repository()
    base = await repository.snapshot(github.fake.repo(NAME).branches["main"])
    for number, (more, line) in enumerate(zip(files, (b"add", b"test"), strict=False)):
        ticked = OLD.replace(b"[ ] " + line, b"[x] " + line)
        fields = {"task": KEYS[number], "branch": f"cairn/r1/t{number}", "below": "main"}
        made = checkpoint(base, {**more, "ROADMAP.md": ticked}, **fields)
        await repository.publish_checkpoint(made)
    return github.fake.repo(NAME).pulls


async def test_a_neighbours_tick_is_no_conflict(github: Bench) -> None:
    """After a merge the other branch has both ticks, on top of both; once more changes nothing."""
    first, _ = await _apart(github, {"a": b"1\n"}, {"b": b"2\n", "run.sh": b"exit 1\n"})
    before = github.fake.repo(NAME).branches["cairn/r1/t1"]
    await github.fake.merge_pull(NAME, first.number)
    await github.repository().restack()
    repo = github.fake.repo(NAME)
    now, main = repo.branches["cairn/r1/t1"], repo.branches["main"]
    assert repo.state.bare.text("log", "-1", "--format=%P", now) == f"{before} {main}"
    files = repo.files(now)
    assert repo.file(now, "ROADMAP.md") == OLD.replace(b"[ ]", b"[x]")
    changed = {path for path in files if files[path] != repo.files("main").get(path)}
    assert (changed, files["run.sh"][0]) == ({"ROADMAP.md", "b", "run.sh"}, "100755")
    await github.repository().restack()
    assert repo.branches["cairn/r1/t1"] == now


@pytest.mark.parametrize("after", [False, True])
async def test_a_lost_move_is_made_once(github: Bench, after: bool) -> None:
    """Whatever breaks, the branch has one more commit in the end."""
    first, _ = await _apart(github, {"a": b"1\n"}, {"b": b"2\n"})
    before = github.fake.repo(NAME).branches["cairn/r1/t1"]
    await github.fake.merge_pull(NAME, first.number)
    github.fake.fail("POST", "/api/graphql", after=after, status=502)
    with suppress(Outage):
        await github.repository().restack()
    await github.repository().restack()
    repo = github.fake.repo(NAME)
    assert repo.state.bare.text("rev-parse", "cairn/r1/t1^1") == before


async def test_a_real_conflict_is_left_to_people(github: Bench) -> None:
    """Where both changed a file nobody guesses: the branch stays."""
    first, _ = await _apart(github, {"src/app.py": b"a\n"}, {"src/app.py": b"b\n"})
    before = github.fake.repo(NAME).branches["cairn/r1/t1"]
    await github.fake.merge_pull(NAME, first.number)
    await github.repository().restack()
    assert github.fake.repo(NAME).branches["cairn/r1/t1"] == before


async def test_a_push_elsewhere_changes_no_branch(github: Bench) -> None:
    """As long as the roadmap is what it was there is nothing to do."""
    await _apart(github, {"a": b"1\n"})
    before = github.fake.repo(NAME).branches["cairn/r1/t0"]
    await github.fake.push(NAME, {"other": b"x\n"})
    await github.repository().restack()
    assert github.fake.repo(NAME).branches["cairn/r1/t0"] == before


async def test_a_file_that_the_base_renamed_is_followed(github: Bench) -> None:
    """Git merges the change into the file under its new name; nothing comes back under the old."""
    first, _ = await _apart(github, {"a": b"1\n"}, {"src/app.py": b"print()\nprint(1)\n"})
    await github.fake.push(NAME, {"src/app.py": None, "src/main.py": b"print()\n"})
    await github.fake.merge_pull(NAME, first.number)
    await github.repository().restack()
    repo = github.fake.repo(NAME)
    files = repo.files("cairn/r1/t1")
    assert repo.file("cairn/r1/t1", "src/main.py") == b"print()\nprint(1)\n"
    assert "src/app.py" not in files
    assert repo.file("cairn/r1/t1", "ROADMAP.md") == OLD.replace(b"[ ]", b"[x]")
