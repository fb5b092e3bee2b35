"""``cairn run`` on a real terminal: it asks, and Ctrl-C leaves it for later."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout
from tests.app.terminals import HIDES, SHOWS, begun
from tests.model_server import Held
from tests.scenarios.projects import note
from tests.scenarios.proposing import BROKEN, STUCK

COLOUR = re.compile(r"\x1b\[([\d;]*)m")
MOVES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


@pytest.fixture
async def stuck(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A checkout with a task that is handed over to people."""
    files = {path: content for path, content in STUCK.items() if isinstance(content, bytes)}
    async with checkout(tmp_path / "here", files) as here:
        here.model.when(contains="A programmer could not finish").says("unknown\nNobody knows.")
        here.model.when(contains="`table.json`").says(BROKEN, repeat_last=True)
        yield here


async def test_the_person_is_asked(stuck: Checkout) -> None:
    """The proposal is shown with its question; the answer is applied at once; 1 (skipped)."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    terminal.types("s\n")

    assert await terminal.ended() == 1
    assert "ESCALATE" in terminal.shown
    assert stuck.left("report.json")["tasks"]["skipped"] == 1
    assert stuck.left("report.json")["decisions"][0]["channel"] == "prompt"


async def test_not_now(stuck: Checkout) -> None:
    """Enter leaves it waiting, and what to type later is said; 3."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    terminal.types("\n")

    assert await terminal.ended() == 3
    assert "To decide, type `cairn approve" in terminal.shown


async def test_ctrl_c_at_the_question(stuck: Checkout) -> None:
    """An interrupt leaves it waiting as well; 130. It can be decided and resumed."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    # and a key: Python's input hears of a Ctrl-C before it began to read with the next one only
    terminal.types("\x03\n")

    assert await terminal.ended() == 130
    assert "To decide, type `cairn approve" in terminal.shown
    assert "before the run began" not in terminal.shown
    assert (await stuck.cairn("approve", "--resume")).code == 1


async def test_a_question_is_answered_in_place(here: Checkout) -> None:
    """A task that leaves open what is meant: what is typed goes to the model with the task."""
    here.git.commit({"ROADMAP.md": b"- [ ] 1.1 Improve performance\n"})
    here.model.says(note("one.md"))
    terminal = await begun(here)
    await terminal.until("What now? Type your answer")
    assert here.model.requests == []
    terminal.types("x\n")
    await terminal.until("Type one of the letters.")
    terminal.types("Write `one.md`.\n")

    assert await terminal.ended() == 0
    assert "Write `one.md`." in here.model.requests[0].prompt
    assert "[x] 1.1" in (here.folder / "ROADMAP.md").read_text()
    assert "/execute" not in terminal.shown


async def test_a_run_is_live(here: Checkout) -> None:
    """Phases, the task in hand and its node are drawn; in the end the panel, and the cursor."""
    kept = Held(note("one.md"))
    here.model.says(kept, note("two.md"))
    terminal = await begun(here, columns=60)
    await terminal.until("execute_task")
    terminal.resizes(70, 10)
    kept.go.set()

    assert await terminal.ended() == 0
    assert "0 of 2 tasks" in terminal.shown
    assert "Executing task [1.1]\r\n" in terminal.shown
    seen = MOVES.sub("", terminal.shown)
    (total,) = (line for line in seen.splitlines() if "Total" in line)
    assert re.search(r"100\.0 .* \d+\.\d s .* 2 ", total)
    assert all(name in seen for name in ("Node", "Tokens", "%", "Duration", "Calls"))
    assert terminal.shown.rindex(SHOWS) > terminal.shown.rindex(HIDES)


async def test_ctrl_c_while_it_works(here: Checkout) -> None:
    """The first is answered at once, the second ends it at once; the cursor is back; 130."""
    kept = Held(note("one.md"))
    here.model.says(kept)
    terminal = await begun(here)
    await terminal.while_live(kept.asked)

    terminal.types("\x03")
    await terminal.until("Stopping after the current step")
    terminal.types("\x03")

    assert await terminal.ended() == 130
    kept.go.set()
    assert "Type `cairn resume`" in " ".join(MOVES.sub("", terminal.shown).split())
    assert terminal.shown.rindex(SHOWS) > terminal.shown.rindex(HIDES)


@pytest.mark.sample(1, "each kind of terminal")
@pytest.mark.parametrize(
    ("variable", "value"), [("TERM", "dumb"), ("NO_COLOR", "1"), ("LC_ALL", "C")]
)
async def test_what_a_terminal_can(here: Checkout, variable: str, value: str) -> None:
    """A dumb terminal gets lines only; who wants no colour gets none; without Unicode, ASCII."""
    here.git.commit({"ROADMAP.md": "- [x] 1.0 Größe\n- [ ] 1.1 Write `one.md` größer\n".encode()})
    here.model.says(note("one.md"))

    terminal = await begun(here, **{variable: value})

    assert await terminal.ended() == 0
    if variable == "TERM":
        assert "\x1b" not in terminal.shown
        assert "| **Total** |" in terminal.shown
    elif variable == "NO_COLOR":
        codes = {code for found in COLOUR.findall(terminal.shown) for code in found.split(";")}
        assert codes <= {"", "0", "1", "2", "22"}
    else:
        assert terminal.shown.isascii()
