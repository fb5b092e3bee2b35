"""``cairn bench --suite hidden``: a model sees half of the tests, and all of them judge it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.checkout import Checkout, checkout
from tests.model_server import Fault, Held

CODE = '''"""Numbers."""


def clip(number, low, high):
    """Return the number, or the limit that it is beyond."""
    if number < low:
        return low
    if number > high:
        return high
    return number


def ordinal(number):
    """Return 1st, 2nd, 3rd, 4th, 11th ..."""
    last = number % 10
    teens = 10 < number % 100 < 14
    end = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
    return f"{number}{end}"


def once(numbers):
    """Return each number once, in the order of their first places."""
    seen = []
    for number in numbers:
        if number not in seen:
            seen.append(number)
    return seen


def alone(number):
    """Only one test notices this one."""
    doubled = number + number
    half = doubled / 4
    return half
'''
TESTS = """import pytest

from numbers_of import alone, clip, once, ordinal


def test_clip_low():
    assert clip(1, 2, 5) == 2


def test_clip_high():
    assert clip(9, 2, 5) == 5


def test_clip_inside():
    assert clip(3, 2, 5) == 3


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (4, "4th")])
def test_ordinal(number, text):
    assert ordinal(number) == text


class TestTeens:
    def test_ordinal_teen(self):
        assert ordinal(11) == "11th"


def test_once():
    assert once([2, 1, 2]) == [2, 1]


def test_once_of_nothing():
    assert once([]) == []


def test_alone():
    assert alone(4) == 2


def test_flat():
    assert True
"""
RIGHT = {
    name: "def " + text
    for name, text in (
        (part.partition("(")[0], part.rstrip() + "\n") for part in CODE.split("def ")[1:]
    )
}
NAMES = ("clip", "ordinal", "once")


def edit(name: str, *lines: str) -> str:
    """An answer that fills the emptied function in."""
    (head, *told) = RIGHT[name].split("\n")[:2]
    old = "\n".join([head, *told, "    raise NotImplementedError"])
    new = "\n".join([head, *told, *lines]) if lines else RIGHT[name].rstrip()
    return f"numbers_of.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A small project with its tests, committed."""
    files = {"numbers_of.py": CODE.encode(), "test_numbers.py": TESTS.encode()}
    async with checkout(tmp_path / "here", files) as made:
        yield made


def bench(here: Checkout, *more: str) -> tuple[str, ...]:
    """The words of the command; the output is beside the project."""
    output = str(here.folder.parent / "out")
    return ("bench", "--suite", "hidden", "--project", ".", "--output", output, *more)


def report(here: Checkout) -> dict[str, Any]:
    """What ``report.json`` says."""
    text = (here.folder.parent / "out" / "report.json").read_text()
    return json.loads(text)  # type: ignore[no-any-return]


def table(here: Checkout) -> list[tuple[object, ...]]:
    """Each task as it ended, but for what differs from run to run."""
    left = ("run", "seconds")
    return [tuple(v for k, v in row.items() if k not in left) for row in report(here)["tasks"]]


async def test_what_became_of_each(here: Checkout) -> None:
    """One is right, one only for the tests that it saw, one is not; the limits are Wilson's."""
    wrong = edit("clip", "    return max(number, low)")
    here.model.when(contains="Implement `once`").says(edit("once"))
    here.model.when(contains="Implement `clip`").says(wrong)
    here.model.when(contains="Implement `ordinal`").says("I do not know.", repeat_last=True)

    said = await here.cairn(*bench(here))
    found = report(here)
    (row,) = found["contestants"]

    assert said.code == 0, said.err
    assert {task["task"]: task["result"] for task in found["tasks"]} == {
        "numbers_of.once": "shown",
        "numbers_of.clip": "claimed and wrong",
        "numbers_of.ordinal": "not done",
    }
    assert row["right"] == {"n": 1, "of": 3, "low": 0.0615, "high": 0.7923}
    assert (row["shown"]["n"], row["claimed_and_wrong"]["n"], row["broken"]["n"]) == (2, 1, 0)
    assert "1 of 3 [6 %, 79 %]" in said.out
    assert "3 of 3 numbers_of.clip: claimed and wrong, 1 call" in said.err
    page = (here.folder.parent / "out/report.html").read_text()
    assert "claimed and wrong" in page
    assert "1 of 3 [6 %, 79 %]" in page
    hidden = {"clip": "clip_high", "once": "once_of_nothing", "ordinal": "ordinal_teen"}
    prompts = [asked.prompt for asked in here.model.requests]
    about = {name: [text for text in prompts if f"Implement `{name}`" in text] for name in hidden}
    assert all(about.values())
    assert not [name for name in hidden if any(hidden[name] in text for text in about[name])]


async def test_a_kill_in_the_middle_changes_nothing(here: Checkout) -> None:
    """The same command goes on: nothing is paid for twice, and the table is the same."""
    words, wrong = bench(here), edit("ordinal", "    return f'{number}th'")
    for name in ("once", "clip"):
        here.model.when(contains=f"Implement `{name}`").says(edit(name), edit(name))
    held = Held(edit("ordinal"))
    rule = here.model.when(contains="Implement `ordinal`")
    rule.says(wrong, edit("ordinal"), wrong, held, edit("ordinal"))
    assert (await here.cairn(*words)).code == 0
    whole = table(here)
    (here.folder.parent / "out").rename(here.folder.parent / "first")

    process = await here.start(*words)
    await held.asked.wait()
    process.kill()
    await process.wait()
    held.go.set()
    said = await here.cairn(*words)

    assert said.code == 0, said.err
    assert "made: " not in said.err
    assert table(here) == whole
    assert {row["result"] for row in report(here)["tasks"]} == {"shown"}


