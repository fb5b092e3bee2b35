"""What each form of another tool's plan gives, and which bytes "done" changes in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import islice

import pytest

from runner.roadmap.edit import EditRefused, find, tick_all, untick_all
from runner.roadmap.order import ordered
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.plans.choosing import plan_at
from runner.roadmap.replay import RoadmapEdits, replayed
from runner.roadmap.task import Task, from_the_top

SPEC_KIT = "specs/001-shop/tasks.md"
KIRO = ".kiro/specs/shop/tasks.md"
OPENSPEC = "openspec/changes/add-shop/tasks.md"
TASK_MASTER = ".taskmaster/tasks/tasks.json"
GSD = ".planning/ROADMAP.md"
RALPH = "scripts/ralph/prd.json"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("ROADMAP.md", "roadmap"),
        ("docs/tasks.md", "roadmap"),
        (SPEC_KIT, "spec-kit"),
        (".specify/specs/001-shop/tasks.md", "spec-kit"),
        ("apps/web/specs/002-cart/tasks.md", "spec-kit"),
        (KIRO, "Kiro"),
        (OPENSPEC, "OpenSpec"),
        (TASK_MASTER, "task-master"),
        (RALPH, "ralph"),
        (GSD, "GSD"),
        ("#12", "issue"),
        ("#notes#", "roadmap"),
        ("apps/web/.planning/ROADMAP.md", "GSD"),
        ("openspec/changes/archive/2026-01-01-add-shop/tasks.md", "roadmap"),
        (".kiro/settings/templates/specs/tasks.md", "roadmap"),
    ],
)
def test_form_of(path: str, name: str) -> None:
    """The path says which tool's plan a file is; what is archived or a template is none."""
    assert form_of(path).name == name


def said(path: str, text: str) -> list[str]:
    """Each task on one line: state, id or words, kind, marks, parent, what it waits for."""
    tasks = parse_roadmap(path, text.encode()).tasks
    names = {task.key: task.id or task.title for task in tasks}

    def line(task: Task) -> str:
        marks = task.marks
        parts = [
            "x" if task.checked else "-",
            names[task.key],
            "" if task.kind == "work" else task.kind,
            "optional" * marks.optional,
            "parallel" * marks.parallel,
            f"in {names[task.place.parent]}" if task.place.parent else "",
            "after " + ",".join(names[key] for key in task.depends_on) if task.depends_on else "",
        ]
        return " ".join(filter(None, parts))

    return [line(task) for task in tasks]


