"""The author of ``author.py`` for other tools: it answers in their forms and knows as little.

Of what is there it knows only what the tool showed it or what it asked to see, by the tool's own
means: aider adds files to the chat that an answer names, mini-swe-agent runs one command a turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from bench.loop.hunks import edits_of
from bench.oracle.author import Author
from runner.code.languages import is_among_tests
from tests.model_server import Asked, Fault, Held, Reply, ScriptedModel
from tests.model_server.turns import Turn

_WORD = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_NEWEST = 4_000
"""Characters of a conversation that are what its last command printed."""


def test_command(paths: Iterable[str]) -> str:
    """Return what runs the tests among these files on the code of the checkout, also in src."""
    tests = " ".join(path for path in paths if is_among_tests(path))
    return f"env PYTHONPATH=src:. python -m pytest -q {tests}"


class Counted(ScriptedModel):
    """Counts what another model is asked and answers, four characters a token."""

    def __init__(self, inner: ScriptedModel) -> None:
        super().__init__()
        self.window = inner.window
        self.tokens = 0
        self._inner = inner

    def answer(self, asked: Asked) -> Turn:
        """Ask the other model, and count both sides."""
        self.requests.append(asked)
        said = self._inner.answer(asked)
        text = said.text if isinstance(said, Reply) else said
        written = 0 if isinstance(text, Fault | Held) else len(text or "")
        self.tokens += (len(asked.prompt) + written) // 4
        return said


class AiderAuthor(Author):
    """Answers in aider's format ``diff``; files that it wants to see it names in a sentence."""

    _TRUST = "Trust this message as the true contents of these files"

    def __init__(self, old: Mapping[str, str], new: Mapping[str, str], *, slips: bool) -> None:
        super().__init__(old, new, slips=slips)
        self._asked_for: set[str] = set()

    def answer(self, asked: Asked) -> str:
        """Keep the request and answer it; aider asks for commit messages and summaries, too."""
        self.requests.append(asked)
        if "commit message" in str(asked.messages[0]["content"]):
            return "Do the task"
        if "summarize this partial conversation" in asked.prompt.lower():
            return "I asked you to do the task."
        return self._turn(asked)

    def _turn(self, asked: Asked) -> str:
        now = "\n".join(
            str(m["content"]) for m in asked.messages if self._TRUST in str(m["content"])
        )
        wanted = [
            path
            for path in self._old
            if not re.search(rf"^{re.escape(path)}$", now, re.MULTILINE)
            and (path in asked.prompt or _base(path) in asked.prompt)
            and path not in self._asked_for
        ]
        if wanted:
            self._asked_for |= set(wanted)
            return "Please add these files to the chat:\n\n" + "\n".join(f"`{p}`" for p in wanted)
        blocks = [block for path in sorted(self._new) for block in self._blocks(path, now)]
        self._wrote()
        return "\n".join(blocks) or "Nothing is left to change."

    def _blocks(self, path: str, now: str) -> list[str]:
        new, old = self._new[path], self._old.get(path, "")
        if not old:
            return [] if new in now else [_block(path, "```", "", new.rstrip("\n"))]
        shown = re.search(rf"^{re.escape(path)}\n(`+|<\w+>)", now, re.MULTILINE)
        if shown is None:
            self.unseen += 1
            return []
        pairs = [pair for pair in self.edits(path) if pair[0] in now and pair[1] not in now]
        return [_block(path, shown[1], *pair) for pair in pairs]


def _block(path: str, fence: str, search: str, replace: str) -> str:
    search = f"{search}\n" if search else ""
    replace = f"{replace}\n" if replace else ""
    end = fence.replace("<", "</")
    body = f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE"
    return f"{path}\n{fence}\n{body}\n{end}\n"


class MiniAuthor(Author):
    """Works as mini-swe-agent's instructions say: look, read, edit, run the tests, submit."""

    _AT_ONCE, _MOST_PAGES, _PAGE = 3, 8, 150

    def __init__(
        self, old: Mapping[str, str], new: Mapping[str, str], task: str, *, slips: bool
    ) -> None:
        super().__init__(old, new, slips=slips)
        self._task = task
        self._pages = -1
        self._written: set[tuple[str, str]] = set()
        self._read: set[str] = set()
        self._tested = True  # there is nothing to test yet

    def answer(self, asked: Asked) -> str:
        """Keep the request, and give the next command."""
        self.requests.append(asked)
        thought, command = self._next(asked.prompt)
        return f"THOUGHT: {thought}\n\n```mswea_bash_command\n{command}\n```"

    def _next(self, shown: str) -> tuple[str, str]:
        if self._pages < 0:
            self._pages = 0
            return "I look for what the task names.", self._search()
        hidden = [p for p in self._old if p not in shown and _base(p) not in shown]
        if hidden and self._pages < self._MOST_PAGES:
            first = self._pages * self._PAGE + 1
            self._pages += 1
            return "I list the files.", f"git ls-files | sed -n '{first},{first + self._PAGE - 1}p'"
        if places := self._places(shown)[: self._AT_ONCE]:
            self._read |= set(places)
            return "I read the places to change.", " && ".join(places)
        red = not self._written or "failed" in shown[-_NEWEST:]
        if self._tested and red and (edits := self._edits(shown)):
            self._tested = False
            self._wrote()
            return "I write the change.", edits
        if not self._tested:
            self._tested = True
            return "I run the tests.", f"{test_command(self._new)} 2>&1 | tail -40"
        return "Everything is done.", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

    def _search(self) -> str:
        named = {name for said in _WORD.findall(self._task) for name in _NAME.findall(said)}
        names = sorted(named) or sorted(set(_NAME.findall(self._task)), key=len)[-4:]
        return f"grep -rnE '{'|'.join(names)}' . --include='*.py' | cut -c1-160 | head -60"

    def _places(self, shown: str) -> list[str]:
        """Commands that show the places of edits that were not seen, of files it knows of."""
        found = []
        for path, old in self._old.items():
            if path not in shown and _base(path) not in shown:
                continue
            for search, replace in edits_of(old, self._new.get(path, "")):
                if search not in shown and replace not in shown:
                    line = old[: old.find(search)].count("\n") + 1
                    found.append(f"sed -n '{max(1, line - 5)},{line + 60}p' {path}")
        return [each for each in dict.fromkeys(found) if each not in self._read]

    def _edits(self, shown: str) -> str:
        """One command for all edits whose lines were seen; '' if there is none left."""
        rows: list[tuple[str, str, str]] = []
        self.unseen = 0
        for path in sorted(self._new):
            old = self._old.get(path, "")
            for search, replace in self.edits(path) if old else [("", self._new[path])]:
                if (path, search) in self._written:
                    continue
                if search in shown:
                    rows.append((path, search, replace))
                else:
                    self.unseen += 1
        self._written |= {(path, search) for path, search, _ in rows}
        if not rows:
            return ""
        return f"python3 -c '{_SCRIPT}' <<'EOF'\n{json.dumps(rows, ensure_ascii=False)}\nEOF"


_SCRIPT = """import json, pathlib, sys
for path, old, new in json.load(sys.stdin):
    file = pathlib.Path(path)
    text = file.read_text() if old else ""
    assert not old or text.count(old) == 1, path
    file.write_text(text.replace(old, new) if old else new)"""


def _base(path: str) -> str:
    return path.rpartition("/")[2]
