"""``cairn run`` in a plain folder without git."""

from __future__ import annotations

import re
import shutil

from tests.app.checkout import Checkout
from tests.model_server import Held
from tests.scenarios.projects import note


async def test_a_plain_folder(here: Checkout) -> None:
    """The files are written and the boxes ticked; a dry run before leaves nothing; 0."""
    shutil.rmtree(here.folder / ".git")
    before = sorted(path.name for path in here.folder.iterdir())
    assert (await here.cairn("run", "--dry-run")).code == 0
    assert sorted(path.name for path in here.folder.iterdir()) == before
    here.model.says(note("one.md"), note("two.md"))

    said = await here.cairn("run")

    assert said.code == 0, said.err
    assert (here.folder / "one.md").read_text() == (here.folder / "two.md").read_text()
    assert (here.folder / "ROADMAP.md").read_text().count("[x]") == 2


async def test_it_is_taken_up_again(here: Checkout) -> None:
    """Killed in the middle, with an edit made since, the run goes on from there; 0."""
    shutil.rmtree(here.folder / ".git")
    kept = Held(note("two.md"))
    here.model.says(note("one.md"), kept)
    process = await here.start("run")
    await kept.asked.wait()
    process.kill()
    await process.wait()
    kept.go.set()
    (here.folder / "README.md").write_text("mine\n")
    here.model.says(note("two.md"))

    said = await here.cairn("resume")

    assert said.code == 0, said.err
    assert (here.folder / "README.md").read_text() == "mine\n"
    assert (here.folder / "ROADMAP.md").read_text().count("[x]") == 2


async def test_nothing_is_said_of_commits_and_branches(here: Checkout) -> None:
    """There are none: what is finished, taken back or missing is told without them."""
    shutil.rmtree(here.folder / ".git")
    here.model.says(note("one.md"), note("two.md"))
    told = ""
    for words in ("run", "status", "undo 1.1", "undo 1.1", "accept 1.2", "run --roadmap PLAN.md"):
        said = await here.cairn(*words.split())
        told += said.out + said.err

    assert "Took back task 1.1 Write one.md (change " in told
    assert "There is no file `PLAN.md` in this folder." in told
    assert not re.search(r"commit|branch", told.replace('"', ""))
