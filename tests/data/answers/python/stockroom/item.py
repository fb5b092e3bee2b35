"""One kind of thing in the stockroom."""

from dataclasses import dataclass


@dataclass
class Item:
    """A kind of thing: its code, its name, the price of one in cents, and how many there are."""

    code: str
    name: str
    price: int
    quantity: int = 0
    shelf: str = ""

    def value(self):
        """Return what all pieces are worth together, in cents."""
        return self.price * self.quantity

    def is_empty(self):
        """Tell whether no piece is left."""
        return self.quantity == 0
