"""How much the assertions of a test demand: less than before is refused, as much is fine."""

from __future__ import annotations

import textwrap

import pytest

from runner.checks.tests_inventory import inventory
from runner.checks.tests_kept import weakened_tests
from tests.runner.checks.trees import changes

TEST = "tests/test_calc.py"
SUM = "assert add(1, 2) == 3"
THREE_SUMS = f"{SUM}\nassert add(2, 2) == 4\nassert add(3, 2) == 5"
MESSAGE = "with pytest.raises(TypeError, match='x'):\n    add(1)"


def is_softer(before: str, after: str) -> bool:
    """Whether a test may not have this body in place of that one, whatever the task means."""

    def module(body: str) -> str:
        inner = textwrap.indent(body, "    ")
        return f"from calc import add\n\n\nasync def test_it(self):\n{inner}\n"

    found = weakened_tests(
        changes({TEST: module(after)}),
        read=lambda _: module(before).encode(),
        repairing=False,
    )
    return found != ()


NOTHING = [
    "assert (add(1, 2), 3)",
    "assert lambda: add(1, 2) == 3",
    "assert isinstance(add(1, 2), object)",
    "assert len(add(1, 2)) >= 0",
    "assert add(1, 2) or not add(1, 2)",
    "x = 1\nassert x == 1 or add(1, 2) == 3",
    "x = 1\nassert x",
    "x = y = 3\nassert x == y",
    "assert x == x",
    "assert a.b == a.b",
    "assert [1][0] == 1",
    "self.assertEqual(a, a)",
    "self.assertEqual(1, 1)",
    "self.assertFalse(False)",
]
SOFTER = [
    *NOTHING,
    "assert isinstance(add(1, 2), int)",
    "assert add(1, 2) != 4",
    "assert add(1, 2) is not 4",
    "assert add(1, 2) > 0",
    "assert add(1, 2) >= -1",
    "assert type(add(1, 2)) is int",
    "assert add(1, 2) is True",
    "assert add(1, 2) == True",
    "assert not add(1, 2) == 3",
    "assert not add(1, 2)",
    "assert (add(1, 2) if x else add(1, 2) == 3)",
    "assert add(1, 2) == 3 or add(2, 2)",
    "self.assertTrue(add(1, 2))",
    "self.assertNotEqual(add(1, 2), 3)",
    "mock.assert_called()",
    "with suppress(AssertionError):\n    assert add(1, 2) == 3",
    "with contextlib.suppress(Exception):\n    assert add(1, 2) == 3",
    "try:\n    assert add(1, 2) == 3\nexcept:\n    pass",
    "try:\n    assert add(1, 2) == 3\nexcept (KeyError, AssertionError):\n    pass",
    "while False:\n    assert add(1, 2) == 3",
    "if not 1:\n    assert add(1, 2) == 3",
    "pytest.skip('x')\nassert add(1, 2) == 3",
    "self.skipTest('x')\nassert add(1, 2) == 3",
    "pytest.xfail('x')\nassert add(1, 2) == 3",
    "skip('x')\nassert add(1, 2) == 3",
    "x.skip\nassert add(1, 2) == 3",
    "return\nassert add(1, 2) == 3",
    "raise KeyError\nassert add(1, 2) == 3",
    "for x in []:\n    assert add(1, 2) == 3",
    "subprocess.run(x, check=False)",
    "subprocess.run(x, stdout=True)",
    "if add(1, 2) != 3:\n    raise KeyError",
    "checked = add(1, 2)",
    "with pytest.raises(Exception):\n    add(1)",
    "with pytest.raises(builtins.Exception):\n    add(1)",
    "with pytest.raises():\n    add(1)",
    "assert add(1, 2)",
]
AS_STRONG = [
    "assert len(add(1, 2)) >= 2",
    "assert len(add(1, 2)) == 0",
    "assert add(1, 2) > 2",
    "assert 2 < add(1, 2) < 4",
    "assert (add(1, 2) == 3 if x else y)",
    "assert add(1, 2) == 3 and add(2, 2)",
    "assert add(1, 2) == 3 or add(2, 2) == 4",
    "x = 1\nx = add(1, 2)\nassert x == 3",
    "assert f(1) == f(1)",
    "self.assertTrue(add(1, 2) == 3)",
    "self.assertEqual(add(1, 2), 3)",
    "self.assertEqual(a(), a())",
    "mock.assert_called_once_with(3)",
    "mock.assert_called_once()",
    "with suppress(KeyError):\n    assert add(1, 2) == 3",
    "with opened() as x:\n    assert add(1, 2) == 3",
    "async with opened() as x:\n    assert add(1, 2) == 3",
    "try:\n    assert add(1, 2) == 3\nexcept KeyError:\n    pass",
    "try:\n    assert add(1, 2) == 3\nexcept Exception:\n    raise",
    "try:\n    assert add(1, 2) == 3\nexcept Exception:\n    pytest.fail()",
    "try:\n    x()\nexcept Exception:\n    assert add(1, 2) == 3",
    "try:\n    x()\nexcept KeyError:\n    pass\nelse:\n    assert add(1, 2) == 3",
    "try:\n    x()\nfinally:\n    assert add(1, 2) == 3",
    "if 0:\n    pass\nelse:\n    assert add(1, 2) == 3",
    "if not 0:\n    assert add(1, 2) == 3",
    "if x:\n    pass\nelse:\n    assert add(1, 2) == 3",
    "while x:\n    assert add(1, 2) == 3",
    "for x in [1]:\n    assert add(1, 2) == 3",
    "for x in y:\n    assert add(1, 2) == 3",
    "for x in y:\n    pass\nelse:\n    assert add(1, 2) == 3",
    "match x:\n    case 1:\n        assert add(1, 2) == 3",
    "def inner():\n    assert add(1, 2) == 3\ninner()",
    "subprocess.run(x, check=True)",
    "subprocess.check_call(x)",
    "if add(1, 2) != 3:\n    raise AssertionError",
    "try:\n    add(1)\nexcept TypeError:\n    pass\nelse:\n    assert 0, 'too few tolerated'",
    "try:\n    add(1)\n    assert False\nexcept TypeError:\n    pass",
    "if add(1, 2) != 3:\n    assert False",
    "if add(1, 2) != 3:\n    self.assertTrue(False, 'no sum')",
    "if add(1, 2) != 3:\n    self.assertFalse(1, 'no sum')",
    "_check_sum(add(1, 2), 3)",
    "calc.verify()",
    "response.raise_for_status()",
    "with pytest.raises(TypeError):\n    add(1)",
    "with pytest.raises(Exception, match='x'):\n    add(1)",
    "with self.assertRaises(TypeError):\n    add(1)",
    "with pytest.warns(UserWarning):\n    add(1)",
    "assert all(add(x, 1) == x + 1 for x in y)",
    "assert any(add(x, 1) for x in y)",
    "assert await add(1, 2) == 3",
]


