"""Prices in cents: discounts, taxes, and how they are written."""


def discounted_price(price, percent):
    """Return a price after a discount of so many per cent, rounded to whole cents.

    Half a cent is rounded up. Raises ValueError for less than 0 or more than 100 per cent.
    """
    if not 0 <= percent <= 100:
        raise ValueError("a discount is between 0 and 100 per cent")
    return price * (100 - percent) // 100


def with_tax(price, percent=20):
    """Return a price with tax, rounded to whole cents; half a cent is rounded up."""
    return (price * (100 + percent) + 50) // 100


def bulk_price(price, pieces, *, steps=((10, 5), (100, 10))):
    """Return what so many pieces cost; from each step on its discount counts for all of them."""
    percent = 0
    for least, discount in steps:
        if pieces >= least:
            percent = discount
    return discounted_price(price * pieces, percent)


def format_price(cents, currency="EUR"):
    """Write a price for people, like '12.50 EUR'."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d} {currency}"


def parse_price(text):
    """Read a price like '12.50' or '12' as cents. Raises ValueError."""
    whole, _, rest = text.strip().partition(".")
    if not whole.isdigit() or (rest and not rest.isdigit()) or len(rest) > 2:
        raise ValueError(f"not a price: {text!r}")
    return int(whole) * 100 + int(rest.ljust(2, "0") or 0)
