"""Plans of other tools: from a command to a pull request that ticks what the tool would tick."""

from __future__ import annotations

from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, on
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
}


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
    assert "- `1` The sums: all that is in it is done" in pull.body
    assert "- `2` Checkpoint - Ensure all tests pass: tests passed" in pull.body
