"""How large the house is: the statements of each room, now and at the last commit.

``python -m tools.house`` prints them; ``tests/test_house.py`` holds the sum to the limit of
``[tool.house]`` in pyproject.toml. Statements do not change with the layout of the code, so that a
limit on them cannot be met by writing denser or by cutting things smaller.
"""

from __future__ import annotations

import ast
import io
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "handlers", "runner")


def statements(text: str) -> int:
    """Return the statements of a module that do something: neither imports nor docstrings."""
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(text))
    )


def room(path: str) -> str:
    """Return the room of a module: its package, or its folder in it."""
    package, *folders, _ = path.split("/")
    return f"{package}/{folders[0]}" if folders else package


def now() -> Counter[str]:
    """Return the statements of each room in the files as they are."""
    found: Counter[str] = Counter()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            found[room(str(file.relative_to(ROOT)))] += statements(file.read_text())
    return found


def at(commit: str) -> Counter[str]:
    """Return the statements of each room at a commit; nothing if there is no such commit."""
    packed = subprocess.run(
        ["git", "archive", commit, *PACKAGES], cwd=ROOT, capture_output=True, check=False
    )
    found: Counter[str] = Counter()
    if packed.returncode == 0:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            for member in archive:
                held = archive.extractfile(member)
                if member.name.endswith(".py") and held:
                    found[room(member.name)] += statements(held.read().decode())
    return found


def table() -> Iterator[str]:
    """Yield a line for each room, the largest first, with what the last commit changed."""
    counts, before = now(), at("HEAD~1")
    yield f"{sum(counts.values()):6} statements of the product"
    for name, count in counts.most_common():
        change = count - before[name] if before else 0
        yield f"{count:6} {name}" + (f" ({change:+})" if change else "")


if __name__ == "__main__":
    for line in table():
        print(line)
