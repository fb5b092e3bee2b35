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


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """A roadmap without boxes."""
    file = tmp_path / "ROADMAP.md"
    file.write_bytes(STEPS)
    return file


def test_the_diff_is_shown_and_nothing_written(steps: Path) -> None:
    """Without ``--write`` the file stays, and what to type is said."""
    said = cairn("normalize", str(steps))

    assert said.exit_code == 0
    assert "-- Parse prices" in said.stdout.splitlines()
    assert "+- [ ] Parse prices" in said.stdout.splitlines()
    assert "--write" in said.stderr
    assert steps.read_bytes() == STEPS


def test_it_is_written_when_told_to(steps: Path) -> None:
    """``--write`` puts the boxes in, keeps line ends and mode, and a second time does nothing."""
    steps.chmod(0o640)

    said = cairn("normalize", str(steps), "--write")

    written = steps.read_bytes()
    assert said.exit_code == 0
    assert written == STEPS.replace(b"- ", b"- [ ] ")
    assert steps.stat().st_mode & 0o777 == 0o640
    assert [task.title for task in parse_roadmap("x", written).tasks] == [
        "Parse prices",
        "Add a cart",
    ]
    assert cairn("normalize", str(steps), "--write").exit_code == 0
    assert steps.read_bytes() == written
    assert [file.name for file in steps.parent.iterdir()] == ["ROADMAP.md"]


def test_what_was_not_read_is_listed(steps: Path) -> None:
    """Lists that are left as they are are named with their place."""
    steps.write_bytes(STEPS + b"\r\n## Style\r\n\r\n- Plain words\r\n- No jokes\r\n")

    said = cairn("normalize", str(steps))

    assert f"{steps}:10 not read as tasks: 2 points below \u201cStyle\u201d" in said.stderr


def test_a_link_stays_one(steps: Path) -> None:
    """The file a link leads to is written, not the link."""
    link = steps.with_name("link.md")
    link.symlink_to(steps.name)

    assert cairn("normalize", str(link), "--write").exit_code == 0

    assert link.is_symlink()
    assert b"[ ]" in steps.read_bytes()


def test_another_file_is_written(steps: Path) -> None:
    """``--output`` leaves the roadmap, takes standard input, and overwrites nothing."""
    other = steps.with_name("new.md")

    assert cairn("normalize", "-", "--output", str(other), input=STEPS).exit_code == 0
    assert (steps.read_bytes(), b"- [ ] Add a cart" in other.read_bytes()) == (STEPS, True)

    said = cairn("normalize", str(steps), "--output", str(steps))
    assert (said.exit_code, steps.read_bytes()) == (2, STEPS)
    assert "already exists" in said.stderr


def test_a_file_changed_meanwhile_is_left(steps: Path) -> None:
    """What somebody wrote in between is never lost."""
    steps.write_bytes(b"new\n")

    with pytest.raises(UnusableRoadmap, match="changed in the meantime"):
        replace_unless_changed(str(steps), STEPS, b"boxes\n")

    assert steps.read_bytes() == b"new\n"


@pytest.mark.parametrize(
    ("content", "code", "why"),
    [
        (PLAN.encode(), 0, "already have checkboxes"),
        (b"Some day we will fly.\n", 1, "does not show what the tasks are"),
        (b"", 0, "it is empty"),
    ],
)
def test_why_nothing_is_proposed(steps: Path, content: bytes, code: int, why: str) -> None:
    """0 where nothing is needed, 1 where nothing is known; the reason is said."""
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


def test_escape_sequences_are_shown(steps: Path) -> None:
    """A diff of a hostile file does nothing to the terminal."""
    steps.write_bytes(b"## Tasks\n\n- Add a \x1b[31mcart\n- Pay\n")

    said = cairn("normalize", str(steps))

    assert "\x1b" not in said.output + said.stderr
    assert "+- [ ] Add a \\x1b[31mcart" in said.stdout


PROSE = "We want to fly.\nFirst the wings must be built, then somebody writes the manual.\n"
WINGS = {"title": "Build the wings", "source_lines": [2, 2], "quote": "the wings must be built"}
INVENTED = {"title": "Sell tickets", "source_lines": [1, 1], "quote": "sell many tickets"}


async def test_a_model_is_asked_about_prose(here: Checkout) -> None:
    """``--model`` helps where the structure says nothing; what the model invents is left out."""
    (here.folder / "plan.md").write_text(PROSE)
    here.model.says(json.dumps([WINGS, INVENTED]))

    said = await here.cairn("roadmap", "normalize", "plan.md", "--model", "large", "--write")

    assert said.code == 0, said.err
    assert "- [ ] " in (here.folder / "plan.md").read_text()
    assert "Sell tickets" in said.err
    assert "Sell tickets" not in (here.folder / "plan.md").read_text()
    assert [asked.model for asked in here.model.requests] == ["large"]


async def test_no_model_is_asked_without_need(here: Checkout) -> None:
    """Where the structure is enough no settings are needed either."""
    here.environment.clear()
    (here.folder / "plan.md").write_bytes(STEPS)

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
