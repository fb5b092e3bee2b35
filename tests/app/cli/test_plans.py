"""Plans of other tools on a checkout: which one is meant, and what is ticked."""

from __future__ import annotations

from pathlib import Path

from tests.app.checkout import checkout
from tests.scenarios.projects import ADD, CALC

PLAN = b"""\
## 1. Implementation
- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`

## 2. Verification
- [ ] 2.1 Run the tests
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
        said = await here.cairn("run")

        assert "1 to work on (0 done), 2 checks" in shown.out
        assert said.code == 0, said.err
        done = PLAN.replace(b"[ ] 1.1", b"[x] 1.1").replace(b"[ ] 2.1", b"[x] 2.1")
        assert (here.folder / CHANGE / "tasks.md").read_bytes() == done
