"""Search/replace blocks and unified diffs for existing files."""

from __future__ import annotations

import pytest

from runner.answers.reply import parse_reply
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


BESIDE = "src/new.py\n```python\nNEW = 1\n```\n"


@pytest.mark.parametrize("form", ["no fence", "bare diff"])
def test_an_edit_without_a_fence_counts_beside_files_with_one(form):
    """What stands outside of every fence is no mere explanation if it is an edit."""
    reply = ask(f"{FORMS[form]}\n{BESIDE}", expected=())

    assert reply.complaints == ()
    assert written(reply) == {PATH: AFTER, "src/new.py": "NEW = 1\n"}


def test_an_edit_below_a_block_names_its_own_file():
    """The path above the block is not that of the edit."""
    reply = ask(f"{BESIDE}\n{FORMS['no fence']}", expected=())

    assert reply.complaints == ()
    assert written(reply) == {PATH: AFTER, "src/new.py": "NEW = 1\n"}


def test_an_edit_without_a_fence_and_an_end_is_told():
    """It is not dropped in silence."""
    reply = ask(f"{PATH}\n<<<<<<< SEARCH\n{OLD}\n\n{BESIDE}", expected=())

    assert "no end marker" in reply.complaints[0].message


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
    assert "Give the whole file" in complaint.for_model


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


ROWS = b"x = 1\ny = 1\nx = 1\ny = 2\n"


@pytest.mark.parametrize(
    ("start", "expected"),
    [(1, "x = 3\ny = 1\nx = 1\ny = 2\n"), (3, "x = 1\ny = 1\nx = 3\ny = 2\n"), (2, "")],
)
def test_the_number_of_a_hunk_says_which_of_several_places(start: int, expected: str) -> None:
    """Where it names none of them, nothing is changed."""
    text = f"```diff\n--- a/rows.py\n+++ b/rows.py\n@@ -{start} +{start} @@\n-x = 1\n+x = 3\n```"
    reply = parse_reply(text, paths=["rows.py"], read={"rows.py": ROWS}.get)

    assert "".join(text or "" for text in written(reply).values()) == expected
    assert [c.error for c in reply.complaints] == ([] if expected else ["AmbiguousEdit"])


LINES = b"def f():\n    a = 1\n    if a:\n        b = 2\n    return b\n"


@pytest.mark.parametrize(
    ("search", "replace", "expected"),
    [
        ("return b", "return b + 1", LINES.replace(b"return b", b"return b + 1")),
        (
            "if a:\n    b = 2",
            "if b:\n    b = 3",
            LINES.replace(b"if a", b"if b").replace(b"2", b"3"),
        ),
        (
            "        if a:\n            b = 2",
            "        if b:\n\n            b = 2",
            LINES.replace(b"if a:\n", b"if b:\n\n"),
        ),
        (
            "if a:\n  b = 2",
            "if b:\n  b = 3",
            LINES.replace(b"if a", b"if b").replace(b"2", b"3"),
        ),
        (
            "if a:\n    b = 2\n  return b",
            "return b",
            LINES.replace(b"    if a:\n        b = 2\n", b""),
        ),
        ("    a = 1   ", "    a = 5", LINES.replace(b"1", b"5")),
        (LINES.decode().rstrip("\n"), "", b"\n"),
        ("    return b", "", LINES.replace(b"    return b\n", b"\n")),
        ("    a = 1", "    a = 1\n    c = 1", LINES.replace(b"1\n", b"1\n    c = 1\n")),
        ("    a = 7", "    a = 5", None),
        (
            "        a = 1",
            "        a = 5\n            c = 1",
            LINES.replace(b"    a = 1\n", b"    a = 5\n        c = 1\n"),
        ),
        ("    b = 2", "    b = 2\nc = 3", LINES.replace(b"2\n", b"2\n    c = 3\n")),
        ("  a = 1", "  a = 1\nd = 1", LINES.replace(b"1\n", b"1\nd = 1\n")),
        (
            "    b = 2",
            "    b = 2\ndef g():\n  return 1",
            LINES.replace(b"2\n", b"2\ndef g():\n  return 1\n"),
        ),
        ("    nothing like it", "x", None),
    ],
)
def test_blanks_of_an_edit(search: str, replace: str, expected: bytes | None) -> None:
    """Its indentation may be shifted as a whole; the rest of the file keeps every byte."""
    edit = f"f.py\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"
    reply = parse_reply(edit, paths=["f.py"], read={"f.py": LINES}.get)

    assert [c.error for c in reply.complaints] == ([] if expected is not None else ["EditNotFound"])
    if expected is not None:
        assert written(reply) == {"f.py": expected.decode()}


