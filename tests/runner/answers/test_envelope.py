"""The envelope part of the fault catalogue: each is understood without a model."""

from __future__ import annotations

import html
import json

import pytest

from tests.runner.answers.asking import CODE, ask, written

FENCED = f"```python src/math.py\n{CODE}```\n"
NUMBERED = "".join(f"{n:3} | {line}\n" for n, line in enumerate(CODE.splitlines(), 1))
PLUS = "".join(f"+{line}\n" for line in CODE.splitlines())
ENTRY = {"path": "src/math.py", "content": CODE}

FAULTS = {
    "plain": FENCED,
    "fenced_json": f"```json\n{json.dumps({'files': [ENTRY]})}\n```",
    "fence_inside_json": json.dumps({"files": [{**ENTRY, "content": f"```python\n{CODE}```"}]}),
    "prose_before": f"Sure! Here is the module you asked for.\n\n{FENCED}",
    "prose_after": f"{FENCED}\nThis adds two numbers. Use it as `add(1, 2)`.",
    "two_blocks": f"{FENCED}\nExample:\n\n```python\nprint(add(1, 2))\n```",
    "two_blocks_no_path": f"```python\n{CODE}```\nUse it so:\n```python\nadd(1, 2)\n```",
    "unclosed_fence": f"```python src/math.py\n{CODE}",
    "tilde_fence": f"~~~python src/math.py\n{CODE}~~~",
    "four_backticks": f"````python src/math.py\n{CODE}````",
    "think_block": f"<think>\n```python src/math.py\nwrong = 1\n```\n</think>\n{FENCED}",
    "think_without_opening": f"I think so.\n</think>\n{FENCED}",
    "crlf": "\ufeff" + FENCED.replace("\n", "\r\n"),
    "html_entities": f"```python src/math.py\n{html.escape(CODE)}```",
    "line_numbers": f"```python src/math.py\n{NUMBERED}```",
    "diff_marks": f"```python src/math.py\n{PLUS}```",
    "double_escaped": json.dumps(
        {"files": [{**ENTRY, "content": CODE.replace('"', '\\"').replace("\n", "\\n")}]}
    ),
    "json_trailing_comma": json.dumps({"files": [ENTRY]})[:-2] + ",]}",
    "json_single_quotes": repr({"files": [ENTRY]}),
    "json_raw_newlines": json.dumps({"files": [ENTRY]}).replace("\\n", "\n"),
    "json_bare_list": json.dumps([ENTRY]),
    "json_bare_object": json.dumps(ENTRY),
    "json_by_path": json.dumps({"files": {"src/math.py": CODE}}),
    "json_with_prose": f"Here it is:\n{json.dumps({'files': [ENTRY]})}\nDone.",
    "no_fence_at_all": CODE,
    "no_folder": FENCED.replace("src/math.py", "math.py"),
    "other_folder": FENCED.replace("src/math.py", "lib/math.py"),
    "dot_slash": FENCED.replace("src/", "./src/"),
    "backslashes": FENCED.replace("src/", "src\\"),
    "absolute": FENCED.replace("src/", "/workspace/src/"),
    "absolute_elsewhere": FENCED.replace("src/", "/home/me/project/src/"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_with_this_fault_is_the_file_that_was_meant(fault):
    """The fault of the envelope costs no model call: the file comes out right."""
    reply = ask(FAULTS[fault])

    assert reply.complaints == ()
    assert written(reply) == {"src/math.py": CODE}


LABELS = {
    "info": "```python src/math.py\n{}```",
    "info alone": "```src/math.py\n{}```",
    "info with colon": "```python:src/math.py\n{}```",
    "title": '```python title="src/math.py"\n{}```',
    "file key": "```python file=src/math.py\n{}```",
    "attributes": "```{{.python file=src/math.py}}\n{}```",
    "line above": "src/math.py\n```python\n{}```",
    "bold": "**src/math.py**\n\n```python\n{}```",
    "bold span": "**`src/math.py`**:\n```python\n{}```",
    "heading": "### `src/math.py`\n\n```python\n{}```",
    "numbered heading": "#### 1. src/math.py\n```python\n{}```",
    "file": "File: src/math.py\n```python\n{}```",
    "bold file": "**File:** `src/math.py`\n```python\n{}```",
    "create": "Create `src/math.py` (new file):\n```python\n{}```",
    "sentence": "Here is the new module `src/math.py`:\n\n```python\n{}```",
    "comment": "```python\n# src/math.py\n{}```",
    "file comment": "```python\n# File: src/math.py\n{}```",
    "bare first line": "```\nsrc/math.py\n{}```",
    "list item": "1. `src/math.py`\n\n   ```python\n   {}   ```",
}


@pytest.mark.parametrize("label", LABELS)
def test_a_path_is_found_wherever_models_write_it(label):
    """The path belongs to the block, and a line that only names it is not part of the file."""
    indent = "   " if label == "list item" else ""
    code = CODE.replace("\n", f"\n{indent}").removesuffix(indent)

    reply = ask(LABELS[label].format(code), expected=())

    assert reply.complaints == ()
    assert written(reply) == {"src/math.py": CODE}


def test_what_was_put_right_is_said():
    """A note names the file and what was taken off."""
    reply = ask(f"```python src/math.py\n{NUMBERED}```")

    assert reply.repairs == ("src/math.py: removed line numbers",)


def test_several_files_come_out_of_one_answer():
    """Each block with a path is a file."""
    reply = ask("```python src/a.py\na = 1\n```\nand\n```toml conf/b.toml\nb = 1\n```")

    assert written(reply) == {"src/a.py": "a = 1\n", "conf/b.toml": "b = 1\n"}


def test_an_unclosed_block_ends_where_the_next_file_begins():
    """A forgotten fence does not swallow the file after it."""
    reply = ask("src/a.py\n```python\na = 1\n\nsrc/b.py\n```python\nb = 1\n```")

    assert written(reply) == {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n"}


def test_a_fence_inside_markdown_stays_inside():
    """A Markdown file keeps its own fences, with a longer outer fence or an equal one."""
    inner = "# Title\n\n```bash\nmake\n```\n\nEnd.\n"

    longer, equal = (f"{f}markdown docs/use.md\n{inner}{f}" for f in ("````", "```"))

    assert written(ask(longer)) == written(ask(equal)) == {"docs/use.md": inner}


def test_a_comment_that_was_there_before_is_kept():
    """A first line that names the file stays when the file had it."""
    reply = ask("```python docs/README.md\n# Read me\nMore.\n```")

    assert written(reply) == {"docs/README.md": "# Read me\nMore.\n"}


def test_a_deletion_is_a_line_outside_fences():
    """``DELETE path`` deletes; the same words inside a file do not."""
    reply = ask("DELETE src/app.py\n```text notes.txt\nDELETE src/utils/helpers.py\n```")

    assert written(reply) == {"src/app.py": None, "notes.txt": "DELETE src/utils/helpers.py\n"}


def test_a_fence_of_nothing_but_deletions_deletes():
    """It is no file: nothing names one for it."""
    reply = ask("Not needed:\n```\nDELETE src/app.py\nDELETE src/utils/helpers.py\n```")

    assert written(reply) == {"src/app.py": None, "src/utils/helpers.py": None}


def test_line_ends_follow_the_file_that_is_replaced():
    """A CRLF file stays one; a final line end is added."""
    reply = ask("```python win.py\na = 1\nb = 3```\n```")

    assert reply.changes.files["win.py"].content == b"a = 1\r\nb = 3```\r\n"


def test_a_json_file_is_not_taken_for_a_json_answer():
    """An object that only has a name is the file that was asked for."""
    text = '{"name": "pkg", "source": "lib"}\n'

    assert written(ask(f"```json\n{text}```", expected=("package.json",))) == {"package.json": text}


def test_escaped_underscores_are_underscores():
    """Markdown's escapes are not part of a path."""
    reply = ask("**src/\\_\\_main\\_\\_.py**\n```python\nx = 1\n```", expected=())

    assert list(reply.changes.files) == ["src/__main__.py"]
