"""Plans of other tools on a checkout: which one is meant, and what is ticked."""

from __future__ import annotations

from pathlib import Path

from tests.app.checkout import checkout
from tests.scenarios.projects import ADD, CALC, note

PLAN = b"""\
## 1. Implementation
- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`

## 2. Verification
- [ ] 2.1 Run `pytest`
- [ ] 2.2 Try it manually
"""
CHANGE = "openspec/changes/add-sums"
FILES = {
    **{path: bytes(text) for path, text in CALC.items() if isinstance(text, bytes)},
    f"{CHANGE}/tasks.md": PLAN,
    "openspec/changes/archive/2026-01-01-old/tasks.md": b"- [ ] 1.1 Old\n",
}
del FILES["ROADMAP.md"]


async def test_the_only_active_plan_is_run(tmp_path: Path) -> None:
    """Without a roadmap it is found; what the tests show is ticked, a person's box stays open."""
    async with checkout(tmp_path / "here", FILES) as here:
        here.model.says(ADD)

        shown = await here.cairn("roadmap", "show")
        looked = await here.cairn("roadmap", "lint")
        said = await here.cairn("run")
        left = await here.cairn("run")

        assert "1 to work on (0 done), 2 checks" in shown.out
        assert looked.out == f"{CHANGE}/tasks.md: no findings.\n"
        assert said.code == 0, said.err
        assert "these checks are yours:\n\n- `2.2` (line 6) Try it manually" in left.err + left.out
        done = PLAN.replace(b"[ ] 1.1", b"[x] 1.1").replace(b"[ ] 2.1", b"[x] 2.1")
        assert (here.folder / CHANGE / "tasks.md").read_bytes() == done


GSD = b"""\
- [ ] **Phase 1: Sums** - First

### Phase 1: Sums
**Goal**: Sums
**Plans**: 1 plan

Plans:
- [ ] 01-01-PLAN.md - Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`
"""


async def test_a_plan_of_a_phase(tmp_path: Path) -> None:
    """The model reads the plan's own file; the plan is ticked, the phase is for its tool."""
    own = ".planning/phases/01-sums"
    files = {path: text for path, text in FILES.items() if not path.startswith("openspec/")} | {
        ".planning/ROADMAP.md": GSD,
        f"{own}/01-01-PLAN.md": b"<objective>Sums are exact, see SUM-01.</objective>\n",
        f"{own}/01-02-PLAN.md": b"<objective>Another plan.</objective>\n",
        ".planning/REQUIREMENTS.md": b"- [ ] **SUM-01**: No rounding\n- [ ] **SUM-02**: Fast\n",
    }
    async with checkout(tmp_path / "here", files) as here:
        here.model.says(ADD)

        said = await here.cairn("run")
        left = await here.cairn("run")

        assert said.code == 0, said.err
        asked = str(here.model.requests[0])
        assert "Sums are exact" in asked
        assert "No rounding" in asked
        assert "Another plan." not in asked
        assert "these checks are yours:\n\n- `Phase 1` (line 1) Sums" in left.err + left.out
        done = GSD.replace(b"[ ] 01-01", b"[x] 01-01")
        assert (here.folder / ".planning/ROADMAP.md").read_bytes() == done


async def test_a_plan_file(tmp_path: Path) -> None:
    """What an agent wrote as PLAN.md is worked on like a roadmap, where there is no other plan."""
    files = {path: text for path, text in FILES.items() if not path.startswith("openspec/")}
    task = b"- [ ] Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`\n"
    async with checkout(tmp_path / "here", files | {"PLAN.md": b"# Plan\n\n" + task}) as here:
        here.model.says(ADD)

        said = await here.cairn("run")

        assert said.code == 0, said.err
        assert b"- [x] Add" in (here.folder / "PLAN.md").read_bytes()


TASKS = b"""\
{
  "master": {
    "tasks": [
      {"id": 1, "title": "Sums", "status": "in-progress", "subtasks": [
        {"id": 1, "title": "Write `one.md`", "details": "In one line", "status": "pending"}
      ]},
      {"id": 2, "title": "Later", "status": "deferred"}
    ]
  }
}"""
TASK_MASTER = ".taskmaster/tasks/tasks.json"


async def test_a_plan_in_json(tmp_path: Path) -> None:
    """The values of the task and of what it completes change; what cannot be read is named."""
    async with checkout(tmp_path / "here", {"README.md": b"# Notes\n", TASK_MASTER: TASKS}) as here:
        here.model.says(note("one.md"))

        said = await here.cairn("run")

        assert said.code == 0, said.err
        done = TASKS.replace(b"in-progress", b"done").replace(b"pending", b"done")
        assert (here.folder / TASK_MASTER).read_bytes() == done
        assert "In one line" in str(here.model.requests[0].body)
        here.git.commit({TASK_MASTER: TASKS.replace(b"status", b'status"', 1)})
        broken = await here.cairn("run")
        assert broken.code == 2
        assert "line 4, column " in broken.err
        assert "this is not JSON" in broken.err
