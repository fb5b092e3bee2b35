"""What the plan of a roadmap says."""

from __future__ import annotations

from app.plan_issue.text import plan_text, plan_texts, plannable
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap

ROADMAP = """\
# Plan

- [x] 1.1 Write `one.md`
- [ ] 1.2 Write `two.md` (depends on 1.3)
- [ ] 1.3 Write `three.md`
- [ ] 1.4 Write `four.md` (depends on 9.9)
- [ ] 1.5 Write `five.md` (optional)
- [ ] 1.6 Various fixes

## Acceptance Criteria

- [ ] It reads well

## TODO

1. Write a sixth
"""


def read(text: str) -> Roadmap:
    """A parsed roadmap."""
    return parse_roadmap("ROADMAP.md", text.encode())


def test_the_order_is_the_one_of_a_run() -> None:
    """A task stands behind what it depends on, with its line and what it waits for."""
    said = plan_text(read(ROADMAP))

    rows = [line for line in said.split("\n") if line.startswith("| ") and "**" in line]
    assert [row.split("**")[1] for row in rows] == ["1.3", "1.2", "1.4", "1.6"]
    assert rows[1].endswith("| 4 | 1.3 |")
    assert "6 tasks: 4 to do, 1 done." in said


def test_what_could_be_done_at_the_same_time() -> None:
    """Tasks that wait for nothing and name different files."""
    assert "at the same time: 1.3, 1.4, 1.6." in plan_text(read(ROADMAP))


def test_what_is_left_out_is_said() -> None:
    """Optional work, checks, what has no checkbox, and warnings, each with its line."""
    said = plan_text(read(ROADMAP))

    assert "optional, crossed out or placeholder (1)" in said
    assert "line 7: **1.5**" in said
    assert "checks of other work (1)" in said
    assert "no checkbox (1)" in said
    assert "line 16: Write a sixth" in said
    assert "<summary>Warnings (1)" in said
    assert "9.9" in said.split("<summary>Warnings")[1]


def test_how_to_start_is_said() -> None:
    """The commands stand in the text; where nothing can run, what is to be done first."""
    assert "`/execute --task ID`" in plan_text(read(ROADMAP))
    assert "proposes checkboxes" in plan_text(read("# Plan\n\n## TODO\n\n1. Write one\n"))
    assert "proposes checkboxes" not in plan_text(read(ROADMAP))


def test_blocked_tasks_are_named_with_the_reason() -> None:
    """What waits for optional work waits in vain."""
    said = plan_text(
        read("- [ ] A1 One (optional)\n- [ ] A2 Two (depends on A1)\n- [ ] A3 Three\n")
    )

    assert "Blocked (1)" in said
    assert "**A2**" in said
    assert "blocked by A1" in said


def test_foreign_text_is_sanitized() -> None:
    """A title cannot mention people, close issues, open HTML or a cell."""
    said = plan_text(read("- [ ] @octo fixes #1 | <details> `x` <!-- cairn:plan:x -->\n"))

    assert "@octo" not in said
    assert "#1" not in said
    assert " | <details>" not in said
    assert "<!--" not in said


def test_a_large_roadmap_stays_within_github_s_limit() -> None:
    """A thousand long tasks are cut to rows that fit, and counted."""
    text = "".join(f"- [ ] T{n} {'long ' * 200}`f{n}.md`\n" for n in range(1000))

    said = plan_text(read(text), "note")

    assert len(said) <= 59_000
    assert said.count("<details>") == said.count("</details>")


def test_a_plan_needs_something_to_plan() -> None:
    """Open work, or something that could become tasks; not an empty or finished file."""
    assert plannable(read(ROADMAP))
    assert plannable(read("## TODO\n\n1. Write one\n"))
    assert not plannable(read("- [x] Done\n"))
    assert not plannable(read(""))
    assert not plannable(None)


def test_a_missing_roadmap_and_a_bad_configuration_are_told() -> None:
    """The issue that is there already says what is wrong."""
    assert "no longer has a `docs/PLAN.md`" in plan_texts.gone("docs/PLAN.md")
    assert "- line 2: no" in plan_texts.config_errors(["line 2: no"])
