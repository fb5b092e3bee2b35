"""What files define, use and import, in every language the symbol map knows."""

from __future__ import annotations

import resource
import time
import tracemalloc
from collections.abc import Callable

import pytest

from runner.checks.grammars import checked
from runner.code.imports import ModulePaths, imported
from runner.code.languages import LANGUAGES, language_of
from runner.code.symbols import MAX_DEFINITIONS, MAX_SECONDS, NONE, symbols_of

FILES: dict[str, tuple[str, list[str], set[str], list[str]]] = {
    "a.py": (
        "import os.path\nfrom .x import (a,\n b)\nK = 3\n@dec\nclass A(B):\n"
        "    def f(self, x: int) -> int:\n        return g(x).h()\n\nasync def z():\n    pass\n",
        ["K = 3", "class A(B)", "  def f(self, x: int) -> int", "async def z()"],
        {"g", "h"},
        ["import os.path", "from .x import (a,\n b)"],
    ),
    "a.js": (
        'import x from "./x";\nexport const f = (a) => a + 1;\nfunction g(a) {\n  return f(a);\n}\n'
        "class K {\n  m() {\n    new Q();\n  }\n}\n",
        ["const f = (a) => a + 1;", "function g(a)", "class K", "  m()"],
        {"f", "Q"},
        ['"./x"'],
    ),
    "a.jsx": ("export function App() { return <Foo/>; }\n", ["function App()"], {"Foo"}, []),
    "a.ts": (
        'import {A} from "./a";\ninterface I { x: number }\ntype T = I;\n'
        "function f(a: I): T { return g(a) }\nenum E {A}\n",
        ["interface I", "type T = I;", "function f(a: I): T", "enum E"],
        {"I", "T", "g"},
        ['"./a"'],
    ),
    "a.tsx": ("const App = () => <Foo/>;\n", ["const App = () => <Foo/>;"], {"Foo"}, []),
    "a.go": (
        'package x\nimport (\n "fmt"\n m "a.b/c/models"\n)\ntype S struct { a int }\n'
        "func (s *S) M(a int) error { return fmt.Errorf() }\n",
        ["type S struct { a int }", "func (s *S) M(a int) error"],
        {"Errorf", "S", "error", "int"},
        ['"fmt"', '"a.b/c/models"'],
    ),
    "a.rs": (
        "use crate::a::b::C;\nmod util;\npub struct S { a: i32 }\n"
        "impl S {\n  pub fn new() -> Self { util::go() }\n}\n",
        ["pub struct S", "pub fn new() -> Self"],
        {"S", "Self", "go"},
        ["use crate::a::b::C;", "mod util;"],
    ),
    "A.java": (
        "import a.c.D;\npublic class A extends B {\n  public int f(D d) { return d.g(); }\n}\n",
        ["public class A extends B", "  public int f(D d)"],
        {"B", "D", "g"},
        ["import a.c.D;"],
    ),
    "A.cs": (
        "using A.B;\nnamespace S;\npublic record R(int X);\npublic class K<T> : Base, IFoo<T>\n{\n"
        "  public int Total { get; set; }\n  private List<Item> x = new Bag();\n"
        "  public K(D d) { Go(d); }\n  public int F(D d) => d.G().H<E>();\n}\n",
        [
            "public record R(int X);",
            "public class K<T> : Base, IFoo<T>",
            "  public int Total { get; set; }",
            "  public K(D d)",
            "  public int F(D d)",
        ],
        {"Base", "IFoo", "List", "Bag", "D", "Go", "G", "H"},
        ["using A.B;"],
    ),
    "a.c": (
        '#include "x.h"\nstruct S { int a; };\nstatic char *f(int a) { return g(a); }\n'
        "int h(void);\n",
        ["struct S", "static char *f(int a)", "int h(void);"],
        {"S", "g"},
        ['"x.h"'],
    ),
    "a.cpp": (
        '#include "x.h"\nclass K {\n  int m() { return 1; }\n};\nint K::q() { return K::z(); }\n',
        ["class K", "  int m()", "int K::q()"],
        {"K", "z"},
        ['"x.h"'],
    ),
    "a.rb": (
        'require_relative "x/y"\nclass C\n  def f(a)\n    g(a)\n  end\nend\n',
        ["class C", "  def f(a)"],
        {"C", "g", "require_relative"},
        ['"x/y"'],
    ),
    "a.php": (
        "<?php\nuse A\\B\\C;\nclass K {\n  function f($a) { return $this->g(h(1)); }\n}\n",
        ["class K", "  function f($a)"],
        {"g", "h"},
        ["A\\B\\C"],
    ),
    "a.sh": (
        "source ./lib.sh\nf() {\n  g x\n}\n",
        ["f()"],
        {"g", "source"},
        ["./lib.sh"],
    ),
    "a.css": ('@import "x.css";\n#i { e: f }\n', ["#i { e: f }"], set(), ['@import "x.css";']),
    "a.html": ('<script src="a.js"></script>\n', [], set(), ["a.js"]),
}


