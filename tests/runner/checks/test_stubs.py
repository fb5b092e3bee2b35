"""Functions that the task names and that do nothing."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.stubs import stubs
from runner.state.changes import ChangeSet, Write


def judged(path: str, old: str, new: str, said: str) -> list[str]:
    changes = ChangeSet({path: Write(new.encode())})
    return [c.error for c in stubs(changes, TaskWords(said), read=lambda _: old.encode())]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("a.py", "def run(a):\n    pass\n"),
        ("a.py", 'def run(a):\n    """Run."""\n'),
        ("a.py", "def run(a):\n    # Your implementation here\n    return None\n"),
        ("a.py", "def run(a):\n    raise NotImplementedError('later')\n"),
        ("a.js", "function run(a) {\n  // your code here\n}\n"),
        ("a.js", "function run(a = {}) {\n  throw new Error('not implemented');\n}\n"),
        ("a.js", "export class A {\n  run(a) {\n    return null;\n  }\n}\n"),
        ("a.go", 'package a\n\nfunc run(a int) int {\n\tpanic("TODO")\n}\n'),
    ],
)  # fmt: skip
def test_a_function_that_the_task_asks_for_does_something(path: str, body: str) -> None:
    """One that the task does not name may be empty, and one that was empty before."""
    assert judged(path, "", body, "Add `run(a)`") == ["StubBody"]
    assert judged(path, body, body + "\n", "Change `run(a)`") == []
    assert judged(path, "", body, "Add `other(a)`") == []


@pytest.mark.parametrize(
    "body",
    [
        "class Store(Protocol):\n    def run(self) -> None: ...\n",
        "class A(ABC):\n    @abstractmethod\n    def run(self): pass\n",
        "class Null:\n    def run(self): pass\n\nclass Real:\n    def run(self): return 1\n",
        "def run(a):\n    raise ValueError(a)\n",
        "class Open(File):\n    def close(self):\n        pass\n",
    ],
)
def test_what_is_meant_to_be_empty_may_be(body: str) -> None:
    """Declarations, and a null object beside a real one."""
    assert judged("a.py", "", body, "Add `run(a)`") == []


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ("", ["StubBody"]),
        ("  throw new Error('not implemented');\n", ["StubBody"]),
        ("  return 2;\n", []),
    ],
)
def test_a_function_that_did_something(body: str, errors: list[str]) -> None:
    """It may not do nothing from now on."""
    old, new = (f"function run(a) {{\n{inner}}}\n" for inner in ("  return a;\n", body))
    assert judged("a.js", old, new, "Change `run(a)`") == errors