ROWS = {
    "spec-kit: ids with letters, marks in either order": (
        SPEC_KIT,
        "- [ ] T001 One\n- [X] T042a [US1] [P] Two\n- [x] T003 [P] [US1] Three\n",
        ["- T001", "x T042a parallel", "x T003 parallel"],
    ),
    "spec-kit: inline dependencies": (
        SPEC_KIT,
        "- [ ] T001 One\n- [ ] T002 Two\n- [ ] T003 Three (depends on T001, T002)\n",
        ["- T001", "- T002", "- T003 after T001,T002"],
    ),
    "spec-kit: a line of ids and arrows, with a range and a remark": (
        SPEC_KIT,
        "- [ ] T001 One\n- [ ] T002 Two\n- [ ] T003 Three\n- [ ] T004 Four\n\n"
        "## Dependencies\n\n- T001 → T002-T003 → T004 (the API last)\n"
        "- T004 (tests) → T001 (setup) is only a hint\n",
        ["- T001", "- T002 after T001", "- T003 after T001", "- T004 after T002,T003"],
    ),
    "spec-kit: the legend and the prerequisites are no tasks and no dependency": (
        SPEC_KIT,
        "# Tasks\n\n**Prerequisites**: plan.md (required)\n\n- [ ] T001 One\n\n## Notes\n\n"
        "- [P] tasks = different files\n",
        ["- T001"],
    ),
    "spec-kit: tests in the list are work, whatever their heading says": (
        SPEC_KIT,
        "### Tests for User Story 1 (OPTIONAL)\n\n- [ ] T010 [US1] Contract test\n",
        ["- T010"],
    ),
    "spec-kit: boxes without an id are checks": (
        SPEC_KIT,
        "- [ ] T001 One\n\n## Validation\n\n- [ ] All contracts have tests\n",
        ["- T001", "- All contracts have tests check"],
    ),
    "spec-kit: a list of another generator is read as a roadmap": (
        SPEC_KIT,
        "- [ ] 1.1 One\n- [ ] 1.2 Two\n",
        ["- 1.1", "- 1.2"],
    ),
    "Kiro: a star makes a task optional, behind the box or the id": (
        KIRO,
        "- [ ] 1. One\n  - [ ] 1.1 Leaf\n  - [ ]* 1.2 Test\n  - [x]* 1.3 Done\n  - [ ] 1.4* Late\n",
        [
            "- 1 summary",
            "- 1.1 in 1",
            "- 1.2 optional in 1",
            "x 1.3 optional in 1",
            "- 1.4 optional in 1",
        ],
    ),
    "Kiro: what is in an optional task is optional": (
        KIRO,
        "- [ ]* 1. One\n  - [ ] 1.1 Leaf\n",
        ["- 1 summary optional", "- 1.1 optional in 1"],
    ),
    "Kiro: started and queued tasks are open": (
        KIRO,
        "- [-] 1. One\n- [~] 2. Two\n",
        ["- 1", "- 2"],
    ),
    "Kiro: the number says the parent, not the indent": (
        KIRO,
        "- [ ] 17. One\n\n- [ ] 17.1 Leaf\n\n- [ ] 2. Two\n",
        ["- 17 summary", "- 17.1 in 17", "- 2"],
    ),
    "Kiro: a checkpoint is a check, in any language": (
        KIRO,
        "- [ ] 1. One\n- [ ] 2. Checkpoint - Ensure all tests pass\n- [ ] 3. 最终检查点 - 确保\n",
        ["- 1", "- 2 check", "- 3 check"],
    ),
    "Kiro: a box without a number says what must hold": (
        KIRO,
        "- [ ] 1. One\n  - [ ] All names are unique\n",
        ["- 1", "- All names are unique check in 1"],
    ),
    "Kiro: each wave waits for the one before it": (
        KIRO,
        "- [ ] 1. One\n  - [ ] 1.1 A\n  - [ ] 1.2 B\n- [ ] 2. Two\n- [ ] 3. Three\n\n"
        '```json\n{"waves": [{"id": 0, "tasks": ["1"]}, {"id": 1, "tasks": ["2"]}]}\n```\n',
        ["- 1 summary", "- 1.1 in 1", "- 1.2 in 1", "- 2 after 1.1,1.2", "- 3"],
    ),
    "OpenSpec: every box counts, in code and comments too": (
        OPENSPEC,
        "## 1. A\n- [ ] 1.1 One\n```\n-[x] 1.2 Two\n```\n<!--\n* [\t] 1.3 Three\n-->\n",
        ["- 1.1", "x 1.2", "- 1.3"],
    ),
    "OpenSpec: optional is only what begins with the word in brackets": (
        OPENSPEC,
        "- [ ] 1.1 (optional) One\n- [ ] 1.2 Add a limit (optional)\n",
        ["- 1.1 optional", "- 1.2"],
    ),
    "OpenSpec: nested boxes are the tasks": (
        OPENSPEC,
        "- [ ] 1.1 One\n  - [ ] 1.1.1 Leaf\n",
        ["- 1.1 summary", "- 1.1.1 in 1.1"],
    ),
    "OpenSpec: the last group's runs are checks, its new tests are work": (
        OPENSPEC,
        "## 1. A\n- [ ] 1.1 Verify the input\n## 2. Verification\n- [ ] 2.1 Add a unit test\n"
        "- [ ] 2.2 Run `npm test`\n- [ ] 2.3 手动验证\n",
        ["- 1.1", "- 2.1", "- 2.2 check", "- 2.3 check"],
    ),
    "task-master: states, parts, dependencies of tasks and of parts": (
        TASK_MASTER,
        """{"master": {"tasks": [
          {"id": 1, "title": "One", "status": "done", "subtasks": [{"id": 1, "title": "A"}]},
          {"id": "2", "title": "Two", "status": "in-progress", "dependencies": ["1"], "subtasks": [
            {"id": 1, "title": "B", "status": "pending"},
            {"id": 2, "title": "C", "dependencies": [1, "1.1"]}]},
          {"id": 3, "title": "Three", "status": "pending", "dependencies": [2]},
          {"id": 4, "title": "Four", "status": "completed"}]}, "version": 2}""",
        [
            "x 1 summary",
            "x 1.1 in 1",
            "- 2 summary after 1",
            "- 2.1 in 2",
            "- 2.2 in 2 after 2.1,1.1",
            "- 3 after 2",
            "x 4",
        ],
    ),
    "ralph: stories": (
        RALPH,
        """{"userStories": [
          {"id": "US-001", "title": "One", "priority": 2, "passes": false},
          {"id": "US-002", "title": "Two", "priority": 1, "passes": true}]}""",
        ["- US-001", "x US-002"],
    ),
    "GSD: plans of phases, waves, and what is not planned": (
        GSD,
        "## Phases\n\n- [ ] **Phase 1: Base** - First\n- [ ] **Phase 1.1: Fix** (INSERTED)\n"
        "- [ ] **Phase 2: Shop**\n\n## Phase Details\n\n### Phase 1: Base\n**Plans:** 3 plans\n\n"
        "Plans:\n**Wave 1**\n- [x] 01-01-PLAN.md \u2014 One\n- [ ] `01-02-PLAN.md` -- Two\n\n"
        "**Wave 2** *(blocked on Wave 1)*\n- [ ] 01-03: Three\n\n"
        "### Phase 1.1: Fix (INSERTED)\n**Depends on:** Phase 1\n\nPlans:\n"
        "- [ ] 01.1-PLAN-01.md \u2014 Four\n\n"
        "### Phase 2: Shop\n**Depends on**: Phase 1\n\nPlans:\n"
        "- [ ] 02-01: TBD\n- [ ] TBD (run /gsd:plan-phase 2)\n",
        [
            "- Phase 1 check",
            "- Phase 1.1 check",
            "- Phase 2 check after 01-01,01-02,01-03",
            "x 01-01 in Phase 1",
            "- 01-02 in Phase 1",
            "- 01-03 in Phase 1 after 01-01,01-02",
            "- 01.1-01 in Phase 1.1 after 01-01,01-02,01-03",
            "- 02-01 in Phase 2 after 01-01,01-02,01-03",
            "- TBD (run /gsd:plan-phase 2) check after 01-01,01-02,01-03",
        ],
    ),
    "GSD: the plans of a phase that is done are done; a plan listed twice is one": (
        GSD,
        "- [x] **Phase 1: Base** (completed 2026-01-01)\n- [ ] **Phase 2: Shop**\n\n"
        "### Phase 1: Base\n\n- [ ] 01-01-PLAN.md - One\n\n"
        "### Phase 2: Shop\n\nPlans:\n- [ ] 02-01-PLAN.md - Two\n\n"
        "**Wave 1**\n- [ ] 02-01-PLAN.md - Two\n",
        [
            "x Phase 1 check",
            "- Phase 2 check",
            "x 01-01 in Phase 1",
            "- 02-01 in Two",
            "- Two summary in Phase 2",
        ],
    ),
    "GSD: parts of a plan that was divided": (
        GSD,
        "- [ ] **Phase 1: Base**\n\n### Phase 1: Base\n\n- [ ] 01-01.1: A\n- [ ] 01-01.2: B\n",
        ["- Phase 1 check", "- 01-01.1 in Phase 1", "- 01-01.2 in Phase 1"],
    ),
    "GSD: a file without phases is read as a roadmap": (GSD, "- [ ] One\n", ["- One"]),
}


