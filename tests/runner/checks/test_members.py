"""A method that a task promises for several classes has to be in each of them."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.members import members_of_several, without_members

BOTH = [("clear", "Disk"), ("clear", "Memory")]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Give `Disk` and `Memory` a method `clear()`", BOTH),
        ("`Disk` and `Memory` get a new method `clear()`", BOTH),
        ("Add `clear()` to `Disk` and `Memory`", BOTH),
        ("Add a method `clear()` that forgets all to the classes `Disk` and `Memory`", BOTH),
        ("Give the stores in `a.py` a method `clear()`: `Disk` (no file is fine), `Memory`", BOTH),
        (
            "Give the stores a method `clear()` that forgets: the protocol `Store`, `Disk` (its"
            " file goes; none is fine) and `Memory`",
            [("clear", "Store"), *BOTH],
        ),
        ("Add `clear()` to `Disk`, and mention `Disk` and `Memory` in the docs", []),
        ("Add `clear()` to `Disk`", []),
        ("Add `clear()`, which takes what `Disk` and `Memory` have", []),
        ("Add `clear()`. It is called by `Disk` and `Memory`", []),
        ("Add `clear(store)` for everything: lists, `Disk` and `Memory`", []),
        ("Add `clear()` to `disk` and `memory`", []),
    ],
)
def test_what_a_task_promises_for_several_classes(said: str, found: list[tuple[str, str]]) -> None:
    """In front of the name, behind it, or behind a colon; what is said in passing is none."""
    assert list(members_of_several(TaskWords(said))) == found


SAID = "Add a method `clear()` to `Disk` and `Memory`"
CLEAR = "    def clear(self):\n        self.all = []\n"
DISK = f"class Disk:\n{CLEAR}\n\n"


def lacking(**files: str) -> list[tuple[str, int | None]]:
    """Path and line of each complaint; ``__`` in a name is a slash, ``_`` before its end a dot."""
    named = {
        name.replace("__", "/")[::-1].replace("_", ".", 1)[::-1]: text.encode()
        for name, text in files.items()
    }
    found = list(without_members(named, TaskWords(SAID)))
    assert all(each.error == "NameMissing" and "`Memory`" in each.message for each in found)
    return [(each.path, each.line) for each in found]


@pytest.mark.parametrize(
    "memory",
    [
        "class Memory:\n    pass\n",
        'class Memory(Protocol):\n    """Has clear."""\n',
        "class Memory(typing.Protocol[T]):\n    def load(self): ...\n",
        "@dataclass(frozen=True)\nclass Memory:\n    kept: dict\n\n    def load(self):\n"
        "        self.kept.clear()\n",
    ],
)
def test_a_class_of_python_that_lacks_it(memory: str) -> None:
    """What calls or mentions such a method does not have it."""
    assert lacking(a_py=DISK + memory) == [("a.py", 6 + memory.startswith("@"))]
    assert lacking(a_py=DISK, b_py=memory) == [("b.py", 1 + memory.startswith("@"))]


@pytest.mark.parametrize(
    "memory",
    [
        f"class Memory:\n{CLEAR}",
        "class Memory:\n    clear = Disk.clear\n",
        "class Memory:\n    def __init__(self):\n        self.clear = list\n",
        "class Memory:\n    def __getattr__(self, name):\n        return print\n",
        "class Memory(Base):\n    pass\n",
        "class Memory(metaclass=Meta):\n    pass\n",
        "@with_clear\nclass Memory:\n    pass\n",
        "class Memory:\n    pass\n\n\nMemory.clear = Disk.clear\n",
        "class Memory:\n    pass\n\n\nsetattr(Memory, name, Disk.clear)\n",
        "class Memory:\n    from other import clear\n",
        "class Other:\n    pass\n",
        "class Memory(:\n",
    ],
)
def test_a_class_of_python_that_has_it_or_may_have_it(memory: str) -> None:
    """By itself, from a base, or because something puts it there."""
    assert lacking(a_py=DISK + memory) == []


def test_tests_may_have_a_class_of_that_name() -> None:
    """It is not the one that the task means."""
    assert lacking(a_py=DISK, tests__test_a_py="class Memory:\n    pass\n") == []


@pytest.mark.parametrize(
    ("memory", "lacks"),
    [
        ("export class Memory {\n  load() {}\n}\n", True),
        ("export class Memory {\n  load() {\n    this.all.clear();\n  }\n}\n", True),
        ("export class Memory {\n  clear() {}\n}\n", False),
        ("export class Memory {\n  clear = () => {};\n}\n", False),
        ("export class Memory extends Base {\n  load() {}\n}\n", False),
        ("class Memory {}\nMemory.prototype.clear = () => 1;\n", False),
    ],
)
def test_a_class_of_javascript(memory: str, lacks: bool) -> None:
    """Its methods, and what is assigned in it."""
    assert lacking(a_js=memory) == [("a.js", 1)] * lacks
    assert lacking(a_ts=memory) == [("a.ts", 1)] * lacks


@pytest.mark.parametrize(
    ("memory", "lacks"),
    [
        ("type Memory struct {\n\tall []int\n}\n", True),
        ("type Memory interface {\n\tLoad() int\n}\n", True),
        ("type Memory interface {\n\tclear()\n}\n", False),
        ("type Memory struct {\n\tBase\n}\n", False),
        ("type Memory struct {\n\tall []int\n}\n\nfunc (m *Memory) clear() {}\n", False),
        ("type Memory struct {\n\tall []int\n}\n\nfunc (d *Disk) clear() {}\n", True),
        ("// Memory is gone.\n", False),
    ],
)
def test_a_type_of_go(memory: str, lacks: bool) -> None:
    """Its methods stand beside it; what is embedded may have them."""
    assert lacking(a_go=memory) == [("a.go", 1)] * lacks
    beside = "package p\n\nfunc (m Memory) clear() {}\n"
    assert lacking(p__a_go=memory, p__b_go=beside) == []
    assert lacking(p__a_go=memory, q__b_go=beside) == [("p/a.go", 1)] * lacks
