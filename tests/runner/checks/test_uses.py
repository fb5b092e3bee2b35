"""Where a public name is used: the first place that breaks is named, and no other word counts."""

from __future__ import annotations

import re

import pytest

from runner.checks.asked import TaskWords
from runner.checks.kept_names import losses, verdict
from runner.checks.uses import CodeFiles
from runner.state.changes import ChangeSet, Write


def broken(path: str, old: str, new: str, users: dict[str, str]) -> str:
    """The place that a new version of ``path`` breaks, as ``path:line``; '' for none."""
    found = losses(
        ChangeSet({path: Write(new.encode())}),
        read={path: old.encode()}.get,
    )
    tree = {name: text.encode() for name, text in users.items()} | {path: new.encode()}
    (complaint,) = verdict(
        found, CodeFiles(tree), task=TaskWords(""), asked=(), last=False
    ).complaints
    place = re.search(r"but (\S+), line (\d+), still uses it", complaint.message)
    assert (place is not None) is (complaint.error in ("LostName", "ChangedSignature"))
    return f"{place[1]}:{place[2]}" if place else ""


USERS = {
    ("src/pkg/b.py", "from .text import wrap"): 1,
    ("src/pkg/sub/b.py", "from ..text import wrap"): 1,
    ("src/pkg/sub/b.py", "from ...pkg.text import wrap"): 1,
    ("src/pkg/sub/b.py", "from .text import wrap"): 0,
    ("src/pkg/b.py", "from src.pkg.text import wrap"): 1,
    ("tests/test_b.py", "from pkg.text import wrap"): 1,
    ("src/pkg/b.py", "from text import wrap"): 0,
    ("src/pkg/b.py", "import pkg\n\npkg.text.wrap('a')"): 3,
    ("src/pkg/b.py", "import pkg.text\n\nprint(pkg.text.wrap)"): 3,
    ("src/pkg/b.py", "import pkg.text as t\n\nt.wrap"): 3,
    ("src/pkg/b.py", "import pkg.other as t\n\nt.wrap"): 0,
    ("src/pkg/b.py", "from pkg import text as t\n\nt.wrap"): 3,
    ("src/pkg/b.py", "from . import text as t\n\nt.wrap"): 3,
    ("src/pkg/sub/b.py", "from .. import text\n\ntext.wrap"): 3,
    ("src/pkg/sub/b.py", "from ..pkg import text\n\ntext.wrap"): 0,
    ("src/pkg/b.py", "from . import other as text\n\ntext.wrap"): 0,
    ("src/pkg/b.py", "x.wrap"): 0,
    ("src/pkg/b.py", "wrap = 1\nwrap"): 0,
    ("src/pkg/b.py", "from .text import wrap("): 0,
    ("src/pkg/__init__.py", "from .text import wrap as fold"): 1,
    ("src/pkg/__init__.py", "from pkg.text import *"): 0,
}
WRAP = "def wrap(text):\n    return text\n\n\n"


@pytest.mark.parametrize(("user", "text"), USERS)
def test_imports_of_python(user: str, text: str) -> None:
    """Every way to import a name, or its module, from near and from far."""
    users = {"src/pkg/__init__.py": "", user: f"{text}\n"}
    line = USERS[user, text]
    found = broken("src/pkg/text.py", f"{WRAP}KEPT = 1\n", "KEPT = 1\n", users)
    assert found == (f"{user}:{line}" if line else "")


@pytest.mark.parametrize(
    ("rest", "place"),
    [
        ("print(wrap('a'))\n", "src/a.py:1"),
        ("def f(wrap):\n    wrap()\n", ""),
        ("def f():\n    wrap = 1\n    wrap\n", ""),
        ("def f():\n    from a import b as wrap\n    wrap\n", ""),
        ("def f():\n    import wrap\n    wrap\n", ""),
    ],
)
def test_uses_in_its_own_file(rest: str, place: str) -> None:
    """Unless the name means something else there."""
    assert broken("src/a.py", WRAP + rest, rest, {}) == place


PAGE = (
    "class Page:\n    def __init__(self, a):\n        self.a = a\n\n"
    "    def __call__(self, x):\n        return x\n\n    def get(self):\n        return 1\n"
)
SHOW = "\n    def show_all(self, end):\n        return end\n"


