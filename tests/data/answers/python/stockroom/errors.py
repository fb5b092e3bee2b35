"""What can go wrong in a stockroom."""


class StockroomError(Exception):
    """Base of all errors of this package."""


class UnknownItem(StockroomError):
    """There is no item with this code."""

    def __init__(self, code):
        super().__init__(f"unknown item: {code}")
        self.code = code


class OutOfStock(StockroomError):
    """There are fewer pieces than were asked for."""

    def __init__(self, code, wanted, available):
        super().__init__(f"{code}: {wanted} wanted, {available} available")
        self.code = code
        self.wanted = wanted
        self.available = available
