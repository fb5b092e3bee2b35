"""Rows about answers that are not good enough at first."""

from __future__ import annotations

from tests.scenarios.projects import answer
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import REPAIR, TESTS, Scenario

MATH = answer(
    {
        "calc/math.py": "def add(a, b):\n    return a + b\n\n\n"
        "def multiply(a, b):\n    return a * b\n"
    }
)
MATH_TESTS = answer(
    {
        "tests/test_math.py": "from calc.math import add, multiply\n\n\n"
        "def test_add():\n    assert add(2, 3) == 5\n\n\n"
        "def test_multiply():\n    assert multiply(2, 3) == 6\n"
    }
)


def _syntax_fix(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    first, second = left.files("iteration")
    assert (first["code_repairs"], first["answers"], second["answers"]) == (1, 2, 1)
    assert any(line.startswith("Validation failed: SyntaxError at line 1: ") for line in left.log)
    assert "calc/math.py, line 1" in left.asked(REPAIR)[0]
    left.check_tests_pass()


SYNTAX_FIX = Scenario(
    id="syntax-fix",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `calc/math.py` with `add(a, b)` and `multiply(a, b)`\n"
        b"- [ ] 1.2 Add `tests/test_math.py` for both\n",
        "calc/__init__.py": b"",
        "conftest.py": b"",
    },
    answers=(MATH.replace("def add(a, b):", "def add(a, b)"), MATH, MATH_TESTS),
    check=_syntax_fix,
    isolated=True,
)

USER = answer(
    {
        "src/user.py": "from src.utils.helpers import format_name, is_email\n\n\nclass User:\n"
        "    def __init__(self, first, last, email):\n        if not is_email(email):\n"
        "            raise ValueError(email)\n"
        "        self.full_name = format_name(first, last)\n        self.email = email\n"
    }
)
USER_TESTS = answer(
    {
        "tests/test_user.py": "import pytest\nfrom src.user import User\n\n\n"
        "def test_full_name():\n"
        '    assert User("john", "doe", "j@example.org").full_name == "John Doe"\n\n\n'
        "def test_email():\n    with pytest.raises(ValueError):\n"
        '        User("john", "doe", "nobody")\n'
    }
)


def _import_path(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    (asked,) = left.asked(TESTS)
    assert "No module named 'helpers'" in asked
    assert "from the repository's root it is src.utils.helpers" in asked
    assert left.of("1.1")["test_repairs"] == 1
    left.proves(
        'from src.user import User; assert User("john", "doe", "j@e.org").full_name == "John Doe"'
    )


IMPORT_PATH = Scenario(
    id="import-path",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add the class `User` (first, last, email) in `src/user.py` that "
        b"uses the helpers\n- [ ] 1.2 Add `tests/test_user.py` for `User`\n",
        "src/__init__.py": b"",
        "src/utils/__init__.py": b"",
        "src/utils/helpers.py": b"def format_name(first, last):\n"
        b'    return f"{first.title()} {last.title()}"\n\n\n'
        b'def is_email(text):\n    return "@" in text\n',
        "tests/test_helpers.py": b"from src.utils.helpers import is_email\n\n\n"
        b'def test_is_email():\n    assert is_email("a@b")\n',
    },
    answers=(USER.replace("src.utils.helpers", "helpers"), USER, USER_TESTS),
    check=_import_path,
)

STRINGS = """\
def reverse(text):
    return text[::-1]


def vowels(text):
    return sum(each in "aeiou" for each in text.lower())


def is_palindrome(text):
    text = "".join(text.lower().split())
    return text == text[::-1]
"""
STRINGS_TESTS = """\
from texts import is_palindrome, reverse, vowels


def test_reverse():
    assert reverse("abc") == "cba"


def test_vowels():
    assert vowels("Ease") == 3


def test_palindrome():
    assert is_palindrome("Never odd or even")
"""


def _test_failure(left: Left) -> None:
    assert left.statuses == {"1.1": "completed", "1.2": "completed"}
    (asked,) = left.asked(TESTS)
    assert "tests/test_texts.py::test_palindrome" in asked
    assert left.of("1.2")["test_repairs"] == 1
    assert left.tree["texts.py"].decode() == STRINGS
    assert left.tree["tests/test_texts.py"].decode() == STRINGS_TESTS
    left.check_tests_pass()


TEST_FAILURE = Scenario(
    id="test-failure",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `texts.py` with `reverse(text)`, `vowels(text)` and "
        b"`is_palindrome(text)`, which heeds neither case nor spaces\n"
        b"- [ ] 1.2 Add `tests/test_texts.py` for all three\n",
        "conftest.py": b"",
    },
    answers=(
        answer({"texts.py": STRINGS.replace('"".join(text.lower().split())', "text.strip()")}),
        answer({"tests/test_texts.py": STRINGS_TESTS}),
        answer({"texts.py": STRINGS}),
    ),
    check=_test_failure,
)

LINES = '''\
def lines(rows):
    """Put rows on lines.

    >>> lines([[1, 2], [3, 4]])
    '1 2\\\\n3 4'
    """
    return "\\n".join(" ".join(map(str, row)) for row in rows)
'''


def _four_quotes(left: Left) -> None:
    assert left.statuses == {"1.1": "completed"}
    assert left.tree["lines.py"].decode() == LINES
    assert len(left.prompts) == 1, "put right without a model"
    (iteration,) = left.files("iteration")
    assert "lines.py" in iteration["mended"][0]
    left.proves("import doctest, lines; assert doctest.testmod(lines) == (0, 1)")


FOUR_QUOTES = Scenario(
    id="four-quotes",
    files={
        "ROADMAP.md": b"- [ ] 1.1 Add `lines.py` with `lines(rows)`, one line a row, with an "
        b"example in its docstring\n",
        "tests/test_nothing.py": b"def test_nothing():\n    assert True\n",
    },
    answers=(answer({"lines.py": LINES.replace('    """\n    return', '    """"\n    return')}),),
    check=_four_quotes,
)
ROWS = (SYNTAX_FIX, IMPORT_PATH, TEST_FAILURE, FOUR_QUOTES)
