"""What a change does to the program that runs its tests."""

from __future__ import annotations

import pytest

from runner.checks.tests_settings import acts_on_its_tests, deceives, meddling
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
        ("import sys\n\nhere = 'pytest' in sys.modules\n", ("pytest in sys.modules",)),
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


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("__eq__ that is always true", True),
        ("_pytest.runner", True),
        ("sys.modules[_pytest]", True),
        ("PYTEST_CURRENT_TEST", True),
        ("os._exit", False),
        ("gc.get_objects", False),
    ],
)
def test_what_serves_to_deceive(name: str, does: bool) -> None:
    """Other names have honest uses, and are only shown."""
    assert deceives(["gc", name]) == does


OLD = """\
from shop import cart
from shop.cart import count


def test_two():
    assert count([1, 2]) == 2
"""


@pytest.mark.parametrize(
    ("new", "acts"),
    [
        (OLD, False),
        (f'"""Tests."""\nimport os\n{OLD}\n\ndef test_one():\n    pass\n', False),
        (OLD.replace("import count", "import count, total"), False),
        (f"{OLD}\n\nROWS = [1]\n\n\ndef made():\n    return ROWS\n", False),
        (f"{OLD}\ncart.count = len\n", True),
        (f"{OLD}\ncount = len\n", True),
        (f"{OLD}\n\ndef count(prices):\n    return 2\n", True),
        (f"{OLD}\nsetattr(cart, 'count', len)\n", True),
        (f"{OLD}\nif True:\n    cart.count = len\n", True),
        (f"import pytest\n{OLD}\n\n@pytest.fixture(autouse=True)\ndef f(monkeypatch): ...\n", True),
        (OLD.replace("from shop.cart", "from fakes"), True),
        ("def test_two(:\n", True),
    ],
)
def test_what_a_file_has_beside_its_tests_may_change_what_they_test(new: str, acts: bool) -> None:
    """New tests, helpers and imports of more do not."""
    assert acts_on_its_tests(OLD.encode(), new.encode()) == acts


def test_a_new_file_of_tests_acts_on_others_by_what_it_runs() -> None:
    """Not by its own fixtures."""
    fixture = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef f(monkeypatch): ...\n"

    assert not acts_on_its_tests(b"", f"{fixture}\n{OLD}".encode())
    assert acts_on_its_tests(b"", f"{OLD}\ncart.count = len\n".encode())
