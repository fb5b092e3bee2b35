"""Which changes of a file's public names break others, are asked about, or are fine."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.kept_names import losses, verdict
from runner.checks.uses import CodeFiles
from runner.state.changes import ChangeSet, Write

SAID = "Make the texts shorter"
OLD = "def wrap(text, width=80):\n    return text[:width]\n\n\ndef fold(text):\n    return text\n"
CLASS = "class Page:\n    def __init__(self, text):\n        self.text = text\n\n"
SHOW = "    def show_all(self, end=''):\n        return self.text + end\n"


def judged(
    old: str, new: str | None, path: str = "src/pkg/text.py", said: str = SAID, **others: str
) -> list[str]:
    """The errors that a new version of ``path`` leads to beside other files of the tree."""
    changes = ChangeSet({path: None if new is None else Write(new.encode())})
    tree = {f"src/{name.replace('__', '/')}.py": text.encode() for name, text in others.items()}
    tree |= {"src/pkg/__init__.py": tree.get("src/pkg/init.py", b"")}
    tree |= {} if new is None else {path: new.encode()}
    found = losses(changes, read={path: old.encode()}.get)
    said_of = verdict(found, CodeFiles(tree), task=TaskWords(said), asked=(), last=False)
    return [complaint.error for complaint in said_of.complaints]


WITHOUT = OLD.partition("\n\n\n")[2]
USERS = {
    "by name": "from pkg.text import wrap\n",
    "relative": "from .text import wrap as w\n",
    "module": "from pkg import text\n\ntext.wrap('a')\n",
    "relative module": "from . import text as t\n\nt.wrap('a')\n",
    "dotted": "import pkg.text\n\npkg.text.wrap('a')\n",
    "alias": "import pkg.text as t\n\nt.wrap('a')\n",
}


@pytest.mark.parametrize("user", USERS)
def test_every_way_to_use_a_name(user: str) -> None:
    """Imports of all forms are followed."""
    assert judged(OLD, WITHOUT, pkg__user=USERS[user]) == ["LostName"]


def test_a_package_that_offers_it_further() -> None:
    """Who takes it from the package uses it, too; the package's own import is the first."""
    user = {"pkg__init": "from .text import wrap\n", "app": "import pkg\n\npkg.wrap('a')\n"}

    assert judged(OLD, WITHOUT, **user) == ["LostName"]


@pytest.mark.parametrize(
    "other",
    [
        "from textwrap import wrap\n\nwrap('a')\n",
        "from pkg.other import wrap\n\nwrap('a')\n",
        "def wrap(text):\n    return text\n\n\nwrap('a')\n",
        "# wrap\nNAMES = ['wrap']\n",
        "import text\n\ntext.wrap('a')\n",
    ],
)
def test_what_only_has_the_same_name_is_no_use(other: str) -> None:
    """The name is nobody's: it is asked about."""
    assert judged(OLD, WITHOUT, pkg__user=other) == ["UnusedNameGone"]


SAID_OF_IT = [
    "Make `wrap` shorter, and do not rename it",
    "Make `wrap` shorter (the file was renamed last week)",
    "Rename `wrap` to `shorten`",
    "Remove `wrap`",
]


@pytest.mark.parametrize("said", SAID_OF_IT)
def test_what_would_no_longer_import_is_refused_whatever_the_task_says(said: str) -> None:
    """No word of the task turns it off; without a user it may be what the task asks for."""
    assert judged(OLD, WITHOUT, said=said, pkg__user="from .text import wrap\n") == ["LostName"]
    assert judged(OLD, WITHOUT, said=said) == []


@pytest.mark.parametrize(
    "user",
    [
        "from .other import wrap\n",
        "try:\n    from .text import wrap\nexcept ImportError:\n    wrap = None\n",
        "try:\n    from .text import wrap\nexcept (ValueError, ImportError):\n    wrap = None\n",
    ],
)
def test_what_still_imports_is_no_use(user: str) -> None:
    """The answer's own edit of the user, and a name that may be missing."""
    assert judged(OLD, WITHOUT, said="Remove `wrap`", pkg__user=user) == []


def test_a_name_that_a_package_takes_from_another_place_now() -> None:
    """Who imports it from the package still can."""
    tree = {"pkg__init": "from .other import wrap\n", "app": "from pkg import wrap\n\nwrap('')\n"}

    assert judged(OLD, WITHOUT, said="Move `wrap` to `other.py`", **tree) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, f"from pkg.other import wrap\n\n\n{WITHOUT}"),
        (OLD, f"{WITHOUT}\n\nwrap = fold\n"),
        (OLD, f"def __getattr__(name):\n    return fold\n\n\n{WITHOUT}"),
        (OLD, OLD.replace("=80", "=80, *, end=''").replace("(text)", "(text, *more)")),
        (OLD, f"try:\n    from x import wrap\nexcept ImportError:\n    wrap = None\n\n\n{WITHOUT}"),
        ("def _own():\n    pass\n\n\nlog = 1\nT = 2\n", "A = 1\n"),
        (CLASS.replace("Page", "Page(Base)") + SHOW, CLASS.replace("Page", "Page(Base)")),
        (CLASS + SHOW, CLASS + SHOW.replace("end=''", "end='', *, start=''")),
        ("@app.get('/')\ndef page(a):\n    pass\n", "@app.get('/')\ndef page(b):\n    pass\n"),
    ],
)
def test_what_takes_nothing_away(old: str, new: str) -> None:
    """Moved names that are still there, optional parameters, private names, inherited methods."""
    assert judged(old, new) == []


