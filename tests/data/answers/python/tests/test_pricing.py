import pytest

from stockroom.pricing import bulk_price, discounted_price, format_price, parse_price, with_tax


def test_discount_of_whole_cents():
    assert discounted_price(1000, 25) == 750
    assert discounted_price(1000, 0) == 1000


def test_discount_has_limits():
    with pytest.raises(ValueError):
        discounted_price(1000, 101)


def test_tax():
    assert with_tax(1000) == 1200
    assert with_tax(999, 7) == 1069


def test_bulk_price_takes_the_highest_step():
    assert bulk_price(100, 5) == 500
    assert bulk_price(100, 10) == 950
    assert bulk_price(100, 100) == 9000


def test_prices_are_written_for_people():
    assert format_price(1250) == "12.50 EUR"
    assert format_price(-5, "USD") == "-0.05 USD"


def test_prices_are_read():
    assert parse_price("12.5") == 1250
    assert parse_price(" 3 ") == 300
