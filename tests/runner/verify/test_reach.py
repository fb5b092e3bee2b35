"""How many changed lines a few tests run, and where that cannot be known."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.verify.reach import lines_run
from runner.verify.tools.python import Pytest
from tests.runner.verify.box import open_box

SIGN = "def sign(a):\n    if a < 0:\n        return -1\n    return 1\n"
STARTING = "import subprocess\n\ndef test_sign():\n    subprocess.run(['python3', 'sign.py'])\n"


@pytest.mark.parametrize(
    ("test", "lines"),
    [
        ("from sign import sign\n\ndef test_sign():\n    assert sign(2) == 1\n", 2),
        ("import sign\n\ndef test_sign():\n    pass\n", 0),
        (STARTING, None),
        ("import os\n\ndef test_sign():\n    os.system('python3 sign.py')\n", None),
        ("import sys\n\ndef test_sign():\n    sys.settrace(None)\n", None),
    ],
)
async def test_lines_that_tests_run(tmp_path: Path, test: str, lines: int | None) -> None:
    """What another process runs, or while another one traces, is not known."""
    files = {"sign.py": SIGN, "test_sign.py": test}
    box, _ = await open_box(tmp_path, files)
    changed = {"sign.py": frozenset({1, 2, 3, 4})}

    run = await lines_run(box, changed, Pytest(), ["test_sign.py"], timeout=60)

    assert (run if run is None else len(run)) == lines
    assert {path for path, _ in run or ()} <= {"sign.py"}
