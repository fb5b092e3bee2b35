"""What a change does to the program that runs its tests."""

from __future__ import annotations

import pytest

from runner.checks.tests_settings import meddling
from runner.state.changes import ChangeSet, Write


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import _pytest.runner\n", ("_pytest.runner",)),
        ("from _pytest import python\n", ("_pytest.python",)),
        ("import os\n\n\ndef stop():\n    os._exit(0)\n", ("os._exit",)),
        ("from os import _exit\n", ("os._exit",)),
        (
            "import sys\n\nrunner = sys.modules['_pytest.runner']\n",
            ("sys.modules[_pytest.runner]",),
        ),
        ("import gc\n\nfound = gc.get_objects()\n", ("gc", "gc.get_objects")),
        ("import \uff47\uff43\n", ("gc",)),  # other letters, the same name
        ("import sys\n\nsys.modules['\\x5fpytest']\n", ("sys.modules[_pytest]",)),
        ("import inspect\n\n\ndef f():\n    inspect.stack()\n", ("inspect.stack",)),
        ("import os\n\nos.environ.get('PYTEST_CURRENT_TEST')\n", ("PYTEST_CURRENT_TEST",)),
        (
            "class A:\n    def __eq__(self, other):\n        return True\n",
            ("__eq__ that is always true",),
        ),
        ("class A:\n    def __eq__(self, other):\n        return other.a == self.a\n", ()),
        ("import pytest\nimport sys\n\nsys.exit(gcd(os.getpid(), sys.modules['json']))\n", ()),
    ],
)
def test_code_that_reaches_for_its_runner_is_named(code: str, names: tuple[str, ...]) -> None:
    """Only what the change adds: what stood there is the project's own."""
    changes = ChangeSet({"a.py": Write(code.encode())})

    assert list(meddling(changes, read={}.get)) == ([("a.py", names)] if names else [])
    assert not list(meddling(changes, read={"a.py": code.encode()}.get))
