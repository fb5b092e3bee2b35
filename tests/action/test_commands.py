"""What the runner reads in our output, and what nobody can make it read."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.action.report import (
    MOST_SUMMARY_BYTES,
    ActionReport,
    Annotation,
    Console,
    command_of,
    summary,
    write_outputs,
)
from app.action.work import Done


def test_nothing_between_is_a_command() -> None:
    """Secrets are masked first, then commands are stopped by a word nobody knows."""
    said: list[str] = []
    console = Console(said.append)
    console.begin(["sk-1", "two\nlines"])
    said.append("::add-path::/evil\n")
    console.end([Annotation("error", "Task 1", "It failed")])

    stopped = re.search(r"::stop-commands::([0-9a-f]{32})\n", "".join(said))
    assert stopped is not None
    before, _, after = "".join(said).partition("::add-path::/evil")
    assert before.startswith("::add-mask::sk-1\n::add-mask::two\n::add-mask::lines\n")
    assert after.split("\n")[2] == f"::{stopped[1]}::"
    assert "::error title=Task 1::It failed" in after


@given(st.text(), st.text())
def test_an_annotation_is_one_line(title: str, message: str) -> None:
    """Whatever a model says stays inside it."""
    said = command_of(Annotation("error", title, message, "a,b.md", 3))

    assert "\n" not in said
    assert "\r" not in said
    properties = said.removeprefix("::error ").partition("::")[0]
    assert [each.partition("=")[0] for each in properties.split(",") if "=" in each][:2] == [
        "file",
        "line",
    ]


def test_at_most_ten_of_a_kind() -> None:
    """GitHub shows no more of a step; the last says how many are left."""
    said: list[str] = []
    notes = [Annotation("error", "t", str(n)) for n in range(25)] + [
        Annotation("warning", "t", "w")
    ]

    Console(said.append).end(notes)

    errors = [line for line in said if line.startswith("::error")]
    assert len(errors) == 10
    assert "16 more: see the summary" in errors[-1]
    assert sum(line.startswith("::warning") for line in said) == 1


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_no_value_ends_its_output(value: str) -> None:
    """The delimiter is not to be guessed; an output takes any text."""
    path = Path("outputs-of-a-test")
    try:
        write_outputs(path, {"cost": value, "failed": "0"})
        text = path.read_bytes().decode()
    finally:
        path.unlink(missing_ok=True)
    ends = re.findall(r"^(?:cost|failed)<<(end_[0-9a-f]{32})$", text, re.M)
    assert len(set(ends)) == len(ends) >= 2
    assert text.endswith(f"failed<<{ends[-1]}\n0\n{ends[-1]}\n")


def test_what_is_said_is_sanitized() -> None:
    """A line of the summary mentions nobody and opens nothing."""
    done = Done(("[DRY RUN] 1. Ask @everyone about #1",), "")
    text = summary(ActionReport((), (), ("The sandbox is process.",), done, None))

    assert "@everyone" not in text
    assert "The sandbox is process." in text
    assert len(text.encode()) < MOST_SUMMARY_BYTES
