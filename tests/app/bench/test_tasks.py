"""How code is emptied and tests are hidden."""

from __future__ import annotations

import ast

import pytest

from app.bench.suites import notes_of
from app.bench.tasks import emptied, functions, half_hidden, without

CODE = '''import functools


class Box:
    """A box."""

    @property
    def size(self):
        """Its size."""
        # counted once
        found = len(self.things)
        return found

    async def open(self):
        @functools.wraps(self)
        def inner():
            return 1

        return inner()


def last(things): return things[-1]
'''


@pytest.mark.parametrize(
    ("name", "left"),
    [
        (
            "Box::size",
            '''    @property
    def size(self):
        """Its size."""
        # counted once
        raise NotImplementedError

    async''',
        ),
        ("Box::open", "    async def open(self):\n        raise NotImplementedError\n\n\ndef last"),
    ],
)
def test_an_emptied_function_keeps_its_signature_and_docstring(name: str, left: str) -> None:
    """So is what is around it; the rest compiles."""
    nodes = {found: node for found, node, _ in functions(CODE)}

    text = emptied(CODE, nodes[name])

    assert left in text
    assert [each for each, *_ in functions(text)] == list(nodes)


def test_hidden_tests_leave_a_module_that_compiles() -> None:
    """With their decorators, and also if a class has no other."""
    tests = (
        "import pytest\n\n\n@pytest.mark.slow\ndef test_a():\n    assert 1\n\n\n"
        "class TestB:\n    @pytest.mark.slow\n    def test_b(self):\n        assert 1\n"
    )

    text = without(tests, ["test_a", "TestB::test_b"])

    ast.parse(text)
    assert ("slow" in text, "test_" in text) == (False, False)
    assert "class TestB:\n    pass\n" in text


def test_tabs_and_form_feeds_stay_where_they_are() -> None:
    """A line is what Python takes for one."""
    code = "A = 1\n\x0c\nclass B:\n\tdef c(self):\n\t\treturn 1\n\n\tdef d(self):\n\t\treturn 2\n"
    (_, first, _), _ = functions(code)

    assert "\tdef c(self):\n\t\traise NotImplementedError\n\n\tdef d" in emptied(code, first)
    assert "class B:\n\tpass\n\n\tdef d" in without(code, ["B::c"])


def test_a_task_needs_two_tests() -> None:
    """One to show, one to hide; of a class or of none. Helpers are no tests."""
    tests = {"test_a.py": "def test_a():\n    helper()\n\n\ndef helper():\n    assert 1\n"}

    with pytest.raises(ValueError, match="one has too few tests"):
        half_hidden("one", {}, tests)


@pytest.mark.parametrize(
    ("new", "items"),
    [
        ("# 2\n\n- One\n  and more\n- Two\n\n# 1\n\n- Old\n", ["One and more", "Two"]),
        ("2.0\n---\n\n* ``one`` is\n  new\n\nWords.\n\n1.0\n---\n\n- Old\n", ["``one`` is new"]),
        ("# 1\n\n- Old\n", []),
    ],
)
def test_new_items_of_notes(new: str, items: list[str]) -> None:
    """In Markdown and reStructuredText; what was there before is no task."""
    assert notes_of("# 1\n\n- Old\n", new) == items
