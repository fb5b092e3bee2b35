"""Code that looks whether it is being tested."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.knows_tests import knows_its_tests
from tests.runner.checks.trees import changes

SAID = "Add `plural(word)` to `a.py`, with tests in `tests/test_a.py`"


def told(path: str, text: str, said: str = SAID, old: str = "") -> list[int | None]:
    """The lines that are complained of."""
    found = list(knows_its_tests(changes({path: text}), TaskWords(said), old={path: old.encode()}))
    assert all(each.error == "KnowsItsTests" for each in found)
    return [each.line for each in found]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "if 'pytest' in sys.modules:"),
        ("a.py", 'if "unittest" not in sys.modules:'),
        ("a.py", "if sys.modules.get('_pytest'):"),
        ("a.py", "quick = os.environ.get('PYTEST_CURRENT_TEST')"),
        ("a.js", "if (process.argv[1]?.includes('test')) {"),
        ("a.ts", "if (process.argv.some((a) => a.endsWith('.spec.ts'))) {"),
        ("a.js", "if (process.env.NODE_TEST_CONTEXT) {"),
        ("a.tsx", "if (process.env.JEST_WORKER_ID !== undefined) {"),
        ("a.go", '\tif flag.Lookup("test.v") != nil {'),
        ("a.go", '\tif strings.HasSuffix(os.Args[0], ".test") {'),
        ("a.go", "\tif testing.Testing() {"),
    ],
)
def test_what_looks_whether_tests_are_running(path: str, line: str) -> None:
    """Told with its line; what was there before is nobody's fault, and tests may know it."""
    assert told(path, f"first\n{line}\n") == [2]
    assert told(path, f"first\n{line}\nmore\n", old=f"first\n{line}\n") == []
    assert told(f"tests/{path}", f"first\n{line}\n") == []
    assert told(path, f"first\n{line}\n", said="Do not write mails when tests are running") == []
    assert told(path, f"first\n{line}\n", said=f"{SAID}; in tests, none is written") == [2]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "import pytest"),
        ("a.py", "if name in sys.modules:"),
        ("a.py", "for test in tests:"),
        ("a.js", "const [, , name] = process.argv;"),
        ("a.js", "if (process.env.NODE_ENV === 'production') {"),
        ("a.js", "describe('test', run);"),
        ("a.go", "\tname := os.Args[1]"),
        ("a.go", 'func Test(args []string) string { return "test" }'),
        ("a.txt", "if 'pytest' in sys.modules:"),
    ],
)
def test_what_has_to_do_with_tests_otherwise(path: str, line: str) -> None:
    """Arguments, modules and words are used for much."""
    assert told(path, f"{line}\n") == []
