"""What the model is shown of the repository, told as conversations."""

from __future__ import annotations

import json

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, answer, on

FULL_STACK = {
    "ROADMAP.md": b"""\
# Shop

- [ ] 1.1 Add `shop/model.py` with the class `Item` (name, price)
- [ ] 1.2 Add `shop/repository.py` with the class `Items` that keeps items
- [ ] 1.3 Add `shop/service.py` with `worth(items)`, the sum of all prices
- [ ] 1.4 Add `tests/test_model.py` for the class `Item`
- [ ] 1.5 Add `tests/test_service.py` for `worth`
""",
    "shop/__init__.py": b"",
    "tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop\n",
}
MADE = [
    {
        "shop/model.py": "class Item:\n    def __init__(self, name, price):\n"
        "        self.name, self.price = name, price\n"
    },
    {
        "shop/repository.py": "from shop.model import Item\n\n\nclass Items:\n"
        "    def __init__(self):\n        self.all = []\n\n"
        "    def put(self, name, price):\n        self.all.append(Item(name, price))\n"
    },
    {
        "shop/service.py": "from shop.repository import Items\n\n\ndef worth(items: Items):\n"
        "    return sum(item.price for item in items.all)\n"
    },
    {
        "tests/test_model.py": "from shop.model import Item\n\n\ndef test_item():\n"
        '    assert Item("tea", 3).price == 3\n'
    },
    {
        "tests/test_service.py": "from shop.repository import Items\n"
        "from shop.service import worth\n\n\ndef test_worth():\n    items = Items()\n"
        '    items.put("tea", 3)\n'
        "    assert worth(items) == 3\n"
    },
]


@MORE
@on(FULL_STACK)
async def test_each_task_sees_what_earlier_ones_made(bot: Bot) -> None:
    """Five tasks that build on each other: every context names what is there by then."""
    bot.model.says(*(answer(files) for files in MADE))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert all(f"✅ | **1.{n}**" in said for n in range(1, 6))
    for number, prompt in enumerate(bot.prompts):
        for path in (path for made in MADE[:number] for path in made):
            assert f"- wrote {path}: " in prompt
    assert "class Item; def __init__(self, name, price)" in bot.prompts[1]
    assert "def put(self, name, price)" in bot.prompts[2]
    assert "tests/test_service.py" in bot.changed(bot.pulls[4])


CASCADE = {
    "ROADMAP.md": b"- [ ] 1.1 Rename `total` in `lib/money.py` to `sum_up`\n",
    "lib/__init__.py": b"",
    "lib/money.py": b"def total(items):\n    return sum(items)\n",
    "lib/cart.py": b"from lib.money import total\n\n\ndef pay(cart):\n    return total(cart)\n",
    "lib/bill.py": b"from lib import money\n\n\ndef write(bill):\n    return money.total(bill)\n",
    "tests/test_cart.py": b"from lib.bill import write\nfrom lib.cart import pay\n\n\n"
    b"def test_pay():\n    assert pay([1]) == write([1]) == 1\n",
}
RENAMED = {"lib/money.py": "def sum_up(items):\n    return sum(items)\n"}
USERS = {
    "lib/cart.py": "from lib.money import sum_up\n\n\ndef pay(cart):\n    return sum_up(cart)\n",
    "lib/bill.py": "from lib import money\n\n\ndef write(bill):\n    return money.sum_up(bill)\n",
}


@on(CASCADE)
async def test_who_uses_what_is_renamed_is_named(bot: Bot) -> None:
    """The users are listed from the start; changing one file only is repaired by the tests."""
    bot.model.says(answer(RENAMED), answer(USERS))

    await bot.comment("/execute")

    (said,) = bot.says()
    told = bot.prompts[0].partition("# Who uses what this task may change")[2]
    assert "lib/cart.py\n    1: from lib.money import total\n    5: return total(cart)" in told
    assert "lib/bill.py\n    5: return money.total(bill)" in told
    assert "✅ | **1.1**" in said
    assert set(bot.changed(bot.pulls[0])) == {"ROADMAP.md", *RENAMED, *USERS}


async def test_what_a_run_taught_is_kept_for_the_repository(bot: Bot) -> None:
    """The server keeps a project memory beside the run's files, without being asked."""
    bot.model.says(ADD)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (memory,) = (each for each in bot.files("memory.json") if each.parent.parent.name != "runs")
    notes = json.loads(memory.read_text())["notes"]
    assert ("files", "calc/add.py") in {(note["kind"], note["about"]) for note in notes}
    assert "runs" in {note["kind"] for note in notes}
    (index,) = bot.files("facts.bin")
    assert index.stat().st_size > 200