@pytest.mark.parametrize("name", ROWS)
def test_tasks(name: str) -> None:
    """States, ids, kinds, optional and parallel marks, parents and dependencies of each grammar."""
    path, text, lines = ROWS[name]
    assert said(path, text) == lines


@pytest.mark.parametrize(
    ("path", "before", "name", "after"),
    [
        (SPEC_KIT, b"- [ ] T001 A\r\n- [X] T002 B", "T001", b"- [X] T001 A\r\n- [X] T002 B"),
        (SPEC_KIT, b"- [ ] T001 A\n- [x] T002 B\n", "T001", b"- [x] T001 A\n- [x] T002 B\n"),
        (KIRO, b"- [-] 1. A\n", "1", b"- [x] 1. A\n"),
        (KIRO, b"- [ ]* 1.1 A\n", "1.1", b"- [x]* 1.1 A\n"),
        (OPENSPEC, b"-[ ] 1.1 A\n", "1.1", b"-[x] 1.1 A\n"),
        (OPENSPEC, b"* [\t] 1.1 A\n", "1.1", b"* [x] 1.1 A\n"),
        (
            TASK_MASTER,
            b'\xef\xbb\xbf{"tasks":[{"id":1,\r\n"status" : "pending",'
            b'"title":"\xc3\xa4 \\"status\\""}]}',
            "1",
            b'\xef\xbb\xbf{"tasks":[{"id":1,\r\n"status" : "done",'
            b'"title":"\xc3\xa4 \\"status\\""}]}',
        ),
        (
            TASK_MASTER,  # neither says a status: the part is inside of the whole, and comes first
            b'{"tasks": [{"id": 1,\n "subtasks": [{"id": 1, "title": "B"}]\n}]}',
            "1.1",
            b'{"tasks": [{"id": 1,\n "subtasks": [{"id": 1, "title": "B", "status": "done"}]\n}]}',
        ),
        (
            GSD,
            b"- [ ] **Phase 1: A**\n\n### Phase 1: A\n\n- [ ] 01-01-PLAN.md - B\n",
            "01-01",
            b"- [ ] **Phase 1: A**\n\n### Phase 1: A\n\n- [x] 01-01-PLAN.md - B\n",
        ),
        (
            RALPH,
            b'{"userStories": [{"id": "US-1", "title": "A",  "passes":false}]}',
            "US-1",
            b'{"userStories": [{"id": "US-1", "title": "A",  "passes":true}]}',
        ),
    ],
)
def test_ticking(path: str, before: bytes, name: str, after: bytes) -> None:
    """Only the byte in the brackets changes, to what the tool writes; clearing leaves a blank."""
    assert tick_all(path, before, [name]) == after
    cleared = untick_all(path, after, [name])
    assert tick_all(path, cleared, [name]) == after


