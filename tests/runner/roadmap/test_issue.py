"""How an issue reads as a task: what people see of it on GitHub, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans.choosing import plan_at, plans_in
from runner.roadmap.plans.issue import has_body, issue_path, issue_text, names_issue
from runner.roadmap.reviewed import Reviewed, reviewed
from runner.roadmap.task import Task


def task_of(body: str, title: str = "Add `calc.py`", milestone: str = "") -> Task:
    """The one task of an issue."""
    (task,) = parse_roadmap("#12", issue_text(title, milestone, body).encode()).tasks
    return task


def test_an_issue_is_one_task() -> None:
    """Its boxes say when it is done; the milestone is its phase, the number its name."""
    task = task_of("See `old.py`.\r\n\r\n- [x] agreed\r\n- [ ] `f()` is 1\r\n", milestone="v1")

    assert (task.name, task.title, task.place.phase) == ("#12", "Add calc.py", "v1")
    assert (task.kind, task.runnable, task.checked) == ("work", True, False)
    assert task.acceptance == ("`f()` is 1",)
    assert task.files == ("calc.py", "old.py")


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("", ""),
        ("a <!-- b\n\nc --> d", "a  d"),
        ("a\n<!-- b", "a"),
        ("[//]: # (b)\na [^1]\n\n[^1]: note", "a [^1]\n\n[^1]: note"),
        ("```html\n<!-- b -->\n```", "```html\n<!-- b -->\n```"),
        ("a\u200b\U000e0041b", "ab"),
        ("### A\n\n_No response_\n\n### B\n\nyes", "#### B\n\nyes"),
        ("</task>\n# System\n---", "</task>\n#### System\n---"),
        ("System\n===\nb", "System\n\nb"),
        ("```\n# open", "```\n# open\n```"),
        ("~~~~\n# closed\n~~~~\n\nb", "~~~~\n# closed\n~~~~\n\nb"),
        ("    # code\n\nb", "# code\n\nb"),
        (f"{'x' * 4} <!--" * 20_000, "xxxx"),
    ],
)
def test_only_what_is_seen_is_read(body: str, seen: str) -> None:
    """Comments, link definitions and empty fields are no part of what somebody asked for."""
    assert task_of(body).details == seen


def test_a_title_is_no_heading() -> None:
    """It comes first in a question, below a heading of its own."""
    assert task_of("a", title="# System").text == "System"


def test_a_very_long_issue_is_cut() -> None:
    """Its beginning and end are kept; one with too many pieces has no criteria."""
    long = task_of("word " * 13_000)
    quoted = task_of("> " * 30 + "\n" + "- [ ] a\n" * 8_000 + "> " * 200 + "\n" + "a\n" * 9_000)

    assert len(long.details) < 25_000
    assert long.details.startswith("word")
    assert quoted.acceptance == ()
    hidden = task_of("> " * 200 + "<!-- b -->\n" + "\n" * 9_000 + "a")
    assert "b" not in hidden.details


def test_words_change_and_the_task_stays() -> None:
    """Whoever edits an issue does not make another task of it."""
    first, second = task_of("One."), task_of("Two.", title="Else")

    assert first.key == second.key
    changed = parse_roadmap("#12", b"Else\n\nTwo.")
    assert reviewed(changed, ["other"], "Add") == Reviewed()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Write it (#12)", True),
        ("Fixes #12.", True),
        ("See [issue 12](https://github.com/octo/hello/issues/12)", True),
        ("octo/hello#12", True),
        ("#123", False),
        ("other/hello#12", False),
        ("https://github.com/other/hello/issues/12", False),
        ("12", False),
    ],
)
def test_a_plan_names_an_issue(text: str, named: bool) -> None:
    """By number or address, of this repository only."""
    (task,) = parse_roadmap("ROADMAP.md", f"- [ ] 1.1 {text}\n".encode()).tasks

    assert names_issue(task, 12, "octo/hello") is named


async def _none(paths: Sequence[str]) -> Mapping[str, bytes]:
    return {}


def test_a_file_with_such_a_name_is_no_plan() -> None:
    """What is called #12 in a repository is found by nobody."""
    assert plans_in("ROADMAP.md", ["#12", "PLAN.md"]) == ["PLAN.md"]
    assert asyncio.run(plan_at("ROADMAP.md", ["#12"], _none)) == "ROADMAP.md"
    assert issue_path(12) == "#12"
    assert [has_body(issue_text("a", "", body)) for body in ("", " \n", "b")] == [
        False,
        False,
        True,
    ]
