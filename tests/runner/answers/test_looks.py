"""Replies that ask to see more, and those that are answers."""

from __future__ import annotations

import time

import pytest

from runner.answers.look_forms import LookRequest, from_words, in_words
from runner.answers.looks import MOST_LOOKS, looks_in

PATHS = ["src/app/main.py", "src/app/util.py", "docs/main.md", "setup.cfg"]

ASKS = {
    "READ src/app/main.py": [LookRequest("READ", "src/app/main.py")],
    "READ ./src/app/main.py:10-40": [LookRequest("READ", "src/app/main.py", 10, 40)],
    "I need more.\n\n- READ `setup.cfg`\n- SEARCH def total": [
        LookRequest("READ", "setup.cfg"),
        LookRequest("SEARCH", "def total"),
    ],
    "```\nLIST src/app/\n```": [LookRequest("LIST", "src/app")],
    "src/app/main.py\n```\nREAD src/app/main.py\n```": [LookRequest("READ", "src/app/main.py")],
    "```\n# first of all\nLIST src\n```": [LookRequest("LIST", "src")],
    "LIST": [LookRequest("LIST", "")],
    "<think>\n" + "Where is it?\n" * 20 + "</think>\n\nREAD setup.cfg": [
        LookRequest("READ", "setup.cfg")
    ],
    "Could you show me `app/util.py` first? I cannot see it.": [
        LookRequest("READ", "src/app/util.py")
    ],
    "**READ** src/app/main.py": [LookRequest("READ", "src/app/main.py")],
    "read: setup.cfg, src/app/util.py:4": [
        LookRequest("READ", "setup.cfg"),
        LookRequest("READ", "src/app/util.py", 4, 4),
    ],
    "READ src/app/main.py:1-20,40-60 (to see how it starts)": [
        LookRequest("READ", "src/app/main.py", 1, 20),
        LookRequest("READ", "src/app/main.py", 40, 60),
    ],
    "READ src/app/main.py#L10-L40": [LookRequest("READ", "src/app/main.py", 10, 40)],
    "READ src/app/main.py lines 10 to 40": [LookRequest("READ", "src/app/main.py", 10, 40)],
    "READ setup.cfg\u200b": [LookRequest("READ", "setup.cfg")],
    "READ setup.cfg:0-5": [LookRequest("READ", "setup.cfg", 1, 5)],
}  # fmt: skip


@pytest.mark.parametrize("text", ASKS)
def test_a_reply_that_asks(text: str) -> None:
    """In its own form, in lists and fences, or in a sentence."""
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
    "src/app/main.py\n```python\ndef f(n):\n    lst = []\n    lst.append(n)\n    return lst\n```\n",
    "list.sh\n```sh\nls -la\n```\n",
    "Here is `list.sh`:\n```sh\nls -la\n```\n",
    "Makefile\n```make\nshow:\n\tcat notes.txt\n```\n",
    '{"files": [{"path": "setup.cfg", "content": "[show]\\n"}]}',
    '{"name": "write_file", "arguments": {"path": "setup.cfg", "content": "[show]\\n"}}',
    '<file path="setup.cfg">\n[show]\n</file>',
    "cat > setup.cfg <<'EOF'\n[show]\nEOF\n",
    "*** Begin Patch\n*** Update File: setup.cfg\n@@\n-[hide]\n+[show]\n*** End Patch\n",
    "--- a/setup.cfg\n+++ b/setup.cfg\n@@ -1 +1 @@\n-[hide]\n+[show]\n",
    "tree.insert(x)",
    "We should read the settings first.",
]


@pytest.mark.parametrize("text", ANSWERS)
def test_a_reply_that_answers(text: str) -> None:
    """Files, edits and deletions win; a sentence must say that it needs a file that is there."""
    assert looks_in(text, PATHS) == ()


def test_a_sentence_asks_for_what_is_not_shown() -> None:
    """To name a file that is there to be seen is no request."""
    text = "I need to see setup.cfg and src/app/util.py."

    assert looks_in(text, PATHS, shown=["setup.cfg"]) == (LookRequest("READ", "src/app/util.py"),)


@pytest.mark.parametrize(
    "text",
    ["need see " + "a/" * 10_000, "READ a " + "1-2," * 5_000, "<read_file>" * 3_000, "{" * 20_000],
)
def test_hostile_replies_are_read_at_once(text: str) -> None:
    """None of them takes longer the longer it is."""
    begun = time.process_time()
    looks_in(text, PATHS)

    assert time.process_time() - begun < 5


def test_only_so_many_requests_are_taken() -> None:
    """Ten thousand lines ask for six things."""
    text = "\n".join(f"READ src/{n}.py" for n in range(10_000))

    assert len(looks_in(text, PATHS)) == MOST_LOOKS


@pytest.mark.parametrize("look", [look for asked in ASKS.values() for look in asked])
def test_requests_are_kept_in_words(look: LookRequest) -> None:
    """The journal has them as text, and they are read from it as they were."""
    assert from_words(in_words(look)) == look


def test_words_that_are_no_request() -> None:
    """The end of a file counts from there; anything else is nothing."""
    tail = LookRequest("READ", "a b.py", -8)

    assert from_words(in_words(tail)) == tail
    assert from_words("WRITE a.py") is None