def test_an_edit_that_was_applied_before_changes_nothing() -> None:
    """A repair gives its edits again: lines that are there already are not added twice."""
    more = LINES.replace(b"1\n", b"1\n    c = 1\n")
    edit = "<<<<<<< SEARCH\n    a = 1\n=======\n    a = 1\n    c = 1\n>>>>>>> REPLACE\n"
    reply = parse_reply(f"f.py\n{edit}", paths=["f.py"], read={"f.py": more}.get)

    assert (written(reply), reply.complaints) == ({"f.py": more.decode()}, ())


def test_a_near_miss_is_looked_for_and_shown_as_long_as_it_is() -> None:
    """The excerpt has as many lines as the edit; a line like none is only said."""
    edit = "f.py\n<<<<<<< SEARCH\n    aa = 1\n    if a:\n=======\nx\n>>>>>>> REPLACE\n"
    (near,) = parse_reply(edit, paths=["f.py"], read={"f.py": LINES}.get).complaints
    (one,) = parse_reply(
        edit.replace("aa = 1\n    if a:", "iff a:"), paths=["f.py"], read={"f.py": LINES}.get
    ).complaints
    (far,) = parse_reply(
        edit.replace("aa = 1", "zzz zzz zzz"), paths=["f.py"], read={"f.py": LINES}.get
    ).complaints

    assert (near.line, near.excerpt) == (2, "    2 |     a = 1\n    3 |     if a:")
    assert (one.line, one.excerpt) == (3, "    3 |     if a:")
    assert (far.line, far.excerpt) == (None, "")
    assert far.for_model.endswith("Copy them exactly from the file.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a = 1\r\nb = 2\n", b"a = 1\r\nb = 3\n"),
        (b"a = 1\nb = 2\r\n", b"a = 1\nb = 3\r\n"),
        (b"a = 1\r\nb = 2\r\nc = 3\n", b"a = 1\r\nb = 3\r\nc = 3\n"),
    ],
)
def test_a_file_of_mixed_line_ends(old: bytes, new: bytes) -> None:
    """A changed line ends as it did; all others keep their bytes."""
    edit = "f.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
    write = parse_reply(edit, paths=["f.py"], read={"f.py": old}.get).changes.files["f.py"]

    assert write is not None
    assert write.content == new


GO = b'package a\n\nfunc f(x int) {\n\tif x > 1 {\n\t\tcall(x, "one")\n\t}\n}\n'
PY = b"def f(x):\n    total = {'a': 1,  'b': x}\n\n    return total\n\n\ndef g():\n    pass\n"


@pytest.mark.parametrize(
    ("old", "search", "replace", "expected"),
    [
        pytest.param(
            GO,
            '    if x > 1 {\n        call(x, "one")\n    }',
            '    if x > 1 {\n        call(x, "one")\n        more(x)\n    }',
            GO.replace(b'"one")\n', b'"one")\n\t\tmore(x)\n'),
            id="spaces for tabs",
        ),
        pytest.param(
            GO,
            '        call(x, "one")',
            '        for {\n            call(x, "one")\n        }',
            GO.replace(b'\t\tcall(x, "one")\n', b'\t\tfor {\n\t\t\tcall(x, "one")\n\t\t}\n'),
            id="a line that moves inwards",
        ),
        pytest.param(
            PY,
            '    total = {"a": 1, "b": x}\n    return total',
            '    total = {"a": 1, "b": x, "c": 2}\n    return total',
            PY.replace(b"{'a': 1,  'b': x}\n\n", b'{"a": 1, "b": x, "c": 2}\n'),
            id="quotes, blanks and a blank line",
        ),
        pytest.param(
            PY,
            "    total = {\u2018a\u2019: 1, \u2018b\u2019: x}",
            "    total = {\u2018a\u2019: 2, \u2018b\u2019: x}",
            PY.replace(b"{'a': 1,  'b'", b"{'a': 2, 'b'"),
            id="typographic quotes",
        ),
        pytest.param(
            PY,
            "   4 |     return total\n   5 | ",
            "   4 |     return dict(total)\n   5 | ",
            PY.replace(b"return total", b"return dict(total)"),
            id="numbers",
        ),
        pytest.param(
            PY,
            "7: def g():\n8:     pass",
            "def g():\n    return 1",
            PY.replace(b"pass", b"return 1"),
            id="numbers in the search alone",
        ),
        pytest.param(b"f( 1 )\ng()\nf(1 )\n", "f(1)", "f(2)", None, id="two places"),
        pytest.param(PY, "}", "]", None, id="nothing that is a place"),
        pytest.param(PY, "    return tutal", "    return 1", None, id="another word"),
    ],
)
def test_an_edit_in_other_writing_is_found_where_it_is_unique(
    old: bytes, search: str, replace: str, expected: bytes | None
) -> None:
    """Blanks, tabs, quotes and numbers in front of lines do not hide what is meant."""
    text = f"```python a.py\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```"
    reply = parse_reply(text, paths={"a.py"}, read={"a.py": old}.get)

    write = reply.changes.files.get("a.py")
    assert (write.content if write else None) == expected
    assert bool(reply.complaints) == (expected is None)


