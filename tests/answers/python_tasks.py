"""What is to be done in the Python project."""

from __future__ import annotations

from tests.answers.projects import Task

ADD = Task(
    id="add-function",
    language="python",
    text="""\
Add `stones_to_kilograms(value)` and `kilograms_to_stones(value)` to `stockroom/units.py`, behind \
`kilograms_to_pounds`
  - a stone is 14 pounds
  - negative values raise `ValueError`, as everywhere in this file""",
    subject="stockroom/units.py",
    shown_in_part=True,
    edits={
        "stockroom/units.py": (
            (
                '''\
def kilograms_to_pounds(value):
    """Convert kilograms to pounds.

    Raises ValueError for negative values.
    """
    return _checked(value) / POUND_IN_KILOGRAMS
''',
                '''\
def kilograms_to_pounds(value):
    """Convert kilograms to pounds.

    Raises ValueError for negative values.
    """
    return _checked(value) / POUND_IN_KILOGRAMS


def stones_to_kilograms(value):
    """Convert stones to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) * 14 * POUND_IN_KILOGRAMS


def kilograms_to_stones(value):
    """Convert kilograms to stones.

    Raises ValueError for negative values.
    """
    return _checked(value) / (14 * POUND_IN_KILOGRAMS)
''',
            ),
        )
    },
    hidden="""\
from stockroom import units
assert abs(units.stones_to_kilograms(2) - 12.70058636) < 1e-9
assert abs(units.kilograms_to_stones(12.70058636) - 2) < 1e-9
for function in (units.stones_to_kilograms, units.kilograms_to_stones):
    try:
        function(-1)
    except ValueError:
        continue
    raise AssertionError(function)
assert units.parse_mass("250 g") == 0.25
assert units.ounces_to_pounds(16) == 1
assert units.format_length(0.045) == "45 mm"
""",
)

FIX = Task(
    id="fix-bug",
    language="python",
    text="""\
Fix `discounted_price` in `stockroom/pricing.py`: half a cent must be rounded up, as its docstring \
says; today it is cut off
  - Tests: `tests/test_rounding.py` (already in the repository, do not change)""",
    subject="stockroom/pricing.py",
    edits={
        "stockroom/pricing.py": (
            (
                "    return price * (100 - percent) // 100\n",
                "    return (price * (100 - percent) + 50) // 100\n",
            ),
        )
    },
    before={
        "tests/test_rounding.py": """\
from stockroom.pricing import bulk_price, discounted_price


def test_half_a_cent_is_rounded_up():
    assert discounted_price(99, 50) == 50
    assert discounted_price(5, 10) == 5


def test_less_than_half_a_cent_is_cut_off():
    assert discounted_price(101, 10) == 91


def test_bulk_prices_are_rounded_as_well():
    assert bulk_price(99, 10) == 941
"""
    },
    hidden="""\
from stockroom.pricing import bulk_price, discounted_price, format_price, parse_price, with_tax
for price in range(300):
    for percent in range(101):
        exact = price * (100 - percent)
        assert discounted_price(price, percent) == (exact + 50) // 100
assert bulk_price(99, 10, steps=((10, 50),)) == 495
assert with_tax(999, 7) == 1069 and with_tax(100) == 120
assert parse_price(format_price(1234).split()[0]) == 1234
for percent in (-1, 101):
    try:
        discounted_price(100, percent)
    except ValueError:
        continue
    raise AssertionError(percent)
""",
)

OPTION = Task(
    id="optional-parameter",
    language="python",
    text="""\
Let `Inventory.sorted_by` in `stockroom/inventory.py` take an optional parameter, by name only: \
`reverse=False`
  - with `reverse=True` the whole order is turned round
  - who calls it today gets what they got""",
    subject="stockroom/inventory.py",
    shown_in_part=True,
    edits={
        "stockroom/inventory.py": (
            (
                '''\
    def sorted_by(self, field):
        """Return all items, sorted by one of their fields, then by their code."""
        return sorted(self._items.values(), key=lambda item: (getattr(item, field), item.code))
''',
                '''\
    def sorted_by(self, field, *, reverse=False):
        """Return all items, sorted by one of their fields, then by their code.

        With ``reverse`` the whole order is turned round.
        """
        return sorted(
            self._items.values(),
            key=lambda item: (getattr(item, field), item.code),
            reverse=reverse,
        )
''',
            ),
        )
    },
    changed=("Inventory.sorted_by",),
    hidden="""\
from stockroom import Inventory, Item, OutOfStock
made = Inventory([Item("B", "b", 2, 1, "X"), Item("A", "a", 2, 0), Item("C", "c", 1, 5, "X")])
assert [item.code for item in made.sorted_by("price")] == ["C", "A", "B"]
assert [item.code for item in made.sorted_by("price", reverse=True)] == ["B", "A", "C"]
try:
    made.sorted_by("price", True)
except TypeError:
    pass
else:
    raise AssertionError("not by name only")
made.reserve("C", 2)
assert made.available("C") == 3 and made.release("C") == 2
made.reserve("C", 2)
assert made.take_reserved("C") == 2 and made.quantity("C") == 3
assert made.remove("C", 9) is False and made.remove("C") is True
assert made.move("B", "Y") == "X" and made.shelves() == {"X": 1, "Y": 1}
assert [item.code for item in made.low(2)] == ["A", "B"]
assert made.discard_empty() == ["A"] and len(made) == 2
other = Inventory()
other.merge(made)
assert other.total_value() == made.total_value() == 4
assert made.history("B") == [("add", "B", 1), ("move", "B", 1)]
""",
)

