"""What a roadmap says about its tasks, in the ways real ones do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.order import circles, links, ordered
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task, Warning

CODES = {"unresolved-dependency", "dependency-cycle", "too-many-dependencies"}


def read(text: str | bytes) -> tuple[tuple[Task, ...], list[Warning]]:
    """The tasks of a file, and what is told of what they depend on."""
    found = parse_roadmap("R", text.encode() if isinstance(text, str) else text)
    return found.tasks, [each for each in found.warnings if each.code in CODES]


def called(task: Task) -> str:
    return task.id or task.title.split()[0]


def needs(text: str) -> dict[str, str]:
    """Of each task that waits: what for, and after a bar what was not understood."""
    tasks, _ = read(text)
    names = {task.key: called(task) for task in tasks}
    found = {}
    for task in tasks:
        keys = " ".join(names[key] for key in task.depends_on)
        if keys or task.depends_text:
            found[called(task)] = " | ".join([keys, *task.depends_text])
    return found


PHASES = (
    "## Phase 1: Core\n- [ ] a\n- [x] b\n## Phase 2: API\n{said}\n\n- [ ] c\n### Login\n- [ ] d\n"
)


@pytest.mark.parametrize(
    "said",
    [
        "**Depends on:** Phase 1",
        "**Depends on**: Phase 1",
        "- **Dependencies**: Phase 1",
        "> **Prerequisite**: Phase 1 complete",
        "Dependencies: Phase 1",
        "Depends on Phase 1.",
        "Phase 2 depends on Phase 1",
        "**Dependencies:**\n- Phase 1",
        "### Dependencies\n- Phase 1\n\n### Work",
        "**前提**: Phase 1",
        "依赖：Phase 1",  # noqa: RUF001
        "**Abhängigkeit**: Phase 1",
        "**Dépend de** : Phase 1",
        "**Depende de:** Phase 1 — o resto usa o modelo de lá.",
        "**Dependencias**: Phase 1 (ya) lanzada",
        "**Depends on:** Phase 1 shipped",
        "**Blocker**: Phase 1 must complete first",
        "Words.\n\n**Priority:** High | **Depends on:** Phase 1 (Core)",
    ],
)
def test_a_phase_that_depends_on_a_phase(said: str) -> None:
    """Each work task of the phase waits for every work task of the other one."""
    assert needs(PHASES.replace("{said}", said)) == {"c": "a b", "d": "a b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [ ] 1.1 a\n- [ ] 1.2 b (depends on 1.1)\n", {"1.2": "1.1"}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n  - **Depends on**: 1.1\n", {"1.2": "1.1"}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n  - _Depends on: 1.1_\n", {"1.2": "1.1"}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n  - depends on 1.1\n", {"1.2": "1.1"}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n  Depends on: Task 1.1\n", {"1.2": "1.1"}),
        ("- [ ] T001 a\n- [ ] T002 b (depends on T001)\n", {"T002": "T001"}),
        ("- [ ] TEST-01: a\n- [ ] TEST-02: b (需要 TEST-01)\n", {"TEST-02": "TEST-01"}),
        ("- [ ] 1.1 a (depends on 1.3)\n- [ ] 1.2 b\n- [ ] 1.3 c\n", {"1.1": "1.3"}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n- [ ] 1.3 c (depends on 1.1-1.2)\n", {"1.3": "1.1 1.2"}),
        ("- [ ] 1. a\n  - [ ] 1.1 b\n  - [ ] 1.2 c\n- [ ] 2. d (depends on 1)\n", {"2": "1.1 1.2"}),
        ("- [ ] 1.2.1 a\n- [ ] 1.2.2 b\n- [ ] 1.3 c (depends on 1.2)\n", {"1.3": "1.2.1 1.2.2"}),
        ("## 1.1 X\n- [ ] a\n## 1.2 Y\n- [ ] b (depends on 1.1)\n", {"b": "a"}),
        (
            "## 1.1 X\n- [ ] a\n## 1.2 Y\n- [ ] b\n## 2.1 Z\n**Depends on**: Phase 1\n\n- [ ] c\n",
            {"c": "a b"},
        ),
        (
            "## Thrust 1\n- [ ] a\n## Thrust 2\n- [ ] b\n## Thrust 3\n"
            "**Dependencies**: Thrusts 1-2\n\n- [ ] c\n",
            {"c": "a b"},
        ),
        ("## 第一阶段\n- [ ] a\n## 第二阶段\n**依赖**: 第一阶段\n\n- [ ] b\n", {"b": "a"}),
        (
            "## フェーズ1\n- [ ] a\n## フェーズ2\n**前提条件**: フェーズ1の完了\n\n- [ ] b\n",
            {"b": "a"},
        ),
        ("## Этап 1\n- [ ] a\n## Этап 2\n**Зависит от**: этапа 1\n\n- [ ] b\n", {"b": "a"}),
        (
            "## P\n### Phase 1\n- [ ] a (optional)\n- [ ] b\n"
            "### Phase 2\nDepends on: Phase 1\n\n- [ ] c\n",
            {"c": "b"},
        ),
        (
            "# R\n## Phase 1\n- [ ] a\n## Phase 2\n- [ ] b\n"
            "## Dependencies\n- Phase 2 depends on Phase 1\n",
            {"b": "a"},
        ),
    ],
)
def test_what_tasks_wait_for(text: str, expected: dict[str, str]) -> None:
    """Ids, numbers, sections and ranges, stated where people state them."""
    assert needs(text) == expected
    assert read(text)[1] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## Phase 1\n- [ ] a\n## Phase 2\nDepends on: Phase 1\n\n"
            "- [ ] b\n  - Depends on: None\n",
            {},
        ),
        (
            "## Phase 1\n- [ ] 1.1 a\n- [ ] 1.2 b\n## Phase 2\n"
            "Depends on: Phase 1\n\n- [ ] c (depends on 1.1)\n- [ ] d\n",
            {"c": "1.1", "d": "1.1 1.2"},
        ),
        (
            "## Phase 1\n- [ ] 1.1 a\n## Phase 2\nDepends on: Phase 1\n"
            "### 2.1 X\nDependencies: none\n\n- [ ] b\n### 2.2 Y\n"
            "- [ ] c\n",
            {"c": "1.1"},
        ),
        (
            "- [ ] 1 z\n- [ ] 2. p\n  - Depends on: 3\n  - [ ] 2.1 a\n"
            "  - [ ] 2.2 b (depends on 2.1)\n- [ ] 3. c\n",
            {"2": "3", "2.1": "3", "2.2": "2.1"},
        ),
        (
            "## Phase 1\n- [ ] a\n## Phase 2\nDepends on: Phase 1\n\n"
            "- [ ] b\n  - Depends on: Postgres\n",
            {"b": "a | Postgres"},
        ),
    ],
)
def test_the_nearest_place_wins(text: str, expected: dict[str, str]) -> None:
    """The task, what it is nested in, its section, its phase; a text alone overrules nothing."""
    assert needs(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("- [ ] 1.1 a (depends on 9.9)\n", {"1.1": " | 9.9"}, '"9.9", which names no phase'),
        ("- [ ] 1.1 a (depends on the API)\n", {"1.1": " | the API"}, '"the API", which names no'),
        (
            "## Phase 1\n- [ ] 1.1 a\n## Phase 2\n- [ ] 1.1 b\n- [ ] 1.2 c (depends on 1.1)\n",
            {"1.2": " | 1.1"},
            "names more than one phase, section or task",
        ),
        (
            "# A\n## Phase 1\n- [ ] a\n# B\n## Phase 1\n- [ ] b\n"
            "## Phase 2\nDepends on: Phase 1\n\n- [ ] c\n",
            {"c": " | Phase 1"},
            'the section "Phase 2" depends on "Phase 1", which names more than one',
        ),
        (
            "## Phase 1\n- [ ] a\n## Phase 2\nDepends on: Milestone 1\n\n- [ ] b\n",
            {"b": " | Milestone 1"},
            "names no",
        ),
    ],
)
def test_what_stays_text(text: str, expected: dict[str, str], said: str) -> None:
    """What names nothing or more than one thing is kept as it is written, and told once."""
    [warning] = read(text)[1]

    assert needs(text) == expected
    assert warning.code == "unresolved-dependency"
    assert said in warning.message


def test_a_warning_says_where() -> None:
    """A warning has the line of what it is about, and is given once for all tasks it concerns."""
    text = (
        "# R\n\n- [ ] a\n\n  - how\n  - Depends on: 9.9\n\n## X\n"
        "Depends on: Y\n\n- [ ] b\n- [ ] c\n"
    )

    assert [warning.line for warning in read(text)[1]] == [6, 8]


@pytest.mark.parametrize(
    "said",
    [
        "(requires a token)",
        "(needs Python 3.11)",
        "`(depends on 1.1)`",
        "(see 1.1)",
        "after 1.1",
        "1.1",
    ],
)
def test_prose_is_no_dependency(said: str) -> None:
    """Numbers in prose, and words that mean as much else, name nothing and warn of nothing."""
    text = f"- [ ] 1.1 a\n- [ ] 1.2 b {said}\n"

    assert (needs(text), read(text)[1]) == ({}, [])


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("- [ ] 1.1 a (depends on 1.2)\n- [ ] 1.2 b (depends on 1.1)\n", "1.1 → 1.2 → 1.1"),
        (
            "- [ ] 1.1 a (depends on 1.3)\n- [ ] 1.2 b (depends on 1.1)\n"
            "- [ ] 1.3 c (depends on 1.2)\n",
            "1.1 → 1.3 → 1.2 → 1.1",
        ),
        ("- [ ] 1.1 a (depends on 1.1)\n", '1.1 → "1.1" → 1.1'),
        ("## Phase 1\nDepends on: Phase 1\n\n- [ ] 1.1 a\n- [ ] 1.2 b\n", '1.1 → "Phase 1" → 1.1'),
        (
            "## Phase 1\nDepends on: Phase 2\n\n- [ ] 1.1 a\n"
            "- [ ] 1.2 b\n## Phase 2\nDepends on: Phase 1\n\n"
            "- [ ] 2.1 c\n",
            "1.1 → 2.1 → 1.1",
        ),
    ],
)
def test_circles(text: str, path: str) -> None:
    """Tasks that wait for each other do not wait, and the way round is told."""
    tasks, [warning] = read(text)

    assert warning.code == "dependency-cycle"
    assert warning.message.startswith(path)
    assert not any(task.depends_on for task in tasks)
    assert all(task.depends_text for task in tasks)


def test_what_hangs_on_a_circle_still_waits() -> None:
    """Only the circle is taken apart."""
    text = (
        "- [ ] 1.1 a (depends on 1.2, 1.4)\n- [ ] 1.2 b (depends on 1.1)\n"
        "- [ ] 1.3 c (depends on 1.1)\n- [ ] 1.4 d\n"
    )
    assert needs(text) == {"1.1": "1.4 | 1.2", "1.2": " | 1.1", "1.3": "1.1"}


def test_simple_fields() -> None:
    """Priority, effort, optional and parallel come from the nearest place that says them."""
    text = (
        "## Phase 1\n**Priority:** Critical\n> **Effort**: 2-3 hours\n\n"
        "- [ ] T001 [P] a\n- [ ] T002 b (P1) (~1 hour)\n  - Effort: 3h\n"
        "- [ ] T003 c (optional)\n- [ ] 2.3* d\n"
        "## Nice to have\n- [ ] e\n### Details\n- [ ] f\n## 🔴 High Priority\n- [ ] g\n"
    )
    tasks, _ = read(text)

    assert [
        (
            called(task),
            task.marks.priority,
            task.marks.effort,
            task.marks.optional,
            task.marks.parallel,
        )
        for task in tasks
    ] == [
        ("T001", "Critical", "2-3 hours", False, True),
        ("T002", "P1", "3h", False, False),
        ("T003", "Critical", "2-3 hours", True, False),
        (called(tasks[3]), "Critical", "2-3 hours", True, False),
        ("e", None, None, True, False),
        ("f", None, None, True, False),
        ("g", "High", None, False, False),
    ]


def test_large_phases_share_one_list() -> None:
    """5,000 tasks that wait for 5,000 others hold one list between them."""
    one = "".join(f"- [ ] a{n}\n" for n in range(5000))
    tasks, warnings = read(f"## Phase 1\n{one}## Phase 2\nDepends on: Phase 1\n\n{one}")

    assert warnings == []
    assert len({id(task.depends_on) for task in tasks[5000:]}) == 1
    assert len(tasks[-1].depends_on) == 5000


def test_lists_of_dependencies_are_bounded() -> None:
    """However many different lists a file states, only so many keys are kept, and that is said."""
    one = "".join(f"- [ ] 1.{n} a\n" for n in range(1000))
    two = "".join(f"- [ ] 2.{n} b (depends on Phase 1, 3.{n})\n" for n in range(1000))
    three = "".join(f"- [ ] 3.{n} c\n" for n in range(1000))
    tasks, warnings = read(f"## Phase 1\n{one}## Phase 2\n{two}## Phase 3\n{three}")
    lists = {id(task.depends_on): len(task.depends_on) for task in tasks}

    assert [warning.code for warning in warnings] == ["too-many-dependencies"]
    assert sum(lists.values()) < 320_000
    assert all(len(task.depends_on) >= 1000 for task in tasks[1000:2000])


PIECES = [
    "## Phase 1", "## Phase 2: X", "### 1.1 Y", "## Thrust 3", "# Dependencies", "## Optional",
    "- [ ] 1.1 a", "- [ ] 1.2 b (depends on 1.1)", "- [x] 1.3 c (depends on 1.2, Phase 1)",
    "- [ ] 2.1 d (depends on 1.1-1.3)", "  - [ ] 2.1.1 e (depends on 2.1)", "- [ ] 1.1 again",
    "- [ ] f (optional)", "  - Depends on: Phase 2", "  - **Depends on**: 2.1, nothing else",
    "Depends on: Phase 1", "**Dependencies**: Phases 1-2", "**Prerequisites:**", "- Phase 1",
    "Phase 1 depends on Phase 2", "Depends on: None", "```", "<!--", "", "> Depends on: 1.1",
    "- [ ] ~~g~~ (depends on h)", "- [ ] {{X}}", "Priority: P1", "depends on: 1.1 or 1.2",
]  # fmt: skip
roadmaps = st.lists(st.sampled_from(PIECES), max_size=20).map("\n".join)


@given(roadmaps)
def test_what_always_holds(text: str) -> None:
    """Keys exist, no task waits for itself or in a circle, and warnings have lines."""
    tasks, warnings = read(text)
    keys = {task.key for task in tasks}

    assert all(keys.issuperset(task.depends_on) for task in tasks)
    assert all(task.key not in task.depends_on for task in tasks if task.kind == "work")
    assert circles(links(tasks)) == []
    assert all(1 <= warning.line <= text.count("\n") + 1 for warning in warnings)
    place = {task.key: index for index, task in enumerate(ordered(tasks))}
    still_open = {task.key for task in tasks if not task.checked}
    for task in tasks:
        for key in still_open.intersection(task.depends_on if task.kind == "work" else ()):
            assert place[key] < place[task.key]


@given(st.one_of(roadmaps.map(str.encode), st.binary(max_size=200), st.text().map(str.encode)))
def test_any_file(content: bytes) -> None:
    """No file is too odd; read twice it says the same."""
    assert read(content) == read(content)
