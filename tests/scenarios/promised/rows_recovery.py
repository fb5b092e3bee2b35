"""Rows about tasks that cannot be finished as they stand, and what takes their place."""

from __future__ import annotations

import json

from tests.model_server import Rule
from tests.scenarios.projects import answer
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import (
    CLASSIFY,
    DECOMPOSE,
    PLAN,
    REWRITE,
    Asked,
    Scenario,
    to,
)


def parts(*titles: str) -> str:
    """A proposal of tasks, as the model answers it."""
    return json.dumps([{"title": title, "acceptance": []} for title in titles])


def replaced_by(left: Left, strategy: str, statuses: dict[str, str]) -> None:
    """A strategy was applied: the old task is gone but for its audit trail, the new ones done."""
    assert left.statuses == statuses
    roadmap = left.tree["ROADMAP.md"].decode()
    assert f"<!-- RECOVERY: {strategy.upper()} at " in roadmap
    assert "<!-- Original: " in roadmap
    assert "<!-- Reason: " in roadmap
    assert f"Recovery strategy: {strategy.upper()}" in left.log
    made = left.report["recoveries"]["by_strategy"][strategy]
    assert made == {"attempted": 1, "applied": 1, "successful": 1}
    assert strategy in [each["edit"] for each in left.report["roadmap_modifications"]]
    assert f"| {strategy} | 1 | 1 | 1 |" in left.text
    left.check_tests_pass()


AUTH = (
    "Add `src/auth.py`: hash passwords, verify passwords, create signed tokens and verify tokens, "
    "with `tests/test_auth.py`"
)
WRONG = {
    "src/auth.py": "def hash_password(text):\n    return text + {0!r}\n",
    "tests/test_auth.py": "from src.auth import hash_password\n\n\ndef test_hash():\n"
    "    assert hash_password('a') not in ('a', 'a{0}')\n",
}


def failing(files: dict[str, str]) -> tuple[str, ...]:
    """Four answers, each another one, none of them right: an attempt has no more of one type."""
    return tuple(
        answer(
            {
                path: text.replace("{0!r}", repr(str(n))).replace("{0}", str(n))
                for path, text in files.items()
            }
        )
        for n in range(4)
    )


PASSWORDS = "Add `src/auth.py` with `hash_password(text)` and `check(text, hashed)`"
TOKENS = (
    "Add `src/tokens.py` with `create(name, key)` and `read(token, key)`, and `tests/test_auth.py`"
)
PASSWORDS_MADE = {
    "src/auth.py": "import hashlib\n\n\ndef hash_password(text):\n"
    "    return hashlib.sha256(text.encode()).hexdigest()\n\n\n"
    "def check(text, hashed):\n    return hash_password(text) == hashed\n",
    "tests/test_passwords.py": "from src.auth import check, hash_password\n\n\n"
    'def test_check():\n    assert check("a", hash_password("a"))\n',
}
TOKENS_MADE = {
    "src/tokens.py": "from src.auth import hash_password\n\n\ndef create(name, key):\n"
    '    return f"{name}.{hash_password(name + key)}"\n\n\ndef read(token, key):\n'
    '    name = token.partition(".")[0]\n    return name if create(name, key) == token else None\n',
    "tests/test_auth.py": "from src.tokens import create, read\n\n\ndef test_read():\n"
    '    assert read(create("ann", "k"), "k") == "ann"\n    assert read("ann.x", "k") is None\n',
}
PLANNED = json.dumps(
    {
        "likely_files": ["src/auth.py", "src/settings.py", "tests/test_auth.py"],
        "steps": ["hash", "verify", "create tokens", "verify tokens"],
        "acceptance": ["a password is verified"],
        "complexity": "high",
    }
)


def _planning(left: Left) -> None:
    assert PLAN in left.prompts[0]
    assert "Planning task [1.1]" in left.log
    assert left.log.index("Planning task [1.1]") < left.log.index("Executing task [1.1]")
    assert "Files: src/auth.py, src/settings.py, tests/test_auth.py" in left.prompts[1]
    assert 'KEY = "k"' in left.prompts[1], "the plan's file is shown"
    assert "Classified failure: TASK_TOO_COMPLEX" in left.log
    done = "completed"
    replaced_by(left, "decompose", {"1.1.1": done, "1.1.2": done, "1.1": "replaced"})


PLANNING = Scenario(
    id="planning",
    files={
        "ROADMAP.md": f"- [ ] 1.1 {AUTH}\n".encode(),
        "src/__init__.py": b"",
        "src/settings.py": b'KEY = "k"\n',
        "conftest.py": b"",
    },
    answers=(
        to(PLAN, AUTH, says=(PLANNED,)),
        to(DECOMPOSE, says=(parts(PASSWORDS, TOKENS),)),
        to(PLAN, "1.1.1", says=("no plan",)),
        to(PLAN, "1.1.2", says=("no plan",)),
        to(AUTH, says=failing(WRONG), without=(CLASSIFY, "1.1.1")),
        to("1.1.1", says=(answer(PASSWORDS_MADE),), without=("1.1.2",)),
        answer(TOKENS_MADE),
    ),
    asked=Asked(planning="always"),
    check=_planning,
)