@pytest.mark.parametrize("path", FILES)
def test_symbols(path: str) -> None:
    """Definitions with their nesting, the names that are used, the imports as they stand there."""
    text, definitions, references, imports = FILES[path]
    found = symbols_of(path, text.encode())

    assert [f"{'  ' * d.depth}{d.signature}" for d in found.definitions] == definitions
    assert found.references == references
    assert list(found.imports) == imports


def test_lines_include_decorators_and_the_whole_body() -> None:
    """A definition is cut out with what belongs to it."""
    found = symbols_of("a.py", FILES["a.py"][0].encode()).definitions

    assert [(d.name, d.line, d.end_line) for d in found] == [
        ("K", 4, 4),
        ("A", 5, 8),
        ("f", 7, 8),
        ("z", 10, 11),
    ]


def test_a_file_with_a_fault_keeps_its_other_symbols() -> None:
    """What does not parse does not hide the rest."""
    found = symbols_of("a.py", b"def f(:\n    pass\n\n\ndef g():\n    return 1\n").definitions

    assert "g" in {definition.name for definition in found}


def test_an_unknown_language_has_none() -> None:
    """A file of a language without a grammar is left to the search."""
    assert symbols_of("a.txt", b"def f(): pass\n") == NONE


def test_many_definitions_are_bounded() -> None:
    """A generated file does not fill the map."""
    found = symbols_of("a.py", b"def f(): pass\n" * 4_000).definitions

    assert len(found) == MAX_DEFINITIONS


_HOSTILE = [b"(", b"a<b<", b"a<b<\n", b"*", b"lambda x:", b"//\n", b'"', b"a.", b"if(a)"]


