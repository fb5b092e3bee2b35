"""What happens in the pictures: a small shop, and what the scripted model says to its tasks.

Three tasks end well, two of them after a repair; one is several tasks and becomes a proposal.
"""

from __future__ import annotations

import json

from tests.model_server import Held, ScriptedModel
from tests.scenarios.projects import answer

_LARGE = "Build the checkout"
FILES: dict[str, object] = {
    "ROADMAP.md": f"""\
# Roadmap of the shop

## Phase 1: Prices

- [ ] 1.1 Add `shop/price.py` with `euros(cents)`, and its tests
- [ ] 1.2 Add `shop/discount.py` with `discounted(cents, percent)`, rounded half up, and its tests

## Phase 2: Orders

- [ ] 2.1 {_LARGE}: a cart, payment by card, a mail
- [ ] 2.2 Add `shop/receipt.py` with `line(name, cents)` that uses `euros`, and its tests
""".encode(),
    "shop/__init__.py": b'"""A small shop."""\n',
    "tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop.__doc__\n",
}

_PRICE = answer(
    {
        "shop/price.py": '"""Prices."""\n\n\ndef euros(cents: int) -> str:\n'
        '    """Return a price as people read it."""\n    return f"{cents / 100:.2f} €"\n',
        "tests/test_price.py": "from shop.price import euros\n\n\n"
        'def test_euros():\n    assert euros(250) == "2.50 €"\n',
    }
)
_PRICE_NO_COLON = _PRICE.replace("-> str:", "-> str")
_DISCOUNT = answer(
    {
        "shop/discount.py": '"""Discounts."""\n\n\n'
        "def discounted(cents: int, percent: int) -> int:\n"
        '    """Return the price less some percent, rounded half up."""\n'
        "    return (cents * (100 - percent) + 50) // 100\n",
        "tests/test_discount.py": "from shop.discount import discounted\n\n\n"
        "def test_half_a_cent_is_rounded_up():\n    assert discounted(25, 10) == 23\n",
    }
)
_DISCOUNT_CUT_OFF = _DISCOUNT.replace(" + 50) //", ") //")
_RECEIPT = answer(
    {
        "shop/receipt.py": '"""Receipts."""\n\nfrom shop.price import euros\n\n\n'
        'def line(name: str, cents: int) -> str:\n    """Return one line of a receipt."""\n'
        '    return f"{name}  {euros(cents)}"\n',
        "tests/test_receipt.py": "from shop.receipt import line\n\n\n"
        'def test_line():\n    assert line("tea", 250) == "tea  2.50 €"\n',
    }
)
_PARTS = [
    ("Add `shop/cart.py` with `Cart.total(prices)`", "quantities of 0 count nothing"),
    ("Add `shop/payment.py` with `pay(card, cents)`", "an expired card raises `Declined`"),
    ("Add `shop/mail.py` with `confirmation(order)`", "the mail names each article and the total"),
]
_TOTALS = (
    "len(cart)",
    "max(cart.values())",
    "min(cart.values())",
    "2 * len(cart)",
    "len(cart) + 3",
)
"""Five ways to be wrong."""


def _checkout(total: str) -> str:
    """An attempt at the large task: a cart whose tests, once more, are red."""
    return answer(
        {
            "shop/cart.py": '"""The checkout."""\n\n\ndef checkout(cart: dict[str, int]) -> int:\n'
            f'    """Return what the buyer pays."""\n    return {total}\n',
            "tests/test_cart.py": "from shop.cart import checkout\n\n\n"
            "def test_total():\n"
            '    assert checkout({"tea": 2, "milk": 1}) == 3\n',
        }
    )


def tell(model: ScriptedModel) -> Held:
    """Line up the answers; the last task's is held, so that one can look meanwhile."""
    last = Held(_RECEIPT)
    parts = [{"title": title, "acceptance": [case]} for title, case in _PARTS]
    model.when(contains="A programmer could not finish").says(
        "task_too_complex\nCart, payment and mail are three tasks."
    )
    model.when(contains="because it is too much at once").says(json.dumps(parts))
    model.when(contains="1.1 Add `shop/price.py`").says(_PRICE_NO_COLON, _PRICE)
    model.when(contains="1.2 Add `shop/discount.py`").says(_DISCOUNT_CUT_OFF, _DISCOUNT)
    model.when(contains="2.2 Add `shop/receipt.py`").says(last)
    model.when(contains=_LARGE).says(*map(_checkout, _TOTALS))
    return last
