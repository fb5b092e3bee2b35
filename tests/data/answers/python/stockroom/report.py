# SPDX-License-Identifier: MIT
"""Reports for people, as plain text."""

from stockroom.pricing import format_price

WIDTH = 60
SECTIONS = ("code", "name", "pieces", "value")


def heading(text):
    """Return a heading, underlined."""
    return f"{text}\n{'=' * len(text)}"


def line(item):
    """Return one line about an item."""
    return f"{item.code:<12} {item.name:<28} {item.quantity:>6} {format_price(item.value()):>12}"


def stock_list(inventory):
    """Return one line an item, by their code."""
    return "\n".join(line(item) for item in inventory.sorted_by("code"))


def shelf_plan(inventory):
    """Return what lies on which shelf."""
    parts = []
    for shelf in sorted(inventory.shelves()):
        codes = ", ".join(item.code for item in inventory.on_shelf(shelf))
        parts.append(f"{shelf}: {codes}")
    return "\n".join(parts)


def value_line(inventory):
    """Return one line that says what everything is worth."""
    return f"Total value: {format_price(inventory.total_value())}"


def full_report(inventory, title="Stockroom"):
    """Return all of it, one part after the other."""
    parts = [heading(title), stock_list(inventory), shelf_plan(inventory), value_line(inventory)]
    return "\n\n".join(part for part in parts if part) + "\n"


def csv_lines(inventory, separator=","):
    """Yield the lines of a CSV file, its header first."""
    yield separator.join(SECTIONS)
    for item in inventory.sorted_by("code"):
        cells = (item.code, item.name, str(item.quantity), str(item.value()))
        yield separator.join(cells)
