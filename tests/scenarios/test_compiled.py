"""A Python project with a module in C: its tests say something about a version that was built."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.marks import MORE
from tests.plain_python import plain_python
from tests.runner.sandbox.sandbox_bench import working_sandbox
from tests.scenarios.bot import Bot, conversation

SOURCE = """\
#include <Python.h>

static PyObject *triple(PyObject *self, PyObject *number)
{
    return PyLong_FromLong(RESULT);
}

static PyMethodDef methods[] = {{"triple", triple, METH_O, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", "", -1, methods};

PyMODINIT_FUNC PyInit__fast(void)
{
    return PyModule_Create(&module);
}
"""
BUILD = """\
set -e
ask() { python3 -c "import sysconfig; print(sysconfig.get_$1)"; }
cc -shared -fPIC -I"$(ask "path('include')")" kit/_fast.c -o "kit/_fast$(ask \
"config_var('EXT_SUFFIX')")"
"""
SETUP = "sandbox:\n  setup: [sh build.sh]\n"
ALL_OF_THEM = "verify:\n  commands: [python3 -m unittest tests.test_kit]\n"
"""What needs nothing but Python, in place of pytest."""

SLOW = "def triple(number):\n    return 3 * number\n"
WITH_FALLBACK = """\
try:
    from kit._fast import triple
except ImportError:
    from kit.slow import triple
"""
TEST = """\
import unittest

from kit import triple


class Triple(unittest.TestCase):
    def test_triple(self):
        self.assertEqual(triple(2), 6)
"""
TASK = "- [ ] 1.1 Make `triple` in `kit/_fast.c` return three times its number\n"


def source(result: str) -> str:
    """The module in C, whose function returns this."""
    return SOURCE.replace("RESULT", result)


def repository(config: str, **more: str) -> dict[str, object]:
    """A project that adds where it should multiply."""
    files = {
        "ROADMAP.md": TASK,
        "setup.py": "from setuptools import Extension, setup\n\n"
        'setup(name="kit", ext_modules=[Extension("kit._fast", ["kit/_fast.c"])])\n',
        "build.sh": BUILD,
        "kit/__init__.py": WITH_FALLBACK,
        "kit/slow.py": SLOW,
        "kit/_fast.c": source("3 + PyLong_AsLong(number)"),
        "tests/__init__.py": "",
        "tests/test_kit.py": TEST,
        ".github/cairn.yml": config,
    }
    return {path: text.encode() for path, text in (files | more).items()}


RIGHT = {"kit/_fast.c": source("3 * PyLong_AsLong(number)")}
WRONG = {"kit/_fast.c": source("5 + PyLong_AsLong(number)")}
BROKEN = {"kit/_fast.c": source("3 * PyLong_AsLong(numbr)")}


def answer(files: dict[str, str]) -> str:
    """A model's answer."""
    return "\n".join(f"{path}\n```\n{text}```\n" for path, text in files.items())


def compiles(python: Path) -> None:
    """Skip where this Python cannot be given a module in C."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler (cc)")
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"]
    include = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(include, "Python.h").exists():
        pytest.skip(f"there is no Python.h in {include}")


def trailer(bot: Bot, name: str) -> str:
    """What the commit of the only pull request says."""
    [pull] = bot.pulls
    lines = (line.partition(": ") for line in bot.message(pull).splitlines())
    return next(value for key, _, value in lines if key == name)


@pytest.mark.sample(0, "sets an environment up for each version")
@pytest.mark.parametrize("sandbox", ["process", "bubblewrap"])
async def test_what_setup_builds_of_the_change_is_tested(sandbox: str, tmp_path: Path) -> None:
    """A right change of C turns the old test, in the tree's own package, and nothing is committed.

    The first answer does not compile: its author is told what the compiler says.
    """
    await working_sandbox(sandbox)
    compiles(plain_python() if sandbox == "process" else Path("/usr/bin/python3"))
    config = SETUP if sandbox == "process" else SETUP + ALL_OF_THEM
    async with conversation(tmp_path, repository(config), CAIRN_SANDBOX=sandbox) as bot:
        async with bot.started():
            bot.model.says(answer(BROKEN), answer(RIGHT))

            await bot.comment("/execute")

        assert trailer(bot, "Cairn-Verdict") == "shown", bot.says()
        assert "numbr" in bot.prompts[-1]
        assert "undeclared" in bot.prompts[-1]
        assert sorted(bot.changed(bot.pulls[0])) == ["ROADMAP.md", "kit/_fast.c"]


@MORE
async def test_a_wrong_change_of_c_is_red(tmp_path: Path) -> None:
    """The version of the change is built, not that of the base, and not the fallback's."""
    compiles(plain_python())
    async with conversation(tmp_path, repository(SETUP)) as bot, bot.started():
        bot.model.says(*[answer(WRONG)] * 3)

        await bot.comment("/execute")

        assert bot.pulls == bot.proposals
        assert "7 != 6" in bot.prompts[-1]


async def test_what_nobody_built_is_untested(tmp_path: Path) -> None:
    """Tests of the fallback pass, and say nothing about the module in C."""
    async with conversation(tmp_path, repository("")) as bot, bot.started():
        bot.model.says(answer(RIGHT))

        await bot.comment("/execute")

        assert trailer(bot, "Cairn-Verdict") == "untested", bot.says()
        assert "the compiled part was not built (kit/_fast.c)" in bot.pulls[0].body


async def test_a_turned_test_of_the_fallback_does_not_show_the_compiled_part(
    tmp_path: Path,
) -> None:
    """The test turns by the Python beside it, so the reason is named."""
    slow = {"kit/slow.py": SLOW.replace("3 *", "3 +")}
    async with conversation(tmp_path, repository("", **slow)) as bot, bot.started():
        bot.model.says(answer(RIGHT | {"kit/slow.py": SLOW}))

        await bot.comment("/execute")

        assert trailer(bot, "Cairn-Verdict") == "unbroken", bot.says()
        assert "the compiled part was not built (kit/_fast.c)" in bot.pulls[0].body
