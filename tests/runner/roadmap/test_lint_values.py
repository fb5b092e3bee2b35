"""Rules on fields that other parts of the parser fill, on values made by hand."""

from __future__ import annotations

from dataclasses import replace

from runner.roadmap.lint import lint
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task, Warning
from tests.runner.fields import changed as fields_changed


def plan(*texts: str) -> Roadmap:
    """A roadmap of open tasks, one a line."""
    return parse_roadmap("ROADMAP.md", "".join(f"- [ ] {text}\n" for text in texts).encode())


def changed(roadmap: Roadmap, **tasks: dict[str, object]) -> Roadmap:
    """The roadmap with fields of tasks replaced, by written id (``T1``)."""

    def new(task: Task) -> Task:
        return fields_changed(task, **tasks.get(task.id or "", {}))

    return replace(roadmap, tasks=tuple(map(new, roadmap.tasks)))


def test_what_the_parser_saw_is_told_once() -> None:
    """The parser's warnings stand among those of the rules, in file order."""
    roadmap = plan("T1 Write `a.py`", "T2 Fix some bugs")
    seen = (Warning(1, 9, "custom-state", "first"), Warning(2, 1, "quoted-task", "second"))

    found = lint(replace(roadmap, warnings=seen))

    assert [warning.code for warning in found] == ["custom-state", "quoted-task", "vague"]
    assert found[:2] == seen


def test_the_estimate_of_a_section_makes_no_task_large() -> None:
    """An effort that does not stand in the task is that of all of them."""
    assert lint(changed(plan("T1 Write `a.py`"), T1={"effort": "3 weeks"})) == ()


def test_criteria_are_missed_where_they_are_usual() -> None:
    """Where most open tasks have criteria, the one without is named; elsewhere none is."""
    names = [f"T{n}" for n in range(1, 6)]
    roadmap = plan(*(f"{name} Write `{name}.py`" for name in names))
    usual = {name: {"acceptance": ("it runs",)} for name in names[:4]}
    seldom = {name: {"acceptance": ("it runs",)} for name in names[:2]}

    assert [(w.line, w.code) for w in lint(changed(roadmap, **usual))] == [(5, "no-acceptance")]
    assert lint(changed(roadmap, **seldom)) == ()


def test_only_work_that_is_meant_is_judged() -> None:
    """Checks, summaries, placeholders and crossed-out tasks are not vague."""
    roadmap = plan("T1 Fix bugs", "T2 Fix some bugs", "T3 Fix a few bugs", "T4 Fix other bugs")
    assert [warning.code for warning in lint(roadmap)] == ["vague"] * 4

    found = changed(
        roadmap,
        T1={"kind": "check"},
        T2={"kind": "summary"},
        T3={"template": True},
        T4={"struck": True},
    )

    assert lint(found) == ()