def test_a_hostile_list_of_plans_holds_up_nobody() -> None:
    """One plan thousands of times, and a wave with a number that no integer has."""
    plans = "- [ ] 01-01: A\n" * 8_000
    content = f"- [ ] **Phase 1: A**\n\n### Phase 1: A\n\nWave {'9' * 5000}\n\n{plans}".encode()
    tasks = parse_roadmap(GSD, content).tasks
    assert [task.id for task in tasks[:3]] == ["Phase 1", "01-01", None]
    assert len(tasks) == 8_001


def test_phases_without_a_plan() -> None:
    """There is nothing to run, and it says so; what is planned, or done, is none of that."""
    phase = b"- [ ] **Phase 1: A**\n\n### Phase 1: A\n\n"
    asked = [
        parse_roadmap(GSD, content).asks
        for content in (
            phase + b"- [ ] 01-01: TBD\n",
            phase,
            phase + b"- [ ] 01-01: TBD\n- [ ] 01-02: B\n",
            phase.replace(b"[ ]", b"[x]") + b"- [x] 01-01: B\n",
        )
    ]
    assert [bool(text) for text in asked] == [True, True, False, False]
    assert "Plan a phase with GSD first" in asked[0]


def test_files_of_a_gsd_plan() -> None:
    """A plan is shown with its phase's notes and its requirements, and with no other plan."""
    form, folder = form_of(GSD), ".planning/phases"
    paths = [
        *(GSD, ".planning/PROJECT.md", ".planning/REQUIREMENTS.md", ".planning/STATE.md"),
        *(f"{folder}/02-shop/02-0{n}-PLAN.md" for n in (1, 2)),
        *(f"{folder}/02-shop/02-01-SUMMARY.md", f"{folder}/02-shop/02-CONTEXT.md"),
        f"{folder}/12-late/12-01-PLAN.md",
    ]
    [task] = [
        task
        for task in parse_roadmap(GSD, b"- [ ] **Phase 2: A**\n\n- [ ] 02-01-PLAN.md - B\n").tasks
        if task.id == "02-01"
    ]
    beside = form.beside(GSD, paths, task)
    assert [path.removeprefix(".planning/") for path in beside] == [
        "phases/02-shop/02-CONTEXT.md",
        "REQUIREMENTS.md",
        "PROJECT.md",
        "phases/02-shop/02-01-PLAN.md",
    ]
    files = {path.removeprefix(".planning/"): "" for path in beside}
    files["phases/02-shop/02-01-PLAN.md"] = "requirements: [SHOP-01]\nDo it."
    files["REQUIREMENTS.md"] = "- [ ] **SHOP-01**: Sell\n- [ ] **SHOP-02**: Buy\n"
    quotes = [(each.what, each.text) for each in form.cited(task.text, files)]
    assert quotes == [
        ("plan 02-01", "requirements: [SHOP-01]\nDo it."),
        ("SHOP-01", "- [ ] **SHOP-01**: Sell"),
    ]
    assert [each.text for each in form.cited(task.text, {})] == [""]
    ids = [f"SHOP-{number}" for number in range(20_000)]
    files["phases/02-shop/02-01-PLAN.md"] = " ".join(ids)
    files["REQUIREMENTS.md"] = "".join(f"- **{each}**: Sell\n" for each in ids)
    assert len(list(form.cited(task.text, files))) == 1 + 50
    assert form.is_of_plans(GSD, ".planning/STATE.md")
    assert not form.is_of_plans(f"web/{GSD}", "web/README.md")