def test_the_example_of_the_question_is_no_edit() -> None:
    """A small model repeats it: beside real edits it is left out, alone it is no answer."""
    copied = EDIT.replace(OLD, "the lines as they are").replace(NEW, "the lines as they become")

    assert written(ask(f"{PATH}\n```\n{copied}{EDIT}```", expected=())) == {PATH: AFTER}
    alone = ask(f"{PATH}\n```\n{copied}```", expected=())
    assert (written(alone), len(alone.complaints)) == ({}, 1)


BEFORE = "def one():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
AFTERWARDS = "def one():\n    a = 10\n    b = 2\n    c = 30\n    return a\n"


def edit(search: str, replace: str) -> str:
    """One search/replace edit."""
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def edited(*edits: str, form: str = "```python a.py\n{}```\n") -> str | None:
    """The file after the edits, each in a block of its own; None where they are refused."""
    text = "\n".join(form.format(each) for each in edits)
    reply = parse_reply(text, paths=["a.py"], read=lambda path: BEFORE.encode())
    write = reply.changes.files.get("a.py")
    return write.content.decode() if write and not reply.complaints else None


FIRST = edit("    a = 1\n    b = 2\n    c = 3", "    a = 10\n    b = 2\n    c = 3")
SECOND = edit("    a = 1\n    b = 2\n    c = 3\n    return a",
              "    a = 1\n    b = 2\n    c = 30\n    return a")  # fmt: skip
BOTH = edit("    b = 2\n    c = 3", "    b = 2\n    c = 30")
GROWN = edit("    a = 1\n    b = 2", "    a = 1\n    aa = 1\n    b = 2")


@pytest.mark.parametrize("blocks", [(FIRST + SECOND,), (FIRST, SECOND), (SECOND, FIRST)])
def test_edits_of_a_file_as_it_was_whose_context_overlaps(blocks: tuple[str, ...]) -> None:
    """The second one quotes lines that the first one changes: what they change is apart."""
    assert edited(*blocks) == AFTERWARDS


def test_edits_follow_one_another_first() -> None:
    """The second is of what the first made; only where that fails is the file as it was asked."""
    assert edited(FIRST + BOTH) == AFTERWARDS
    assert edited(FIRST, edit("    a = 10\n", "    a = 100\n")) == BEFORE.replace(
        "= 1\n", "= 100\n"
    )
    assert edited(GROWN + FIRST) is not None


@pytest.mark.parametrize(
    "blocks",
    [
        (FIRST, edit("    a = 1\n    b = 2", "    a = 11\n    b = 2")),
        (FIRST, edit("    a = 1\n    x = 2", "    a = 1\n    x = 3")),
        (SECOND, edit("    b = 2\n    c = 3\n    return a", "    b = 2\n    return a")),
    ],
    ids=["the same line in another way", "a line that is nowhere", "a line that goes"],
)
def test_edits_that_contradict_each_other_are_refused(blocks: tuple[str, ...]) -> None:
    """Nobody knows which is meant."""
    assert edited(*blocks) is None
    assert edited("".join(blocks)) is None


RST = "Top\n===\n\nMore\n=======\n\nEnd.\n"
CONFLICT = "So:\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n\nEnd.\n"
MINE = CONFLICT.replace("ours", "mine")


@pytest.mark.parametrize(
    ("old", "answer", "new"),
    [
        (
            RST,
            edit("More\n=======\n\nEnd.\n", "Further\n=======\n\nEnd.\n"),
            RST.replace("More", "Further"),
        ),
        (RST, edit("End.\n", "Last\n=======\n"), RST.replace("End.", "Last\n=======")),
        (CONFLICT, edit(CONFLICT, MINE), MINE),
        (CONFLICT, edit("ours\n=======\n", "mine\n=======\n"), MINE),
        (CONFLICT, MINE, MINE),
        (None, CONFLICT, CONFLICT),
        (None, edit("", RST), RST),
    ],
)
def test_a_text_with_the_marks_of_edits(old: str | None, answer: str, new: str) -> None:
    """What the file has decides where an edit is divided, and whether a block is one at all."""
    tree = {} if old is None else {"a.md": old.encode()}
    reply = parse_reply(f"a.md\n````\n{answer}````\n", paths=tree, read=tree.get)

    assert not reply.complaints
    assert (reply.changes.files["a.md"] or pytest.fail("deleted")).content.decode() == new
