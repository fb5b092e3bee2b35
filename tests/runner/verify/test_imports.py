"""Names that changed files import and that are nowhere are named before any test runs."""

from __future__ import annotations

import pytest

from runner.ports import CommandResult
from runner.state.findings import Level
from runner.verify.levels import imports_level
from tests.runner.verify.box import ScriptedBox, open_box


async def checked(tmp_path, files: dict[str, str], *changed: str) -> Level:
    """The level for these changed files of a tree (all, when none is named)."""
    tmp_path.mkdir(exist_ok=True)
    box, _ = await open_box(tmp_path, files)
    return await imports_level(box, changed or tuple(files), timeout=60)


@pytest.mark.parametrize(
    ("files", "message", "line"),
    [
        (
            {"a.py": "import no_such_package_at_all\n"},
            "No module named 'no_such_package_at_all'",
            1,
        ),
        ({"src/x.py": "", "a.py": "\nfrom src.models import User\n"}, "'src.models'", 2),
        ({"b.py": "x = 1\n", "a.py": "from b import y\n"}, "cannot import name 'y' from 'b'", 1),
        ({"p/b.py": "x = 1\n", "p/a.py": "from .c import x\n"}, "'p.c'", 1),
        ({"p/b.py": "x = 1\n", "p/a.py": "from .b import y\n"}, "name 'y' from 'p.b'", 1),
        ({"src/utils/b.py": "", "src/a.py": "import b\n"}, "No module named 'b'", 1),
        ({"p/__init__.py": "", "p/b.py": "", "a.py": "import b\n"}, "No module named 'b'", 1),
        ({"p/__init__.py": "", "p/b.py": "", "p/a.py": "import b\n"}, "No module named 'b'", 1),
        ({"p/yonder.py": "", "p/a.py": "import yonder.inner\n"}, "'yonder.inner'", 1),
    ],
)
async def test_what_is_nowhere(tmp_path, files, message, line):
    """Packages, modules and names that neither tree nor sandbox has."""
    level = await checked(tmp_path, files)
    (failure,) = level.failures

    assert level.result == "failed"
    assert message in failure.message
    assert failure.line == line


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "import os, json\nfrom pathlib import Path\nimport pytest\n"},
        {"src/b.py": "def f(): pass\n", "a.py": "from b import f\nfrom src.b import f as g\n"},
        {"p/__init__.py": "from .b import *\n", "p/b.py": "x = 1\n", "a.py": "from p import x\n"},
        {"p/sub/c.py": "", "a.py": "from p import sub\nfrom p.sub import c\n"},
        {"b.py": "def __getattr__(name): return 1\n", "a.py": "from b import anything\n"},
        {"b.py": "globals().update(x=1)\n", "a.py": "from b import x\n"},
        {"b.py": "try:\n    x = 1\nexcept OSError:\n    pass\n", "a.py": "from b import x\n"},
        {"a.py": "try:\n    import fast_thing_xyz\nexcept ImportError:\n    fast = None\n"},
        {"a.py": "def f():\n    import fast_thing_xyz\n"},
        {"a.py": "if TYPE_CHECKING:\n    import fast_thing_xyz\n"},
        {"requirements.txt": "some-package>=1\n", "a.py": "import some_package\n"},
        {"requirements.txt": "djangorestframework\n", "a.py": "import rest_framework\n"},
        {"a.py": "def f(:\n"},
        {"services/api/b.py": "", "services/api/a.py": "import b\n"},
        {"src/p/__init__.py": "", "src/p/b.py": "", "tests/test_a.py": "import p.b\n"},
        {"src/utils/b.py": "", "a.py": "import b\n", "pytest.ini": "pythonpath = src/utils\n"},
        # names of the standard library that a package has, too
        {"src/p/types.py": "", "src/p/a.py": "from types import TracebackType\n"},
        {"p/__init__.py": "", "p/abc.py": "", "p/a.py": "import abc\nfrom abc import ABC\n"},
        {"p/__init__.py": "", "p/pytest.py": "", "p/a.py": "from pytest import raises\n"},
        # what only another file of the same name has is not looked for in that one
        {"setup.cfg": "shop", "p/__init__.py": "", "p/shop.py": "", "p/a.py": "import shop.cart\n"},
        # modules that are compiled, generated or described, and names made while a module runs
        {"p/__init__.py": "", "p/_fast.pyx": "", "p/a.py": "from p._fast import go\n"},
        {".gitignore": "_version.py\n", "p/__init__.py": "from ._version import version\n"},
        {"p/__init__.py": "import sys\nsys.modules['p.x'] = 1\n", "a.py": "from p.x import y\n"},
        {"b.py": "match 1:\n    case x:\n        pass\n", "a.py": "from b import x\n"},
        {"b.py": "x = 1\n" + "# long\n" * 50_000, "a.py": "from b import y\n"},
        # what may not be there, and is not imported then
        {"a.py": "import pytest\nfast = pytest.importorskip('fast_xyz')\nimport fast_xyz.sub\n"},
        {"a.py": "with suppress(ImportError):\n    import fast_thing_xyz\n"},
        # sources of one of several projects
        {"one/pyproject.toml": "", "one/src/kit/b.py": "", "one/tests/test_a.py": "import kit.b\n"},
        {"x/y/b.py": "", "a.py": "import sys\nsys.path.insert(0, 'x/y')\nimport b\n"},
    ],
)
async def test_what_is_somewhere_or_cannot_be_told(tmp_path, files):
    """Only what is surely nowhere is reported; the tests have the last word."""
    assert (await checked(tmp_path, files)).failures == ()


async def test_what_the_project_uses_already_is_no_invention(tmp_path):
    """A package another file imports may only be missing here: the tests will tell."""
    files = {"old.py": "import company_lib\n", "new.py": "import company_lib\n"}

    assert (await checked(tmp_path, files, "new.py")).result == "passed"
    assert (await checked(tmp_path / "2", files, "new.py", "old.py")).result == "failed"


async def test_nothing_of_the_project_is_run(tmp_path):
    """Looking for names executes no module."""
    files = {"b.py": "raise SystemExit(3)\nx = 1\n", "a.py": "from b import x\nimport b\n"}

    assert (await checked(tmp_path, files)).result == "passed"


async def test_other_files_have_no_such_level(tmp_path):
    """Without a changed Python file the level is skipped and says so."""
    level = await checked(tmp_path, {"a.txt": "import x\n"})

    assert (level.result, bool(level.reason)) == ("skipped", True)


async def test_a_check_that_breaks_down_says_that_nothing_was_checked() -> None:
    """It is no verdict about the change, neither a good nor a bad one."""
    broken = CommandResult(1, b"", b"Traceback (most recent call last):\nMemoryError\n")

    level = await imports_level(ScriptedBox(broken), ["a.py"], timeout=60)

    assert level.result == "skipped"
    assert level.reason == "Cairn's check of the imports did not end as it should"
    assert "MemoryError" in level.output
