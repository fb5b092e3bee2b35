"""Answers that nobody would think of: real forms, cut, doubled, mixed and spoiled at random."""

from __future__ import annotations

import random

FORMS = (
    "calc.py\n```python\ndef add(a, b):\n    return a + b\n```\n",
    "calc.py\n```\n<<<<<<< SEARCH\n    return 0\n=======\n    return a + b\n>>>>>>> REPLACE\n```\n",
    '{"files": [{"path": "calc.py", "content": "def add(a, b):\\n    return a + b\\n"}]}',
    '[{"path": "test_calc.py", "search": "assert 1", "replace": "assert add(1, 2) == 3"}]',
    '{"path": "a\\ud800.py", "content": "x = \'\\ude00\'"}',
    "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return 0\n"
    "+    return a + b\n",
    "*** Begin Patch\n*** Update File: calc.py\n@@\n-    return 0\n+    return a + b\n"
    "*** End Patch\n",
    "diff --git a/calc.py b/sum.py\nsimilarity index 90%\nrename from calc.py\nrename to sum.py\n",
    '<file path="new/mod.ts"><![CDATA[export const x = {} as any\n]]></file>',
    '<tool_call>{"name": "write_file", "arguments": {"path": "x.js", "content": "f({})"}}'
    "</tool_call>",
    '<invoke name="create"><parameter name="path">q.go</parameter></invoke>',
    "test_calc.py\n```python\nfrom calc import add\n\n\ndef test_add():\n"
    "    assert add(1, 2) == 3\n```\n",
    "x.test.js\n```js\nit('a', () => { expect({}).toEqual([]); x.validate({}); check([]) })\n```\n",
    "DELETE: calc.py\n",
    "READ: calc.py:1-20\nSEARCH: def add\n",
    "conf.yaml\n```yaml\na: &a [*a]\n```\nq.sql\n```sql\nDROP TABLE x; -- '\n```\n",
    'data.json\n```json\n{"a": 1e999, "a": [}\n```\n',
    "I cannot do this. Should I rename `calc.py`?\n",
    "<think>hm</think>",
)
_SPOILERS = (
    *("\x00", "\ufeff", "\u2028", "\u202e", "\u00a0", "\u200b", "\x0c", "\r", "\ufffd", "é", "日"),
    *(
        "```",
        "~~~~",
        "`",
        "\\ud83d",
        "\\u0000",
        "\\",
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "&#0;",
    ),
    *("<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "@@ -0,0 +1 @@\n", "@@ -9,9 +1,0 @@\n"),
    *(
        "*** Move to: ../x\n",
        "*** End of File\n",
        "new file mode 100755\n",
        "deleted file mode 1\n",
    ),
    *("/etc/passwd\n", ".git/config\n", "C:\\x\n", "a/" * 600, "9" * 5000, "(" * 300, "\t", "    "),
    *("...\n", "# rest unchanged\n", "}}}\n", "def f(:\n", "class A: pass\n", "import os\n", "'''"),
)


def odd_answer(seed: int) -> str:
    """Return the answer of this number, always the same."""
    chance = random.Random(seed)  # noqa: S311 - chance, and the same one again
    text = "\n".join(chance.choices(FORMS, k=chance.choice((1, 1, 1, 2, 3))))
    for _ in range(chance.choice((0, 1, 2, 4, 8))):
        at, end = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        end = min(end, at + chance.choice((1, 5, 40)))
        match chance.randrange(5):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] + text[end:]
            case 2:
                text = text[:at] + chance.choice(_SPOILERS) + text[at:]
            case 3:
                text = text[:at] + text[at:end][::-1] + text[end:]
            case _:
                text = text[:at] + chance.choice(_SPOILERS) + text[end:]
    return text
