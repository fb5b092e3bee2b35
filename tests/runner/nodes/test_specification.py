"""What a model is shown of the specification beside a plan of another tool."""

from __future__ import annotations

from dataclasses import replace

from runner.loop.deps import TaskWork
from runner.nodes.context import build_context
from runner.roadmap.parse import parse_roadmap
from runner.state.run_state import Attempt
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import at, run_state


async def shown(files: dict[str, str], path: str, *, limit: int = 6_000) -> tuple[str, Attempt]:
    """The context of the first open task of a plan, and the attempt that keeps it."""
    roadmap = parse_roadmap(path, files[path].encode())
    state = run_state(context_tokens=limit)
    state = replace(state, request=replace(state.request, roadmap=path), roadmap=roadmap)
    number = next(n for n, task in enumerate(roadmap.tasks) if task.runnable and not task.checked)
    step = await build_context(
        at("build_context", state, number=number),
        deps(repository=MemoryRepository(dict(files))),
        TaskWork(),
    )
    assert step.outcome == "ok"
    attempt = step.state.attempt
    return attempt.planned.context.decode(), attempt


REQUIREMENTS = """\
# Requirements

### Requirement 1: Sums

**User Story:** As a clerk, I want sums.

#### Acceptance Criteria

1. WHEN two numbers are given THE system SHALL add them
2. IF a number is negative THEN THE system SHALL say so
   in plain words
3. THE system SHALL never round

### Requirement 12: Exports

1. THE system SHALL export
"""
KIRO = {
    ".kiro/specs/sums/tasks.md": "- [ ] 1. Sums\n  - [ ] 1.1 Add `add`\n"
    "    - _Requirements: 1.2, 12, 9.9_\n",
    ".kiro/specs/sums/requirements.md": REQUIREMENTS,
    ".kiro/specs/sums/design.md": "# Design\n\nSums are made by a function.\n",
    ".kiro/specs/other/design.md": "# Design\n\nAdd sums with add in another feature.\n",
    ".kiro/steering/tech.md": "---\ninclusion: always\n---\n\nWrite Python without dependencies.\n",
    ".kiro/steering/rare.md": "---\ninclusion: manual\n---\n\nOnly for releases.\n",
    "sums.py": "def add(a, b):\n    return 0\n",
}


async def test_the_requirements_that_a_task_of_kiro_names() -> None:
    """Their paragraphs come before the other files; another feature's files never come."""
    text, attempt = await shown(KIRO, ".kiro/specs/sums/tasks.md")

    assert ".kiro/specs/sums/requirements.md (requirement 1.2)" in text
    for part in ("I want sums.", "2. IF a number is negative", "in plain words", "SHALL export"):
        assert part in text
    assert "SHALL add them" not in text
    assert "SHALL never round" not in text
    assert text.index("SHALL export") < text.index("Sums are made by a function.")
    assert "another feature" not in text
    assert "Write Python without dependencies." in text
    assert "Only for releases." not in text
    assert "The task names requirement 1.9 of requirements.md" not in text
    assert "The task names requirement 9.9 of requirements.md, which is not there." in text
    assert attempt.planned.specification == (
        ".kiro/specs/sums/requirements.md (requirement 1.2)",
        ".kiro/specs/sums/requirements.md (requirement 12)",
        ".kiro/specs/sums/design.md",
        ".kiro/steering/tech.md",
    )
    assert attempt.planned.absent == ("requirement 9.9 of requirements.md",)


SPEC_KIT = {
    "specs/001-sums/tasks.md": "- [ ] T001 [US2] Export in `out.py` per FR-007,"
    " contracts/out.yaml\n",
    "specs/001-sums/spec.md": "# Spec\n\n### User Story 1 - Sums\n\nAdd.\n\n"
    "### 用户故事 2 - Exports (优先级: P2)\n\nExport.\n\n"
    "1. **Given** sums, **When** exported, **Then** a file\n\n## Requirements\n\n"
    "- **FR-006**: No rounding\n- **FR-007**: Exports are CSV\n  with a header\n",
    "specs/001-sums/plan.md": "# Plan\n\nPython 3.11.\n",
    "specs/001-sums/contracts/out.yaml": "path: /out\n",
    "specs/001-sums/checklists/quality.md": "- [ ] reviewed\n",
    "specs/002-other/plan.md": "# Plan\n\nExport with Java.\n",
    ".specify/memory/constitution.md": "# Constitution\n\nTests come first.\n",
}


async def test_the_story_and_points_that_a_task_of_spec_kit_names() -> None:
    """The story, the requirement and the contract are quoted; checklists are for people."""
    text, attempt = await shown(SPEC_KIT, "specs/001-sums/tasks.md")

    for part in (
        "**Then** a file",
        "Exports are CSV",
        "with a header",
        "path: /out",
        "Python 3.11.",
    ):
        assert part in text
    for part in ("No rounding", "\nAdd.\n", "reviewed", "Java"):
        assert part not in text
    assert "They hold for every task" in text
    assert "Tests come first." in text
    assert attempt.planned.specification[0] == "specs/001-sums/spec.md (user story 2)"


OPENSPEC = {
    "openspec/changes/add-sums/tasks.md": "## 1. A\n- [ ] 1.1 Add sums\n",
    "openspec/changes/add-sums/proposal.md": "## Why\n\nClerks need sums.\n",
    "openspec/changes/add-sums/specs/sums/spec.md": "### Requirement: Sums\n\nSHALL add.\n",
    "openspec/changes/other/proposal.md": "## Why\n\nSums elsewhere.\n",
    "openspec/specs/sums/spec.md": "### Requirement: Numbers\n\nSHALL count.\n",
    "openspec/project.md": "# Context\n\nPlain functions.\n",
}


async def test_the_files_of_a_change_of_openspec() -> None:
    """Proposal, the change's specifications and the living one are shown in this order."""
    text, attempt = await shown(OPENSPEC, "openspec/changes/add-sums/tasks.md")

    assert "elsewhere" not in text
    assert attempt.planned.specification == (
        "openspec/changes/add-sums/proposal.md",
        "openspec/changes/add-sums/specs/sums/spec.md",
        "openspec/specs/sums/spec.md",
        "openspec/project.md",
    )


async def test_a_long_specification_is_within_its_share() -> None:
    """What is named is kept; of a long file the lines near the task, and code still has room."""
    long = "\n\n".join(f"## Part {n}\n\nWords about {n}." for n in range(3_000))
    files = {**KIRO, ".kiro/specs/sums/design.md": f"{long}\n\n## Sums\n\nUse `add` for sums.\n"}
    text, _ = await shown(files, ".kiro/specs/sums/tasks.md", limit=3_000)

    assert "2. IF a number is negative" in text
    assert "Use `add` for sums." in text
    assert "def add(a, b):" in text
