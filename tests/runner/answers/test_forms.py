"""Single answers and what exactly is read from them: JSON entries, fences, marks taken off."""

from __future__ import annotations

import pytest

from tests.runner.answers.asking import ask, written

Read = tuple[str, dict[str, str | None], str]
"""(answer, files, what is noted or complained of)"""


def said(text: str) -> tuple[dict[str, str | None], str]:
    """The files of an answer, and what is said of it."""
    reply = ask(text, expected=())
    return written(reply), "; ".join([c.for_model for c in reply.complaints] + [*reply.repairs])


NO_FILE = (
    "No file was found in the answer. Give each file as its path on a line of its own, then its "
    "content between fences (```)."
)
JSON: dict[str, Read] = {
    "two": (
        '[{"path": "a.py", "content": "x\\n"}, {"path": "b.py", "content": "y\\n"}]',
        {"a.py": "x\n", "b.py": "y\n"},
        "",
    ),
    "list half": ('[{"path": "a.py", "content": "x\\n"}, {"no": 1}]', {}, NO_FILE),
    "key known": ('{"src/app.py": "x = 1"}', {"src/app.py": "x = 1\n"}, ""),
    "key new one line": ('{"src/new.py": "x = 1"}', {}, NO_FILE),
    "key new lines": ('{"src/new.py": "x = 1\\ny = 2\\n"}', {"src/new.py": "x = 1\ny = 2\n"}, ""),
    "key new escaped": (
        '{"src/new.py": "x = 1\\\\ny = 2\\\\n"}',
        {"src/new.py": "x = 1\ny = 2\n"},
        "src/new.py: put \\n back into line breaks",
    ),
    "keys mixed": ('{"src/new.py": "x = 1\\n", "note": "hello"}', {}, NO_FILE),
    "fence": (
        '{"path": "a.py", "content": "```python\\nx = 1\\n```"}',
        {"a.py": "x = 1\n"},
        "a.py: removed the fence around the file",
    ),
    "fence md": (
        '{"path": "a.md", "content": "```python\\nx = 1\\n```"}',
        {"a.md": "```python\nx = 1\n```\n"},
        "",
    ),
    "fences two": (
        '{"path": "a.py", "content": "```python\\nx = 1\\n```\\n```python\\nx = 1\\n```"}',
        {"a.py": "```python\nx = 1\n```\n```python\nx = 1\n```\n"},
        "",
    ),
    "tilde": (
        '{"path": "a.py", "content": "~~~python\\nx = 1\\n~~~"}',
        {"a.py": "x = 1\n"},
        "a.py: removed the fence around the file",
    ),
    "crlf": (
        '{"path": "a.py", "content": "x = 1\\r\\ny = 2\\r\\n"}',
        {"a.py": "x = 1\ny = 2\n"},
        "",
    ),
    "double": (
        '{"path": "a.txt", "content": "x\\\\ny\\\\t\\\\\\"z\\\\\\\\"}',
        {"a.txt": 'x\ny\t"z\\\n'},
        "a.txt: put \\n back into line breaks",
    ),
    "delete": ('{"path": "src/app.py", "delete": true}', {"src/app.py": None}, ""),
    "delete false": ('{"path": "src/app.py", "delete": false}', {}, NO_FILE),
    "action delete": ('{"path": "src/app.py", "action": "remove"}', {"src/app.py": None}, ""),
    "type delete": (
        '{"path": "src/app.py", "type": "delete", "content": "x"}',
        {"src/app.py": None},
        "",
    ),
    "action other": (
        '{"path": "src/app.py", "action": "write", "content": "x"}',
        {"src/app.py": "x\n"},
        "",
    ),
    "name": ('{"name": "a.py", "content": "x\\n"}', {"a.py": "x\n"}, ""),
    "name no path": ('{"name": "pkg", "content": "x\\n"}', {}, NO_FILE),
    "path no path": ('{"path": "pkg", "content": "x\\n"}', {"pkg": "x\n"}, ""),
    "edit": (
        '{"path": "src/app.py", "search": "\\nprint(\'hello\')\\n", "replace": "print(1)\\n"}',
        {"src/app.py": "print(1)\n"},
        "",
    ),
    "edit half": ('{"path": "src/app.py", "search": "print(\'hello\')"}', {}, NO_FILE),
    "broken": (
        '{"files": [{"path": "a.py", "content": "x"',
        {},
        "The JSON of the answer is broken at line 1, column 43: Expecting ',' delimiter.",
    ),
    "not files": ('{"a": 1}', {}, NO_FILE),
    "list prose": (
        'Here: [1, 2] and {"path": "a.py", "content": "x\\n"} end',
        {},
        "The JSON of the answer is broken at line 1, column 8: Extra data.",
    ),
    "json5": ("```json5\n{'path': 'a.py', 'content': 'x'}\n```", {"a.py": "x\n"}, ""),
    "toml fence": (
        "```toml\n{'path': 'a.py', 'content': 'x'}\n```",
        {},
        "Block 1 (line 1 of the answer) has no path. Write the path of the file on a line of its "
        "own, then the fence.",
    ),
    "args": ('{"name": "w", "input": {"path": "a.py", "content": "x\\n"}}', {"a.py": "x\n"}, ""),
    "args str": (
        '{"function": {"arguments": "{\\"path\\": \\"a.py\\", \\"content\\": \\"x\\\\n\\"}"}}',
        {"a.py": "x\n"},
        "",
    ),
    "args bad str": ('{"function": {"arguments": "{"}}', {}, NO_FILE),
    "changes": ('{"changes": [{"path": "a.py", "content": "x\\n"}]}', {"a.py": "x\n"}, ""),
}


