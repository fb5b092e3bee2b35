"""Two files of one answer in two forms: each form is read, whatever stands beside it.

A form that is read only when it stands alone loses a part of the answer, and the rest is committed
as if it were all.
"""

from __future__ import annotations

import json

import pytest

from runner.answers.reply import parse_reply

TREE = {
    "calc.py": b"def add(a, b):\n    return a - b\n\n\ndef double(x):\n    return 2 * x\n",
    "shop.py": b"def total(items):\n    return len(items)\n\n\ndef empty(items):\n"
    b"    return not items\n",
}
FIX = {
    "calc.py": ("    return a - b", "    return a + b"),
    "shop.py": ("    return len(items)", "    return sum(items)"),
}
AFTER = {path: TREE[path].decode().replace(*FIX[path]) for path in TREE}


def edits(path: str) -> dict[str, str]:
    """The forms that give only the changed line."""
    (old, new), first = FIX[path], TREE[path].decode().partition("\n")[0]
    block = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    hunk = f"@@ -1,2 +1,2 @@\n {first}\n-{old}\n+{new}\n"
    diff = f"--- a/{path}\n+++ b/{path}\n{hunk}"
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@ {first}\n-{old}\n+{new}\n*** End Patch\n"
    call = {
        "name": "str_replace",
        "arguments": {"path": path, "old_str": old, "new_str": new},
    }
    return {
        "search/replace in a fence": f"{path}\n```python\n{block}```\n",
        "search/replace": f"{path}\n{block}",
        "search/replace with its path inside": f"```\n{path}\n{block}```\n",
        "diff in a fence": f"```diff\n{diff}```\n",
        "diff": diff,
        "git's diff": f"diff --git a/{path} b/{path}\nindex 123..456 100644\n{diff}",
        "patch": patch,
        "patch in a fence": f"```\n{patch}```\n",
        "call in tags": f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n",
        "JSON edit": json.dumps({"path": path, "search": old, "replace": new}) + "\n",
    }


def files(path: str) -> dict[str, str]:
    """The forms that give the complete file."""
    full = AFTER[path]
    call = {"name": "write_file", "arguments": {"path": path, "content": full}}
    listed = json.dumps({"files": [{"path": path, "content": full}]})
    here = f"cat > {path} <<'EOF'\n{full}EOF\n"
    return {
        "path above": f"{path}\n```python\n{full}```\n",
        "path in the info": f"```python {path}\n{full}```\n",
        "heading": f"### `{path}`\n\n```python\n{full}```\n",
        "comment": f"```python\n# {path}\n{full}```\n",
        "tag": f'<file path="{path}">\n{full}</file>\n',
        "elements": f"<path>{path}</path>\n<content>\n{full}</content>\n",
        "invoke": f'<function_calls>\n<invoke name="write_file">\n<parameter name="path">{path}'
        f'</parameter>\n<parameter name="content">{full}</parameter>\n</invoke>\n'
        "</function_calls>\n",
        "file by a call": f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n",
        "JSON": f"{listed}\n",
        "JSON in a fence": f"```json\n{listed}\n```\n",
        "here-document in a fence": f"```bash\n{here}```\n",
        "here-document": here,
    }


FORMS = {path: edits(path) | files(path) for path in TREE}


@pytest.mark.parametrize("between", ["\n", "\nAnd the other one:\n\n"], ids=["", "words"])
@pytest.mark.parametrize("second", FORMS["shop.py"])
@pytest.mark.parametrize("first", FORMS["calc.py"])
def test_no_form_hides_another(first: str, second: str, between: str) -> None:
    """Both files come out as they were meant, in whichever two forms they were given."""
    one, other = FORMS["calc.py"][first], FORMS["shop.py"][second]

    reply = parse_reply(
        f"I change two files.\n\n{one}{between}{other}\nThat is all.\n",
        paths=TREE,
        expected=list(TREE),
        read=TREE.get,
    )

    assert reply.complaints == ()
    found = {path: w and w.content.decode() for path, w in reply.changes.files.items()}
    assert found == AFTER


@pytest.mark.parametrize("form", edits("calc.py"))
def test_an_edit_of_the_first_line_keeps_the_byte_order_mark(form: str) -> None:
    """No answer writes the mark, and the bytes before the first character stay."""
    mark = b"\xef\xbb\xbf"

    reply = parse_reply(
        edits("calc.py")[form],
        paths=["calc.py"],
        read={"calc.py": mark + TREE["calc.py"]}.get,
    )

    written = reply.changes.files["calc.py"]
    assert written is not None
    assert written.content == mark + AFTER["calc.py"].encode()


@pytest.mark.parametrize("form", FORMS["shop.py"])
def test_an_answer_that_was_cut_is_complete_or_told(form: str) -> None:
    """Wherever a server cuts the last file, it is not taken for all of it."""
    text = f"{FORMS['calc.py']['path above']}\n{FORMS['shop.py'][form]}"

    for end in range(len(FORMS["calc.py"]["path above"]) + 1, len(text)):
        reply = parse_reply(
            text[:end], paths=TREE, expected=list(TREE), read=TREE.get, truncated=True
        )
        found = {path: w and w.content.decode() for path, w in reply.changes.files.items()}
        assert reply.complaints or found == AFTER, text[:end]


def test_a_file_that_looks_like_an_answer_is_a_file() -> None:
    """A JSON file whose keys are those of an answer, below its own name."""
    text = '{\n  "path": "old.py",\n  "content": "x = 1"\n}\n'

    reply = parse_reply(f"a.json\n```\n{text}```\n", paths=["a.json"], read=lambda _: b"{}\n")

    assert {path: w and w.content for path, w in reply.changes.files.items()} == {
        "a.json": text.encode()
    }


@pytest.mark.parametrize("line", ["{", "[", '["a", ', "[[[["])
def test_many_lines_that_begin_as_json_take_no_long(line: str) -> None:
    """Only a few of them are tried; the file beside them is found."""
    junk = f"{line}\n" * 20_000

    reply = parse_reply(
        f"{junk}\n{FORMS['calc.py']['path above']}", paths=TREE, expected=["calc.py"], read=TREE.get
    )

    assert list(reply.changes.files) == ["calc.py"]
