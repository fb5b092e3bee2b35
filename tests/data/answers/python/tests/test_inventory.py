import pytest

from stockroom import Inventory, Item, OutOfStock, UnknownItem


@pytest.fixture
def inventory():
    return Inventory(
        [
            Item("NUT", "Nut M3", 2, 100, "A1"),
            Item("BOLT", "Bolt M3", 5, 40, "A1"),
            Item("GLUE", "Glue", 450, 3, "B2"),
        ]
    )


def test_pieces_of_a_known_code_are_added(inventory):
    inventory.add(Item("NUT", "Nut M3", 2, 50))
    assert inventory.quantity("NUT") == 150
    assert len(inventory) == 3


def test_an_unknown_code_is_an_error(inventory):
    with pytest.raises(UnknownItem):
        inventory.quantity("NAIL")


def test_remove_takes_pieces_away(inventory):
    assert inventory.remove("NUT", 30) is True
    assert inventory.quantity("NUT") == 70


def test_remove_of_too_many_takes_nothing(inventory):
    assert inventory.remove("GLUE", 4) is False
    assert inventory.quantity("GLUE") == 3


def test_reserved_pieces_are_not_available(inventory):
    inventory.reserve("BOLT", 15)
    assert inventory.available("BOLT") == 25
    assert inventory.quantity("BOLT") == 40


def test_no_more_than_there_is_can_be_reserved(inventory):
    with pytest.raises(OutOfStock) as caught:
        inventory.reserve("GLUE", 5)
    assert caught.value.available == 3


def test_items_are_sorted_by_a_field(inventory):
    assert [item.code for item in inventory.sorted_by("price")] == ["NUT", "BOLT", "GLUE"]


def test_total_value(inventory):
    assert inventory.total_value() == 200 + 200 + 1350


def test_low_stock(inventory):
    assert [item.code for item in inventory.low()] == ["GLUE"]
