"""Taking a task apart by its own structure."""

from __future__ import annotations

import pytest

from runner.recovery.choose import parts_of
from runner.roadmap.parse import parse_roadmap
from runner.state.run_state import Plan


def texts(roadmap: str, plan: Plan | None = None) -> list[str]:
    """The parts of a roadmap's first task."""
    task = parse_roadmap("ROADMAP.md", roadmap.encode()).tasks[0]
    return [part.text for part in parts_of(task, plan)]


@pytest.mark.parametrize(
    ("roadmap", "parts"),
    [
        (
            "- [ ] 1.1 Shopping cart in `cart.py`:\n  - add an item\n  - total with tax\n",
            [
                "Shopping cart in `cart.py`: add an item",
                "Shopping cart in `cart.py`: total with tax",
            ],
        ),
        (
            "- [ ] Cart\n  - add\n    - one more\n  - remove\n  - Acceptance:\n    - `n` is 1\n",
            ["Cart: add", "Cart: remove"],
        ),
        (
            "- [ ] 1.1 Create `a.py`, `b.py` and `c/d.py` with a docstring\n",
            [f"Create `{name}` with a docstring" for name in ("a.py", "b.py", "c/d.py")],
        ),
        ("- [ ] Create `a.py` and `b.py`\n", ["Create `a.py`", "Create `b.py`"]),
        ("- [ ] Create `a.py`\n", []),
        ("- [ ] Make it\n  - one\n", []),
        ("- [ ] Make it\n" + "".join(f"  - part {n}\n" for n in range(6)), []),
        ("- [ ] Make it\n  - [ ] one\n  - [ ] two\n", []),
        ("- [ ] Move `a.py` and `b.py` to `c.py` and `d.py`\n", []),
    ],
)
def test_structure(roadmap: str, parts: list[str]) -> None:
    """Two to five bullets or files are parts; fewer, more, checks and boxes are not."""
    assert texts(roadmap) == parts


@pytest.mark.parametrize(
    ("steps", "parts"),
    [
        (
            ("write `hash` in auth.py", "write `verify`"),
            ["write `hash` in auth.py", "write `verify`"],
        ),
        (("write it", "test it"), []),
    ],
)
def test_plan(steps: tuple[str, ...], parts: list[str]) -> None:
    """Steps of a plan are parts where each names what it is about."""
    assert texts("- [ ] Make it\n", Plan((), steps, (), "high")) == parts