def test_the_same_task_in_two_plans_is_two_tasks() -> None:
    """Each feature has its T001, often with the same words: their keys differ."""
    content = b"- [ ] T001 Create the project structure\n"
    one, other = (parse_roadmap(f"specs/{n}/tasks.md", content).tasks[0] for n in ("001", "002"))
    assert one.key != other.key


PASSED = ("pytest python -m pytest -q", "command npm test")
DONE = {
    "the parent with its last leaf that is not optional": (
        KIRO,
        "- [ ] 1. A\n  - [x] 1.1 B\n  - [ ] 1.2 C\n  - [ ]* 1.3 D\n- [ ] 2. E\n",
        ["1.2"],
        False,
        ["1"],
    ),
    "not while a leaf is open": (
        KIRO,
        "- [ ] 1. A\n  - [ ] 1.1 B\n  - [ ] 1.2 C\n",
        ["1.2"],
        False,
        [],
    ),
    "a checkpoint behind it where tests passed": (
        KIRO,
        "- [ ] 1. A\n- [ ] 2. Checkpoint - Ensure all tests pass\n- [ ] 3. B\n",
        ["1"],
        True,
        ["2"],
    ),
    "no checkpoint where none passed": (
        KIRO,
        "- [ ] 1. A\n- [ ] 2. Checkpoint - Ensure all tests pass\n",
        ["1"],
        False,
        [],
    ),
    "no checkpoint behind open work": (
        KIRO,
        "- [ ] 1. A\n- [ ] 2. B\n- [ ] 3. Checkpoint - All tests pass\n",
        ["1"],
        True,
        [],
    ),
    "no checkpoint that asks for more than the tests that passed": (
        KIRO,
        "- [ ] 1. A\n- [ ] 2. Checkpoint - Review with the team\n"
        "- [ ] 3. Checkpoint - Run `npm run lint`, all tests pass\n"
        "- [ ] 4. 检查点 - 确保所有测试通过\n",
        ["1"],
        True,
        ["4"],
    ),
    "OpenSpec: the commands that passed, nothing else": (
        OPENSPEC,
        "## 1. A\n- [ ] 1.1 B\n## 2. Verification\n- [ ] 2.1 Run `npm test` and `pytest`\n"
        "- [ ] 2.2 Run the load tests\n- [ ] 2.3 Run `npm run lint`\n- [ ] 2.4 Run `pytest -x`\n",
        ["1.1"],
        True,
        ["2.1"],
    ),
    "GSD: not the phase; a second listing of the plan has no id": (
        GSD,
        "- [ ] **Phase 1: A**\n\n### Phase 1: A\n\nPlans:\n- [ ] 01-01: B\n\n**Wave 1**\n"
        "- [ ] 01-01: B\n",
        ["01-01"],
        True,
        [None],
    ),
    "spec-kit: nothing but the task": (
        SPEC_KIT,
        "- [ ] T001 A\n\n## Checks\n\n- [ ] All tests pass\n",
        ["T001"],
        True,
        [],
    ),
}


