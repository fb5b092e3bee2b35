"""Keep track of what lies on which shelf."""

from stockroom.errors import OutOfStock, StockroomError, UnknownItem
from stockroom.inventory import Inventory
from stockroom.item import Item

__all__ = ["Inventory", "Item", "OutOfStock", "StockroomError", "UnknownItem"]
