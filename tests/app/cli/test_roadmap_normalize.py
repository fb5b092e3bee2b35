"""``cairn roadmap normalize``: shows a diff, writes only when told to, and never over a change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.local.files import UnusableRoadmap, replace_unless_changed
from runner.roadmap.parse import parse_roadmap
from tests.app.checkout import Checkout
from tests.app.cli.test_roadmap import PLAN, cairn
from tests.model_server import Fault

STEPS = b"# Shop\r\n\r\n## Tasks\r\n\r\n- Parse prices\r\n- Add a cart\r\n"
CLAIMS = json.dumps(
    [
        {"title": "Parse prices", "source_lines": [5, 5], "quote": "Parse prices"},
        {"title": "Add a cart", "source_lines": [6, 6], "quote": "Add a"},
    ]
)


@pytest.fixture
def shop(here: Checkout) -> Checkout:
    """A roadmap without boxes, beside a model that says what its tasks are."""
    (here.folder / "plan.md").write_bytes(STEPS)
    here.model.says(CLAIMS)
    return here


async def test_the_diff_is_shown_and_nothing_written(shop: Checkout) -> None:
    """Without ``--write`` the file stays, and what to type is said."""
    said = await shop.cairn("roadmap", "normalize", "plan.md")

    assert said.code == 0, said.err
    assert "-- Parse prices" in said.out.splitlines()
    assert "+- [ ] Parse prices" in said.out.splitlines()
    assert "--write" in said.err
    assert (shop.folder / "plan.md").read_bytes() == STEPS


async def test_it_is_written_when_told_to(shop: Checkout) -> None:
    """``--write`` puts the boxes in, keeps line ends and mode, and a second time does nothing."""
    (shop.folder / "plan.md").chmod(0o640)

    said = await shop.cairn("roadmap", "normalize", "plan.md", "--write")

    written = (shop.folder / "plan.md").read_bytes()
    assert said.code == 0, said.err
    assert written == STEPS.replace(b"- ", b"- [ ] ")
    assert (shop.folder / "plan.md").stat().st_mode & 0o777 == 0o640
    assert [task.title for task in parse_roadmap("x", written).tasks] == [
        "Parse prices",
        "Add a cart",
    ]
    assert cairn("normalize", str(shop.folder / "plan.md"), "--write").exit_code == 0
    assert (shop.folder / "plan.md").read_bytes() == written
    assert len(shop.model.requests) == 1


async def test_what_was_not_read_is_listed(shop: Checkout) -> None:
    """Lists that are left as they are are named with their place."""
    (shop.folder / "plan.md").write_bytes(
        STEPS + b"\r\n## Style\r\n\r\n- Plain words\r\n- No jokes\r\n"
    )

    said = await shop.cairn("roadmap", "normalize", "plan.md")

    assert "plan.md:10 not read as tasks: the list up to line 11" in said.err


async def test_a_link_stays_one(shop: Checkout) -> None:
    """The file a link leads to is written, not the link."""
    link = shop.folder / "link.md"
    link.symlink_to("plan.md")

    assert (await shop.cairn("roadmap", "normalize", "link.md", "--write")).code == 0

    assert link.is_symlink()
    assert b"[ ]" in (shop.folder / "plan.md").read_bytes()


async def test_another_file_is_written(shop: Checkout) -> None:
    """``--output`` leaves the roadmap and overwrites nothing."""
    other = shop.folder / "new.md"
    shop.model.says(CLAIMS)

    said = await shop.cairn("roadmap", "normalize", "plan.md", "--output", "new.md")
    again = await shop.cairn("roadmap", "normalize", "plan.md", "--output", "plan.md")

    assert said.code == 0, said.err
    assert ((shop.folder / "plan.md").read_bytes(), b"- [ ] Add a cart" in other.read_bytes()) == (
        STEPS,
        True,
    )
    assert (again.code, (shop.folder / "plan.md").read_bytes()) == (2, STEPS)
    assert "already exists" in again.err


def test_a_file_changed_meanwhile_is_left(tmp_path: Path) -> None:
    """What somebody wrote in between is never lost."""
    steps = tmp_path / "ROADMAP.md"
    steps.write_bytes(b"new\n")

    with pytest.raises(UnusableRoadmap, match="changed in the meantime"):
        replace_unless_changed(str(steps), STEPS, b"boxes\n")

    assert steps.read_bytes() == b"new\n"


@pytest.mark.parametrize(
    ("content", "code", "why"),
    [
        (PLAN.encode(), 0, "already have checkboxes"),
        (b"Some day we will fly.\n", 2, "OPENAI_API_KEY"),
        (b"", 0, "it is empty"),
    ],
)
def test_why_nothing_is_proposed(tmp_path: Path, content: bytes, code: int, why: str) -> None:
    """0 where nothing is needed, 2 where no model can be asked; the reason is said."""
    steps = tmp_path / "ROADMAP.md"
    steps.write_bytes(content)

    said = cairn("normalize", str(steps), "--write")

    assert (said.exit_code, said.stdout) == (code, "")
    assert why in said.stderr
    assert steps.read_bytes() == content


@pytest.mark.parametrize("options", [["--write", "-"], ["--write", "--output", "new.md", "-"]])
def test_options_that_make_no_sense(options: list[str]) -> None:
    """They are refused before anything is read."""
    said = cairn("normalize", *options, input=STEPS)

    assert (said.exit_code, said.stdout) == (2, "")
    assert "--output" in said.stderr


def test_a_file_that_is_too_large_is_not_written(tmp_path: Path) -> None:
    """What is not read is not proposed: the file stays, and it is said what to do."""
    large = tmp_path / "ROADMAP.md"
    large.write_bytes(b"|" * 300_000 + b"\n")

    said = cairn("normalize", str(large), "--write")

    assert said.exit_code == 1
    assert "Split the roadmap" in said.stderr
    assert "is written" not in said.stderr


async def test_escape_sequences_are_shown(shop: Checkout) -> None:
    """A diff of a hostile file does nothing to the terminal."""
    (shop.folder / "plan.md").write_bytes(STEPS.replace(b"Add a cart", b"Add a \x1b[31mcart"))

    said = await shop.cairn("roadmap", "normalize", "plan.md")

    assert "\x1b" not in said.out + said.err
    assert "+- [ ] Add a \\x1b[31mcart" in said.out


PROSE = "We want to fly.\nFirst the wings must be built, then somebody writes the manual.\n"
WINGS = {"title": "Build the wings", "source_lines": [2, 2], "quote": "the wings must be built"}
INVENTED = {"title": "Sell tickets", "source_lines": [1, 1], "quote": "sell many tickets"}


async def test_a_model_is_asked_about_prose(here: Checkout) -> None:
    """``--model`` names another one than the settings; what the model invents is left out."""
    (here.folder / "plan.md").write_text(PROSE)
    here.model.says(json.dumps([WINGS, INVENTED]))

    said = await here.cairn("roadmap", "normalize", "plan.md", "--model", "large", "--write")

    assert said.code == 0, said.err
    assert "- [ ] " in (here.folder / "plan.md").read_text()
    assert "Sell tickets" in said.err
    assert "Sell tickets" not in (here.folder / "plan.md").read_text()
    assert [asked.model for asked in here.model.requests] == ["large"]


async def test_no_model_is_asked_without_need(here: Checkout) -> None:
    """Where there are checkboxes no settings are needed either."""
    here.environment.clear()
    (here.folder / "plan.md").write_text(PLAN)

    said = await here.cairn("roadmap", "normalize", "plan.md", "--model", "large")

    assert said.code == 0, said.err
    assert here.model.requests == []


async def test_why_no_model_can_be_asked(here: Checkout) -> None:
    """Missing settings are 2, a model that refuses is 4; the file stays."""
    (here.folder / "plan.md").write_text(PROSE)
    arguments = ("roadmap", "normalize", "plan.md", "--model", "large", "--write")
    here.model.says(Fault.http_status(401, "wrong key"))

    refused = await here.cairn(*arguments)
    del here.environment["OPENAI_API_KEY"], here.environment["OPENAI_BASE_URL"]
    unset = await here.cairn(*arguments)

    assert (refused.code, unset.code) == (4, 2)
    assert "OPENAI_API_KEY" in unset.err
    assert "sk-very-secret" not in refused.err
    assert (here.folder / "plan.md").read_text() == PROSE