@pytest.mark.parametrize("name", DONE)
def test_what_is_done_with_a_task(name: str) -> None:
    """The tool ticks more than the task where that was the last one, or a green run covers it."""
    path, text, names, green, more = DONE[name]
    found = parse_roadmap(path, text.encode())
    tasks = [find(found, name) for name in names]
    keys = form_of(path).also_done(found, [task.key for task in tasks if task], green * PASSED)
    assert [task.id for task in found.tasks if task.key in keys] == more


PASSES = '{"userStories": [{"id": "US-1", "title": "A",  "passes": %s}]}'
ODD = '{"tasks": [{"id": 1, "status": "weird"}, {"id": 2, "status": "review"}]}'
_WAVES = "- [ ] 1. A\n\n```json\n%s\n```\n"
ONE = '{"tasks": [{"id": 1, "title": "A", "dependencies": [%s]}]}'


@pytest.mark.parametrize(
    ("path", "text", "line", "column", "says"),
    [
        (TASK_MASTER, '{"tasks": [\n {"id" 1}]}', 2, 8, "line 2, column 8: this is not JSON"),
        (TASK_MASTER, '{"name": "shop"}', 1, 1, "no list of tasks as task-master writes it"),
        (TASK_MASTER, '{"master": {"tasks": []}}', 1, 1, "its list of tasks is empty"),
        (TASK_MASTER, ODD, 1, 1, "no status `weird`, so task 1 is left alone"),
        (TASK_MASTER, ONE % 1, 1, 1, "task 1 depends on 1, which is no other task"),
        (TASK_MASTER, ONE % 7, 1, 1, "task 1 depends on 7, which is no other task"),
        (RALPH, '[{"steps": []}]', 1, 1, "this prd.json is of another form"),
        (RALPH, '{"userStories": []}', 1, 1, "its list of tasks is empty"),
        (RALPH, PASSES % '"false"', 1, 1, "story US-1 does not say `passes` as `true` or `false`"),
        (RALPH, "[" * 100_000, 1, 1, "this is not JSON"),
        (
            RALPH,
            '{"userStories": [{"title": "\\ud800", "passes": false}]}',
            1,
            1,
            "this is not JSON",
        ),
        (
            KIRO,
            '- [ ] 1. A\n\n```json\n{"waves": [{"tasks": ["1"]},\n {"tasks": ["1"]}]}\n```\n',
            5,
            1,
            "task 1 is in two waves",
        ),
        (KIRO, '- [ ] 1. A\n\n```json\n{"waves": [}\n```\n', 4, 12, "the waves are not JSON"),
        (KIRO, _WAVES % r'{"waves": [{"tasks": ["\ud800"]}]}', 4, 1, "names? \ufffd"),
        (KIRO, _WAVES % ("[" * 100_000) + _WAVES % '{"waves": [{"tasks": ["9"]}]}', 9, 1, "9"),
        (KIRO, '- [ ] 1. A\n\n```json\n{"waves": [{"tasks": ["9"]}]}\n```\n', 4, 1, "names? 9"),
        (
            SPEC_KIT,
            "- [ ] T001 A (depends on T002)\n- [ ] T002 B\n\nT001 → T002\n",
            1,
            1,
            "T001 → T002 → T001: these tasks wait for each other",
        ),
    ],
)
def test_warnings(path: str, text: str, line: int, column: int, says: str) -> None:
    """What a plan says wrongly is named with its place, and the rest is read."""
    [warning] = parse_roadmap(path, text.encode()).warnings
    assert (warning.line, warning.column) == (line, column)
    assert re.search(says, warning.message)