CART = (
    "Add `shop/cart.py` with a shopping cart: products, items with quantities, discounts, tax, "
    "checkout and error handling, and `tests/test_cart.py`"
)
CART_WRONG = {
    "shop/cart.py": "class Cart:\n    total = {0}\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n"
    "    assert Cart().total == -1, {0}\n",
}
STEPS = {
    "Add `shop/product.py` with the class `Product` (name, price)": {
        "shop/product.py": "class Product:\n    def __init__(self, name, price):\n"
        "        self.name, self.price = name, price\n",
    },
    "Add `shop/cart.py` with the class `Cart`, which keeps products and sums them": {
        "shop/cart.py": "class Cart:\n    def __init__(self, tax=0):\n"
        "        self.products, self.tax = [], tax\n\n"
        "    def total(self):\n        net = sum(each.price for each in self.products)\n"
        "        return net + net * self.tax // 100\n",
    },
    "Add `tests/test_cart.py` for the cart's sum with tax": {
        "tests/test_cart.py": "from shop.cart import Cart\nfrom shop.product import Product\n\n\n"
        "def test_total():\n    cart = Cart(tax=10)\n"
        '    cart.products.append(Product("tea", 100))\n    assert cart.total() == 110\n',
    },
}


def _decompose(left: Left) -> None:
    assert left.of("1.1")["answers"] == 4
    new = {f"1.1.{n}": "completed" for n in range(1, 4)}
    replaced_by(left, "decompose", new | {"1.1": "replaced", "1.2": "completed"})
    roadmap = left.tree["ROADMAP.md"].decode()
    lines = [line for line in roadmap.splitlines() if line.lstrip().startswith("- [")]
    assert [line.partition(" Add")[0] for line in lines] == [
        "- [x] 1.1.1",
        "- [x] 1.1.2",
        "- [x] 1.1.3",
        "- [x] 1.2",
    ]
    assert (left.report["tasks"]["completed"], left.report["tasks"]["total"]) == (2, 2)
    (error,) = left.report["errors"]
    assert error["reason"] == "task_too_complex"
    assert error["references"]


DECOMPOSED = Scenario(
    id="decompose",
    files={
        "ROADMAP.md": f"# Shop\n\n- [ ] 1.1 {CART}\n- [ ] 1.2 Add `shop/names.py`\n".encode(),
        "shop/__init__.py": b"",
        "tests/test_shop.py": b"import shop\n\n\ndef test_shop():\n    assert shop\n",
    },
    answers=(
        to(DECOMPOSE, says=(parts(*STEPS),)),
        to(CART, says=failing(CART_WRONG), without=("1.1.1",)),
        *(answer(files) for files in STEPS.values()),
        answer({"shop/names.py": 'NAME = "tea"\n'}),
    ),
    check=_decompose,
)

USEFUL = "Add some useful utility functions to `src/utils.py`"
CLEAR = {
    "title": "Add `clamp(value, low, high)` to `src/utils.py`, with `tests/test_utils.py`",
    "details": ["`clamp` returns `low` below it, `high` above it, else the value"],
    "acceptance": ["`clamp(5, 1, 3)` returns 3"],
}
CLAMP = answer(
    {
        "src/utils.py": "def clamp(value, low, high):\n    return max(low, min(value, high))\n",
        "tests/test_utils.py": "from src.utils import clamp\n\n\ndef test_clamp():\n"
        "    assert (clamp(5, 1, 3), clamp(0, 1, 3), clamp(2, 1, 3)) == (3, 1, 2)\n",
    }
)


def _rewrite(left: Left) -> None:
    assert "Classified failure: TASK_TOO_VAGUE" in left.log
    statuses = dict(left.statuses)
    assert statuses.pop("1.1") in ("replaced", "completed")
    assert left.report["tasks"]["completed"] == 1
    roadmap = left.tree["ROADMAP.md"].decode()
    assert "`clamp(value, low, high)`" in roadmap
    assert "<!-- RECOVERY: REWRITE at " in roadmap
    assert "useful utility functions" in roadmap, "the original stands in the audit trail"
    made = left.report["recoveries"]["by_strategy"]["rewrite"]
    assert made == {"attempted": 1, "applied": 1, "successful": 1}
    left.check_tests_pass()


UNUSABLE = "src/utils.py\n```python\ndef useful(:\n```\n"
REWRITTEN = Scenario(
    id="rewrite",
    files={
        "ROADMAP.md": f"- [ ] 1.1 {USEFUL}\n".encode(),
        "src/__init__.py": b"",
        "src/utils.py": b"",
        "conftest.py": b"",
    },
    answers=(
        to(REWRITE, says=(json.dumps(CLEAR),)),
        to("clamp(value, low, high)", says=(CLAMP,)),
        Rule((USEFUL,), (CLASSIFY,), ("", UNUSABLE, "", UNUSABLE)),
    ),
    check=_rewrite,
)
ROWS = (PLANNING, DECOMPOSED, REWRITTEN)
