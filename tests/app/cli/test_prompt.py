"""What a person at the terminal is asked, and the editor that opens for other tasks."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from app.local.compose import kept_in
from app.local.decide import prompted
from app.local.runs import PendingProposal, undecided, waiting
from runner.ports import Decision
from tests.app.parked import cairn, parked

ONE = "- [ ] 1.1 Write `one.json`\n"


def open_in(folder: Path) -> list[PendingProposal]:
    """What waits there."""
    return undecided(asyncio.run(waiting(kept_in(folder / ".executor"))))


def saying(*words: str) -> Callable[[str], str]:
    """A person who types these, and then ends the input."""
    left = list(words)

    def ask(question: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return ask


def told(folder: Path) -> list[Decision]:
    """What was decided."""
    return [each.decision for each in kept_in(folder / ".executor").inbox.stored()]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set an EDITOR that does what a line of shell does with the file ``$1``."""

    def set_to(line: str) -> None:
        script = tmp_path / "editor"
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", str(script))

    return set_to


@pytest.mark.parametrize(
    ("words", "verdict"),
    [(["y"], "approve"), ([" YES "], "approve"), (["n"], "reject"), (["what?", "s"], "skip")],
)
def test_an_answer(tmp_path: Path, words: list[str], verdict: str) -> None:
    """One key is enough; what is no answer is asked again."""
    parked(tmp_path, ONE)
    found = open_in(tmp_path)

    decided = asked(found, tmp_path, saying(*words))

    (decision,) = told(tmp_path)
    assert (decided, decision.verdict, decision.channel) == (1, verdict, "prompt")
    assert decision.fingerprint == found[0].proposal.fingerprint


@pytest.mark.parametrize("words", [[""], []])
def test_later(tmp_path: Path, words: list[str]) -> None:
    """Enter, or the end of the input, leaves it waiting."""
    parked(tmp_path, ONE)

    assert asked(open_in(tmp_path), tmp_path, saying(*words)) == 0
    assert told(tmp_path) == []


def test_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The task, why, the evidence, and what yes would do; nothing of it moves the cursor."""
    parked(tmp_path, "- [ ] 1.1 Write `one.json` \x1b]0;mine\x07\n")

    asked(open_in(tmp_path), tmp_path, saying())

    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    for words in (
        "ESCALATE",
        "1.1 Write one.json",
        "Why:   one.json: JSONDecodeError",
        "Cairn found no reason to reword or reorder the tasks.",
        "If you approve: The task stays open for you to do",
    ):
        assert words in shown


def test_other_tasks_from_the_editor(tmp_path: Path, editor: Callable[[str], None]) -> None:
    """The editor begins with the task; what is saved takes its place."""
    parked(tmp_path, ONE)
    editor("""grep -q '^- ... 1.1 Write .one.json' "$1" && sed -i s/one.json/b.json/ "$1" """)

    assert asked(open_in(tmp_path), tmp_path, saying("e")) == 1

    (decision,) = told(tmp_path)
    assert [(task.id, task.text) for task in decision.tasks] == [("1.1", "Write `b.json`")]
    assert list((tmp_path / ".executor").glob("edit-*")) == []


def test_an_empty_list_cancels(tmp_path: Path, editor: Callable[[str], None]) -> None:
    """Without a task nothing is decided, and it is asked again."""
    parked(tmp_path, ONE)
    editor(': > "$1"')

    assert asked(open_in(tmp_path), tmp_path, saying("e", "n")) == 1
    assert told(tmp_path)[0].verdict == "reject"


def test_what_was_typed_is_not_lost(tmp_path: Path, editor: Callable[[str], None]) -> None:
    """A list that cannot be used is there again when it is edited the next time."""
    parked(tmp_path, ONE)
    editor('echo "- [ ] Improve performance" > "$1"')
    said = cairn(tmp_path, "edit")
    assert said.exit_code == 2
    assert "What you typed is kept" in said.stderr

    editor(
        'grep -q "Improve performance" "$1" && echo "- [ ] Write \\`b.json\\` with \\`[]\\`" > "$1"'
    )
    assert cairn(tmp_path, "edit").exit_code == 0
    assert told(tmp_path)[0].tasks[0].text == "Write `b.json` with `[]`"


@pytest.mark.parametrize(
    ("name", "said"), [("/nowhere/vi", "cannot be started"), ("'", "Set EDITOR")]
)
def test_no_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    """The message says what to set; nothing is decided; 2."""
    parked(tmp_path, ONE)
    monkeypatch.setenv("VISUAL", name)

    ended = cairn(tmp_path, "edit")

    assert (ended.exit_code, told(tmp_path)) == (2, [])
    assert said in ended.stderr


def asked(found: list[PendingProposal], folder: Path, ask: Callable[[str], str]) -> int:
    """Ask as the command does."""
    inbox = kept_in(folder / ".executor").inbox
    return prompted(found, inbox, folder=folder, ask=ask)[0]