@pytest.mark.parametrize("after", SOFTER)
def test_what_demands_less_than_a_value(after: str) -> None:
    """It holds whatever comes out, or nearly; or it is not reached; or its failure is caught."""
    assert is_softer(SUM, after)


@pytest.mark.parametrize("after", AS_STRONG)
def test_what_demands_a_value_too(after: str) -> None:
    """The task may mean another value, and another way to ask for it."""
    assert not is_softer(SUM, after)


FEWER = [
    "assert [add(1, 2), add(2, 2)] == [3, 4]",
    "assert {1: a, 2: b} == add()",
    "assert add() == 'a\\nb'",
    "assert some(add(x, 2) == x + 2 for x in y)",
    "for x in (1, 2):\n    assert add(x, 2) == x + 2",
    "check_all([1, 2])",
    "check_all()",
    "self.assertEqual(add(), (1, 2))",
    "assert add(1, 2) == 3",
]
AS_MANY = [
    "assert [add(1, 2), add(2, 2), add(3, 2)] == [3, 4, 5]",
    "assert {1: a, 2: b, 3: c} == add()",
    "assert add() == 'a\\nb\\nc'",
    "assert all(add(x, 2) == x + 2 for x in y)",
    "assert any(add(x, 2) == x + 2 for x in y)",
    "for x in [1, 2, 3]:\n    assert add(x, 2) == x + 2",
    "for x in y:\n    assert add(x, 2) == x + 2",
    "check_all([1, 2, 3])",
    "self.assertEqual(add(), [1, 2, 3])",
    "for x in [1, 2]:\n    for y in [1, 2]:\n        assert add(x, y) == x + y",
    "assert add(1, 2) == 3 and add(2, 2) == 4 and add(3, 2) == 5",
]


@pytest.mark.parametrize("after", FEWER)
def test_fewer_values(after: str) -> None:
    """One or two where there were three."""
    assert is_softer(THREE_SUMS, after)


@pytest.mark.parametrize("empty", ["x.validate({})", "check([])", "expect({})", "check_all('')"])
@pytest.mark.parametrize("other", ["x.validate({1: 2})", "check([1])", "pass"])
def test_a_helper_that_is_given_nothing(empty: str, other: str) -> None:
    """It compares no values, and not fewer than none."""
    assert not is_softer(empty, empty)
    is_softer(other, empty)
    is_softer(empty, other)


@pytest.mark.parametrize("after", AS_MANY)
def test_as_many_values_in_another_shape(after: str) -> None:
    """A list, a dictionary, lines of a text, a loop: they count as many as they compare."""
    assert not is_softer(THREE_SUMS, after)


@pytest.mark.parametrize(
    ("after", "softer"),
    [
        ("with pytest.raises(TypeError):\n    add(1)", True),
        ("with pytest.raises(TypeError, match='y'):\n    add(1)", False),
        ("with pytest.raises(KeyError, check=f):\n    add(1)", False),
        ("with pytest.raises(KeyError, other=f):\n    add(1)", True),
    ],
)
def test_what_an_error_says(after: str, softer: bool) -> None:
    """An error without its message is less; one that is looked at in another way is not."""
    assert is_softer(MESSAGE, after) is softer


LITTLE = [
    "assert isinstance(add(1, 2), int)",
    "assert len(add(1, 2)) >= 1",
    "assert add(1, 2)",
    "assert add(1, 2) or add(2, 3)",
    "assert not add(1, 2)",
    "assert f() == f()",
    "self.assertTrue(add(1, 2))",
    "self.assertEqual(f(), f())",
    "mock.assert_called()",
]


FAILING = [
    "try:\n    add(1)\nexcept TypeError:\n    pass\nelse:\n    assert 0, 'too few tolerated'",
    "try:\n    add(1)\n    self.assertTrue(False)\nexcept TypeError:\n    pass",
]


@pytest.mark.parametrize("body", [*NOTHING, *LITTLE, *FAILING])
def test_what_demands_nothing(body: str) -> None:
    """It holds whatever the code does."""
    inner = textwrap.indent(f"add()\n{body}\n", "    ")
    (_, test) = (inventory(f"def test_it(self):\n{inner}".encode()) or {}).values()

    assert (not test.checks) is (body in NOTHING)