async def test_another_contestant_is_another_row(here: Checkout) -> None:
    """A larger number of tasks adds to a smaller one; ``--json`` prints the report."""
    here.model.when(contains="Implement `once`").says(edit("once"), "No.", repeat_last=True)
    here.model.when(contains="Implement `ordinal`").says("No.", repeat_last=True)
    await here.cairn(*bench(here, "--tasks", "1", "--model", "gpt-6-sol"))

    said = await here.cairn(*bench(here, "--tasks", "2", "--model", "gpt-6-luna", "--json"))
    rows = {row["model"]: row["shown"] for row in json.loads(said.out)["contestants"]}

    assert said.code == 0, said.err
    assert said.out.count("\n") == 1
    assert (rows["gpt-6-sol"]["n"], rows["gpt-6-sol"]["of"]) == (1, 1)
    assert (rows["gpt-6-luna"]["n"], rows["gpt-6-luna"]["of"]) == (0, 2)
    played = [(row["model"], row["task"]) for row in json.loads(said.out)["tasks"]]
    assert [task for model, task in played if model == "gpt-6-luna"] == [
        "numbers_of.once",
        "numbers_of.ordinal",
    ]


async def test_an_outage_stops_it_and_the_same_command_continues(here: Checkout) -> None:
    """What was played is reported; 4, then 0."""
    here.model.when(contains="Implement `once`").says(edit("once"))
    refused = Fault.http_status(401, "no")
    here.model.when(contains="Implement `ordinal`").says(refused, edit("ordinal"))

    stopped = await here.cairn(*bench(here, "--tasks", "2"))
    played = [row["task"] for row in report(here)["tasks"]]
    said = await here.cairn(*bench(here, "--tasks", "2"))

    assert (stopped.code, played) == (4, ["numbers_of.once"])
    assert "The same command continues." in stopped.err
    assert said.code == 0, said.err
    assert len(report(here)["tasks"]) == 2


async def test_all_tasks_together_may_cost_so_much(here: Checkout) -> None:
    """What is spent is taken from the limit; with a higher one the same command goes on; 4, 0."""
    prices = here.folder.parent / "prices.json"
    prices.write_text(json.dumps({"scripted": {"input": 1000, "output": 1}}))
    here.environment["CAIRN_PRICES"] = str(prices)
    words = bench(here, "--tasks", "2", "--max-cost")
    here.model.when(contains="Implement `once`").says(edit("once"))

    stopped = await here.cairn(*words, "3.5")
    (row,) = report(here)["contestants"]
    nothing = await here.cairn(*words, str(row["cost"]))
    here.model.when(contains="Implement `ordinal`").says(edit("ordinal"))
    said = await here.cairn(*words, "9")

    assert (stopped.code, row["right"]["n"], row["right"]["of"]) == (4, 1, 1)
    assert 0.3 < row["cost"] < 3.5
    assert (nothing.code, "of --max-cost. Type the same comm" in nothing.err) == (4, True)
    assert "of $3.5000 is spent. Type the same command with a higher limit, such as" in stopped.err
    assert "resume" not in stopped.err + nothing.err
    assert said.code == 0, said.err
    assert report(here)["contestants"][0]["right"]["n"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--project", "none"), "'none' is neither a folder nor a package that is installed"),
        (("--project", ""), "--suite hidden needs --project: a folder, or the name of a package"),
        (("--project", "../empty"), "../empty has no files (of a git repository, its newest"),
        (("--project", "../short"), "three statements or more, below the line of its `def`"),
        (("--newer", "x"), "--suite hidden does not use --newer."),
        (("--suite", "toy"), "--suite toy does not use --project. To take tasks from a project"),
        (("--suite", "exercism", "--project", ""), "--suite exercism needs --project: a folder"),
        (("--suite", "releases"), "--suite releases needs --newer: the folder or the installed"),
        (("--project", "../red"), "No Python test of the project passes twice"),
        (("--max-cost", "1"), "price of model scripted"),
        (("--suite", "exercism"), "it has no folder with an exercise of Exercism's Python track"),
    ],
)
async def test_what_cannot_be_measured(here: Checkout, words: tuple[str, ...], says: str) -> None:
    """One sentence says why, and nothing is asked; 2."""
    (here.folder.parent / "red").mkdir()
    (here.folder.parent / "red/test_red.py").write_text("def test_red():\n    assert 0\n")
    (here.folder.parent / "empty").mkdir()
    (here.folder.parent / "short").mkdir()
    (here.folder.parent / "short/test_short.py").write_text("def test_short():\n    assert 1\n")

    said = await here.cairn(*bench(here, "--tasks", "1", *words))

    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert here.model.requests == []


async def test_a_folder_holds_one_suite(here: Checkout) -> None:
    """Results of different tasks are not mixed; 2."""
    here.model.when(contains="Implement `once`").says(edit("once"))
    await here.cairn(*bench(here, "--tasks", "1"))

    said = await here.cairn("bench", "--output", str(here.folder.parent / "out"))

    assert said.code == 2
    assert "holds the suite hidden of ." in said.err