@pytest.mark.parametrize("form", JSON)
def test_entries_of_json(form: str) -> None:
    """Lists, objects, calls of tools; what only looks like them is no answer."""
    text, files, notes = JSON[form]
    assert said(text) == (files, notes)


FENCES: dict[str, Read] = {
    "unclosed then path fence": (
        "```python src/a.py\na = 1\n```python src/b.py\nb = 1\n```",
        {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n"},
        "src/a.py: the fence of block 1 (line 1 of the answer) was not closed",
    ),
    "unclosed then label": (
        "```python src/a.py\na = 1\nsrc/b.py\n```python\nb = 1\n```",
        {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n"},
        "src/a.py: the fence of block 1 (line 1 of the answer) was not closed",
    ),
    "inner open closed": (
        "```python src/a.py\n```js\nx\n```\ny\n```\nsrc/b.py\n```\nz\n```",
        {"src/a.py": "```js\nx\n```\ny\n", "src/b.py": "z\n"},
        "",
    ),
    "inner then file": (
        "```python src/a.py\n```js\nx\n```\n```python src/b.py\nb = 1\n```",
        {"src/a.py": "```js\nx\n", "src/b.py": "b = 1\n"},
        "",
    ),
    "md inner": (
        "```md a.md\n```python src/b.py\nx\n```\nend\n```",
        {"a.md": "```python src/b.py\nx\n```\nend\n"},
        "",
    ),
    "shorter inner": ("````python src/a.py\n```\nx\n```\n````", {"src/a.py": "```\nx\n```\n"}, ""),
    "tilde inner": ("```python src/a.py\n~~~\nx\n~~~\n```", {"src/a.py": "~~~\nx\n~~~\n"}, ""),
    "no close at all": (
        "```python src/a.py\na = 1\n\n",
        {"src/a.py": "a = 1\n"},
        "src/a.py: the fence of block 1 (line 1 of the answer) was not closed",
    ),
    "indent": ("  ```python src/a.py\n  a = 1\n    b\n  ```", {"src/a.py": "a = 1\n  b\n"}, ""),
    "blank first": ("```python\n\n# src/a.py\nx = 1\n```", {"src/a.py": "x = 1\n"}, ""),
    "empty": ("```python src/a.py\n```", {"src/a.py": ""}, ""),
    "example beside": (
        "src/a.py\n```python\nx = 1\n```\nRun:\n```bash\npython a.py\n```",
        {"src/a.py": "x = 1\n"},
        "block 2 (line 6 of the answer) has no path: ignored",
    ),
    "delete form": ("> DELETE: `src/app.py`", {"src/app.py": None}, ""),
    "delete unknown": ("DELETE nothing", {}, NO_FILE),
    "delete not there": (
        "DELETE src/none.py",
        {},
        f"{NO_FILE}; src/none.py: is not there, nothing to delete",
    ),
    "twice": (
        "```python src/a.py\nx = 1\n```\n```python src/a.py\nx = 2\n```",
        {"src/a.py": "x = 2\n"},
        "src/a.py: given more than once, the last one counts",
    ),
    "twice same": (
        "```python src/a.py\nx = 1\n```\n```python src/a.py\nx = 1\n```",
        {"src/a.py": "x = 1\n"},
        "",
    ),
    "numbers md": ("```md a.md\n1. a\n2. b\n```", {"a.md": "1. a\n2. b\n"}, ""),
    "numbers gap": ("```python src/a.py\n1 | a\n3 | b\n```", {"src/a.py": "1 | a\n3 | b\n"}, ""),
    "numbers tail": (
        "```python src/a.py\n1 | a\n2 |   b\n\n```",
        {"src/a.py": "a\n  b\n"},
        "src/a.py: removed line numbers",
    ),
    "one number": ("```python src/a.py\n1 | a\n```", {"src/a.py": "1 | a\n"}, ""),
    "plus": (
        "```python src/a.py\n+a\n+ b\n\n+c\n```",
        {"src/a.py": "a\n b\n\nc\n"},
        "src/a.py: removed a + before every line",
    ),
    "plus one": ("```python src/a.py\n+a\n```", {"src/a.py": "+a\n"}, ""),
    "plus md": ("```md a.md\n+a\n+b\n```", {"a.md": "+a\n+b\n"}, ""),
    "entities": (
        "```python src/a.py\nif a &lt; b:\n    pass\n```",
        {"src/a.py": "if a < b:\n    pass\n"},
        "src/a.py: turned HTML entities back into characters",
    ),
    "entities str": ('```python src/a.py\nx = "&lt;"\n```', {"src/a.py": 'x = "&lt;"\n'}, ""),
    "entities both": (
        "```python src/a.py\nif a &lt; b > c:\n    pass\n```",
        {"src/a.py": "if a &lt; b > c:\n    pass\n"},
        "",
    ),
    "entities html": ("```html a.html\na &amp; b\n```", {"a.html": "a &amp; b\n"}, ""),
    "entities html lt": (
        "```html a.html\n&lt;p&gt;a\n```",
        {"a.html": "<p>a\n"},
        "a.html: turned HTML entities back into characters",
    ),
    "think mid": (
        "a\n<think>\n```python src/x.py\nx\n```\n</think> ok\n```python src/a.py\n<think>\nx\n```",
        {"src/a.py": "<think>\nx\n"},
        "",
    ),
    "think never": ("<think>\n```python src/x.py\nx = 1\n```", {}, "The answer is empty."),
}


@pytest.mark.parametrize("form", FENCES)
def test_fences_and_what_is_in_them(form: str) -> None:
    """Where a block ends, and which marks are no part of the file."""
    text, files, notes = FENCES[form]
    assert said(text) == (files, notes)