@pytest.mark.parametrize(
    ("new", "user", "line"),
    [
        (PAGE, "page.show_all(1)\n", 1),
        (PAGE, "page.show_all\n", 0),
        (PAGE, "class B:\n    def show_all(self): 1\n\npage.show_all(1)\n", 0),
        (PAGE, "class Page:\n    def show_all(self): 1\n\npage.show_all(1)\n", 4),
        (PAGE, "x.show_all = 1\npage.show_all(1)\n", 0),
        (PAGE + SHOW.replace("end)", "end, more)"), "page.show_all(1)\n", 1),
        (PAGE + SHOW.replace("end)", "end, more)"), "page.show_all(1, 2)\n", 0),
        (PAGE.replace("x)", "x, y)") + SHOW, "Page(1)(2)\npage.__call__(1)\n", 0),
        (PAGE.replace("get(", "fetch(") + SHOW, "page.get()\n", 0),
        (PAGE.replace("self, a)", "self, a, b)") + SHOW, "from a import Page\n\nPage(1)\n", 3),
        (PAGE.replace("self, a)", "self, a, b)") + SHOW, "from a import Page\n\nPage\n", 0),
    ],
)
def test_methods(new: str, user: str, line: int) -> None:
    """A call of a method is this class's where nothing else, and no built-in type, has its name."""
    found = broken("src/a.py", PAGE + SHOW, new, {"src/b.py": user})
    assert found == (f"src/b.py:{line}" if line else "")


SCRIPT = "export function wrap(a) {\n  return a;\n}\nexport const keep = 1;\n"
GO = "package a\n\nfunc Wrap(a int) int {\n\treturn a\n}\n"


@pytest.mark.parametrize(
    ("path", "old", "user", "text", "line"),
    [
        ("src/a.js", SCRIPT, "src/b.js", "import { wrap } from './a.js';\nwrap(1);\n", 1),
        ("src/a.js", SCRIPT, "src/b.js", "import { wrap } from './other.js';\nwrap(1);\n", 0),
        ("src/a.js", SCRIPT, "src/b.ts", "import { wrap } from './a';\nwrap(1);\n", 1),
        ("src/a.js", SCRIPT, "src/b.tsx", "import { wrap } from './a';\n", 1),
        ("src/a.js", SCRIPT, "src/b.js", "\nconst { wrap } = require('./a');\n", 2),
        ("src/a.js", SCRIPT, "src/b.js", "import './a.js';\n// wrap\n/* wrap */ 'wrap';\n", 0),
        ("src/a.js", SCRIPT, "src/b.js", "import './a.js';\nfunction wrap() {}\nwrap();\n", 0),
        ("src/a.js", SCRIPT, "src/b.js", "import { wrap$ } from './a.js';\nwrap$();\n", 0),
        ("src/a.js", SCRIPT, "src/b.go", "wrap()\n", 0),
        ("a/a.go", GO, "a/b.go", "package a\n\nvar x = Wrap(1)\n", 3),
        ("a/a.go", GO, "b/b.go", 'package b\n\nimport "x.com/a"\n\nvar x = a.Wrap(1)\n', 5),
        ("a/a.go", GO, "b/b.go", "package b\n\nvar x = Wrap(1)\n", 0),
        ("a/a.go", GO, "a/b.go", GO, 0),
        ("a/a.go", GO, "a/b.go", 'package a\n\n// Wrap\nvar x = "Wrap"\n', 0),
        ("a.rb", "def wrap(a)\nend\n", "b.rb", "wrap(1)\n", 1),
        ("a.rb", "def wrap(a)\nend\n", "b.py", "wrap(1)\n", 0),
        ("a.rb", "def wrap(a)\nend\n", "b.rb", "# wrap\n", 0),
        ("a.rs", "pub fn wrap() {}\n", "b.rs", "fn f() {\n  wrap();\n}\n", 2),
    ],
)
def test_other_languages(path: str, old: str, user: str, text: str, line: int) -> None:
    """In files that can reach it; a comment, a text or another's function is no use of it."""
    new = {"src/a.js": "export const keep = 1;\n", "a/a.go": "package a\n"}.get(path, "\n")
    found = broken(path, old, new, {user: text, "go.mod": "module x.com\n"})
    assert found == (f"{user}:{line}" if line else "")


@pytest.mark.parametrize(
    ("call", "breaks"),
    [
        ("wrap(1);", True),
        ("wrap('a, b');", True),
        ("wrap(// one, two\n 1);", True),
        ("wrap(1, 2);", False),
        ("wrap(...all);", False),
        ("wrap;", False),
    ],
)
def test_calls_of_scripts(call: str, breaks: bool) -> None:
    """By how many arguments they give, as far as that can be counted."""
    new = SCRIPT.replace("wrap(a)", "wrap(a, b)")
    user = {"src/b.js": f"import {{ wrap }} from './a.js';\n{call}\n"}
    assert broken("src/a.js", SCRIPT, new, user) == ("src/b.js:2" if breaks else "")
