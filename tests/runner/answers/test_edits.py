"""Search/replace blocks and unified diffs for existing files."""

from __future__ import annotations

import pytest

from tests.runner.answers.asking import HELPERS, ask, written

OLD = "def shout(text):\n    return text.upper()"
NEW = "def shout(text):\n    return text.upper() + '!'"
AFTER = HELPERS.decode().replace(OLD, NEW)
EDIT = f"<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n"
PATH = "src/utils/helpers.py"
HUNK = (
    "@@ -1,2 +1,2 @@\n def shout(text):\n-    return text.upper()\n+    return text.upper() + '!'\n"
)

FORMS = {
    "path above": f"{PATH}\n```python\n{EDIT}```",
    "path in info": f"```python {PATH}\n{EDIT}```",
    "path inside": f"```\n{PATH}\n{EDIT}```",
    "no fence": f"{PATH}\n{EDIT}",
    "trailing blanks": f"```python {PATH}\n{EDIT.replace('upper()', 'upper()  ', 1)}```",
    "no indentation": f"```python {PATH}\n<<<<<<< SEARCH\nreturn text.upper()\n=======\n"
    "return text.upper() + '!'\n>>>>>>> REPLACE\n```",
    "diff": f"```diff\n--- a/{PATH}\n+++ b/{PATH}\n{HUNK}```",
    "git diff": f"```diff\ndiff --git a/{PATH} b/{PATH}\nindex 123..456 100644\n"
    f"--- a/{PATH}\n+++ b/{PATH}\n{HUNK}```",
    "wrong counts": f"```diff\n--- {PATH}\n+++ {PATH}\n{HUNK.replace('1,2 @@', '7,9 @@')}```",
    "no numbers": f"```diff\n--- {PATH}\n+++ {PATH}\n{HUNK.replace('@@ -1,2 +1,2 @@', '@@ @@')}```",
    "no header": f"```diff {PATH}\n{HUNK}```",
    "bare diff": f"--- a/{PATH}\n+++ b/{PATH}\n{HUNK}",
    "json": '{"path": "src/utils/helpers.py", "search": "    return text.upper()",'
    ' "replace": "    return text.upper() + \'!\'"}',
}


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_changes_only_its_lines(form):
    """Every form of the same edit gives the same file."""
    reply = ask(FORMS[form], expected=())

    assert reply.complaints == ()
    assert written(reply) == {PATH: AFTER}


def test_a_crlf_file_keeps_every_other_byte():
    """An edit of a CRLF file writes CRLF lines and leaves the rest."""
    reply = ask(
        "```python win.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\nc = 4\n>>>>>>> REPLACE\n```"
    )

    assert reply.changes.files["win.py"].content == b"a = 1\r\nb = 3\r\nc = 4\r\n"


def test_a_near_miss_shows_the_lines_that_may_be_meant():
    """Lines that are not there are answered with those that look like them."""
    text = f"```python {PATH}\n{EDIT.replace('def shout(text)', 'def shouts(text)', 1)}```"

    (complaint,) = ask(text).complaints

    assert (complaint.error, complaint.path, complaint.line) == ("EditNotFound", PATH, 1)
    assert complaint.message.startswith("block 1 (line 1 of the answer)")
    assert "    1 | def shout(text):" in complaint.excerpt


def test_an_edit_that_fits_twice_is_refused():
    """An ambiguous search names the lines it fits and changes nothing."""
    edit = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    text = f"```python twice.py\nx = 1\nx = 1\n```\n```python twice.py\n{edit}```"

    reply = ask(text)

    assert "at lines 1, 2" in reply.complaints[0].message
    assert written(reply) == {"twice.py": "x = 1\nx = 1\n"}


def test_an_edit_of_a_missing_file_asks_for_the_whole_file():
    """There is nothing to search in a file that does not exist."""
    (complaint,) = ask(f"```python src/new.py\n{EDIT}```").complaints

    assert complaint.error == "EditNotFound"
    assert "Give the whole file" in complaint.message


def test_an_empty_search_makes_a_new_file():
    """Edits may create a file by replacing nothing."""
    reply = ask("```python src/new.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```")

    assert written(reply) == {"src/new.py": "x = 1\n"}


def test_an_edit_without_end_is_a_complaint():
    """A SEARCH without REPLACE is reported with its line in the block."""
    (complaint,) = ask(f"```python {PATH}\n<<<<<<< SEARCH\nx\n```").complaints

    assert "begins at its line 1 has no end marker" in complaint.message


def test_a_diff_creates_and_deletes_files():
    """``/dev/null`` on either side makes or removes the file."""
    text = (
        "```diff\n--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
        "--- a/src/app.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-print('hello')\n```"
    )

    assert written(ask(text)) == {"src/new.py": "x = 1\n", "src/app.py": None}


def test_a_diff_whose_context_is_not_there_is_refused():
    """The context is verified, not trusted."""
    text = f"```diff\n--- a/{PATH}\n+++ b/{PATH}\n{HUNK.replace('shout', 'scream')}```"

    reply = ask(text)

    assert [c.error for c in reply.complaints] == ["EditNotFound"]
    assert not reply.changes


def test_the_edits_of_a_file_are_applied_all_or_none():
    """One edit that does not fit leaves the file as it is."""
    other = "<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n"

    reply = ask(f"```python {PATH}\n{EDIT}{other}```")

    assert [complaint.error for complaint in reply.complaints] == ["EditNotFound"]
    assert not reply.changes
