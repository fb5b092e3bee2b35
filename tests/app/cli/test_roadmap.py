"""``cairn roadmap show`` and ``lint``: what they print, and what they cannot read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli.main import cli
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import MOST_BYTES
from tests.app.cli.test_help import HEAVY

PROJECT = Path(__file__).parents[3]
PLAN = (
    "# Shop\n\n## Phase 1\n\n- [x] 1.1 Parse prices in `shop/prices.py`\n"
    "- [ ] 1.2 Add `shop/cart.py`\n  - [ ] 1.2.1 Improve performance\n"
)

# fmt: off
FIELDS = [
    "key", "id", "title", "text", "line", "text_end_line", "end_line", "checked", "depth", "kind",
    "headings", "phase", "acceptance", "files", "depends_on", "parent", "optional", "struck",
    "template", "priority", "effort",
]
# fmt: on


def cairn(*arguments: str, input: str | bytes | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, ["roadmap", *arguments], input=input)


def process(
    *arguments: str, input: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as people do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "app", "roadmap", *arguments],
        input=input,
        capture_output=True,
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"]} | environment,
    )


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A roadmap in a file."""
    file = tmp_path / "ROADMAP.md"
    file.write_text(PLAN)
    return file


def test_show_prints_one_object(plan: Path) -> None:
    """Programs get exactly these fields, of every task in file order."""
    said = process("show", str(plan), "--json")

    assert (said.returncode, said.stderr) == (0, b"")
    shown: dict[str, Any] = json.loads(said.stdout)
    assert list(shown) == ["file", "eol", "bom", "tasks", "candidates", "warnings"]
    assert (shown["file"], shown["eol"], shown["bom"]) == (str(plan), "lf", False)
    first, _, last = shown["tasks"]
    assert list(first) == FIELDS
    assert first["headings"] == [
        {"level": 1, "line": 1, "text": "Shop"},
        {"level": 2, "line": 3, "text": "Phase 1"},
    ]
    assert (last["id"], last["line"], last["depth"], last["kind"]) == ("1.2.1", 7, 1, "work")
    assert last["parent"] == shown["tasks"][1]["key"]


def test_what_is_shown_is_what_is_parsed(plan: Path) -> None:
    """Keys and lines are those a run goes by."""
    tasks = json.loads(cairn("show", str(plan), "--json").output)["tasks"]

    parsed = parse_roadmap(str(plan), plan.read_bytes()).tasks
    assert [(t["key"], t["line"], t["files"]) for t in tasks] == [
        (task.key, task.place.line, list(task.files)) for task in parsed
    ]


def test_show_for_people(plan: Path) -> None:
    """Headings, boxes, kinds, and in which order open work is run."""
    said = cairn("show", str(plan))

    lines = [" ".join(line.split()) for line in said.output.splitlines()]
    assert "3 Phase 1" in lines
    assert "5 [x] 1.1 Parse prices in shop/prices.py work" in lines
    assert "6 [ ] 1.2 Add shop/cart.py summary" in lines
    assert "1 7 [ ] 1.2.1 Improve performance work" in lines
    assert said.exit_code == 0


def test_what_could_have_boxes(tmp_path: Path) -> None:
    """Candidates are listed with their form; the way to boxes only where there is no work yet."""
    file = tmp_path / "plan.md"
    file.write_text("## Task 1: Wings\n\nBuild them.\n")

    said = cairn("show", str(file)).output.replace("\n", "")

    assert f"{file}:1 heading: Task 1: Wings" in said
    assert "cairn roadmap normalize" in said
    file.write_text("## Task 1: Wings\n\nBuild them.\n\n## Now\n\n- [ ] Write `a.py`\n")
    assert "cairn roadmap normalize" not in cairn("show", str(file)).output


def test_warnings_are_shown_with_their_place(tmp_path: Path) -> None:
    """What the parser leaves out is said below the tasks."""
    file = tmp_path / "plan.md"
    file.write_text("- [ ] `a.py`\n\n> - [ ] `b.py`\n")

    assert f"{file}:3:1 quoted-task" in cairn("show", str(file)).output.replace("\n", "")


def test_lint_names_place_and_code(plan: Path) -> None:
    """A finding is one line that editors can jump to; something found is 1."""
    said = process("lint", str(plan))

    assert said.returncode == 1
    assert said.stdout.decode().startswith(f"{plan}:7:15 vague this task is vague")
    assert len(said.stdout.splitlines()) == 1


def test_lint_for_programs(plan: Path) -> None:
    """The warnings are a list of objects."""
    said = cairn("lint", str(plan), "--json")

    (found,) = json.loads(said.output)
    assert list(found) == ["line", "column", "code", "message"]
    assert (found["line"], found["code"], said.exit_code) == (7, "vague", 1)


