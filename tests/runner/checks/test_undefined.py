"""Names that Python code uses and nothing defines."""

from __future__ import annotations

import pytest

from runner.checks.undefined import other_files, undefined_names
from tests.runner.checks.trees import changes

PATH = "src/words.py"


def undefined(new: str, old: str = "", path: str = PATH) -> list[str]:
    """The names that are complained of."""
    found = undefined_names(changes({path: new}), read=lambda _: old.encode())
    return [c.message.split("`")[1] for c in found]


def test_a_name_that_nothing_defines_is_refused_with_its_place() -> None:
    """One complaint a name, where it is first used."""
    new = "def count(text):\n    return tally(text) + tally('')\n"
    (complaint,) = undefined_names(changes({PATH: new}), read=lambda _: None)

    assert (complaint.path, complaint.error) == (PATH, "UndefinedName")
    assert (complaint.line, complaint.column) == (2, 12)
    assert "`tally` is used but not defined" in complaint.message


FINE = {
    "defined below": "def a():\n    return b()\n\n\ndef b():\n    return 1\n",
    "in an except": "try:\n    text = unicode\nexcept NameError:\n    text = str\n",
    "a star import": "from os.path import *\n\nprint(join('a', 'b'))\n",
    "found at run time": "globals().update(a=1)\nprint(a)\n",
    "marked": "print(a)  # noqa: F821\n",
    "gettext": "print(_('Hello'))\n",
    "another version": "import sys\n\nif sys.version_info < (3,):\n    text = unicode\n",
    "an error that is expected": "from contextlib import suppress\n\n"
    "with suppress(NameError):\n    profile\n",
    "a metaclass": "class A(metaclass=Meta):\n    size = INJECTED\n\n\nclass Meta(type): ...\n",
    "names of a class": "class A:\n    for n in 'ab':\n        locals()[n] = n\n    both = a + b\n",
    "a tool's": "c = get_config()\n",
    "a type that is imported for the checker": "from typing import TYPE_CHECKING\n\n"
    "if TYPE_CHECKING:\n    from a import B\n\n\ndef f(b: 'B') -> None: ...\n",
    "does not parse": "def f(:\n    g(\n",
    "lines that end with a carriage return": "x = 1\ry = undefined\r",
    "another language": "a = b + c\n",
}  # fmt: skip


@pytest.mark.parametrize("why", FINE)
def test_what_may_be_defined_is_not_complained_of(why: str) -> None:
    """Only what nobody can have defined."""
    path = "src/words.js" if why == "another language" else PATH
    assert undefined(FINE[why], path=path) == []


def test_what_the_repository_defines_may_be_meant() -> None:
    """The question says where it is."""
    new = changes({PATH: "print(Path(1), tally(2))\n"})
    files = {"src/graph.py": b"class Path:\n    pass\n", "src/a.py": b"def tally(n): ...\n"}
    others = other_files(files, {"Path", "tally"})

    said = [c.message for c in undefined_names(new, read=lambda _: None, others=others)]
    assert sorted(each.rpartition(". ")[2] for each in said) == [
        "src/a.py defines it.",
        "src/graph.py defines it.",
    ]


def test_what_other_files_use_undefined_is_given_to_them() -> None:
    """By what loads them all; nothing that a file could import."""
    new = changes({PATH: "def greet(event):\n    host.log(event)\n    speak(event)\n"})
    others = other_files({"src/old.py": b"def old():\n    host.log(1)\n"}, {"host", "speak"})

    found = undefined_names(new, read=lambda _: None, others=others)
    assert [c.message.split("`")[1] for c in found] == ["speak"]


def test_a_name_that_all_promises_must_be_there() -> None:
    """Unless the module makes it when it is asked for."""
    said = "__all__ = ['here', 'gone']\n\n\ndef here(): ...\n"
    assert undefined(said) == ["gone"]
    assert undefined(said + "\n\ndef __getattr__(name): ...\n") == []
    assert undefined(said, path="src/__init__.py") == []


def test_what_was_undefined_before_is_left_alone() -> None:
    """The change did not bring it."""
    old = "def f():\n    return given()\n"
    assert undefined(old + "\n\ndef g():\n    return other()\n", old) == ["other"]
