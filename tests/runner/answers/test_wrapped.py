"""Files in the forms of tools: tags, calls, here-documents, patches, diffs that explain."""

from __future__ import annotations

import json

import pytest

from runner.answers.reply import ParsedAnswer, parse_reply
from tests.runner.answers.asking import ask, written

OLD = "def add(a, b):\n    return a - b\n\n\ndef double(x):\n    return 2 * x\n"
NEW = "def add(a, b):\n    return a + b\n\n\ndef double(x):\n    return 2 * x\n"
PATCH = """*** Begin Patch
*** Update File: calc.py
@@ def add(a, b):
 def add(a, b):
-    return a - b
+    return a + b
*** End Patch
"""
CALL = {"name": "write_file", "arguments": {"path": "calc.py", "content": NEW}}
REPLACE = {"path": "calc.py", "old_str": "    return a - b", "new_str": "    return a + b"}

WHOLE = {
    "attribute": f'Here it is.\n\n<file path="calc.py">\n{NEW}</file>\n\nDone.\n',
    "other tag": f'<write_to_file path="calc.py">\n{NEW}\n</write_to_file>\n',
    "elements": f"<file>\n<path>calc.py</path>\n<content>\n{NEW}</content>\n</file>\n",
    "bare elements": f"<path>calc.py</path>\n<content>\n{NEW}</content>\n",
    "invoke": '<function_calls>\n<invoke name="write_file">\n<parameter name="path">calc.py'
    f'</parameter>\n<parameter name="content">{NEW}</parameter>\n</invoke>\n</function_calls>\n',
    "function": "<function=write>\n<parameter=path>\ncalc.py\n</parameter>\n"
    f"<parameter=content>\n{NEW}</parameter>\n</function>\n",
    "call": f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>\n",
    "call, arguments as text": "<tool_call>"
    + json.dumps({"name": "write", "arguments": json.dumps(CALL["arguments"])})
    + "</tool_call>",
    "call whose end was not sent": f"I fix it.\n<tool_call>\n{json.dumps(CALL)}\n",
    "bare call": json.dumps(CALL),
    "calls of an API": json.dumps({"tool_calls": [{"type": "function", "function": CALL}]}),
    "edit by a call": json.dumps({"name": "str_replace", "arguments": REPLACE}),
    "here-document": f"Run this:\n\n```bash\ncat > calc.py <<'EOF'\n{NEW}EOF\n```\n",
    "here-document first": f"```sh\ncat <<EOF > calc.py\n{NEW}EOF\npytest\n```\n",
    "here-document without a fence": f"cat > calc.py << 'EOF'\n{NEW}EOF\n",
    "tee": f"```bash\ntee calc.py <<'END' >/dev/null\n{NEW}END\n```\n",
    "patch": PATCH,
    "patch in a fence": f"I fixed it:\n\n```\n{PATCH}```\n",
    "diff that explains": f"calc.py\n```python\n{NEW}```\n\nWhat I changed:\n\n"
    "```diff\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n```\n",
}


def read(text: str) -> ParsedAnswer:
    """Read an answer to a task about one file."""
    files = {"calc.py": OLD.encode(), "old.py": b"x = 1\n"}
    return parse_reply(text, paths=files, expected=["calc.py"], read=files.get)


def content(reply: ParsedAnswer, path: str) -> str:
    """The new content of a file."""
    write = reply.changes.files[path]
    assert write is not None
    return write.content.decode()


@pytest.mark.parametrize("form", WHOLE)
def test_a_wrapped_file_is_read_whole(form: str) -> None:
    """Each form gives exactly the file it wraps, and nothing else."""
    reply = read(WHOLE[form])

    assert reply.complaints == ()
    assert list(reply.changes.files) == ["calc.py"]
    assert content(reply, "calc.py") == NEW


def test_several_wrapped_files_beside_a_fenced_one() -> None:
    """Forms may be mixed; each file is read once."""
    reply = read(
        f'<file path="calc.py">\n{NEW}</file>\n<file path="b/new.py">\nY = 2\n</file>\n\n'
        "c.py\n```python\nZ = 3\n```\n"
    )

    assert reply.complaints == ()
    assert sorted(reply.changes.files) == ["b/new.py", "c.py", "calc.py"]