def test_an_id_that_stands_twice_is_not_ticked() -> None:
    """Nobody can say which one is meant."""
    with pytest.raises(EditRefused, match=r"has no task 1\.1"):
        tick_all(KIRO, b"- [ ] 1.1 A\n- [ ] 1.1 B\n", ["1.1"])


def test_which_plan_is_meant() -> None:
    """The roadmap, else the one plan with open tasks; a pattern; what spec-kit works on."""

    def meant(setting: str, files: dict[str, str]) -> str:
        async def read(paths: Sequence[str]) -> dict[str, bytes]:
            return {path: files[path].encode() for path in paths}

        return asyncio.run(plan_at(setting, files, read))

    one, two, done = "specs/001/tasks.md", "specs/002/tasks.md", "specs/003/tasks.md"
    left, right = {one: "- [ ] T001 A"}, {two: "- [ ] T001 B", done: "- [X] T001 C"}
    feature = {".specify/feature.json": '{"feature_directory": "specs/001"}'}
    usual = "ROADMAP.md"
    assert meant(usual, {usual: "", **left}) == usual
    assert meant(usual, {"README.md": ""}) == usual
    assert meant(usual, left) == one
    assert meant("*a" * 60 + "*b.md", {"a" * 250: ""}).endswith("b.md")  # an answer, today
    assert meant(usual, right) == two
    assert meant(usual, left | right) == usual
    assert meant(usual, left | right | feature) == one
    for odd in ("[]", "[" * 100_000):
        assert meant(usual, left | right | {".specify/feature.json": odd}) == usual
    assert meant(usual, {done: "- [X] T001 C", one: "- [X] T001 A"}) == done
    assert meant("specs/*2/tasks.md", left | right) == two
    assert meant("**/00?/tasks.md", left) == one
    assert meant("docs/*.md", left) == "docs/*.md"
    assert meant("PLAN.md", left) == "PLAN.md"
    written, other = {"PLAN.md": "- [ ] A"}, {"IMPLEMENTATION_PLAN.md": "- [x] A"}
    assert meant(usual, left | written) == one
    assert meant(usual, written | other) == "PLAN.md"
    assert meant(usual, {"PLAN.md": "# Words"}) == "PLAN.md"


def test_which_project_is_meant() -> None:
    """Without a roadmap at the top, the one project with open tasks; in its folder, any plan."""
    plans = ("api/ROADMAP.md", "web/ROADMAP.md")

    def meant(setting: str, files: dict[str, str]) -> str:
        async def read(paths: Sequence[str]) -> dict[str, bytes]:
            return {path: files[path].encode() for path in paths}

        return asyncio.run(plan_at(setting, files, read, plans))

    api, web = {plans[0]: "- [ ] A"}, {"web/specs/001/tasks.md": "- [ ] T001 B"}
    assert meant("ROADMAP.md", api | web) == "ROADMAP.md"
    assert meant("ROADMAP.md", {**api, "ROADMAP.md": ""}) == "ROADMAP.md"
    assert meant("ROADMAP.md", {plans[0]: "- [x] A"} | web) == "web/specs/001/tasks.md"
    assert meant(plans[1], api | web) == "web/specs/001/tasks.md"
    assert meant(plans[1], {**api, "web/PLAN.md": "- [ ] B"}) == "web/PLAN.md"


