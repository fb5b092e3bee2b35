"""Reading and writing a stockroom as JSON."""

import json
from pathlib import Path
from typing import Protocol

from stockroom.errors import StockroomError
from stockroom.inventory import Inventory
from stockroom.item import Item


class Store(Protocol):
    """Something an inventory can be kept in."""

    def load(self) -> Inventory: ...

    def save(self, inventory: Inventory) -> None: ...


class JsonStore:
    """Keeps an inventory in one JSON file."""

    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        """Read the file; an empty inventory when there is none. Raises StockroomError."""
        if not self.path.exists():
            return Inventory()
        try:
            rows = json.loads(self.path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise StockroomError(f"{self.path.name} is no JSON: {error}") from error
        return Inventory(Item(**row) for row in rows)

    def save(self, inventory):
        """Write the file, items in the order of their codes."""
        rows = [vars(item) for item in inventory.sorted_by("code")]
        self.path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


class MemoryStore:
    """Keeps an inventory as long as the program runs."""

    def __init__(self):
        self._kept = Inventory()

    def load(self):
        """Return what was saved last."""
        return self._kept

    def save(self, inventory):
        """Keep it."""
        self._kept = inventory