def test_several_calls_each_write_their_file() -> None:
    """They are not read as one JSON text that is broken."""
    other = {"name": "write_file", "arguments": {"path": "new.py", "content": "Y = 2\n"}}
    reply = read(
        "".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n" for call in (CALL, other))
    )

    assert reply.complaints == ()
    assert (content(reply, "calc.py"), content(reply, "new.py")) == (NEW, "Y = 2\n")


@pytest.mark.parametrize(
    "inside", ['{"path": "calc.py", "content": "x = 1"}', '{"path": 1}; {"file": "a.py"; }']
)
def test_braces_in_a_wrapped_file_are_its_content(inside: str) -> None:
    """Not another file, and no broken JSON."""
    reply = read(f'<file path="data.json">\n{inside}\n</file>\n')

    assert reply.complaints == ()
    assert {path: content(reply, path) for path in reply.changes.files} == {
        "data.json": f"{inside}\n"
    }


def test_a_patch_adds_and_deletes_files() -> None:
    """Add and Delete need no hunks."""
    reply = read(
        "*** Begin Patch\n*** Add File: new.py\n+A = 1\n+\n+B = 2\n*** Delete File: old.py\n"
        "*** End Patch\n"
    )

    assert content(reply, "new.py") == "A = 1\n\nB = 2\n"
    assert reply.changes.files["old.py"] is None


def test_commands_remove_only_files_of_the_repository() -> None:
    """``rm`` beside a here-document deletes a file that is there, and nothing else."""
    reply = read(f"```bash\ncat > calc.py <<'EOF'\n{NEW}EOF\nrm old.py\nrm -rf build\n```\n")

    assert sorted(reply.changes.files) == ["calc.py", "old.py"]
    assert reply.changes.files["old.py"] is None


@pytest.mark.parametrize(
    "text",
    [
        'docs.md\n```markdown\n<file path="calc.py">\nnothing\n</file>\n```\n',
        "run.sh\n```bash\ncat > calc.py <<'EOF'\nnothing\nEOF\n```\n",
        "notes.txt\n```\n*** Begin Patch\n*** Delete File: calc.py\n*** End Patch\n```\n",
    ],
)
def test_what_a_named_file_holds_is_its_content(text: str) -> None:
    """A wrapper inside the fence of a named file belongs to that file."""
    reply = read(text)

    assert reply.complaints == ()
    assert "calc.py" not in reply.changes.files
    assert len(reply.changes.files) == 1


def test_tags_around_a_fence_are_left_to_the_fence() -> None:
    """A fence inside the tags ends the file; the tags are no part of it."""
    reply = read(f'<file path="calc.py">\n```python\n{NEW}```\n</file>\n')

    assert content(reply, "calc.py") == NEW


def test_a_diff_that_adds_something_counts() -> None:
    """A diff behind a whole file is applied where it says more than the file."""
    reply = read(
        f"calc.py\n```python\n{OLD}```\n\n"
        "```diff\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
        "-    return a - b\n+    return a + b\n```\n"
    )

    assert content(reply, "calc.py") == NEW


def test_a_method_in_back_ticks_is_no_file() -> None:
    """A block without a path is not written to a file called like a method."""
    reply = parse_reply(
        "```go\npackage sheet\n```\n", paths=(), expected=["Sheet.Of"], read=lambda _path: None
    )

    assert not reply.changes


@pytest.mark.parametrize(
    "text",
    [
        '<file path="a.py">\n' * 20_000,
        "<b>\n" * 100_000,
        "<path>a.py</path><content>" * 20_000,
        "cat > a.py <<'EOF'\n" * 20_000,
        "*** Begin Patch\n" * 20_000,
        "<tool_call>\n{" * 20_000,
    ],
)
def test_openings_without_an_end_are_no_file(text: str) -> None:
    """Hostile answers end in a complaint; nothing is written."""
    reply = read(text)

    assert not reply.changes
    assert reply.complaints


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n\n*** Begin Patch\n*** End Patch\n", "The patch at line 3 names no file."),
        ('a\n<file path="calc.py">\nx\n', "line 2 of the answer does not end: </file> is missing."),
        ("a\ncat > calc.py <<EOF\nx\n", "line 2 of the answer does not end: EOF is missing."),
        ("a\n<tool_call>\n{}\n", "line 2 of the answer does not end: </tool_call> is missing."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str) -> None:
    """A patch of nothing, and wrappers that never end."""
    assert [complaint.message[-len(said) :] for complaint in read(text).complaints] == [said]