@pytest.mark.parametrize(
    ("named", "whole"),
    [
        ("src/a.py", "api/src/a.py"),
        ("src/new.py", "api/src/new.py"),
        ("lib/new.py", "lib/new.py"),
        ("new/new.py", "api/new/new.py"),
        ("api/src/b.py", "api/src/b.py"),
        ("README.md", "api/README.md"),
        ("LICENSE.md", "LICENSE.md"),
        ("src/", "api/src/"),
    ],
)
def test_a_plan_names_files_from_its_project_s_folder(named: str, whole: str) -> None:
    """A file that is at the top is that one; a new one goes where its first folder is."""
    there = ["api/src/a.py", "api/README.md", "README.md", "LICENSE.md", "lib/a.py", "src/top.py"]
    (task,) = parse_roadmap("api/ROADMAP.md", f"- [ ] Change `{named}` here".encode()).tasks

    places = from_the_top(task.files, "api", there)

    assert task.placed(places).text == f"Change `{whole}` here"
    assert task.placed(places).files == (whole,)


def test_the_last_of_two_branches_ticks_the_parent() -> None:
    """Neither was the last when it was made; the one that is put on the other is."""
    old = b"- [ ] 1. A\n  - [ ] 1.1 B\n  - [ ] 1.2 C\n"
    edit = RoadmapEdits(old, old.replace(b"[ ] 1.2", b"[x] 1.2"))
    merged = old.replace(b"[ ] 1.1", b"[x] 1.1")
    assert replayed(KIRO, edit, merged) == old.replace(b"[ ]", b"[x]")


def test_the_order_of_plans_in_json() -> None:
    """The most important first; what waits comes after what it waits for; what is put off never."""
    tasks = parse_roadmap(
        TASK_MASTER,
        b"""{"tasks": [
          {"id": 1, "title": "A", "status": "pending", "priority": "low"},
          {"id": 2, "title": "B", "status": "pending", "priority": "high", "dependencies": [3]},
          {"id": 3, "title": "C", "status": "pending"},
          {"id": 4, "title": "D", "status": "deferred", "priority": "high"}]}""",
    ).tasks
    assert [task.id for task in ordered(tasks) if task.runnable] == ["3", "2", "1"]


@pytest.mark.parametrize("hostile", ["# a\n", "- ", "-\n", "```\n", "1. -\n", "- " + " " * 99])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        (KIRO, " ".join(f"property {n}" for n in range(2000))),
        (
            KIRO,
            "_Requirements: " + ", ".join(f"1.{n}-1.{n + 29}" for n in range(1, 9000, 30)) + "_",
        ),
        (KIRO, f"_Requirements: 1.{'9' * 5000}_"),
        (SPEC_KIT, " ".join(f"FR-{n:03} [US{n}]" for n in range(2000))),
        (SPEC_KIT, "a." * 20_000),
    ],
)
def test_a_hostile_specification_holds_up_nobody(path: str, words: str, hostile: str) -> None:
    """However much it is and a task names: this would take minutes if anything was squared."""
    text = hostile * (100_000 // len(hostile))
    files = dict.fromkeys(("spec.md", "requirements.md", "design.md"), text)
    assert all(not each.text for each in islice(form_of(path).cited(words, files), 50))


def test_a_whole_is_done_with_its_last_part() -> None:
    """Neither says its state: each gets one, wherever it stands, and every line keeps its place."""
    content = b'{"tasks": [{"id": 1, "subtasks": [{"id": 1}]},\r\n{"id": 2}]}'
    done = b'{"tasks": [{"id": 1, "subtasks": [{"id": 1, "status": "done"}], "status": "done"},\r\n'
    assert tick_all(TASK_MASTER, content, ["1", "1.1"]) == done + b'{"id": 2}]}'
    assert parse_roadmap(TASK_MASTER, content).eol == "crlf"
