"""What an answer may touch for a task, and what is left out of it."""

from __future__ import annotations

import pytest

from runner.checks.asked import TaskWords
from runner.checks.paths import asked_about, protection
from runner.checks.reach import trimmed
from runner.config.model import RepositoryConfig
from runner.config.options import options_of
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
    assert set(found.left_out) == files.keys() - found.changes.files.keys()
    assert all(found.left_out.values())
    return set(found.left_out)


OUTSIDE = {
    "a README": {"README.md": "# Changed\n"},
    "a new summary": {"IMPLEMENTATION_NOTES.md": "# What I did\n"},
    "a page of documentation": {"docs/usage.md": "# Usage\n\nCall it.\n"},
    "the change log": {"CHANGELOG.md": "# Changes\n\n- better\n"},
    "settings": {".gitignore": "*.pyc\n*.log\n"},
    "a workflow": {".github/workflows/ci.yml": "on: push\n"},
    "the roadmap": {"ROADMAP.md": "- [x] Done\n"},
    "an unrelated module": {"src/words/title.py": "def titlecase(line):\n    return line\n"},
    "an unrelated deletion": {"src/words/table.py": None},
    "the example of the question": {"src/hello.py": "def hello(who):\n    return 'Hello'\n"},
    "a script of another part": {"web/other.js": "export function roam() {\n  return 2;\n}\n"},
    "a log": {"run.log": "5 passed\n"},
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
    "the package": (TASK, {**LOUD, "src/words/__init__.py": ""}),
    "a new test": (TASK, {**LOUD, "tests/test_more.py": "def test_one():\n    assert f(1) == 2\n"}),
    "another test that changes": (
        TASK,
        {**LOUD, "tests/test_title.py": "def test_it():\n    assert t('b') == 'B'\n"},
    ),
    "data": (TASK, {**LOUD, "src/words/marks.json": "[]\n"}),
    "a named README": (f"{TASK}; say so in README.md", {**LOUD, "README.md": "# New\n"}),
    "a page about it": (TASK, {**LOUD, "docs/usage.md": "# Usage\n\nCall `shout(text)`.\n"}),
    "a line of the change log about it": (TASK, {**LOUD, "CHANGELOG.md": "- `shout` is louder\n"}),
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
    "a makefile that runs a new test": (
        TASK,
        {
            **LOUD,
            "tests/loudness.py": "assert f(1) == 2\n",
            "Makefile": "test:\n\tpython -m tests.loudness\n",
        },
    ),
    "a makefile that names it": (
        "Run `shout` in all targets",
        {**LOUD, "Makefile": "all:\n\tpython -m words shout\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", INSIDE)
def test_what_belongs_to_the_task_stays(what: str) -> None:
    """Nothing is left out that the task, or the rest of the answer, may need."""
    text, files = INSIDE[what]
    assert left_out(text, files) == set()


ACTING = """
    .github/workflows/test.yml .github/actions/build/action.yml .gitlab-ci.yml .gitlab/ci/test.yml
    .circleci/config.yml .travis.yml .buildkite/pipeline.yml .drone.yml .woodpecker/test.yml
    .cirrus.yml .semaphore/semaphore.yml appveyor.yml azure-pipelines-a.yml
    bitbucket-pipelines.yml Jenkinsfile ci/Jenkinsfile.nightly .tekton/run.yaml
    .builds/debian.yml buildspec.yml cloudbuild.yaml netlify.toml vercel.json
    .forgejo/workflows/a.yml .readthedocs.yaml
    CODEOWNERS docs/CODEOWNERS .github/CODEOWNERS .github/dependabot.yml renovate.json .mergify.yml
    .husky/pre-push .githooks/post-checkout lefthook.yml .pre-commit-config.yaml .gitattributes
    lib/.gitattributes .lfsconfig .gitmodules .envrc mise.toml .cargo/config.toml .npmrc .yarnrc.yml
    .yarn/releases/yarn-4.cjs pip.conf .bundle/config nuget.config .mvn/extensions.xml
    gradle/wrapper/gradle-wrapper.properties .vscode/tasks.json .idea/workspace.xml
    web.code-workspace .devcontainer/devcontainer.json .exrc .dir-locals.el
    AGENTS.md lib/AGENTS.md CLAUDE.md
    CLAUDE.local.md GEMINI.md .github/copilot-instructions.md .github/instructions/a.instructions.md
    .claude/settings.json .cursor/rules/a.mdc .cursorrules .clinerules/a.md .mcp.json
    .aider.conf.yml .kiro/hooks/a.kiro.hook .specify/memory/constitution.md
"""


@pytest.mark.parametrize("path", [*ACTING.split(), ".v\u017fcode/tasks.json"])
def test_what_acts_on_machines_and_people_is_left_out_unless_it_is_named(path: str) -> None:
    """Even if it names what the task is about; and ``/execute`` asks about it, if it is named."""
    files = {**LOUD, path: "shout\n"}
    assert left_out(TASK, files) == {path}
    assert left_out(f"{TASK}, and write `{path}`", files) == set()
    approvals = options_of(RepositoryConfig()).approvals
    assert asked_about(approvals.pause_protected, [path]) or protection(())(path)


def test_what_the_projects_rules_ask_for_stays() -> None:
    """CONTRIBUTING wants an entry in the change log; it does not speak of settings."""
    files = {**LOUD, "CHANGELOG.md": "# Changes\n\n- better\n", ".gitignore": "x\n"}
    assert left_out(TASK, files, "Add an entry to CHANGELOG.md.\n") == {".gitignore"}


def test_a_task_about_layout_keeps_its_blanks() -> None:
    """Blanks are what it asks for."""
    files = {"src/words/title.py": BASE["src/words/title.py"].replace("\n", "\n\n", 1)}
    assert left_out("Format the code", files) == set()
    assert left_out(TASK, {**LOUD, **files}) == set(files)


VERSION = '[project]\nname = "words"\nversion = "2.0"\n'
PACKAGE = '[project]\nname = "words"\ndependencies = ["rich"]\n'
NEAR = {
    "a deletion": ("", {"src/words/table.py": None}, True),
    "a deletion by name": ("and `table.py`", {"src/words/table.py": None}, False),
    "a version": ("", {"pyproject.toml": VERSION}, True),
    "a version that it names": ("in 2.0", {"pyproject.toml": VERSION}, False),
    "a manifest by name": ("; see pyproject.toml", {"pyproject.toml": VERSION}, False),
    "a package": ("", {"pyproject.toml": PACKAGE}, True),
    "a package asked for": ("with rich", {"pyproject.toml": PACKAGE}, False),
    "no manifest any more": ("", {"pyproject.toml": None}, True),
    "a new manifest": ("", {"package.json": "{}\n"}, False),
    "a page deleted": ("; remove it", {"README.md": None}, True),
    "a new page": ("", {"docs/new.md": "x\n"}, True),
    "another language": ("", {"go/a.go": BASE["go/a.go"].replace("1", "2")}, True),
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
        ("Let `shout` yell", "# Words\n\n`yell(text)` makes it loud.\n", False),
    ],
)
def test_pages_of_what_is_renamed(said: str, readme: str, outside: bool) -> None:
    """They lose the old name, and not much else."""
    answer: dict[str, str | None] = {
        "src/words/loud.py": "def yell(text):\n    return text.upper()\n",
        "README.md": readme,
    }
    assert left_out(said, answer) == ({"README.md"} if outside else set())
