"""A file's interface: which names others rely on, and which calls of them still work."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from runner.checks.asked import TaskWords
from runner.checks.interfaces import given_in, interface
from runner.checks.kept_names import losses, verdict
from runner.checks.uses import CodeFiles
from runner.state.changes import ChangeSet, Write
from runner.state.findings import Complaint


def complaints(
    path: str, old: str, new: str, users: dict[str, str] | None = None
) -> tuple[Complaint, ...]:
    """What a new version of ``path`` leads to beside other files, where the task asks for none."""
    changes = ChangeSet({path: Write(new.encode())})
    found = losses(changes, read={path: old.encode()}.get)
    tree = {name: text.encode() for name, text in (users or {}).items()} | {path: new.encode()}
    return verdict(found, CodeFiles(tree), task=TaskWords(""), asked=(), last=False).complaints


def question(path: str, old: str, new: str) -> str:
    """What a function does no longer, as the one question about it says; '' for none."""
    found = [each.message for each in complaints(path, old, new)]
    assert len(found) <= 1
    return "".join(found).partition(f" in {path} ")[2].partition(", which the task")[0]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x, y", "y, x", "takes `x` in another position"),
        ("x", "*, x", "takes `x` by name only"),
        ("x", "*more, x", ""),
        ("x, y", "x, *more", "no longer has a parameter `y`"),
        ("x, y", "x, **more", ""),
        ("x, y", "x, *more, **others", ""),
        ("x=1", "x", "no longer has a default for `x`"),
        ("*, x=1", "*, x", "no longer has a default for `x`"),
        ("*, x=1", "*, x=1, y", "requires `y`"),
        ("*, x", "*, y", "no longer has a parameter `x`"),
        ("x", "x, y", "requires `y`"),
        ("x", "x, y=1", ""),
        ("*more", "", "no longer takes a variable number of arguments"),
        ("**more", "", "no longer takes a variable number of arguments"),
        ("*more", "*others", ""),
        ("*more", "**more", "no longer takes a variable number of arguments"),
        ("x, /", "y, /", ""),
        ("x, y, /", "x, /", "takes 1 argument, no longer 2"),
        ("x, y=1, /", "x, y, /", "requires 2 arguments, no longer 1"),
        ("x, y, /", "y, x, /", "takes its arguments in another order"),
        ("x, /", "x, *more", ""),
        ("x, y, /", "*more", ""),
        ("x", "x=1", ""),
        ("x, y, /", "x, y, z, /", "requires 3 arguments, no longer 2"),
        ("x, y, /", "x, y, z=1, /", ""),
    ],
)
def test_parameters_of_python(old: str, new: str, expected: str) -> None:
    """What callers gave by place or by name they still may give; more is fine."""
    code = "def f({}):\n    pass\n"
    assert question("src/a.py", code.format(old), code.format(new)) == expected


@pytest.mark.parametrize(
    ("old", "new", "call", "breaks"),
    [
        ("x, y", "x", "f(1, 2)", True),
        ("x, y", "x", "f(1, y=2)", True),
        ("x, y=1", "x", "f(1)", False),
        ("x, y=1", "x", "f(*a)", False),
        ("x, y=1", "x", "f(**a)", False),
        ("x", "x, y", "f(x=1)", True),
        ("x=1, *, y=2", "x=1, *, y", "f(1)", True),
        ("x=1, *, y=2", "x=1, *, y", "f(1, y=3)", False),
        ("x, *more", "x", "f(1, 2)", True),
        ("x, *more", "x", "f(1)", False),
        ("x, **more", "x", "f(1, y=2)", True),
        ("x, **more", "x", "f(1)", False),
        ("x, y", "x, z", "f(1, 2)", False),
        ("x, y", "y, x", "f(1, 2)", True),
        ("x, y", "y, x", "f(x=1, y=2)", False),
        ("x, y", "y, x", "f(1)", False),
        ("x=1", "*, x=1", "f(1)", True),
        ("x=1", "*, x=1", "f(x=1)", False),
        ("x=1", "*, x=1", "f()", False),
        ("x", "x, y", "f()", False),
        ("x, y=1", "z, y=1", "f(1)", False),
        ("x, y=1", "z, y=1", "f(x=1)", True),
        ("x, y", "x, *rest", "f(1, 2)", False),
        ("x, y", "x, *rest", "f(1, y=2)", True),
    ],
)
def test_a_call_that_works_no_more(old: str, new: str, call: str, breaks: bool) -> None:
    """It is refused; where the calls there are still work, or worked never, it is a question."""
    code, user = "def f({}):\n    pass\n", f"from a import f\n\n{call}\n"
    found = complaints("src/a.py", code.format(old), code.format(new), {"src/b.py": user})
    assert [each.error for each in found] == ["ChangedSignature" if breaks else "SignatureChanged"]


FUNCTIONS = {
    "JavaScript": {"src/a.js": "export function f%s {\n  return 1;\n}\n"},
    "TypeScript": {
        "src/a.ts": "export async function f%s: T {\n  return 1;\n}\n",
        "src/b.ts": "export const f = %s: T => {\n  return 1;\n};\n",
    },
    "Go": {
        "a/a.go": "package a\n\nfunc F%s int {\n\treturn 1\n}\n",
        "a/b.go": "package a\n\nfunc (x *T) F%s int {\n\treturn 1\n}\n",
    },
}


@pytest.mark.parametrize(
    ("language", "old", "new", "expected"),
    [
        ("JavaScript", "(a, b)", "(a)", "takes 1 argument, no longer 2"),
        ("JavaScript", "(a)", "(a, b)", "requires 2 arguments, no longer 1"),
        ("JavaScript", "(a)", "(a, b = 1)", ""),
        ("JavaScript", "(a)", "(a, ...more)", ""),
        ("JavaScript", "(a, b)", "(b, a)", "takes its arguments in another order"),
        ("JavaScript", "(a, b)", "(a, ...more)", ""),
        ("JavaScript", "(...more)", "()", "no longer takes a variable number of arguments"),
        ("JavaScript", "(a, ...more)", "(a)", "no longer takes a variable number of arguments"),
        ("JavaScript", "(a = [1, 2], b)", "(a = [1, 2])", "takes 1 argument, no longer 2"),
        ("JavaScript", "({a, b}, c)", "({a, b})", "takes 1 argument, no longer 2"),
        ("JavaScript", "(a = f(1, 2))", "(a)", "requires 1 argument, no longer 0"),
        ("JavaScript", "(a)", "(b)", ""),
        ("JavaScript", "(a, b = 1)", "(a, b)", "requires 2 arguments, no longer 1"),
        ("JavaScript", "(a, b = () => 1)", "(a, b)", "requires 2 arguments, no longer 1"),
        ("JavaScript", "(a", "(a)", ""),
        ("JavaScript", "(a)", "(a, b = {c: 1})", ""),
        ("JavaScript", "(a)", "(a, b, c)", "requires 3 arguments, no longer 1"),
        ("TypeScript", "(a: number)", "(a?: number)", ""),
        ("TypeScript", "(a?: number)", "(a: number)", "requires 1 argument, no longer 0"),
        (
            "TypeScript",
            "(private a: T)",
            "(public a: T, b: T)",
            "requires 2 arguments, no longer 1",
        ),
        ("TypeScript", "(a: () => T)", "(a: () => T, b: T)", "requires 2 arguments, no longer 1"),
        (
            "TypeScript",
            "(a: T, b: (c: T) => T)",
            "(b: (c: T) => T, a: T)",
            "takes its arguments in another order",
        ),
        ("Go", "(a int)", "(b int)", ""),
        ("Go", "(a, b int)", "(a int)", "takes 1 argument, no longer 2"),
        (
            "Go",
            "(a, b int, c string)",
            "(c string, a, b int)",
            "takes its arguments in another order",
        ),
        ("Go", "(a ...int)", "(a int)", "requires `int`"),
        ("Go", "(a int)", "(a int, b ...int)", ""),
        ("Go", "(int, string)", "(int)", "takes 1 argument, no longer 2"),
        (
            "Go",
            "(a func(int, int) int)",
            "(a func(int, int) int, b int)",
            "requires 2 arguments, no longer 1",
        ),
    ],
)
def test_parameters_of_other_languages(language: str, old: str, new: str, expected: str) -> None:
    """Their callers give arguments in order: how many, which of them, and in Go of which type."""
    said = {path: question(path, f % old, f % new) for path, f in FUNCTIONS[language].items()}
    assert said == dict.fromkeys(FUNCTIONS[language], expected)


@pytest.mark.parametrize(
    ("path", "old", "names"),
    [
        ("src/a.py", "A = 1\n", []),
        ("src/a.py", "ABC = 1\n", ["ABC"]),
        ("src/a.py", "AB: int = 1\n", []),
        ("src/a.py", "abc = 1\n", []),
        ("src/a.py", "__all__ = ['abc']\nabc = 1\n", ["abc"]),
        ("src/a.py", "__all__ = ['_abc']\n_abc = 1\n", ["_abc"]),
        ("src/a.py", "_abc = 1\n", []),
        ("src/a.py", "import abc\n", []),
        ("src/a.py", "if x:\n    def f():\n        pass\n", ["f"]),
        ("src/a.py", "try:\n    pass\nexcept E:\n    def f():\n        pass\n", ["f"]),
        ("src/a.py", "if x:\n    pass\nelse:\n    def f():\n        pass\n", ["f"]),
        ("src/a.py", "with x:\n    def f():\n        pass\n", []),
        ("src/a.py", "class A:\n    pass\n", ["A"]),
        ("src/a.py", "async def f():\n    pass\n", ["f"]),
        ("src/_a.py", "def f():\n    pass\n", []),
        ("src/__init__.py", "def f():\n    pass\n", ["f"]),
        ("tests/a.py", "def f():\n    pass\n", []),
        ("src/a_test.py", "def f():\n    pass\n", []),
        ("src/a.js", "function f() {}\nmodule.exports = { f };\n", ["f"]),
        ("src/a.js", "function f() {}\nexports.f = f;\n", ["f"]),
        ("src/a.js", "function f() {}\nmodule.exports = f;\n", ["f"]),
        ("src/a.js", "function f() {}\nexport default f;\n", ["f"]),
        ("src/a.js", "function f() {}\nexport { f };\n", ["f"]),
        ("src/a.js", "function f() {}\n", []),
        (
            "src/a.js",
            "export class A {\n  go() {}\n  _no() {}\n  #never() {}\n  constructor() {}\n}\n",
            ["A"],
        ),
        ("src/a.js", "export { a as b } from './x.js';\n", ["b"]),
        ("src/a.test.js", "export function f() {}\n", []),
        ("a/a.go", "package a\n\nfunc F() {}\n", ["F"]),
        ("a/a.go", "package a\n\nfunc f() {}\n", []),
        ("a/a.go", "package a\n\ntype T struct {\n	A int\n}\n", ["T"]),
        ("a/a_test.go", "package a\n\nfunc F() {}\n", []),
        ("a.rs", "pub fn f() {}\n", ["f"]),
        ("a.rs", "fn f() {}\n", []),
        ("A.java", "class A {\n  public void f() {}\n}\n", ["f"]),
        ("A.java", "class A {\n  void f() {}\n}\n", []),
        ("a.rb", "def f\nend\n", ["f"]),
        ("a.rb", "def _f\nend\n", []),
        (
            "a.php",
            "<?php\nclass A {\n  private function f() {}\n  public function g() {}\n}\n",
            ["A", "g"],
        ),
        ("a.c", "int f() {}\n", []),
    ],
)
def test_public_names(path: str, old: str, names: list[str]) -> None:
    """What a file offers by the customs of its language, and is worth asking about."""
    empty = {"go": "package a\n", "php": "<?php\n"}.get(path.rpartition(".")[2], "\n")
    found = complaints(path, old, empty)
    assert [each.message.split("`")[1] for each in found] == names
    assert {each.error for each in found} <= {"UnusedNameGone"}


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("()", 0),
        ("(a)", 1),
        ("(a,b)", 2),
        ("(a, b,)", 2),
        ("(f(a,b),[c,d],{e:1})", 3),
        ("(a, (b))", 2),
        ("<Kind>(a, /* of b */ b)", 2),
    ],
)
def test_how_many_arguments_a_call_gives(call: str, count: int) -> None:
    """Commas in inner brackets separate nothing."""
    given = given_in("a.ts", f"f{call};".encode())[0]

    assert (given.count, given.open) == (count, False)


def test_a_call_that_spreads_a_list() -> None:
    """Nobody knows how many arguments it gives."""
    assert given_in("a.js", b"f(a, ...rest);")[0].open
    assert given_in("a.go", b"package a\nfunc g() { f(rest...) }")[21].open


def _python(count: int) -> str:
    return "\n".join(f"def name{n}(one, two={n}):\n    return one * two\n" for n in range(count))


def _functions(count: int) -> str:
    return "\n".join(f"export function name{n}(one, two) {{ return one }}" for n in range(count))


def _classes(count: int) -> str:
    each = "export class Name{n} {{\n  async first{n}(one) {{ return one }}\n}}"
    return "\n".join(each.format(n=n) for n in range(count))


def _go(count: int) -> str:
    return "\n".join(f"func Name{n}(one int) int {{ return one }}" for n in range(count))


@pytest.mark.parametrize(
    ("path", "written"),
    [("a.py", _python), ("a.js", _functions), ("a.ts", _classes), ("a.go", _go)],
)
def test_many_definitions_cost_a_second(path: str, written: Callable[[int], str]) -> None:
    """With the square of them, Python would take 20 seconds and JavaScript minutes."""
    content = written(12_800).encode()
    began = time.thread_time()
    found = interface(path, content)
    assert time.thread_time() - began < 10
    assert found
    assert len(found.offers) >= 12_800
