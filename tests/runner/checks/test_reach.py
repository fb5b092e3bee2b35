"""What an answer may touch for a task, and what is left out of it."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.reach import trimmed
from runner.state.changes import ChangeSet, Write

BASE = {
    "README.md": "# Words\n\n`shout(text)` makes it loud.\n",
    "docs/usage.md": "# Usage\n",
    "CHANGELOG.md": "# Changes\n",
    ".gitignore": "*.pyc\n",
    "pyproject.toml": '[project]\nname = "words"\n',
    "src/words/__init__.py": "from src.words.loud import shout\n",
    "src/words/loud.py": "def shout(text):\n    return text.upper()\n",
    "src/words/title.py": "def title(line):\n    return line.title()\n",
    "src/words/errors.py": "from src.words.loud import shout\n\n\ndef unknown(name):\n"
    "    raise KeyError(f'unknown item: {shout(name)}')\n",
    "src/words/last.py": "from src.words.loud import shout\n\n# a ` opens nothing\n\n\n"
    "def last(name):\n    return shout(name)[-1]\n\n\n# and neither closes a `\n",
    "src/words/table.py": "def row(cells):\n    return ' '.join(cells)\n",
    "web/app.js": "import { draw } from './draw.js';\n\nexport const start = () => draw();\n",
    "web/draw.js": "export function draw() {\n  return 1;\n}\n",
    "web/other.js": "export function wander() {\n  return 2;\n}\n",
    "go/a.go": "package words\n\nfunc Shout() int {\n\treturn 1\n}\n",
    "go/b.go": "package words\n\nfunc level() int {\n\treturn 1\n}\n",
    "go/sub/errors.go": 'package sub\n\nfunc At() string {\n\treturn "line %d"\n}\n',
    "web/errors.js": "import { draw } from './draw.js';\n\n"
    "export const told = (at) => `lost at ${draw(at)}`;\n",
    "tests/test_title.py": "from src.words.title import title\n\n\n"
    "def test_it():\n    assert title('a')\n",
}
LOUD = {"src/words/loud.py": "def shout(text):\n    return text.upper() + '!'\n"}
TASK = "Let `shout(text)` in `src/words/loud.py` end with an exclamation mark"


def left_out(text: str, files: dict[str, str | None], rules: str = "") -> set[str]:
    """Which of an answer's files are left out."""
    changes = ChangeSet(
        {path: None if said is None else Write(said.encode()) for path, said in files.items()}
    )
    found = trimmed(
        changes,
        TaskWords(text),
        paths={*BASE, *files},
        read=lambda path: BASE[path].encode() if path in BASE else None,
        guidance={"CONTRIBUTING.md": rules.encode()} if rules else {},
        roadmap="ROADMAP.md",
    )
    assert found.complaints == ()
    assert set(found.left_out) == files.keys() - found.changes.files.keys()
    assert all(found.left_out.values())
    return set(found.left_out)


OUTSIDE = {
    "a README": {"README.md": "# Changed\n"},
    "a new summary": {"IMPLEMENTATION_NOTES.md": "# What I did\n"},
    "a page of documentation": {"docs/usage.md": "# Usage\n\nCall it.\n"},
    "the change log": {"CHANGELOG.md": "# Changes\n\n- loud\n"},
    "settings": {".gitignore": "*.pyc\n*.log\n"},
    "a workflow": {".github/workflows/ci.yml": "on: push\n"},
    "the roadmap": {"ROADMAP.md": "- [x] Done\n"},
    "an unrelated module": {"src/words/title.py": "def titlecase(line):\n    return line\n"},
    "an unrelated deletion": {"src/words/table.py": None},
    "the example of the question": {"src/hello.py": "def hello(who):\n    return 'Hello'\n"},
    "a script of another part": {"web/other.js": "export function roam() {\n  return 2;\n}\n"},
    "another message of an error": {
        "src/words/errors.py": BASE["src/words/errors.py"].replace("unknown item", "no such item")
    },
    "comments in another test": {"tests/test_title.py": "# Tests.\n" + BASE["tests/test_title.py"]},
}  # fmt: skip


