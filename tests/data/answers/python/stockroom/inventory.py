"""The stockroom itself: items by their code, reservations, and a log of what happened."""

from collections import defaultdict

from stockroom.errors import OutOfStock, UnknownItem
from stockroom.item import Item

# How many entries of the log are kept before the oldest is forgotten.
LOG_LIMIT = 1000


class Inventory:
    """Items by their code.

    Quantities never become negative. Reserved pieces are still there, but not available.
    """

    def __init__(self, items=()):
        self._items = {}
        self._reserved = defaultdict(int)
        self._log = []
        for item in items:
            self.add(item)

    def __len__(self):
        return len(self._items)

    def __contains__(self, code):
        return code in self._items

    def __iter__(self):
        return iter(self._items.values())

    def add(self, item):
        """Add an item; pieces of a code that is known already are added to what is there."""
        known = self._items.get(item.code)
        if known is None:
            self._items[item.code] = Item(
                item.code, item.name, item.price, item.quantity, item.shelf
            )
        else:
            known.quantity += item.quantity
        self._note("add", item.code, item.quantity)

    def get(self, code):
        """Return the item with this code. Raises UnknownItem."""
        try:
            return self._items[code]
        except KeyError:
            raise UnknownItem(code) from None

    def quantity(self, code):
        """Return how many pieces there are, reserved ones included. Raises UnknownItem."""
        return self.get(code).quantity

    def available(self, code):
        """Return how many pieces are not reserved. Raises UnknownItem."""
        return self.get(code).quantity - self._reserved[code]

    def remove(self, code, pieces=1):
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

    def reserve(self, code, pieces=1):
        """Set pieces aside for somebody. Raises UnknownItem and OutOfStock."""
        available = self.available(code)
        if available < pieces:
            raise OutOfStock(code, pieces, available)
        self._reserved[code] += pieces
        self._note("reserve", code, pieces)

    def release(self, code, pieces=None):
        """Give reserved pieces free again, all of them when no number is said."""
        reserved = self._reserved[code]
        given = reserved if pieces is None else min(pieces, reserved)
        self._reserved[code] = reserved - given
        self._note("release", code, given)
        return given

    def take_reserved(self, code):
        """Take away all pieces that are reserved. Returns how many these were."""
        item = self.get(code)
        pieces = self._reserved.pop(code, 0)
        item.quantity -= pieces
        self._note("take", code, pieces)
        return pieces

    def move(self, code, shelf):
        """Put an item on another shelf. Returns the shelf it was on."""
        item = self.get(code)
        before, item.shelf = item.shelf, shelf
        self._note("move", code, item.quantity)
        return before

    def on_shelf(self, shelf):
        """Return the items on a shelf, by their code."""
        return sorted(
            (item for item in self._items.values() if item.shelf == shelf),
            key=lambda item: item.code,
        )

    def shelves(self):
        """Return how many kinds of things lie on each shelf; things without a shelf are left out."""
        counts = defaultdict(int)
        for item in self._items.values():
            if item.shelf:
                counts[item.shelf] += 1
        return dict(counts)

    def sorted_by(self, field):
        """Return all items, sorted by one of their fields, then by their code."""
        return sorted(self._items.values(), key=lambda item: (getattr(item, field), item.code))

    def total_value(self):
        """Return what everything is worth, in cents."""
        return sum(item.value() for item in self._items.values())

    def low(self, limit=10):
        """Return the items of which fewer than ``limit`` pieces are available, by their code."""
        return sorted(
            (item for item in self._items.values() if self.available(item.code) < limit),
            key=lambda item: item.code,
        )

    def discard_empty(self):
        """Forget items of which no piece is left. Returns their codes, sorted."""
        empty = sorted(code for code, item in self._items.items() if item.is_empty())
        for code in empty:
            del self._items[code]
            self._note("discard", code, 0)
        return empty

    def merge(self, other):
        """Add everything another inventory holds; its reservations are not taken over."""
        for item in other:
            self.add(item)

    def history(self, code=None):
        """Return the log as tuples (what, code, pieces), the oldest first."""
        return [entry for entry in self._log if code is None or entry[1] == code]

    def _note(self, what, code, pieces):
        self._log.append((what, code, pieces))
        if len(self._log) > LOG_LIMIT:
            del self._log[0]
