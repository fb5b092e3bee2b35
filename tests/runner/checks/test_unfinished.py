"""What is told of an answer that does not do the task, from its text alone."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.promises import has_name, missing_names, promised_names
from runner.checks.unfinished import beside_the_code, unfinished, without_asked_tests
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import ChangeSet, Write


def judged(path: str, old: str, new: str, said: str) -> list[str]:
    changes = ChangeSet({path: Write(new.encode())})
    return [c.error for c in unfinished(changes, TaskWords(said), read=lambda _: old.encode())]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Add `first(a)` and `second(b)` to `a.py`, behind `third`", {"first", "second"}),
        ("Add `a/codes.py` with `check(digits)` and `is_valid(code)`", {"check", "is_valid"}),
        ("Add a method `once(name)` to `Emitter` in `a.js`", {"once"}),
        ("Add `Half(d time.Duration) float64` to `a.go`", {"Half"}),
        ("Give the stores in `a.py` a method `clear()` that forgets", {"clear"}),
        ("Rename the method `Sheet.Sum` in `a.go` to `Total`", {"Total"}),
        ("1.2 Create a class `Store` for this", {"Store"}),
        ("Add support for `asyncio.timeout()`", set()),
        ("Add a flag `verbose` that calls `show()`", set()),
        ("Add tests for `parse(text)`", set()),
        ("Fix `parse(text)` and do not use `eval()`", set()),
        ("Replace `old()` by `new()` everywhere", set()),
    ],
)
def test_names_that_a_task_says_to_make(said: str, names: set[str]) -> None:
    """What it only speaks of is none."""
    assert promised_names(TaskWords(said)) == names


def test_a_promised_name_may_stand_anywhere_in_the_answer() -> None:
    """As a whole word."""
    asked = TaskWords("Add `first(a)` and `second(b)`")
    changes = ChangeSet({"a.py": Write(b"def first(a):\n    return a\n\nsecond_best = 1\n")})

    assert [promise.name for promise in missing_names(changes, asked)] == ["second"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("a.py", "def run(a):\n    pass\n"),
        ("a.py", 'def run(a):\n    """Run."""\n'),
        ("a.py", "def run(a):\n    # Your implementation here\n    return None\n"),
        ("a.py", "def run(a):\n    raise NotImplementedError('later')\n"),
        ("a.js", "function run(a) {\n  // your code here\n}\n"),
        ("a.js", "function run(a = {}) {\n  throw new Error('not implemented');\n}\n"),
        ("a.js", "export class A {\n  run(a) {\n    return null;\n  }\n}\n"),
        ("a.go", 'package a\n\nfunc run(a int) int {\n\tpanic("TODO")\n}\n'),
    ],
)  # fmt: skip
def test_a_function_that_the_task_asks_for_does_something(path: str, body: str) -> None:
    """Where the task does not ask for an empty one."""
    assert judged(path, "", body, "Add `run(a)`") == ["StubBody"]
    assert judged(path, "", body, "Add a placeholder `run(a)`") == []
    assert judged(path, body, body + "\n", "Change `run(a)`") == []
    assert judged(path, "", body, "Add `other(a)`") == []


@pytest.mark.parametrize(
    "body",
    [
        "class Store(Protocol):\n    def run(self) -> None: ...\n",
        "class A(ABC):\n    @abstractmethod\n    def run(self): pass\n",
        "class Null:\n    def run(self): pass\n\nclass Real:\n    def run(self): return 1\n",
        "def run(a):\n    raise ValueError(a)\n",
        "class Open(File):\n    def close(self):\n        pass\n",
    ],
)
def test_what_is_meant_to_be_empty_may_be(body: str) -> None:
    """Declarations, and a null object beside a real one."""
    assert judged("a.py", "", body, "Add `run(a)` that does not `close()`") == []


def test_an_answer_of_comments_alone_does_nothing() -> None:
    """Unless comments are what the task is about."""
    old = "def run():\n    return 1\n"
    new = "# done as asked\n" + old

    assert judged("a.py", old, new, "Let `run` return 2") == ["OnlyComments"]
    assert judged("a.py", old, new, "Explain `run` in a comment") == []
    assert judged("a.py", old, old.replace("1", "2"), "Let `run` return 2") == []


@pytest.mark.parametrize(
    ("path", "said", "asks"),
    [
        ("README.md", "Carts with ten items cost less", True),
        ("README.md", "Carts with ten items cost less\nRoadmap\nPlan", True),  # headings
        ("README.md", "Describe the cart", False),
        ("README.md", "Carts cost less, as README.md says", False),
        ("docs/carts.md", "A page for newcomers", False),
        ("tests/test_cart.py", "Carts with ten items cost less", True),
        ("tests/test_cart.py", "Cover empty carts", False),
        ("tests/test_cart.py", "Restore `test_empty_cart`, which a merge has lost", False),
        ("tests/test_cart.py", "Fix the condition of a skip", False),
        ("tests/test_cart.py", "Let `latest_cart` cost less", True),
        ("tests/test_cart.py", "Ensure that carts are never negative", False),
        ("cart.py", "Carts with ten items cost less", False),
    ],
)
def test_a_page_or_a_test_alone_is_asked_about(path: str, said: str, asks: bool) -> None:
    """Where the task speaks of neither."""
    changes = ChangeSet({path: Write(b"new\n")})
    assert (beside_the_code(changes, TaskWords(said)) is not None) is asks


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("def once(a):", True),
        ("once = 1", True),
        ("type once struct {", True),
        ("# call it once, and no more", False),
        ("at once()", True),
        ("oncee = 1", False),
    ],
)
def test_a_word_of_a_comment_is_no_name(text: str, there: bool) -> None:
    """Code calls, sets or defines it."""
    assert has_name(text, "once") is there


@pytest.mark.parametrize(
    ("body", "errors"),
    [("", []), ("  throw new Error('not implemented');\n", ["StubBody"]), ("  return 2;\n", [])],
)
def test_a_function_that_did_something(body: str, errors: list[str]) -> None:
    """It may do nothing from now on; but not say that it is still to be written."""
    old, new = (f"function run(a) {{\n{inner}}}\n" for inner in ("  return a;\n", body))
    assert judged("a.js", old, new, "Change `run(a)`") == errors


CODE = "def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    ("title", "path", "content", "asks"),
    [
        ("Add `add(a, b)` with tests", "calc.py", CODE, "once"),
        ("Write the parser and some unit tests", "calc.py", CODE, ""),
        ("Write the parser, covered by tests", "calc.py", CODE, "once"),
        ("Add a test.", "calc.py", CODE, "always"),
        ("Add tests for the parser", "calc.py", CODE, "always"),
        ("Add a test for the parser", "t/parser.t", "ok 1;", ""),
        ("Add a test of `add`", "calc.py", f'{CODE}    """>>> add(1, 2)"""\n', ""),
        ("Add a test", "src/lib.rs", "#[test]\nfn adds() {}\n", ""),
        ("Add a test data folder", "data/a.json", "{}", ""),
        ("Add a test page", "page.html", "<p>", ""),
        ("Fix the parser so that tests pass", "calc.py", CODE, ""),
    ],
)
def test_a_task_that_asks_for_tests(title: str, path: str, content: str, asks: str) -> None:
    """It is asked about once, and where tests are all that it asks for, it never goes without."""
    (task,) = parse_roadmap("ROADMAP.md", f"- [ ] {title}\n".encode()).tasks
    changes = ChangeSet({path: Write(content.encode())})

    found = without_asked_tests(changes, TaskWords.of(task))

    assert ("" if found is None else "once" if found[1] else "always") == asks