MODULE = Task(
    id="new-module",
    language="python",
    text="""\
Add `stockroom/barcodes.py` with `check_digit(digits)` and `is_valid(code)` for EAN-13, and its \
tests in `tests/test_barcodes.py`
  - `check_digit("400638133393")` is `1`; anything but twelve digits raises `ValueError`
  - `is_valid("4006381333931")` is true; what is no EAN-13 is false, never an error""",
    subject="stockroom/barcodes.py",
    new={
        "stockroom/barcodes.py": '''\
"""Barcodes of the kind EAN-13."""


def check_digit(digits):
    """Return the last digit for the twelve before it. Raises ValueError."""
    if len(digits) != 12 or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"not twelve digits: {digits!r}")
    odd = sum(int(digit) for digit in digits[0::2])
    even = sum(int(digit) for digit in digits[1::2])
    return -(odd + 3 * even) % 10


def is_valid(code):
    """Tell whether a text is an EAN-13 with the right check digit."""
    if len(code) != 13 or not (code.isascii() and code.isdigit()):
        return False
    return check_digit(code[:12]) == int(code[12])
''',
        "tests/test_barcodes.py": """\
import pytest

from stockroom.barcodes import check_digit, is_valid


def test_check_digit():
    assert check_digit("400638133393") == 1
    assert check_digit("978020137962") == 4


@pytest.mark.parametrize("digits", ["", "12345678901", "1234567890123", "12345678901x"])
def test_only_twelve_digits_have_one(digits):
    with pytest.raises(ValueError):
        check_digit(digits)


def test_a_valid_code():
    assert is_valid("4006381333931")


@pytest.mark.parametrize("code", ["4006381333932", "400638133393", "", "x006381333931"])
def test_what_is_no_code(code):
    assert not is_valid(code)
""",
    },
    hidden="""\
from pathlib import Path
from stockroom.barcodes import check_digit, is_valid
assert check_digit("400638133393") == 1 and check_digit("978020137962") == 4
assert is_valid("4006381333931") and is_valid("9780201379624")
assert not any(map(is_valid, ("4006381333932", "", "40063813339311", "abcdefghijklm")))
for digits in ("", "1", "40063813339x"):
    try:
        check_digit(digits)
    except ValueError:
        continue
    raise AssertionError(digits)
tests = Path("tests/test_barcodes.py").read_text()
assert tests.count("assert ") + tests.count("raises(") >= 4, "the tests show too little"
assert "check_digit(" in tests and "is_valid(" in tests
""",
)

REPORT = Task(
    id="untested-file",
    language="python",
    text="""\
Add `low_stock(inventory, limit=10)` to `stockroom/report.py`
  - the heading `Low stock`, then one `line` for each item that `Inventory.low` gives
  - an empty text where nothing is low
  - `shelf_plan` shows the style; `tests/test_storage.py` and `docs/usage.md` show how inventories \
are made and what people see""",
    subject="stockroom/report.py",
    edits={
        "stockroom/report.py": (
            (
                """\
def value_line(inventory):
""",
                '''\
def low_stock(inventory, limit=10):
    """Return what should be ordered again; an empty text where nothing is low."""
    items = inventory.low(limit)
    if not items:
        return ""
    return "\\n".join([heading("Low stock"), *(line(item) for item in items)])


def value_line(inventory):
''',
            ),
        )
    },
    hidden="""\
from stockroom import Inventory, Item, report
made = Inventory([Item("A", "a", 250, 3, "X"), Item("B", "b", 1, 50, "X")])
assert report.low_stock(made).splitlines() == [
    "Low stock", "=========", report.line(made.get("A"))]
assert report.low_stock(made, 3) == "" and report.low_stock(made, limit=51).count("\\n") == 3
assert report.shelf_plan(made) == "X: A, B"
assert report.value_line(made) == "Total value: 8.00 EUR"
assert report.full_report(made).startswith("Stockroom\\n=========\\n\\nA ")
assert list(report.csv_lines(made, ";"))[1] == "A;a;3;750"
assert list(report.csv_lines(made))[0] == "code,name,pieces,value"
assert report.WIDTH == 60
""",
)