@pytest.mark.parametrize("what", OUTSIDE)
def test_what_nobody_asked_for_is_left_out(what: str) -> None:
    """Right code goes on without it."""
    assert left_out(TASK, {**LOUD, **OUTSIDE[what]}) == set(OUTSIDE[what])


USES = {
    "src/words/loud.py": "from src.words.table import rows\n\ndef shout(t):\n    return rows(t)\n"
}
INSIDE: dict[str, tuple[str, dict[str, str | None]]] = {
    "what it imports": (TASK, {**USES, "src/words/table.py": "def rows(t):\n    return t\n"}),
    "who imports it": (
        TASK,
        {**LOUD, "src/words/title.py": "from src.words.loud import shout\n\ntitle = shout\n"},
    ),
    "code between two back-ticks of comments": (
        TASK,
        {**LOUD, "src/words/last.py": BASE["src/words/last.py"].replace("[-1]", "[-2]")},
    ),
    "the package": (TASK, {**LOUD, "src/words/__init__.py": "", "pyproject.toml": "[project]\n"}),
    "a new test": (TASK, {**LOUD, "tests/test_more.py": "def test_one():\n    assert f(1) == 2\n"}),
    "another test that changes": (
        TASK,
        {**LOUD, "tests/test_title.py": "def test_it():\n    assert t('b') == 'B'\n"},
    ),
    "data": (TASK, {**LOUD, "src/words/marks.json": "[]\n"}),
    "a named README": (f"{TASK}; say so in README.md", {**LOUD, "README.md": "# New\n"}),
    "documentation asked for": (f"{TASK} and document it", {**LOUD, "docs/usage.md": "# New\n"}),
    "documentation alone": ("Say it better", {"README.md": "# New\n", "docs/usage.md": "# New\n"}),
    "a new text that the code reads": (
        TASK,
        {"src/words/loud.py": "TEXT = open('HELP.md').read()\n", "HELP.md": "# Help\n"},
    ),
    "the new name in a README": (
        "Rename `shout` to `yell`",
        {
            "src/words/loud.py": "def yell(text):\n    return text.upper()\n",
            "README.md": "# Words\n\n`yell(text)` makes it loud.\n",
        },
    ),
    "a task that names nothing": (
        "Make everything louder",
        {**LOUD, "src/words/table.py": "def row(cells):\n    return cells\n"},
    ),
    "one Go package": (
        "Change `Shout` in `go/a.go`",
        {path: BASE[path].replace("1", "2") for path in ("go/a.go", "go/b.go")},
    ),
    "a script that it imports": (
        "Let `start` in `web/app.js` draw twice",
        {"web/app.js": BASE["web/app.js"] + "//\n", "web/draw.js": "export function draw() {}\n"},
    ),
    "a workflow asked for": (
        "Run `shout` in the CI workflow",
        {**LOUD, ".github/workflows/ci.yml": "on: push\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", INSIDE)
def test_what_belongs_to_the_task_stays(what: str) -> None:
    """Nothing is left out that the task, or the rest of the answer, may need."""
    text, files = INSIDE[what]
    assert left_out(text, files) == set()


IN_TEMPLATE = BASE["web/errors.js"].replace("lost at", "lost in")
DRAWN = {"web/draw.js": "export function draw() {\n  return 2;\n}\n"}
ROW = {"go/sub/errors.go": BASE["go/sub/errors.go"].replace("line", "row")}
LEVEL = 'package words\n\nimport "words/sub"\n\nfunc Shout() string {\n'


@pytest.mark.parametrize(
    ("files", "more", "outside"),
    [
        (DRAWN, {"web/errors.js": IN_TEMPLATE}, True),
        (DRAWN, {"web/errors.js": IN_TEMPLATE.replace("(at)}", "(0)}")}, False),
        ({"go/a.go": f"{LEVEL}\t// one row\n\treturn sub.At()\n}}\n"}, ROW, True),
        ({"go/a.go": f"{LEVEL}\trow := sub.At()\n\treturn row\n}}\n"}, ROW, False),
    ],
)
def test_other_texts_in_a_file_that_imports_reach(
    files: dict[str, str | None], more: dict[str, str | None], outside: bool
) -> None:
    """The code inside a template is no text, and what a comment says asks for nothing."""
    said = "Let `draw` and `Shout` give more"
    assert left_out(f"{said}, in web/draw.js and go/a.go", {**files, **more}) == (
        set(more) if outside else set()
    )


def test_what_the_projects_rules_ask_for_stays() -> None:
    """CONTRIBUTING wants an entry in the change log; it does not speak of settings."""
    files = {**LOUD, "CHANGELOG.md": "# Changes\n\n- loud\n", ".gitignore": "x\n"}
    assert left_out(TASK, files, "Add an entry to the changelog.\n") == {".gitignore"}


def test_rules_about_documentation_want_no_new_page_and_no_deletion() -> None:
    """CONTRIBUTING asks to keep the documentation current: that is about the pages there are."""
    files = {**LOUD, "SUMMARY.md": "# What I did\n", "docs/usage.md": "# Usage\n\nLoud.\n"}
    rules = "Keep the documentation current. Authors are listed; contributors sign off.\n"

    assert left_out(TASK, files, rules) == {"SUMMARY.md"}
    assert left_out(TASK, {**LOUD, "README.md": None}, rules) == {"README.md"}
    assert left_out(f"{TASK}; remove the README", {**LOUD, "README.md": None}, rules) == set()


def test_a_task_about_layout_keeps_its_blanks() -> None:
    """Blanks are what it asks for."""
    files = {"src/words/title.py": BASE["src/words/title.py"].replace("\n", "\n\n", 1)}
    assert left_out("Format the code", files) == set()
    assert left_out(TASK, {**LOUD, **files}) == set(files)


def test_what_the_rest_needs_of_a_file_that_must_not_change_is_complained_of() -> None:
    """The answer does not stand without it."""
    changes = ChangeSet(
        {
            "src/words/loud.py": Write(USES["src/words/loud.py"].encode()),
            "src/words/table.py": Write(b"def rows(t):\n    return t\n"),
        }
    )
    found = trimmed(
        changes,
        TaskWords(f"{TASK}. Do not change `src/words/table.py`."),
        paths=BASE,
        read=lambda path: BASE[path].encode() if path in BASE else None,
        guidance={},
    )
    assert [(c.path, c.error) for c in found.complaints] == [
        ("src/words/table.py", "ProtectedPath")
    ]
    assert found.changes == changes


def test_new_texts_stay_where_the_task_or_the_rest_speaks_of_them() -> None:
    """The message of an error is another one because it was asked for, or a test says it too."""
    old = BASE["src/words/errors.py"]
    files = {"src/words/errors.py": old.replace("unknown item", "no such item")}
    test = {"tests/test_it.py": "def test_it():\n    assert 'no such item' in unknown_text()\n"}
    assert left_out(f"{TASK}; say 'no such item' in errors", {**LOUD, **files}) == set()
    assert left_out(TASK, {**LOUD, **files, **test}) == set()


@pytest.mark.parametrize(
    ("files", "refused"),
    [
        ({"src/words/fibonacci.py": "def fibonacci(n):\n    before, after = 0, n\n"}, True),
        ({"src/words/endings.py": "def with_exclamation(text):\n    return text\n"}, False),
        ({"src/words/more.py": "def shoutLoud(text):\n    return text\n"}, False),
        ({**LOUD, "src/words/fibonacci.py": "def fibonacci(n):\n    return n\n"}, False),
        ({"notes.json": "{}\n"}, False),
    ],
)
def test_an_answer_to_another_task_is_refused(files: dict[str, str], refused: bool) -> None:
    """All it has is new code that shares no word with the task."""
    changes = ChangeSet({path: Write(text.encode()) for path, text in files.items()})
    found = trimmed(
        changes,
        TaskWords(TASK),
        paths={*BASE, *files},
        read=lambda path: BASE[path].encode() if path in BASE else None,
        guidance={},
    )
    assert [complaint.error for complaint in found.complaints] == ["OtherTask"] * refused


def test_a_file_that_the_task_names_is_no_other_task() -> None:
    """Its name may be as short as it likes: ``a.py`` shares no word of its own with anything."""
    found = trimmed(
        ChangeSet({"a.py": Write(b"X = 1\n")}),
        TaskWords("Add `a.py` with `X`", files=("a.py",)),
        paths={"a.py"},
        read=lambda path: None,
        guidance={},
    )
    assert found.complaints == ()


ERRORS = BASE["src/words/errors.py"]
OTHER_NAMES = ERRORS.replace("name", "what")
OTHER_TEXTS = ERRORS.replace("unknown item", "no such thing")
VERSION = '[project]\nname = "words"\nversion = "2"\n'
PACKAGE = '[project]\nname = "words"\ndependencies = ["rich"]\n'
NEAR = {
    "a deletion": ("", {"src/words/table.py": None}, True),
    "a deletion asked for": ("and remove the table", {"src/words/table.py": None}, False),
    "a deletion by name": ("and `table.py`", {"src/words/table.py": None}, False),
    "a version": ("", {"pyproject.toml": VERSION}, True),
    "a version asked for": ("; bump the version", {"pyproject.toml": VERSION}, False),
    "a manifest by name": ("; see pyproject.toml", {"pyproject.toml": VERSION}, False),
    "a package": ("", {"pyproject.toml": PACKAGE}, True),
    "a package asked for": ("with rich", {"pyproject.toml": PACKAGE}, False),
    "no manifest any more": ("", {"pyproject.toml": None}, True),
    "a new manifest": ("", {"package.json": "{}\n"}, False),
    "other names": ("", {"src/words/errors.py": OTHER_NAMES}, True),
    "names asked for": ("for what", {"src/words/errors.py": OTHER_NAMES}, False),
    "names in a file by name": ("in `errors.py`", {"src/words/errors.py": OTHER_NAMES}, False),
    "other texts": ("", {"src/words/errors.py": OTHER_TEXTS}, True),
    "texts asked for": ("and change the message", {"src/words/errors.py": OTHER_TEXTS}, False),
    "a text of its words": ("of a thing", {"src/words/errors.py": OTHER_TEXTS}, False),
    "texts beside an error": ("; none is no error", {"src/words/errors.py": OTHER_TEXTS}, True),
    "texts beside words": ("; it says no, as a text", {"src/words/errors.py": OTHER_TEXTS}, True),
    "better errors": ("with clearer errors", {"src/words/errors.py": OTHER_TEXTS}, False),
    "error texts": ("and change error texts", {"src/words/errors.py": OTHER_TEXTS}, False),
    "texts in a file by name": ("in `errors.py`", {"src/words/errors.py": OTHER_TEXTS}, False),
    "texts and code": (
        "",
        {"src/words/errors.py": OTHER_TEXTS.replace("KeyError", "ValueError")},
        False,
    ),
    "the roadmap asked for": ("(and the roadmap)", {"ROADMAP.md": "- [x]\n"}, False),
    "a page deleted": ("; remove it", {"README.md": None}, True),
    "a new page": ("", {"docs/new.md": "x\n"}, True),
    "another language": ("", {"go/a.go": BASE["go/a.go"].replace("1", "2")}, True),
    "a file named like its topic": ("", {"src/words/exclamation.py": "ABC = 9\n"}, False),
    "a name of its topic": ("", {"src/words/make_exclamation.py": "ABC = 9\n"}, False),
    "a word of its topic": ("", {"src/words/table.py": "def row(exclamation): 1\n"}, False),
    "its topic in capitals": ("", {"src/words/table.py": "def row(Exclamation): 1\n"}, False),
    "another word": ("", {"src/words/table.py": "def row(line): 1\n"}, True),
    "comments of a test": (
        "",
        {"tests/test_title.py": "# A\n" + BASE["tests/test_title.py"]},
        True,
    ),
    "another test": ("", {"tests/test_title.py": "X = 1\n" + BASE["tests/test_title.py"]}, False),
    "settings of its own": ("", {"src/words/conf.json": "{}\n"}, False),
    "a package of scripts": ("", {"src/words/index.js": "const roam = 1;\n"}, False),
    "a script": ("", {"src/words/roam.js": "const roam = 1;\n"}, True),
    "blank lines": ("", {"src/words/title.py": BASE["src/words/title.py"] + "\n\n"}, True),
}


@pytest.mark.parametrize("what", NEAR)
def test_beside_the_code_of_the_task(what: str) -> None:
    """One file more: whether the task, with these words more, has a use for it."""
    said, files, outside = NEAR[what]
    assert left_out(f"{TASK} {said}", {**LOUD, **files}) == (set(files) if outside else set())


@pytest.mark.parametrize(
    ("code", "files", "outside"),
    [
        ("import rich\n", {"pyproject.toml": PACKAGE}, False),
        ("def shout(what):\n    return what\n", {"src/words/errors.py": OTHER_NAMES}, False),
        ("def shout(text):\n    return 'thing'\n", {"src/words/errors.py": OTHER_TEXTS}, False),
        ("open('notes.md')\n", {"notes.md": "x\n"}, False),
        ("open('other.md')\n", {"notes.md": "x\n"}, True),
        ("shout = table\n", {"src/words/table.py": "def row(cells):\n    return cells\n"}, False),
    ],
)
def test_what_the_code_of_the_answer_uses(
    code: str, files: dict[str, str | None], outside: bool
) -> None:
    """A package, a name, a text or a file that the changed code speaks of belongs to it."""
    answer = {"src/words/loud.py": code, **files}
    assert left_out(TASK, answer) == (set(files) if outside else set())


@pytest.mark.parametrize(
    ("path", "text", "outside"),
    [
        ("go/b.go", BASE["go/b.go"].replace("1", "2"), False),
        ("go/sub/c.go", "package sub\n\nfunc other() int {\n\treturn 9\n}\n", True),
        ("go/b.py", "def other():\n    return 9\n", True),
    ],
)
def test_packages_of_go(path: str, text: str, outside: bool) -> None:
    """The files of one folder are one package."""
    answer: dict[str, str | None] = {"go/a.go": BASE["go/a.go"].replace("1", "2"), path: text}
    assert left_out("Change `Shout` in `go/a.go`", answer) == ({path} if outside else set())


@pytest.mark.parametrize(
    ("said", "readme", "outside"),
    [
        ("Rename `shout` to `yell`", "# Words\n", False),
        ("Rename `shout` to `yell`", "# Other\n\n`shout(text)` makes it loud.\n", True),
        ("Let `shout` yell", "# Words\n\n`yell(text)` makes it loud.\n", True),
    ],
)
def test_pages_of_what_is_renamed(said: str, readme: str, outside: bool) -> None:
    """They lose the old name, and not much else."""
    answer: dict[str, str | None] = {
        "src/words/loud.py": "def yell(text):\n    return text.upper()\n",
        "README.md": readme,
    }
    assert left_out(said, answer) == ({"README.md"} if outside else set())


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("def abc():\n    pass\n", False),
        ("def abc(bcd):\n    pass\n", True),
        ("def abc(bcd):\n    return cde.upper_loud\n", False),
        ("def abc(bcd):\n    return Exclamation\n", False),
    ],
)
def test_two_words_of_its_own_make_another_task(text: str, refused: bool) -> None:
    """Fewer tell nothing; one that the task has, also as part of a name, is enough to stay."""
    found = trimmed(
        ChangeSet({"src/words/abc.py": Write(text.encode())}),
        TaskWords(TASK),
        paths={*BASE, "src/words/abc.py"},
        read=lambda path: None,
        guidance={},
    )
    assert [complaint.error for complaint in found.complaints] == ["OtherTask"] * refused
