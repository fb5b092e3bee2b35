from stockroom import Inventory, Item
from stockroom.storage import JsonStore


def test_what_is_saved_is_loaded(tmp_path):
    store = JsonStore(tmp_path / "stock.json")
    store.save(Inventory([Item("NUT", "Nut M3", 2, 100, "A1")]))
    assert [item.code for item in store.load()] == ["NUT"]


def test_no_file_is_an_empty_inventory(tmp_path):
    assert len(JsonStore(tmp_path / "stock.json").load()) == 0
