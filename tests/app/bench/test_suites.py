"""The suites that need no project: what comes with Cairn, and exercises in Exercism's layout."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from app.bench.suites import toy
from app.bench.tasks import BenchTask
from tests.app.checkout import Checkout, checkout
from tests.model_server import Asked
from tests.scenarios.projects import answer

RIGHT: Mapping[str, str] = {
    "slugs": '''import re


def slugify(text, limit=None):
    """Return the words of a text, joined by dashes."""
    slug = "-".join(re.findall("[a-z0-9]+", text.lower()))
    return slug[:limit].rstrip("-")
''',
    "money": '''def split(cents, shares):
    """Divide an amount among shares."""
    whole = sum(shares)
    if not whole:
        raise ValueError("no shares")
    parts = [cents * share // whole for share in shares]
    for place in range(cents - sum(parts)):
        parts[place] += 1
    return parts
''',
    "intervals": '''def merge(intervals):
    """Join intervals that overlap or touch."""
    found = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
''',
    "settings": '''def parse(text):
    """Return the settings of a text by their names."""
    found = {}
    for line in text.split("\\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not sign:
            raise ValueError(line)
        found[name.strip()] = value.strip()
    return found
''',
    "recent": '''class Recent:
    """Keeps what was used last."""

    def __init__(self, size):
        self.size = size
        self.values = {}

    def get(self, key, default=None):
        if key not in self.values:
            return default
        self.values[key] = self.values.pop(key)
        return self.values[key]

    def put(self, key, value):
        self.values.pop(key, None)
        self.values[key] = value
        if len(self.values) > self.size:
            del self.values[next(iter(self.values))]

    def __len__(self):
        return len(self.values)
''',
    "tables": '''def cells(text):
    """Return the rows as dictionaries by the names in the first line."""
    head, *rows = [line.split(",") for line in text.strip().split("\\n")]
    return [dict(zip(head, row)) for row in rows]


def total(rows, column):
    """Return the sum of a column."""
    found = [row[column] for row in rows if column in row]
    if not found:
        raise KeyError(column)
    return sum(float(cell) for cell in found if cell)
''',
}


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A folder to start in."""
    async with checkout(tmp_path / "here", {"README.md": b"Here.\n"}) as made:
        yield made


async def test_toy(here: Checkout) -> None:
    """Whoever knows the answers has all of it right, and the tests that it sees show it."""

    def knows(asked: Asked) -> str:
        (name,) = [name for name in RIGHT if f"`{name}.py`" in asked.prompt]
        return answer({f"{name}.py": RIGHT[name]})

    here.model.otherwise = knows

    said = await here.cairn("bench")
    report = json.loads((here.folder / "bench-output/report.json").read_text())

    assert said.code == 0, said.err
    assert {task["task"]: task["result"] for task in report["tasks"]} == dict.fromkeys(
        RIGHT, "shown"
    )


def test_half_of_the_toys_tests_are_hidden() -> None:
    """The same ones each time; all of them judge."""

    def shown(task: BenchTask) -> int:
        return sum(text.count("def test_") for path, text in task.files.items() if "test_" in path)

    tasks = list(toy())

    assert [task.name for task in tasks] == list(RIGHT)
    assert [len(task.wanted) for task in tasks] == [6] * len(tasks)
    assert [shown(task) for task in tasks] == [3] * len(tasks)
    assert tasks == list(toy())


async def test_exercism(here: Checkout) -> None:
    """An exercise is read as a clone of the Python track has it; other languages are left out."""
    exercise = {
        ".meta/config.json": json.dumps({"files": {"solution": ["a.py"], "test": ["a_test.py"]}}),
        ".docs/instructions.md": "Return twice the number.\n",
        "a.py": "def double(number):\n    pass\n",
        "a_test.py": "import unittest\n\nfrom a import double\n\n\n"
        "class DoubleTest(unittest.TestCase):\n"
        "    def test_one(self):\n        self.assertEqual(double(1), 2)\n\n"
        "    def test_none(self):\n        self.assertEqual(double(0), 0)\n",
    }
    go = {".meta/config.json": json.dumps({"files": {"solution": ["a.go"], "test": ["a_test.go"]}})}
    for name, files in {"double": exercise, "other": go | {"a.go": "", "a_test.go": ""}}.items():
        for path, text in files.items():
            file = here.folder / "practice" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    here.model.says(answer({"a.py": "def double(number):\n    return 2 * number\n"}))

    said = await here.cairn("bench", "--suite", "exercism", "--project", "practice", "--json")
    (task,) = json.loads(said.out)["tasks"]

    assert said.code == 0, said.err
    assert (task["task"], task["result"]) == ("double", "shown")
    assert "Return twice the number." in here.model.requests[0].prompt


OLD = {
    "CHANGELOG.md": "# 1.0\n\n- Numbers can be doubled.\n",
    "numbers_of.py": "def double(number):\n    return 2 * number\n",
    "tests/test_double.py": "from numbers_of import double\n\n\n"
    "def test_double():\n    assert double(2) == 4\n",
}
NEW = {
    "CHANGELOG.md": "# 1.1\n\n"
    "- Numbers can be halved with `half(number)` in\n  `numbers_of.py`.\n\n" + OLD["CHANGELOG.md"],
    "numbers_of.py": OLD["numbers_of.py"] + "\n\ndef half(number):\n    return number / 2\n",
    "tests/test_double.py": OLD["tests/test_double.py"],
    "tests/test_half.py": "from numbers_of import half\n\n\n"
    "def test_half():\n    assert half(3) == 1.5\n",
}


def put(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.mark.parametrize(("sign", "result"), [("/", "shown"), ("//", "claimed and wrong")])
async def test_a_release(here: Checkout, sign: str, result: str) -> None:
    """The new notes are the plan; only the tests of the newer version say what is right."""
    put(here.folder / "old", OLD)
    put(here.folder / "new", NEW)
    code = NEW["numbers_of.py"].replace("number / 2", f"number {sign} 2")
    test = NEW["tests/test_half.py"].replace("half(3) == 1.5", "half(4) == 2")
    here.model.says(answer({"numbers_of.py": code, "tests/test_of_half.py": test}))

    said = await here.cairn("bench", "--suite", "releases", *("--project", "old", "--newer", "new"))
    (task,) = json.loads((here.folder / "bench-output/report.json").read_text())["tasks"]

    assert said.code == 0, said.err
    assert (task["task"], task["result"]) == ("release", result)
    assert "Numbers can be halved with `half(number)` in `numbers_of.py`." in (
        here.model.requests[0].prompt
    )
    assert "half(3)" not in here.model.requests[0].prompt


@pytest.mark.parametrize(
    ("newer", "says"),
    [
        (NEW | {"CHANGELOG.md": OLD["CHANGELOG.md"]}, "The newer version has no notes"),
        (OLD | {"CHANGELOG.md": NEW["CHANGELOG.md"]}, "No test of the newer version passes"),
    ],
)
async def test_no_release(here: Checkout, newer: Mapping[str, str], says: str) -> None:
    """Without notes or tests of its own a version is no task; 2."""
    put(here.folder / "old", OLD)
    put(here.folder / "new", newer)

    said = await here.cairn("bench", "--suite", "releases", *("--project", "old", "--newer", "new"))

    assert said.code == 2
    assert says in said.err
