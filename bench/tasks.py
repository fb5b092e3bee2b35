"""One task from start to end as a process, in repositories of the kinds that cost most."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bench.finding import Finding, Line
from bench.large_repository import repository
from tests.app.checkout import checkout
from tests.scenarios.projects import ADD

_ROUNDS = 2
# a small program in between: its children are the command and all that this one waited for
_WATCHED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
sys.exit(done.returncode)
"""
_COMMAND = (sys.executable, "-m", "app", "run", "--max-tasks", "1")
_SMALL = {
    "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` with `add(a, b)`, and `tests/test_add.py`\n",
    "calc/__init__.py": b"",
    "tests/test_calc.py": b"import calc\n\n\ndef test_calc():\n    assert calc\n",
}
_FUNCTION = {
    "py": "def part{n}(first, second):\n    total = first + second + {n}\n"
    "    return total * first - second\n\n\n",
    "ts": "export function part{n}(first: number, second: number) {{\n"
    "  const total = first + second + {n};\n  return total * first - second;\n}}\n\n",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A repository with an open task, the model's answer, and the seconds it may take."""

    files: Mapping[str, bytes]
    answer: str
    goal: float


def cases() -> dict[str, Case]:
    """The cases by name."""
    many, _ = repository(files=5_000)
    other = b"".join(b"- [ ] 2.%d Add `calc/part%d.py`\n" % (n, n) for n in range(1, 10_000))
    return {
        "small": Case(_SMALL, ADD, 1.8),
        "5,000 files": Case({**many, **_SMALL}, ADD, 5.0),
        "three lines of 650 kB of Python": Case(*_long("py"), 4.0),
        "three lines of 650 kB of TypeScript": Case(*_long("ts"), 6.0),
        "10,000 tasks": Case({**_SMALL, "ROADMAP.md": _SMALL["ROADMAP.md"] + other}, ADD, 4.0),
    }


def _long(ending: str) -> tuple[dict[str, bytes], str]:
    """A long file, and an answer that changes three lines of it, with a test in Python."""
    path = f"calc/parts.{ending}"
    one = _FUNCTION[ending]
    count = 650_000 // len(one.format(n=1_000))
    changed = (10, count // 2, count - 10)
    edits = "".join(
        f"<<<<<<< SEARCH\n{line}\n=======\n{line.replace('second +', 'second + 1 +')}\n"
        ">>>>>>> REPLACE\n"
        for n in changed
        for line in [one.format(n=n).splitlines()[1]]
    )
    test = "from calc.parts import part10\n\n\ndef test_part():\n    assert part10(1, 2) == 12\n"
    new = f"\ntests/test_parts.py\n```python\n{test}```\n" if ending == "py" else ""
    task = f"- [ ] 1.1 Let `part10` of `{path}` add one more\n".encode()
    text = "".join(one.format(n=n) for n in range(count)).encode()
    return {**_SMALL, "ROADMAP.md": task, path: text}, f"{path}\n{edits}{new}"


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Processor seconds of the process and of all that it starts."""
    for number, (name, case) in enumerate(cases().items()):
        used = [await seconds(folder / f"{number}-{n}", case) for n in range(_ROUNDS)]
        yield Finding(
            what=f"one task, {name}",
            value=mean(used),
            unit="s",
            goal=f"<= {case.goal}",
            ok=mean(used) <= case.goal,
        )


async def seconds(folder: Path, case: Case) -> float:
    """What one task took, from the start of ``cairn run`` to its end."""
    async with checkout(folder, case.files) as here:
        here.model.says(case.answer)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _WATCHED, *_COMMAND),
            cwd=here.folder,
            env=here.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
    return float(out)
