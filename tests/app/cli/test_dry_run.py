"""``cairn run --dry-run``: it only says what a run would do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.checkout import Checkout
from tests.scenarios.projects import note

MARK = "[DRY RUN] "


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, git's own too, and every folder."""
    return {
        str(path.relative_to(folder)): b"" if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


async def test_the_tasks_are_listed(here: Checkout) -> None:
    """In the order a run would take them, each line marked; without a key or a call."""
    del here.environment["OPENAI_API_KEY"], here.environment["OPENAI_BASE_URL"]
    before = everything(here.folder)

    said = await here.cairn("run", "--dry-run", "--verbose")

    assert said.code == 0, said.err
    *tasks, preview = said.out.splitlines()
    assert preview.startswith(f"{MARK}No cost preview: ")
    assert tasks == [
        "[DRY RUN] 1. 1.1: Write one.md (ROADMAP.md, line 1)",
        "[DRY RUN] 2. 1.2: Write two.md (ROADMAP.md, line 2)",
    ]
    assert all(line.startswith(MARK) for line in said.err.splitlines())
    assert everything(here.folder) == before


async def test_the_first_question_is_shown_and_not_asked(here: Checkout) -> None:
    """Exactly what the model would get; nothing is asked, and nothing is written."""
    before = everything(here.folder)

    said = await here.cairn("run", "--show-prompt", "--task", "1.2")

    assert said.code == 0, said.err
    assert here.model.requests == []
    assert everything(here.folder) == before
    here.model.says(note("two.md"))
    await here.cairn("run", "--task", "1.2")
    asked = [message["content"] for message in here.model.requests[0].messages]
    assert all(text in said.out for text in asked)


OVERVIEW = b"""# Shop

## Phases

- [ ] **Phase 1: Store** - keep things
- [ ] **Phase 2: Shop** - sell things
- [ ] **Phase 2.1: Bank** - take money

## Details

### Phase 1: Store
- [ ] 01-01: Write `store.md`
- [ ] 01-02: TBD

### Phase 2: Shop
**Plans**: TBD

### Phase 2.1: Bank
- [ ] 02-01: Write `bank.md`
"""


async def test_phases_whose_plans_are_still_to_come(here: Checkout) -> None:
    """They are listed after the tasks of earlier phases, and what is undecided is not."""
    here.git.commit({"ROADMAP.md": OVERVIEW})

    said = await here.cairn("run", "--dry-run")

    *tasks, preview = said.out.splitlines()
    assert preview.startswith(f"{MARK}No cost preview: ")
    assert tasks == [
        "[DRY RUN] 1. 01-01: Write store.md (ROADMAP.md, line 12)",
        "[DRY RUN] 2. Phase 2: Shop - sell things (ROADMAP.md, line 6)",
        "[DRY RUN] 3. 02-01: Write bank.md (ROADMAP.md, line 19)",
    ]


async def test_for_programs(here: Checkout) -> None:
    """With ``--json`` every object says that it is of a dry run; nothing is written either."""
    before = everything(here.folder)

    said = await here.cairn("run", "--dry-run", "--json", "--max-tasks", "1")

    assert [event["event"] for event in said.events] == ["would_do", "report"]
    assert all(event["dry_run"] is True for event in said.events)
    assert said.events[0]["id"] == "1.1"
    assert everything(here.folder) == before


@pytest.mark.parametrize("more", [(), ("--sandbox", "docker")])
async def test_in_a_plain_folder(tmp_path: Path, here: Checkout, more: tuple[str, ...]) -> None:
    """It needs neither git nor a sandbox."""
    here.git.root = tmp_path / "plain"
    here.git.root.mkdir()
    (here.folder / "ROADMAP.md").write_bytes(b"- [ ] 1.1 Write `one.md`\n")
    before = everything(here.folder)

    said = await here.cairn("run", "--dry-run", *more)

    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{MARK}1. 1.1: Write one.md")
    assert everything(here.folder) == before


async def test_what_stands_in_the_way(here: Checkout) -> None:
    """What keeps a run from beginning is marked as well; 2."""
    here.git.commit({".github/cairn.yml": b"modle: x\nlops: y\n"})

    said = await here.cairn("run", "--dry-run")

    assert said.code == 2
    assert len(said.err.splitlines()) > 1
    assert all(line.startswith(MARK) for line in said.err.splitlines())


async def test_a_title_that_acts_on_a_terminal(here: Checkout) -> None:
    """It is shown with its escapes written out."""
    here.git.commit({"ROADMAP.md": b"- [ ] 1.1 Write\x1b[2J `one.md`\n"})

    said = await here.cairn("run", "--dry-run")

    assert "\x1b" not in said.out
    assert "one.md" in said.out