STORE = "class Store(Protocol):\n    def read(self): ...\n\n    def write(self, what): ...\n"
DISK = "class Disk:\n    def read(self):\n        return 1\n"
USED = f"{DISK}\n\nDisk().read()\n"


@pytest.mark.parametrize(
    ("old", "app", "error"),
    [
        (STORE, USED, ["LostName"]),
        (STORE.replace("Protocol", "typing.Protocol[T]"), USED, ["LostName"]),
        (STORE.replace("Protocol", "ABC"), USED, ["LostName"]),
        (STORE, DISK, ["UnusedNameGone"]),
        (STORE, "open('a').read()\n", ["UnusedNameGone"]),
        (STORE.replace("Protocol", "Base"), USED, []),
        (STORE.replace("(Protocol)", ""), USED, ["UnusedNameGone"]),
    ],
)
def test_a_method_that_a_protocol_no_longer_asks_for(old: str, app: str, error: list[str]) -> None:
    """What implements it still has it, and somebody calls it: the protocol is wrong then."""
    new = old.replace("    def read(self): ...\n\n", "")

    assert judged(old, new, app=app) == error


def test_a_protocol_may_ask_for_more_than_somebody_gives_to_something_else() -> None:
    """A call of a method of that name says nothing about what the protocol's takes."""
    new = STORE.replace("read(self)", "read(self, place)")

    assert judged(STORE, new, app=USED) == ["SignatureChanged"]


IMPLEMENTS = f"{DISK}\n    def write(self, what):\n        return what\n"


@pytest.mark.parametrize(
    ("old", "new", "app", "error"),
    [
        (IMPLEMENTS, "write(self, what, loud)", STORE, "ChangedSignature"),
        (IMPLEMENTS, "write(self)", STORE, "ChangedSignature"),
        (IMPLEMENTS, "write(self, *, what)", STORE, "ChangedSignature"),
        (IMPLEMENTS, "write(self, what, loud)", STORE.replace("what", "what, loud"),
         "SignatureChanged"),
        (IMPLEMENTS, "write(self, what, loud)", STORE.replace("(Protocol)", ""),
         "SignatureChanged"),
        (IMPLEMENTS, "write(self, what, loud)", f"{STORE}\n    def list(self): ...\n",
         "SignatureChanged"),
        (IMPLEMENTS.replace("Disk", "Disk(store.Store[T])"), "write(self, what, loud)",
         f"{STORE}\n    def list(self): ...\n", "ChangedSignature"),
        (IMPLEMENTS.replace("Disk", "Disk(store.Store)"), "write(self, what, loud)",
         STORE.replace("(Protocol)", ""), "ChangedSignature"),
        (IMPLEMENTS.replace("Disk", "Disk(Other)"), "write(self, what, loud)",
         STORE.replace("(Protocol)", ""), "SignatureChanged"),
        (STORE, "write(self, what, loud)", STORE.replace("Store", "Sink"), "SignatureChanged"),
    ],
)  # fmt: skip
def test_a_method_that_a_protocol_asks_for(old: str, new: str, app: str, error: str) -> None:
    """A class that has all of a protocol, or names it as its base, is used through it."""
    new = old.replace("write(self, what)", new)

    assert judged(old, new, app=app) == [error]


def test_a_method_that_a_protocol_asks_for_is_gone() -> None:
    """The class no longer does what the protocol says."""
    assert judged(IMPLEMENTS, DISK, app=STORE) == ["LostName"]


@pytest.mark.parametrize(
    ("change", "call", "error"),
    [
        ("text, width", "wrap('a')", "ChangedSignature"),
        ("text, width", "wrap('a', 3)", "SignatureChanged"),
        ("text", "wrap('a', 3)", "ChangedSignature"),
        ("text", "wrap('a')", "SignatureChanged"),
        ("width=80, text=''", "wrap('a')", "ChangedSignature"),
        ("text, end, width=80", "wrap('a')", "ChangedSignature"),
        ("text, end='', width=80", "wrap('a', 3)", "ChangedSignature"),
        ("text, end='', width=80", "wrap('a', width=3)", "SignatureChanged"),
        ("content, width=80", "wrap('a')", "SignatureChanged"),
        ("content, width=80", "wrap(text='a')", "ChangedSignature"),
        ("text, *, width=80", "wrap('a', 3)", "ChangedSignature"),
        ("text, width", "wrap(*all)", "SignatureChanged"),
    ],
)
def test_changed_parameters(change: str, call: str, error: str) -> None:
    """A call that worked and works no more is refused; without one it is asked about."""
    new = OLD.replace("text, width=80", change)

    assert judged(OLD, new, pkg__user=f"from pkg.text import wrap\n\n{call}\n")[:1] == [error]


