"""Plans of other tools: from a command to a pull request that ticks what the tool would tick."""

from __future__ import annotations

import pytest

from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, note, on
from tests.scenarios.pushing import plan, plan_comments, push
from tests.scenarios.stacks import diff

KIRO_PLAN = b"""\
# Implementation Plan

- [ ] 1. The sums
  - [x] 1.1 Make the package
  - [-] 1.2 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`
    - _Requirements: 1.2_
  - [ ]* 1.3 Write property tests for `add`
- [ ] 2. Checkpoint - Ensure all tests pass
- [ ] 3. Double numbers
"""
KIRO = {
    **{path: content for path, content in CALC.items() if path != "ROADMAP.md"},
    ".kiro/specs/sums/tasks.md": KIRO_PLAN,
    ".kiro/specs/sums/requirements.md": b"### Requirement 1\n\n1. Count\n2. Add two numbers\n",
}


@pytest.mark.long("test_the_only_active_plan_is_run shows it on a checkout")
@on(KIRO)
async def test_a_plan_of_kiro(bot: Bot) -> None:
    """The leaf, its parent and the checkpoint that the green run covers are ticked alone."""
    bot.model.says(ADD)

    await bot.comment("/execute .kiro/specs/sums/tasks.md --max-tasks 1")

    assert "is done" in bot.says()[-1]
    (pull,) = bot.pulls
    changed = [line for line in diff(bot, pull).split("\n") if line[:1] in "+-" and "[" in line]
    assert [line for line in changed if line.startswith("+")] == [
        "+- [x] 1. The sums",
        "+  - [x] 1.2 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`",
        "+- [x] 2. Checkpoint - Ensure all tests pass",
    ]
    assert pull.body
    assert "parts of the plan: `.kiro/specs/sums/requirements.md (requirement 1.2)`." in pull.body
    assert "2. Add two numbers" in str(bot.model.requests[0].body)
    assert "- `1` The sums: all that is in it is done" in pull.body
    assert "- `2` Checkpoint - Ensure all tests pass: tests passed" in pull.body


GSD_PLAN = b"""\
## Phases

- [x] **Phase 1: Base** (completed 2026-01-01)
- [ ] **Phase 2: Sums**

## Phase Details

### Phase 2: Sums
**Depends on**: Phase 1

Plans:
**Wave 1**
- [ ] 02-01-PLAN.md \xe2\x80\x94 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`

**Wave 2** *(blocked on Wave 1)*
- [ ] 02-02: TBD
"""
GSD = {
    **{path: content for path, content in CALC.items() if path != "ROADMAP.md"},
    ".planning/ROADMAP.md": GSD_PLAN,
    ".planning/phases/02-sums/02-01-PLAN.md": b"<objective>Sums are exact.</objective>\n",
}


@pytest.mark.long("test_a_plan_of_a_phase shows it on a checkout")
@on(GSD)
async def test_a_plan_of_gsd(bot: Bot) -> None:
    """A plan of a phase, found without being named; its phase and what is not planned stay open."""
    bot.model.says(ADD)

    await bot.comment("/execute")

    assert "is done" in bot.says()[-1]
    (pull,) = bot.pulls
    changed = [line for line in diff(bot, pull).split("\n") if line[:1] in "+-" and "[" in line]
    assert [line for line in changed if line.startswith("+")] == [
        "+- [x] 02-01-PLAN.md \u2014 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`"
    ]
    assert pull.body
    assert "`.planning/phases/02-sums/02-01-PLAN.md (plan 02-01)`" in pull.body
    assert "Sums are exact." in str(bot.model.requests[0].body)


SPEC_KIT = {
    "README.md": b"# Notes\n",
    ".github/cairn.yml": b"triggers:\n  push: execute\n",
    "specs/001-old/tasks.md": b"- [X] T001 Write `one.md`\n",
    "specs/002-new/tasks.md": b"# Tasks: New\n\n- [X] T001 Write `one.md`\n",
}


@on(SPEC_KIT)
async def test_a_push_to_a_plan_of_spec_kit(bot: Bot) -> None:
    """The plan that has open tasks since the push is found, and its tool's capital is written."""
    bot.model.says(note("two.md"))
    path = "specs/002-new/tasks.md"

    await push(
        bot, "# Tasks: New\n\n- [X] T001 Write `one.md`\n- [ ] T002 Write `two.md`\n", path=path
    )

    assert bot.checkpoints() == ["T002 Write two.md"]
    assert "\n+- [X] T002 Write `two.md`" in diff(bot, bot.pulls[0])
    assert path in plan(bot)
    plan_comments(bot)


TWO_PLANS = {
    "README.md": b"# Notes\n",
    "openspec/changes/add-one/tasks.md": b"## 1. Notes\n- [ ] 1.1 Write `one.md`\n",
    "openspec/changes/add-two/tasks.md": b"## 1. Notes\n- [ ] 1.1 Write `two.md`\n",
    "openspec/changes/archive/2026-01-01-add-old/tasks.md": b"- [ ] 1.1 Write `old.md`\n",
}


@on(TWO_PLANS)
async def test_two_active_plans(bot: Bot) -> None:
    """None is chosen: the answer lists them, and a command that names one works on that alone."""
    bot.model.says(note("two.md"))

    await bot.comment("/execute")
    (said,) = bot.says()
    assert "More than one of these plans has open tasks" in said
    assert "- `openspec/changes/add-two/tasks.md`" in said
    assert "archive" not in said
    assert "`roadmap: {path: openspec/changes/add-one/tasks.md}`" in said

    await bot.comment("/execute openspec/changes/add-two/tasks.md")

    assert "is done" in bot.says()[-1]
    assert bot.checkpoints() == ["1.1 Write two.md"]