BEHAVIOUR = Task(
    id="behaviour-change",
    language="python",
    text="""\
`Inventory.remove` in `stockroom/inventory.py` raises `OutOfStock` where there are not enough \
pieces, instead of returning `False`; it returns nothing
  - nothing is taken then, as today
  - change its tests in `tests/test_inventory.py` with it""",
    subject="stockroom/inventory.py",
    shown_in_part=True,
    edits={
        "stockroom/inventory.py": (
            (
                '''\
        """Take pieces away.

        Returns True, or False when there are not enough; then nothing is taken.
        Raises UnknownItem.
        """
        item = self.get(code)
        if self.available(code) < pieces:
            return False
        item.quantity -= pieces
        self._note("remove", code, pieces)
        return True
''',
                '''\
        """Take pieces away.

        Raises UnknownItem, and OutOfStock when there are not enough; then nothing is taken.
        """
        item = self.get(code)
        available = self.available(code)
        if available < pieces:
            raise OutOfStock(code, pieces, available)
        item.quantity -= pieces
        self._note("remove", code, pieces)
''',
            ),
        ),
        "tests/test_inventory.py": (
            (
                """\
    assert inventory.remove("NUT", 30) is True
""",
                """\
    assert inventory.remove("NUT", 30) is None
""",
            ),
            (
                """\
    assert inventory.remove("GLUE", 4) is False
""",
                """\
    with pytest.raises(OutOfStock):
        inventory.remove("GLUE", 4)
""",
            ),
        ),
    },
    hidden="""\
from pathlib import Path
from stockroom import Inventory, Item, OutOfStock
made = Inventory([Item("A", "a", 2, 5, "X")])
assert made.remove("A", 2) is None and made.quantity("A") == 3
made.reserve("A", 2)
try:
    made.remove("A", 2)
except OutOfStock as error:
    assert (error.code, error.wanted, error.available) == ("A", 2, 1)
else:
    raise AssertionError("nothing was raised")
assert made.quantity("A") == 3
assert made.history("A") == [("add", "A", 5), ("remove", "A", 2), ("reserve", "A", 2)]
assert made.shelves() == {"X": 1} and made.discard_empty() == []
tests = Path("tests/test_inventory.py").read_text()
assert tests.count("def test_") == 9 and tests.count("assert ") + tests.count("raises(") >= 13
""",
)

DOCS = Task(
    id="docs",
    language="python",
    text="""\
Document the command `shelves` at the end of `docs/usage.md`, in the style of the other commands, \
with an example of what it prints in a fenced block""",
    subject="docs/usage.md",
    edits={
        "docs/usage.md": (
            (
                """\
prints the value of everything in the stockroom, in whole currency units.
""",
                """\
prints the value of everything in the stockroom, in whole currency units.

## Show where everything lies

    python -m stockroom.cli stock.json shelves

prints one line a shelf, with the codes of what lies there:

```text
A1: BOLT, NUT
B2: GLUE
```

Things without a shelf are left out.
""",
            ),
        )
    },
    hidden="""\
from pathlib import Path
text = Path("docs/usage.md").read_text()
assert "stock.json shelves" in text and text.count("```") == 2
for kept in ("## Show what is there", "stock.json list", "## Show what it is worth"):
    assert kept in text, kept
""",
)

STORES = Task(
    id="new-methods",
    language="python",
    text="""\
Give the stores in `stockroom/storage.py` a method `clear()` that forgets everything: the protocol \
`Store`, `JsonStore` (its file goes; none is no error) and `MemoryStore`""",
    subject="stockroom/storage.py",
    edits={
        "stockroom/storage.py": (
            (
                """\
    def save(self, inventory: Inventory) -> None: ...
""",
                """\
    def save(self, inventory: Inventory) -> None: ...

    def clear(self) -> None: ...
""",
            ),
            (
                """\
        self.path.write_text(json.dumps(rows, indent=2) + "\\n", encoding="utf-8")
""",
                """\
        self.path.write_text(json.dumps(rows, indent=2) + "\\n", encoding="utf-8")

    def clear(self):
        \"\"\"Delete the file.\"\"\"
        self.path.unlink(missing_ok=True)
""",
            ),
            (
                """\
        self._kept = inventory
""",
                """\
        self._kept = inventory

    def clear(self):
        \"\"\"Keep an empty inventory.\"\"\"
        self._kept = Inventory()
""",
            ),
        )
    },
    hidden="""\
import tempfile
from pathlib import Path
from stockroom import Inventory, Item, StockroomError
from stockroom.storage import JsonStore, MemoryStore, Store
folder = Path(tempfile.mkdtemp())
for store in (JsonStore(folder / "a.json"), MemoryStore()):
    store.clear()
    store.save(Inventory([Item("A", "a", 1, 2)]))
    assert len(store.load()) == 1
    assert store.clear() is None and len(store.load()) == 0
assert not (folder / "a.json").exists()
assert all(hasattr(Store, name) for name in ("load", "save", "clear"))
(folder / "b.json").write_text("{")
try:
    JsonStore(folder / "b.json").load()
except StockroomError:
    pass
else:
    raise AssertionError("no error")
""",
)

TASKS = (ADD, FIX, OPTION, MODULE, REPORT, BEHAVIOUR, DOCS, STORES)
