"""Two lists of lines are compared as ``difflib`` does it, and never for long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from difflib import SequenceMatcher

import pytest

from runner.people.task_detail import unified
from runner.roadmap.replay import RoadmapEdits, replayed
from runner.state.changes import FILE, ChangeSet, Write
from runner.text.compared import Compared, comparable
from runner.verify.formatters import only_changed_lines


def every_second(count: int) -> tuple[str, str]:
    """Two texts that share their empty lines and nothing else."""
    return tuple("".join(f"{word} {n}\n\n" for n in range(count // 2)) for word in ("one", "two"))


def in_turns(count: int) -> tuple[str, str]:
    """A hundred words, none of them frequent, in two orders."""
    draw = random.Random(1)  # noqa: S311 - no secret
    texts = [[f"{n % 101}\n" for n in range(count)] for _ in "ab"]
    for text in texts:
        draw.shuffle(text)
    return "".join(texts[0]), "".join(texts[1])


def compares(old: str, new: str) -> None:
    """The lines themselves."""
    Compared(old.split("\n"), new.split("\n")).get_opcodes()


def shows(old: str, new: str) -> None:
    """The patch that people decide about."""
    unified({"a.md": old.encode()}, ChangeSet({"a.md": Write(new.encode(), FILE)}))


def replays(old: str, new: str) -> None:
    """A roadmap's edit, made again on another one."""
    replayed("a.md", RoadmapEdits(old.encode(), new.encode()), f"{old}More.\n".encode())


def formats(old: str, new: str) -> None:
    """What a formatter does to changed lines."""
    only_changed_lines("a.md", old, new, old="", was_formatted=False)


@pytest.mark.parametrize(
    ("does", "hostile"),
    [
        (compares, every_second(20_000)),
        (shows, in_turns(60_000)),
        (replays, every_second(20_000)),
        (formats, every_second(20_000)),
    ],
    ids=["lines", "patch", "roadmap", "format"],
)
def test_no_lines_hold_up_the_program(
    does: Callable[[str, str], None], hostile: tuple[str, str]
) -> None:
    """What would take minutes is given up, wherever texts of others are compared."""
    begun = time.process_time()

    does(*hostile)

    assert time.process_time() - begun < 5


def test_what_is_given_up_is_told() -> None:
    """A patch that cannot be shown is not left out."""
    old, new = (text.encode() for text in in_turns(60_000))

    assert "too large to be compared" in unified({"a": old}, ChangeSet({"a": Write(new, FILE)}))


def test_others_are_compared_as_ever() -> None:
    """The same as difflib finds; and what is given up is replaced as a whole."""
    draw = random.Random(2)  # noqa: S311 - no secret
    for _ in range(200):
        old, new = ([draw.choice("abcdefg") for _ in range(draw.randrange(60))] for _ in "ab")
        known = SequenceMatcher(None, old, new, autojunk=False)
        assert Compared(old, new).get_opcodes() == known.get_opcodes()
        assert comparable(old, new)

    old, new = (text.split("\n") for text in in_turns(20_000))
    made = [
        line for *_, first, last in Compared(old, new).get_opcodes() for line in new[first:last]
    ]
    assert made == new