def test_what_makes_an_object() -> None:
    """A class is called where its ``__init__`` is meant."""
    new = CLASS.replace("text)", "text, title)", 1)
    user = "from pkg.text import Page\n\nPage('a')\n"

    assert judged(CLASS, new, pkg__user=user) == ["ChangedSignature"]


@pytest.mark.parametrize(
    ("user", "error"),
    [
        ("def f(page):\n    page.show_all()\n", "LostName"),
        ("class Other:\n    def show_all(self):\n        self.show_all()\n", "UnusedNameGone"),
    ],
)
def test_methods(user: str, error: str) -> None:
    """A call of a method is one of this class where no other has a method of that name."""
    assert judged(CLASS + SHOW, CLASS, pkg__user=user) == [error]


def test_a_file_that_is_deleted() -> None:
    """Its names are gone with it."""
    user = "from pkg.text import wrap\n"

    assert judged(OLD, None, said="Remove `src/pkg/text.py`", pkg__user=user)[0] == "LostName"


@pytest.mark.parametrize("path", ["tests/test_text.py", "docs/conf.py", "scripts/make.py"])
def test_nobody_relies_on_names_of_tests_and_scripts(path: str) -> None:
    """They may change as they like."""
    assert judged(OLD, WITHOUT, path) == []


METHODS = "export class Bus {\n  on(name, listener) {\n    return listener;\n  }\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (METHODS, METHODS.replace("name, listener", "listener, name"), ["SignatureChanged"]),
        (METHODS, METHODS.replace("listener)", "listener, once = false)"), []),
        (METHODS, METHODS.replace("on(", "listen("), ["UnusedNameGone"]),
        (
            "export { wrap, fold as bend } from './text.js';\n",
            "export { wrap } from './text.js';\n",
            ["UnusedNameGone"],
        ),
        (
            "export { wrap } from './text.js';\n",
            "export { wrap, fold } from './text.js';\n",
            [],
        ),
    ],
    ids=["parameters swapped", "one more", "renamed", "not passed on", "passed on"],
)
def test_what_scripts_offer(old: str, new: str, expected: list[str]) -> None:
    """Methods of classes and names that a module passes on are public names, too."""
    assert judged(old, new, path="src/bus.js", said="Make it shorter") == expected


def test_a_module_that_becomes_a_package() -> None:
    """And back: what was in the one is looked for in the other."""
    module, package = "src/pkg/text.py", "src/pkg/text/__init__.py"

    def errors(old: str, new: str, text: str) -> list[str]:
        changes = ChangeSet({old: None, new: Write(text.encode())})
        found = losses(changes, read={old: OLD.encode()}.get)
        said_of = verdict(
            found, CodeFiles({new: text.encode()}), task=TaskWords(""), asked=(), last=False
        )
        return [complaint.error for complaint in said_of.complaints]

    assert errors(module, package, OLD) == errors(package, module, OLD) == []
    assert (
        errors(module, package, WITHOUT) == errors(package, module, WITHOUT) == ["UnusedNameGone"]
    )
    assert errors(module, "src/pkg/other.py", OLD) == ["UnusedNameGone"] * 2


def test_what_was_asked_about_is_told_to_people() -> None:
    """The same answer again, or the last one: a warning in place of a question."""
    new = WITHOUT.replace("text)", "words)", 1)
    changes = ChangeSet({"src/a.py": Write(new.encode())})
    found = losses(changes, read={"src/a.py": OLD.encode()}.get)
    tree = CodeFiles({"src/a.py": new.encode()})
    first = verdict(found, tree, task=TaskWords(""), asked=(), last=False)
    again = verdict(found, tree, task=TaskWords(""), asked=first.asked, last=False)

    assert [each.error for each in first.complaints] == ["UnusedNameGone", "SignatureChanged"]
    assert first.warnings == again.complaints == again.asked == ()
    assert again.warnings == verdict(found, tree, task=TaskWords(""), asked=(), last=True).warnings
    assert again.warnings == (
        "`wrap` is gone from `src/a.py`; nothing in the repository uses it",
        "`fold` in `src/a.py` no longer has a parameter `text`; nothing calls it that way",
    )
    assert first.complaints[0].excerpt == "def wrap(text, width=80):\n    return text[:width]"


def test_six_complaints_are_enough() -> None:
    """Of a file that loses everything; a long function is shown in part."""
    old = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(8))
    long = f"def f():\n    return '{'x' * 3_000}'\n"
    changes = ChangeSet({"a.py": Write(b"X = 1\n"), "b.py": Write(b"X = 1\n")})
    found = losses(changes, read={"a.py": long.encode(), "b.py": old.encode()}.get)
    said = verdict(found, CodeFiles({}), task=TaskWords(""), asked=(), last=False)

    assert (len(said.complaints), len(said.asked)) == (6, 9)
    assert said.complaints[0].excerpt == f"{long[:3_000]}\n[... cut ...]"