@pytest.mark.parametrize(
    "text",
    [
        f'<file path="calc.py">{NEW}</file>\nDELETE old.py\n',
        f'<file path="calc.py">\n{NEW}</file></files>\nDELETE old.py\n',
        f"```bash\ncat > calc.py <<EOF\n{NEW}EOF\n```\nDELETE old.py\n",
        f"cat > calc.py <<EOF\n{NEW}EOF\nDELETE old.py\n",
        f"{PATCH}DELETE old.py\n",
        f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>\nDELETE old.py\n",
        f"```json\n{json.dumps(CALL)}\n```\nDELETE old.py\n",
        f"DELETE old.py\n{json.dumps(CALL, indent=1)}\n",
    ],
)
def test_the_line_after_a_wrapper_counts(text: str) -> None:
    """And the one before it: a wrapper takes no more lines than it has."""
    reply = read(text)

    assert (content(reply, "calc.py"), reply.complaints) == (NEW, ())
    assert reply.changes.files["old.py"] is None


@pytest.mark.parametrize(
    "text",
    [
        "cat >> calc.py <<EOF\nsome text\nEOF\n",
        "cat >> calc.py <<EOF\nx = 1\nEOF\n",
        "cat <<EOF\nsome text\nEOF\n",
        "cat <<EOF\nx = 1\nEOF\n",
        "```\ncat <<EOF\nx = 1\nEOF\n```\n",
        "```bash\nrm old.py\n```\n",
        '<file path="no path">\nx = 1\n</file>\n',
        "<p>calc.py</p>\n",
        '<tool_call>{"name": "read_file", "arguments": {"path": "calc.py"}}</tool_call>\n',
    ],
)
def test_what_writes_no_file_whole_is_no_wrapper(text: str) -> None:
    """To append, to print, to remove alone, to read: nothing is taken from it."""
    assert not read(text).changes


def test_hunks_of_a_patch() -> None:
    """Each is an edit of its own; a line without a mark is context."""
    patch = PATCH.replace(
        "*** End",
        "@@\n def double(x):\n-    return 2 * x\n+    return x + x\n@@\n def double(x):\n*** End",
    ).replace(" def add", "def add", 1)
    reply = read(patch)

    assert reply.complaints == ()
    assert content(reply, "calc.py") == NEW.replace("2 * x", "x + x")


SEVERAL = (
    "src/math.py\n```python\ndef add(a, b):\n    return a + b\n```\n\n"
    "tests/test_math.py\n```python\ndef test_add():\n    assert add(1, 2) == 3\n```\n"
)


@pytest.mark.parametrize("outer", ["````markdown\n{}````\n", "```md\n{}```\n", "Here:\n\n{}"])
def test_several_files_inside_one_fence_of_markdown(outer: str) -> None:
    """The outer fence belongs to no file: each of those inside is one."""
    found = written(ask(outer.format(SEVERAL)))

    assert list(found) == ["src/math.py", "tests/test_math.py"]
    assert found["src/math.py"] == "def add(a, b):\n    return a + b\n"


def test_a_page_of_markdown_may_show_files() -> None:
    """Its own path stands above the fence, so that what is inside is its content."""
    found = written(ask(f"docs/README.md\n````markdown\n{SEVERAL}````\n", expected=()))

    assert list(found) == ["docs/README.md"]


@pytest.mark.parametrize("tag", ['<file path="{}">', '<document name="{}" kind="code">'])
def test_a_tag_above_a_fence_names_its_file(tag: str) -> None:
    """Also where the fences are in another order than the task names the files."""
    names = ("src/app.py", "src/math.py")
    text = "\n".join(
        f"{tag.format(name)}\n```python\nprint('{name}')\n```\n</file>\n" for name in names[::-1]
    )
    found = ask(text, expected=names)

    assert written(found) == {name: f"print('{name}')\n" for name in names}
    assert found.repairs == ()
