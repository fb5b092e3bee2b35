"""Replies that ask to see more, and those that are answers."""

from __future__ import annotations

import pytest

from runner.answers.looks import MOST_LOOKS, LookRequest, looks_in

PATHS = ["src/app/main.py", "src/app/util.py", "docs/main.md", "setup.cfg"]

ASKS = {
    "READ src/app/main.py": [LookRequest("READ", "src/app/main.py")],
    "READ ./src/app/main.py:10-40": [LookRequest("READ", "src/app/main.py", 10, 40)],
    "I need more.\n\n- READ `setup.cfg`\n- SEARCH def total": [
        LookRequest("READ", "setup.cfg"),
        LookRequest("SEARCH", "def total"),
    ],
    "```\nLIST src/app/\n```": [LookRequest("LIST", "src/app")],
    "1. `cat src/app/util.py`\n2. `sed -n '5,9p' setup.cfg`": [
        LookRequest("READ", "src/app/util.py"),
        LookRequest("READ", "setup.cfg", 5, 9),
    ],
    "grep -rn 'def total' src/\nls -la src": [
        LookRequest("SEARCH", "def total"),
        LookRequest("LIST", "src"),
    ],
    "rg total": [LookRequest("SEARCH", "total")],
    "LIST": [LookRequest("LIST", "")],
    "<think>\n" + "Where is it?\n" * 20 + "</think>\n\nREAD setup.cfg": [
        LookRequest("READ", "setup.cfg")
    ],
    "src/app/main.py\n```\ncat src/app/main.py\n```": [LookRequest("READ", "src/app/main.py")],
    "```sh\n# first of all\nls src\n```": [LookRequest("LIST", "src")],
    "Could you show me `app/util.py` first? I cannot see it.": [
        LookRequest("READ", "src/app/util.py")
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", ASKS)
def test_a_reply_that_asks(text: str) -> None:
    """In its own form, as commands, in lists and fences, or in a sentence."""
    assert list(looks_in(text, PATHS)) == ASKS[text]


ANSWERS = [
    "src/app/main.py\n```python\nREAD = 1\n```\n",
    "src/app/main.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
    "DELETE src/app/main.py\nREAD setup.cfg\n",
    "The file src/app/main.py is fine.",
    "I need to see the thing.",
    "run.sh\n```sh\nset -e\ncat notes.txt\n" + "echo one\n" * 9 + "```\n",
    "run.sh\n```sh\ncat notes.txt\n```\n",
    "src/tree.py\n```python\ntree = Tree()\ntree.insert(1)\nlstrip()\n```\n",
    "```python\ntree.insert(1)\n```\n",
    "src/app/main.py\n```python\nhead = 1\n```\n\nrun.sh\n```sh\nset -e\ncat notes.txt\n```\n",
    '{"path": "src/app/main.py", "content": "x = 1\\n"}',
    '<tool_call>{"name": "write", "arguments": {"path": "setup.cfg", "content": "x"}}</tool_call>',
    '<file path="src/app/main.py">\nneed = 1\n</file>\n',
    "*** Begin Patch\n*** Add File: setup.cfg\n+content = 1\n*** End Patch\n",
    'content = open("setup.cfg").read()\nprint(content)\n',
    "",
]


@pytest.mark.parametrize("text", ANSWERS)
def test_a_reply_that_answers(text: str) -> None:
    """Files, edits and deletions win; a sentence must say that it needs a file that is there."""
    assert looks_in(text, PATHS) == ()


def test_only_so_many_requests_are_taken() -> None:
    """Ten thousand lines ask for six things."""
    text = "\n".join(f"READ src/{n}.py" for n in range(10_000))

    assert len(looks_in(text, PATHS)) == MOST_LOOKS
