"""What a person changed is never committed, overwritten or lost by ``cairn run``."""

from __future__ import annotations

import subprocess

import pytest

from tests.app.checkout import Checkout
from tests.model_server import Held
from tests.scenarios.projects import answer, note

ONE, TWO = note("one.md"), note("two.md")


async def test_an_edit_made_meanwhile_is_kept(here: Checkout) -> None:
    """What a person writes while the run works is not overwritten; the task waits and says why."""
    kept = Held(ONE)
    here.model.says(kept)
    process = await here.start("run", "--task", "1.1", "--approval-mode", "interactive")
    await kept.asked.wait()
    (here.folder / "one.md").write_text("mine\n")
    kept.go.set()

    said = await here.end(process)

    assert said.code == 3
    assert (here.folder / "one.md").read_text() == "mine\n"
    assert "what you changed in one.md" in said.out
    assert here.log() == ["a commit"]


async def test_an_edit_of_another_file_does_not_disturb(here: Checkout) -> None:
    """An edit that no commit touches stays, and the run goes on."""
    kept = Held(ONE)
    here.model.says(kept)
    process = await here.start("run", "--task", "1.1")
    await kept.asked.wait()
    (here.folder / "README.md").write_text("mine\n")
    kept.go.set()

    assert (await here.end(process)).code == 0
    assert here.git("status", "--porcelain") == "M README.md"


async def test_the_roadmap_edited_meanwhile(here: Checkout) -> None:
    """No box can be ticked in it: the run pauses; once it is committed, no call is made anew."""
    kept = Held(ONE)
    here.model.says(kept)
    process = await here.start("run", "--max-tasks", "1")
    await kept.asked.wait()
    mine = (here.folder / "ROADMAP.md").read_text() + "- [ ] 1.3 Write `three.md`\n"
    (here.folder / "ROADMAP.md").write_text(mine)
    kept.go.set()

    said = await here.end(process)

    assert said.code == 4
    assert "what you changed in ROADMAP.md" in said.err
    assert (here.folder / "ROADMAP.md").read_text() == mine
    assert here.log() == ["a commit"]
    here.git("commit", "--quiet", "--all", "--message", "more tasks")
    assert (await here.cairn("resume")).code == 0
    assert here.log() == ["1.1 Write one.md", "more tasks", "a commit"]
    assert "[x] 1.1" in (here.folder / "ROADMAP.md").read_text()
    assert "three.md" in (here.folder / "ROADMAP.md").read_text()


async def test_a_commit_made_meanwhile(here: Checkout) -> None:
    """A commit of the person is built upon when the run is taken up; nothing is asked again."""
    kept = Held(ONE)
    here.model.says(kept)
    process = await here.start("run", "--max-tasks", "1")
    await kept.asked.wait()
    here.git.commit({"README.md": b"mine\n"})
    kept.go.set()

    assert (await here.end(process)).code == 4
    assert (await here.cairn("resume")).code == 0
    assert here.log() == ["1.1 Write one.md", "a commit", "a commit"]
    assert (here.folder / "README.md").read_text() == "mine\n"


async def test_beside_uncommitted_changes(here: Checkout) -> None:
    """``--allow-dirty``: edits, staged or not, and new files are neither committed nor touched."""
    (here.folder / "README.md").write_text("mine\n")
    (here.folder / "staged.md").write_text("staged\n")
    here.git("add", "staged.md")
    (here.folder / "new.md").write_text("new\n")
    before = here.git("status", "--porcelain")
    here.model.says(ONE, TWO)

    said = await here.cairn("run", "--allow-dirty")

    assert said.code == 0, said.err
    assert here.log() == ["1.2 Write two.md", "1.1 Write one.md", "a commit"]
    assert here.git("status", "--porcelain") == before
    assert (here.folder / "README.md").read_text() == "mine\n"
    changed = here.git("diff", "--name-only", "HEAD~2", "HEAD").split()
    assert changed == ["ROADMAP.md", "one.md", "two.md"]


async def test_a_task_that_would_touch_one(here: Checkout) -> None:
    """It waits and says so, and the others go on."""
    (here.folder / "one.md").write_text("mine\n")
    here.git("add", "one.md")
    here.model.says(ONE, TWO)

    said = await here.cairn("run", "--allow-dirty", "--approval-mode", "interactive")

    assert said.code == 3
    assert "what you changed in one.md" in said.out
    assert here.log() == ["1.2 Write two.md", "a commit"]
    assert (here.folder / "one.md").read_text() == "mine\n"
    assert here.git("diff", "--cached", "--name-only") == "one.md"


@pytest.mark.parametrize("flags", [(), ("--allow-dirty",)])
async def test_in_the_middle_of_a_merge(here: Checkout, flags: tuple[str, ...]) -> None:
    """No commit fits into it, so nothing is asked; 2. Nothing of the merge is touched."""
    here.git("switch", "-q", "-c", "other")
    here.git.commit({"README.md": b"theirs\n"})
    here.git("switch", "-q", "-")
    here.git.commit({"README.md": b"ours\n"})
    with pytest.raises(subprocess.CalledProcessError):
        here.git("merge", "other")
    before = here.git("status", "--porcelain")

    said = await here.cairn("run", *flags)

    assert said.code == 2
    assert "is in the middle of a merge. Finish it, or take it back (git merge --abort)" in said.err
    assert here.git("status", "--porcelain") == before
    assert here.model.requests == []


async def test_a_roadmap_with_uncommitted_changes(here: Checkout) -> None:
    """Every task would have to change it, so that is refused before anything is paid; 2."""
    (here.folder / "ROADMAP.md").write_text("- [ ] 1.1 Write `mine.md`\n")

    said = await here.cairn("run", "--allow-dirty")

    assert said.code == 2
    assert "uncommitted changes in ROADMAP.md" in said.err
    assert (here.folder / "ROADMAP.md").read_text() == "- [ ] 1.1 Write `mine.md`\n"


@pytest.mark.sample(1, "runs Cairn on a whole project for each case")
@pytest.mark.parametrize(
    ("task", "given", "left"),
    [
        ("Add the line Zoë to `notes.txt`", "Café\nZoë\n", "Café\nZoë\n".encode("latin-1")),
        ("Convert `notes.txt` to UTF-8", "Café\n", "Café\n".encode()),
        ("Convert `notes.txt` to UTF-8 and add →", "Café\n→\n", "Café\n→\n".encode()),
        ("Repair the umlauts of `notes.txt`", "Café\n", "Café\n".encode()),
    ],
)
async def test_a_file_that_does_not_say_how_it_is_encoded(
    here: Checkout, task: str, given: str, left: bytes
) -> None:
    """The model sees its letters; it is written back as it was, or in UTF-8 where that is meant."""
    plan = f"- [ ] 1.1 {task}\n".encode()
    here.git.commit({"ROADMAP.md": plan, "notes.txt": "Café\n".encode("latin-1")})
    here.model.says(answer({"notes.txt": given}))

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert "Café" in here.model.requests[0].prompt
    assert (here.folder / "notes.txt").read_bytes() == left
    how = "kept so" if left.startswith(b"Caf\xe9") else "now UTF-8"
    (warning,) = here.left("report.json")["warnings"]
    said_so = "notes.txt does not say how it is encoded, was read as Windows-1252, and is"
    assert warning["message"] == f"{said_so} {how}"