def test_nothing_to_say_is_0(tmp_path: Path) -> None:
    """A roadmap in order says so; for programs the list is empty."""
    file = tmp_path / "plan.md"
    file.write_text("- [ ] Add `total()` to `cart.py`\n")

    assert (cairn("lint", str(file)).exit_code, cairn("lint", str(file), "--json").output) == (
        0,
        "[]\n",
    )


def test_the_file_is_the_roadmap_of_the_folder(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name it is ROADMAP.md."""
    monkeypatch.chdir(plan.parent)

    assert json.loads(cairn("show", "--json").output)["file"] == "ROADMAP.md"


def test_standard_input() -> None:
    """``-`` reads what is piped in."""
    said = process("show", "-", "--json", input=b"\xef\xbb\xbf- [ ] `a.py`\r\n")

    assert json.loads(said.stdout)["tasks"][0]["text"] == "`a.py`"


@pytest.mark.parametrize("command", ["show", "lint", "normalize"])
def test_what_cannot_be_read_is_said(tmp_path: Path, command: str) -> None:
    """A sentence on standard error names the file and what to do, and the exit code is 2."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "huge.md").write_bytes(b"- [ ] x\n" * 2_500_000)
    names = ("none.md", "folder", "huge.md", "\0")
    said = {name: cairn(command, str(tmp_path / name)) for name in names}

    assert {name: result.exit_code for name, result in said.items()} == dict.fromkeys(said, 2)
    assert {name: result.stdout for name, result in said.items()} == dict.fromkeys(said, "")
    assert "does not exist; name another file, or - for standard input" in said["none.md"].stderr
    assert "is a folder; name a file in it" in said["folder"].stderr
    assert "20,000,000 bytes" in said["huge.md"].stderr
    assert "cannot be read" in said["\0"].stderr


@pytest.mark.parametrize("command", ["show", "lint"])
def test_too_many_pieces_are_refused(tmp_path: Path, command: str) -> None:
    """A small file can still be too much to read; the sentence is the parser's."""
    file = tmp_path / "many.md"
    file.write_bytes(b"- " * 300_000)

    said = cairn(command, str(file), "--json")

    assert (said.exit_code, said.stdout) == (2, "")
    assert "marks of lists" in said.stderr


def test_endless_input_is_too_large() -> None:
    """Of standard input no more is read than could be used."""
    said = cairn("show", "-", input=b"x" * (MOST_BYTES + 1))

    assert (said.exit_code, said.stdout) == (2, "")
    assert "Standard input has more than" in said.stderr


def test_damaged_bytes_are_read(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 keep nothing from being read."""
    file = tmp_path / "latin.md"
    file.write_bytes(b"- [ ] caf\xe9 in `a.py`\n")

    said = cairn("show", str(file), "--json")

    assert said.exit_code == 0
    assert json.loads(said.output)["tasks"][0]["text"] == "caf\ufffd in `a.py`"


HOSTILE = "- [ ] \x1b]0;owned\x07\x1b[2J red \u202etxt.exe \x9b31m `a.py`\r\n\n> - [ ] \x1b[31m\n"


@pytest.mark.parametrize("command", ["show", "lint"])
def test_nothing_reaches_the_terminal_raw(tmp_path: Path, command: str) -> None:
    """Escape sequences and reversed text of a roadmap are shown, not obeyed."""
    file = tmp_path / "plan\x1b[31m.md"
    file.write_text(HOSTILE)

    said = cairn(command, str(file))

    assert not set("\x1b\x07\x9b\r\u202e") & set(said.output + said.stderr)
    assert "\\x1b[31m" in said.output


def test_a_terminal_without_unicode(plan: Path) -> None:
    """Where the encoding lacks a character it is escaped; nothing fails."""
    plan.write_text("- [ ] café → `a.py`\n")

    said = process("show", str(plan), PYTHONIOENCODING="ascii", LC_ALL="C")

    assert (said.returncode, said.stderr) == (0, b"")
    assert b"caf\\xe9 \\u2192" in said.stdout


@pytest.mark.parametrize("command", ["show", "lint", "normalize"])
def test_little_is_imported(plan: Path, command: str) -> None:
    """Reading a roadmap needs no server, no database, no model."""
    program = (
        "import sys\nfrom app.cli.main import cli\n"
        f"try:\n    cli(['roadmap', {command!r}, {str(plan)!r}])\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert {*HEAVY, "dbos"} & set(ended.stderr.split()) == set()
    assert "markdown_it" in ended.stderr.split()


@pytest.mark.parametrize(
    "text", ["", "# Plan\n\n- one\n", "# Acceptance Criteria\n- [ ] It adds\n"]
)
def test_lint_of_a_file_without_tasks(tmp_path: Path, text: str) -> None:
    """What a run refuses is not called clean; 1."""
    file = tmp_path / "ROADMAP.md"
    file.write_text(text)

    said = cairn("lint", str(file))

    assert said.exit_code == 1
    assert f"{file}:1:1 no-task " in said.output
