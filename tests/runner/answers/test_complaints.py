"""What cannot be understood is said precisely."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.answers.pieces import EXAMPLE
from runner.answers.reply import ParsedAnswer
from runner.prompts import render_text
from tests.runner.answers.asking import CODE, HELPERS, TREE, ask, written

PARTS = [
    "```", "````", "~~~", "python ", "src/app.py", "../x", "\n", "{", "}", "[", "]", '"', "'",
    '"path":', '"content":', '"files":', ",", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE",
    "--- a/src/app.py", "+++ b/src/app.py", "@@ -1 +1 @@", "-print('hello')", "+x", "<think>",
    "</think>", "DELETE src/app.py", "\r", "\ufeff", "\\n", "\\ud800", "diff --git a/x b/x",
    "&lt;", "1 | x", "Binary files a/x and b/x differ", "GIT binary patch", "\0", "\u2028",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=30).map("".join)))
def test_any_text_gives_changes_or_a_complaint(text):
    """No text raises, and none passes in silence."""
    for truncated in (False, True):
        reply = ask(text, expected=("src/app.py",), truncated=truncated)
        assert isinstance(reply, ParsedAnswer)
        assert reply.changes or reply.complaints or reply.repairs


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=25).map("\n".join))
def test_any_lines_of_markers_give_changes_or_a_complaint(text):
    """Markers in any order do not raise."""
    reply = ask(text, expected=())
    assert reply.changes or reply.complaints or reply.repairs


def complaint_of(text: str, **options: object):
    reply = ask(text, **options)
    assert len(reply.complaints) == 1
    return reply.complaints[0]


@pytest.mark.parametrize("text", ["", " \n ", "<think>hm</think>", "\ufeff"])
def test_nothing_is_an_empty_answer(text):
    """An answer without words is called empty."""
    assert complaint_of(text).error == "EmptyAnswer"


def test_a_refusal_is_unreadable():
    """Prose alone is no file; the complaint shows the form that is asked for."""
    complaint = complaint_of("I cannot help with that.")

    assert complaint.error == "UnreadableAnswer"
    assert "on a line of its own" in complaint.for_model


def test_a_block_without_path_is_named():
    """When several files are expected, the complaint names the block and its line."""
    complaint = complaint_of("Hi\n\n```python\nx = 1\n```", expected=("a.py", "b.py"))

    assert "Block 1 (line 3 of the answer)" in complaint.for_model


def test_blocks_without_path_are_told_apart_by_their_language():
    """One block a language is enough to place it."""
    answer = "```python\nx = 1\n```\n```json\n{}\n```"

    assert written(ask(answer, expected=("a.py", "b.json"))) == {
        "a.py": "x = 1\n",
        "b.json": "{}\n",
    }


def test_a_cut_answer_keeps_its_whole_files_only():
    """The file in which the answer stops is complained about and not written."""
    answer = "```python src/a.py\na = 1\n```\n```python src/b.py\nb = ("

    reply = ask(answer, expected=("src/a.py", "src/b.py"), truncated=True)

    assert written(reply) == {"src/a.py": "a = 1\n"}
    assert [(c.error, c.path) for c in reply.complaints] == [("TruncatedAnswer", "src/b.py")]


def test_an_answer_cut_in_its_last_words_is_whole():
    """When all expected files are there, a cut in the prose after them is nothing."""
    assert ask("```python src/math.py\na = 1\n```\nThis fil", truncated=True).complaints == ()


def test_a_cut_json_answer_is_truncated():
    """Half a JSON document is called truncated, not broken."""
    text = json.dumps({"files": [{"path": "src/math.py", "content": "a = 1\n" * 50}]})[:200]

    assert complaint_of(text, truncated=True).error == "TruncatedAnswer"


@pytest.mark.parametrize("path", ["../escape.txt", "/etc/passwd.txt", "C:\\temp\\x.py", "~/x.py"])
def test_a_path_outside_the_tree_is_refused(path):
    """What leaves the repository is a complaint, and nothing of it is written."""
    reply = ask(f'```python file="{path}"\nx = 1\n```', expected=())

    assert [c.error for c in reply.complaints] == ["UnsafePath"]
    assert not reply.changes


def test_a_bare_name_of_many_folders_is_a_new_file():
    """``__init__.py`` is not taken for the one that exists in a folder."""
    assert list(ask("```python __init__.py\nx = 1\n```").changes.files) == ["__init__.py"]


def test_a_bare_name_of_one_existing_file_is_that_file():
    """A missing folder is filled in when only one file has the name, and that is said."""
    reply = ask("```python helpers.py\nx = 1\n```")

    assert list(reply.changes.files) == ["src/utils/helpers.py"]
    assert reply.repairs == ("helpers.py: taken as src/utils/helpers.py",)


def test_a_known_path_is_never_moved():
    """Two files of one name stay two files."""
    reply = ask("```python src/app.py\nx = 1\n```", expected=("app.py", "src/math.py"))

    assert list(reply.changes.files) == ["src/app.py"]
    assert "app.py" not in TREE


def test_a_broken_character_is_a_complaint():
    """A lone surrogate of a JSON escape cannot be written."""
    complaint = complaint_of('{"path": "src/math.py", "content": "x = 1 # \\ud800"}')

    assert (complaint.path, complaint.error) == ("src/math.py", "UnreadableAnswer")


def test_an_endless_answer_is_not_read():
    """Five megabytes are refused before any work."""
    assert "longer than" in complaint_of("x" * 5_000_000).for_model


def test_an_answer_of_countless_blocks_is_not_read():
    """A model that loops over one block is told so."""
    assert "blocks" in complaint_of("```\nx\n```\n" * 501).for_model


TESTS = "from app import shout\n\n\ndef test_shout():\n    assert shout('a') == 'A'\n"


@pytest.mark.parametrize(
    ("code", "expected", "path"),
    [
        (CODE, ("src/math.py", "tests/test_math.py"), "src/math.py"),
        (TESTS, ("src/math.py", "tests/test_math.py"), "tests/test_math.py"),
        (HELPERS.decode() + CODE, ("src/utils/helpers.py", "src/app.py"), "src/utils/helpers.py"),
        (CODE, ("src/utils/helpers.py", "src/math.py"), "src/math.py"),
        (CODE, ("src/math.py", "src/more.py"), None),
    ],
    ids=["code", "tests", "new version", "new file", "in doubt"],
)
def test_one_block_is_the_only_file_it_can_be(code, expected, path):
    """Tests go to the test file, a new version to its file, what resembles nothing is new."""
    reply = ask(f"```python\n{code}```\n", expected=expected)

    assert written(reply) == ({path: code} if path else {})


def test_the_example_is_the_one_of_the_prompt():
    """The block that is left out as copied is the one the system prompt shows."""
    assert f"\n{EXAMPLE}\n" in render_text("system")
