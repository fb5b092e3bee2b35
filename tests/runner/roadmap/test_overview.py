"""Roadmaps with an overview of phases, whose plans are partly still to come."""

from __future__ import annotations

import pytest

from runner.roadmap.order import ordered
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task

PHASES = """# Roadmap

## Phases

- [x] **Phase 1: Ground** - begin
- [ ] **Phase 2: Store** - keep things
- [ ] **Phase 3: Shop** - sell things
- [ ] **Phase 4: Bank** - pay for things
- [ ] **Phase 5: Post** - send things

## Phase Details

### Phase 2: Store
**Goal**: Things are kept.
**Depends on**: Nothing (first phase)
**Plans**: 2 plans

Plans:
- [ ] 02-01: Write the table
- [ ] 02-02: Write the index

### Phase 3: Shop
**Goal**: Things are sold.
**Depends on**: Phase 2
**Success Criteria** (what must be TRUE):
  1. A thing can be sold
**Plans**: TBD

### Phase 4: Bank
**Goal**: Money moves in `bank.py`.
**Depends on**: Phase 3
**Success Criteria** (what must be TRUE):
  1. Money comes

Plans:
- [ ] 04-01: TBD
"""


def read(text: str) -> Roadmap:
    """A parsed file."""
    return parse_roadmap("ROADMAP.md", text.encode())


def named(roadmap: Roadmap, name: str) -> Task:
    """The one task with an id."""
    [found] = [task for task in roadmap.tasks if task.id == name]
    return found


def turns(roadmap: Roadmap) -> list[str]:
    """The names of open work in the order it is taken."""
    return [task.name for task in ordered(roadmap.tasks) if task.runnable and not task.checked]


def test_phases_without_plans_wait_for_their_place() -> None:
    """A phase whose plans are still to come is work, after the plans of the phases before it."""
    roadmap = read(PHASES)

    assert turns(roadmap) == ["02-01", "02-02", "Phase 3", "Phase 4", "Phase 5"]
    assert named(roadmap, "Phase 2").kind == "summary"


def test_what_the_section_of_a_phase_says_belongs_to_it() -> None:
    """Its goal, its dependencies, its criteria and its number are those of the item."""
    roadmap = read(PHASES)
    shop, bank = named(roadmap, "Phase 3"), named(roadmap, "Phase 4")
    plans = [named(roadmap, name).key for name in ("02-01", "02-02")]

    assert list(shop.depends_on) == plans
    assert bank.depends_on == (shop.key,)
    assert shop.acceptance == ("A thing can be sold",)
    assert bank.acceptance == ("Money comes",)
    assert "Things are sold." in shop.place.section
    assert (shop.place.phase, bank.place.phase) == ("3", "4")


def test_a_section_of_one_milestone_is_not_that_of_another() -> None:
    """Sprint 1 of one phase says nothing of Sprint 1 of another one."""
    roadmap = read(
        "## Phase 1\n- [ ] Sprint 1: a\n- [ ] Sprint 2: b\n"
        "## Phase 2\n### Sprint 1\n- [ ] c\n### Sprint 2\n**Plans**: TBD\n"
    )

    assert [task.kind for task in roadmap.tasks] == ["work"] * 3
    assert not any(task.place.home for task in roadmap.tasks)


def test_a_phase_put_between_two_others() -> None:
    """Phase 11.1 is no part of Phase 11: neither sums the other up, and no circle is seen."""
    roadmap = read(
        "## Phases\n- [ ] **Phase 11: Apps**\n- [ ] **Phase 11.1: Gaps**\n"
        "- [ ] **Phase 12: Keys**\n## Details\n### Phase 11: Apps\n**Depends on**: Phase 11.1\n"
        "### Phase 11.1: Gaps\n**Depends on**: Phase 12\n\n- [ ] 11-01: a\n"
        "### Phase 12: Keys\n**Depends on**: None\n\n- [ ] 12-01: b\n"
    )

    assert turns(roadmap) == ["12-01", "11-01", "Phase 11"]
    assert [warning.code for warning in roadmap.warnings] == []
    assert named(roadmap, "Phase 11").depends_on == (named(roadmap, "11-01").key,)


def test_a_step_that_is_called_like_a_phase() -> None:
    """An item within a task is a step of it, whatever sections there are."""
    roadmap = read(
        "## Phase 1\n- [ ] 1.1 Move the rows\n  - [ ] Phase 1: copy them\n"
        "  - [ ] Phase 2: drop the table\n## Phase 2\n- [ ] 2.1 Sell\n"
    )

    assert turns(roadmap) == ["Phase 1", "Phase 2", "2.1"]


def test_a_numbered_section_that_mentions_a_phase() -> None:
    """Its own number is not that of the phase: the item elsewhere has no section, so it is work."""
    roadmap = read(
        "## 2. Shop (Phase 1)\n- [ ] Sell\n## 4. Tool\n- [ ] Phase 1: read\n- [ ] Phase 2: write\n"
    )

    assert [task.kind for task in roadmap.tasks] == ["work", "work", "work"]


@pytest.mark.parametrize(
    "said",
    ["**Depends on**: Phase 2", "- **Depends on**: Phase 2", "Dependencies:\n- Phase 2"],
)
def test_dependencies_below_a_list(said: str) -> None:
    """They count as above it."""
    roadmap = read(
        f"## Phase 1\n- [ ] 1.1 a\n\n- [ ] 1.2 b\n\nMore.\n\n{said}\n\n## Phase 2\n- [ ] 2.1 c\n"
    )

    assert turns(roadmap) == ["2.1", "1.1", "1.2"]
