"""Search, ranking, impact, choosing and cutting."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from runner.code.symbols import symbols_of
from runner.context.cut import Wanted, cut, hard_cut, wanted_by
from runner.context.facts import facts_of
from runner.context.library import (
    MAX_FILE,
    MAX_FILES,
    Index,
    Library,
    chosen,
    layout,
    library,
    project_type,
)
from runner.context.rank import ranked
from runner.context.search import terms
from runner.context.tokens import counter, estimate
from runner.state.changes import FILE, SYMLINK, TreeEntry, blob_sha

SHOP = {
    "shop/money.py": "def total(items):\n    return sum(items)\n\n\ndef cut(x):\n    return x\n",
    "shop/cart.py": "from shop.money import total\n\n\ndef pay(cart):\n    return total(cart)\n",
    "shop/bill.py": "from shop import money\n\n\ndef write(bill):\n    print(money.total(bill))\n",
    "shop/mail.py": "def send(letter):\n    return letter\n",
    "tests/test_money.py": "from shop.money import total\n\n\ndef test_total():\n    total([1])\n",
}


def known(files: Mapping[str, str]) -> Library:
    """The library of some files."""
    return library({path: facts_of(path, text.encode()) for path, text in files.items()})


def test_terms_split_identifiers_and_cut_endings() -> None:
    """Names meet the words of a sentence."""
    assert set(terms("parseHTTPHeaders")) >= {"pars", "http", "header"}
    assert terms("parsing") == terms("parsed") == terms("parses")
    assert "round_up" in terms("round_up(x)")
    assert terms("the def of a") == []


def test_search_finds_words_of_paths_and_contents() -> None:
    """The best file has 1, one without a word of the query is not there."""
    files = {"a.md": "cart payment", "b.md": "cart", "c.md": "mail", "d.md": "", "pay/e.md": "x y"}
    scores = known(files).search.scores(terms("paying for carts, payments"))

    assert max(scores, key=scores.__getitem__) in ("a.md", "pay/e.md")
    assert max(scores.values()) == 1.0
    assert set(scores) == {"a.md", "b.md", "pay/e.md"}
    assert known({}).search.scores(["x"]) == {}


def test_search_ranks_as_bm25_does() -> None:
    """The same order and the same ratios as the library whose formula it is."""
    import bm25s  # type: ignore[import-untyped]

    files = {
        f"{n:03}.md": " ".join(f"w{n % 7}x{n * m % 11}" for m in range(n + 3)) for n in range(60)
    }
    library_of = bm25s.BM25(method="lucene")
    library_of.index(
        [terms(text) + terms(name[:-3]) * 3 for name, text in files.items()], show_progress=False
    )
    query = terms("w3x4 w1x2 w1x2 w5x9")
    expected = library_of.get_scores(query)
    found = known(files).search.scores(query)

    assert found
    for at, path in enumerate(files):
        assert found.get(path, 0.0) == pytest.approx(expected[at] / expected.max(), abs=1e-4)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Rename `total` to `sum_all`", []),
        ("Rename total to sum_all everywhere", ["shop/money.py"]),
        ("`total()` of `shop/money.py` must round", ["shop/money.py"]),
    ],
)
def test_who_uses_what_changes(text: str, named: list[str]) -> None:
    """The import graph names all users of a function the task names, and nobody else."""
    ranking = ranked(known(SHOP), text, named=named)

    assert {target.path for target in ranking.targets} == {"shop/money.py"}
    assert ranking.users == {
        path: ("total",) for path in ("shop/bill.py", "shop/cart.py", "tests/test_money.py")
    }
    assert max(ranking.scores, key=ranking.scores.__getitem__) == "shop/money.py"


def test_who_imports_a_file_that_changes_as_a_whole() -> None:
    """Without a name of a definition all importers are users."""
    ranking = ranked(known(SHOP), "Tidy up `shop/money.py`", named=["shop/money.py"])

    assert {"shop/cart.py", "tests/test_money.py"} <= set(ranking.users)


def test_a_stub_comes_after_the_code() -> None:
    """The definition that runs is shown first, though ``__init__.pyi`` sorts before it."""
    files = {
        "p/__init__.pyi": "def total(x): ...\n",
        "p/sums.py": "def total(x):\n    return x\n",
    }

    assert [target.path for target in ranked(known(files), "Fix `total`").targets] == [
        "p/sums.py",
        "p/__init__.pyi",
    ]


def test_a_class_says_which_method_is_meant() -> None:
    """However many others there are of that name."""
    files = {f"m{n}.py": f"class A{n}:\n    def run(self):\n        pass\n" for n in range(9)}

    assert [t.path for t in ranked(known(files), "`A4.run` must stop").targets][:1] == ["m4.py"]


def test_a_name_everybody_defines_says_nothing() -> None:
    """A common name is no hint at a place."""
    files = {f"m{n}.py": "def main():\n    pass\n" for n in range(9)}

    assert ranked(known(files), "Fix `main`").targets == ()


def test_files_an_important_one_imports_count_more() -> None:
    """What the best file imports is lifted above what is not connected."""
    files = {
        "a.py": "from helper import x\n\n\ndef overdue_rent():\n    return x\n",
        "helper.py": "x = 1\n",
        "loose.py": "y = 1\n",
    }
    scores = ranked(known(files), "`overdue_rent` is wrong").scores

    assert scores["helper.py"] > scores.get("loose.py", 0.0)


def test_the_index_reads_a_blob_once() -> None:
    """The same content under another path of its language is known already."""
    index = Index()
    sha = blob_sha(b"def f(): pass\n")
    made = index.learn("a.py", sha, b"def f(): pass\n")

    assert index.known("b/c.py", sha) is made
    assert index.known("a.js", sha) is None
    assert index.library({"a.py": made}, {"a.py": sha}) is index.library(
        {"a.py": made}, {"a.py": sha}
    )


def entry(size: int = 10, mode: str = FILE) -> TreeEntry:
    return TreeEntry(mode, "0" * 40, size)


def test_which_files_are_read() -> None:
    """Named ones first, then what shares words; no link, nothing binary or large, foreign last."""
    entries = {
        "z.py": entry(),
        "docs/cart.md": entry(),
        "node_modules/cart.js": entry(),
        "logo.png": entry(),
        "big.py": entry(MAX_FILE + 1),
        "link.py": entry(mode=SYMLINK),
        "named.txt": entry(),
        "large.py": entry(900_000),
        "data.csv": entry(65_000),
        "lib.min.js": entry(65_000),
    }

    assert chosen(entries, text="the cart", first=["named.txt", "gone.py"]) == [
        "named.txt",
        "docs/cart.md",
        "large.py",
        "z.py",
        "node_modules/cart.js",
    ]


def test_how_many_files_are_read() -> None:
    """Of a huge tree so many and no more, those that share words with the task among them."""
    entries = {f"f{n}.py": entry() for n in range(MAX_FILES + 500)} | {"deep/er/cart.txt": entry()}
    paths = chosen(entries, text="the cart", first=[])

    assert len(paths) == MAX_FILES
    assert paths[0] == "deep/er/cart.txt"


CLASS = "import os\n\n\nclass A:\n" + "\n".join(
    f"    def m{n}(self):\n" + f"        x = {n}\n" * 9 for n in range(20)
)


def test_cutting_keeps_whole_methods() -> None:
    """A long class keeps the methods the task is about, and names what is left out."""
    symbols = symbols_of("a.py", CLASS.encode())
    about = Wanted(frozenset({"m7"}))
    shown = cut(CLASS, symbols, about=about, limit=400, count=estimate)

    assert "    def m7(self):\n" + "        x = 7\n" * 8 in shown
    assert shown.startswith("import os\n")
    assert "left out: " in shown
    assert estimate(shown) <= 400


@pytest.mark.parametrize("limit", [5, 50, 500])
@pytest.mark.parametrize("text", ["x" * 60_000, "word " * 9_000, "a\n" * 30_000, "漢" * 9_000])
def test_cutting_keeps_the_limit(text: str, limit: int) -> None:
    """Whatever the text, what is left fits."""
    symbols = symbols_of("a.py", text.encode())

    assert estimate(cut(text, symbols, about=Wanted(), limit=limit, count=estimate)) <= limit + 8
    assert estimate(hard_cut(text, limit=limit, count=estimate)) <= limit + 8


FINDERS = "import re\n\n\n" + "\n\n".join(
    f"def find_user_by_{n}(users, wanted):\n" + "    find = [user for user in users]\n" * 9
    for n in range(40)
)


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("def find(users):\n    return users", "`find` must find no user twice", "def find(users)"),
        (
            'def old():\n    raise ValueError("No such user!")',
            'Say "No such user!" in German',
            "old",
        ),
        ("LIMIT_OF_ALL = 8", "Find users up to a LIMIT_OF_ALL of 9", "LIMIT_OF_ALL = 8"),
    ],
)
def test_what_the_task_names_stays_before_what_shares_its_words(
    code: str, text: str, shown: str
) -> None:
    """The definition itself, or the quoted message, and not forty neighbours with its words."""
    source = f"{FINDERS}\n\n{code}\n\n\ndef last():\n    pass\n"
    part = cut(
        source, symbols_of("a.py", source.encode()),
        about=wanted_by(text), limit=300, count=estimate,
    )  # fmt: skip

    assert shown in part
    assert "def last():" in part, "whoever adds something behind it must see what is there"


def test_of_methods_of_one_name_that_of_the_named_class_stays() -> None:
    """``B.run`` is not ``A.run``."""
    source = "\n\n".join(
        f"class {name}:\n    kind = '{name}'\n\n    def run(self):\n"
        + f"        return {name!r}\n" * 20
        + "".join(f"\n    def other_{n}(self):\n" + "        pass\n" * 9 for n in range(8))
        for name in "ABC"
    )
    symbols = symbols_of("a.py", source.encode())
    part = cut(source, symbols, about=wanted_by("Fix `B.run`"), limit=340, count=estimate)

    assert "return 'B'" in part
    assert "return 'A'" not in part


def test_of_a_definition_that_is_too_long_a_part_stays() -> None:
    """Its beginning and what the task is about, instead of nothing."""
    lines = [f"    step_{n}(x)" for n in range(400)]
    source = "import os\n\n\ndef build(x):\n" + "\n".join(lines) + "\n"
    symbols = symbols_of("a.py", source.encode())
    part = cut(
        source, symbols, about=wanted_by("`build` must not call `step_250`"),
        limit=600, count=estimate,
    )  # fmt: skip

    assert "def build(x):" in part
    assert "step_250(x)" in part


SAMPLES = {
    "code": (CLASS + SHOP["shop/bill.py"]) * 3,
    "prose": "The quick brown fox jumps over the lazy dog, doesn't it? " * 30,
    "numbers": "1234567890 3.14159 0xff " * 50,
    "signs": "a->b == {c: [d, !e], f: g && h || (i << 2)};\n" * 40,
    "chinese": "运行测试并提交更改。" * 40,
    "german": "Überprüfungsmöglichkeiten für Straßenverkehrsgeräte " * 30,
    "emoji": "🙂👍🏽 ok " * 30,
}


@pytest.mark.parametrize("model", ["gpt-5-mini", "gpt-4-turbo", "voyage-3"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_estimate_is_never_below_a_real_count(model: str, sample: str) -> None:
    """Where the vocabulary is not known we count too many tokens rather than too few."""
    real = counter(model)(SAMPLES[sample])

    assert counter(model) is not estimate
    assert real <= estimate(SAMPLES[sample]) <= (1.8 if sample in ("code", "prose") else 4) * real


def test_which_models_are_counted_exactly() -> None:
    """OpenAI's families by their names, everything else by the estimate."""
    assert counter("openai/gpt-4.1-mini") is counter("o3")
    assert counter("gpt-4") is not counter("gpt-4o")
    assert counter("qwen2.5-coder") is counter("") is estimate


def test_long_texts_are_counted() -> None:
    """The library refuses long texts; we hand them over in pieces."""
    assert counter("gpt-5")("word " * 400_000) > 400_000


def test_project_type_and_layout() -> None:
    """A line about the project, and a layout that fits into so many lines."""
    paths = [f"src/p{n}/m{m}.py" for n in range(30) for m in range(9)] + ["pyproject.toml"]
    lines = layout(paths, near=["src/p3/m1.py"], most=20)

    assert project_type(paths) == "Python (pyproject.toml); files: 270 python"
    assert len(lines) <= 20
    assert lines[0] == "src/p3/m0.py"
    assert "(1 file at the root)" in lines
    assert lines[-1].startswith("... and ")
    assert project_type([]) == ""