@pytest.mark.sample(4, "takes a second for each language")
@pytest.mark.parametrize("suffix", [row.suffixes[0] for row in LANGUAGES.values()])
@pytest.mark.parametrize(
    "size",
    [16_000, pytest.param(64_000, marks=pytest.mark.long("takes seconds for each language"))],
)
def test_hostile_files_cost_little(suffix: str, size: int) -> None:
    """Files made to be hard to parse cost a bounded time and no memory to speak of."""
    grammar_of = symbols_of(f"a{suffix}", b"x")  # loading the grammar is not measured
    assert grammar_of.definitions == ()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for bit in _HOSTILE:
        began = time.thread_time()
        symbols_of(f"a{suffix}", bit * (size // len(bit)))
        assert time.thread_time() - began < 8 * MAX_SECONDS, bit
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize("read", [symbols_of, lambda path, text: checked(path, text, "bash")])
def test_a_file_that_was_read_is_not_kept(read: Callable[[str, bytes], object]) -> None:
    """What the parser was given of a file is free again, however often it jumped back in it."""
    for text in (b"if(a)" * 400, b"if(a)" * 401):
        read("a.sh", text)
        tracemalloc.start()
        for number in range(3):
            read("a.sh", text[:-1] + b"%d" % number)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert held < 100_000


def test_a_shorter_file_after_a_longer_one() -> None:
    """Files share what the parser reads from; each has its own symbols, to its last byte."""
    longer = b"const a = require('x/long');\nfunction f() { return g(); }\n"

    for text, name in ((longer, b"long"), (b"require('y')", b"y"), (longer, b"long")):
        found = symbols_of("a.js", text)
        assert [name.decode() in each for each in found.imports] == [True]
        assert bool(found.definitions) == (text == longer)


def test_the_time_limit_ends_a_parse() -> None:
    """A parse that takes too long by the clock gives the file up."""
    ticks = iter(range(1_000_000))

    assert symbols_of("a.py", b"def f(): pass\n" * 900, clock=lambda: float(next(ticks))) == NONE


def test_every_language_is_tried() -> None:
    """A language without an example in ``FILES`` is named here."""
    assert [name for name in LANGUAGES if name not in set(map(language_of, FILES))] == []


TREE = ModulePaths(
    [
        "src/shop/__init__.py",
        "src/shop/cart.py",
        "src/shop/tax/rates.py",
        "other/cart.py",
        "web/app.ts",
        "web/lib/index.ts",
        "web/lib/sum.js",
        "go/models/user.go",
        "go/models/user_test.go",
        "rust/src/main.rs",
        "rust/src/util.rs",
        "rust/src/net/mod.rs",
        "java/src/a/b/Car.java",
        "java/src/a/b/Van.java",
        "net/Shop/Cart/Line.cs",
        "net/Shop/Cart/Total.cs",
        "c/x.h",
        "ruby/lib/x/y.rb",
        "php/src/B/Car.php",
        "css/x.css",
    ]
)


@pytest.mark.parametrize(
    ("path", "statement", "found"),
    [
        ("src/shop/till.py", "from shop.tax import rates", ["src/shop/tax/rates.py"]),
        ("src/shop/till.py", "from .cart import Cart", ["src/shop/cart.py"]),
        ("src/shop/tax/vat.py", "from ..cart import Cart", ["src/shop/cart.py"]),
        ("src/shop/till.py", "import shop.cart as c, os", ["src/shop/cart.py"]),
        ("other/x.py", "import cart", ["other/cart.py"]),
        ("src/shop/till.py", "from . import (\n cart)", ["src/shop/cart.py"]),
        ("web/app.ts", '"./lib"', ["web/lib/index.ts"]),
        ("web/lib/index.ts", '"./sum.js"', ["web/lib/sum.js"]),
        ("web/lib/sum.js", '"../app.js"', ["web/app.ts"]),
        ("web/app.ts", '"react"', []),
        ("go/main.go", '"example.org/go/models"', ["go/models/user.go"]),
        ("rust/src/main.rs", "mod util;", ["rust/src/util.rs"]),
        ("rust/src/util.rs", "use crate::net::Socket;", ["rust/src/net/mod.rs"]),
        ("java/src/a/X.java", "import a.b.Car;", ["java/src/a/b/Car.java"]),
        (
            "net/Shop/Till.cs",
            "using Shop.Cart;",
            ["net/Shop/Cart/Line.cs", "net/Shop/Cart/Total.cs"],
        ),
        ("net/Shop/Till.cs", "using static Shop.Cart.Total;", ["net/Shop/Cart/Total.cs"]),
        ("net/Shop/Till.cs", "using L = Shop.Cart.Line;", ["net/Shop/Cart/Line.cs"]),
        ("net/Shop/Till.cs", "using System;", []),
        ("c/main.c", '"x.h"', ["c/x.h"]),
        ("ruby/lib/z.rb", '"x/y"', ["ruby/lib/x/y.rb"]),
        ("php/src/Main.php", "App\\B\\Car", ["php/src/B/Car.php"]),
        ("css/main.css", '@import "x.css";', ["css/x.css"]),
        ("css/main.css", '@import "https://example.org/x.css";', []),
    ],
)
def test_imports(path: str, statement: str, found: list[str]) -> None:
    """A statement leads to the file it names, and to no other."""
    assert sorted(imported(path, [statement], TREE) - {"src/shop/__init__.py"}) == found
