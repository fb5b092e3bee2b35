"""Small repositories and answers that the conversations use."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

ROADMAP = """\
# Roadmap

- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`
- [ ] 1.2 Add `calc/double.py` with `double(a)` that uses `add`, and `tests/test_double.py`
"""

CALC: dict[str, object] = {
    "ROADMAP.md": ROADMAP.encode(),
    "calc/__init__.py": b"",
    "tests/test_calc.py": b"""import calc\n\n\ndef test_calc():\n    assert calc\n""",
}


def on(files: Mapping[str, object]) -> pytest.MarkDecorator:
    """Let a conversation take place on another repository."""
    return pytest.mark.parametrize("files", [files], ids=["repository"])


def notes(roadmap: str | bytes, **more: object) -> dict[str, object]:
    """A repository of notes: nothing in it can be tested, so that its runs are quick."""
    content = roadmap if isinstance(roadmap, bytes) else roadmap.encode()
    return {"ROADMAP.md": content, "README.md": b"# Notes\n", **more}


def note(path: str, text: str = "A note.") -> str:
    """A model's answer that writes one Markdown file."""
    return f"{path}\n```markdown\n{text}\n```\n"


def answer(files: dict[str, str]) -> str:
    """A model's answer in the form the prompts ask for."""
    return "\n".join(f"{path}\n```python\n{text}```\n" for path, text in files.items())


ADD = answer(
    {
        "calc/add.py": "def add(a, b):\n    return a + b\n",
        "tests/test_add.py": "from calc.add import add\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n",
    }
)
ADD_NO_COLON = ADD.replace("def add(a, b):", "def add(a, b)")
ADD_OPEN_BRACKET = ADD.replace("def add(a, b):", "def add(a, b:")
ADD_WRONG = ADD.replace("a + b", "a - b")
ADD_MODULE = answer({"calc/add.py": "def add(a, b):\n    return a + b\n"})
DOUBLE = answer(
    {
        "calc/double.py": "from calc.add import add\n\n\ndef double(a):\n    return add(a, a)\n",
        "tests/test_double.py": "from calc.double import double\n\n\n"
        "def test_double():\n    assert double(4) == 8\n",
    }
)
NOTES = notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n")
