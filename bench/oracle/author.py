"""A model that answers with the true change, as far as it was shown what it changes.

It knows the files as they should be in the end, but of what is there only what the questions
showed: lines that stand in no question cannot be replaced, just as a person could not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from bench.loop.hunks import edits_of
from runner.code.languages import is_among_tests
from tests.model_server import Asked, ScriptedModel
from tests.model_server.script import APART

_WHOLE = 80
"""Files of at most so many lines are answered as a whole where all of them was shown."""


class Author(ScriptedModel):
    """Answers for one task: ``old`` and ``new`` are the texts of the files that change.

    ``kinds`` counts its calls (``plan``, ``look``, ``answer``, ``word``), ``unseen`` the edits that
    the last answer had to leave out, ``blind`` are the files in which it left some out. With
    ``slips`` it forgets an edit of the code in its first answer. Its ``window`` is what
    the endpoint says of it.
    """

    def __init__(
        self, old: Mapping[str, str], new: Mapping[str, str], *, slips: bool = False
    ) -> None:
        super().__init__()
        self.window = 64_000
        self._old, self._new = old, new
        self._slips = slips
        self.kinds: Counter[str] = Counter()
        self.unseen = 0
        self.blind: set[str] = set()

    def edits(self, path: str) -> list[tuple[str, str]]:
        """The edits that it means to make of a file that is there."""
        found = list(edits_of(self._old[path], self._new[path]))
        code = sorted(p for p in self._old if p in self._new and not is_among_tests(p))
        return found[:-1] if self._slips and code[:1] == [path] else found

    def _wrote(self) -> None:
        """Note that an answer was given: what was forgotten in it comes with the next one."""
        self._slips = False

    def answer(self, asked: Asked) -> str:
        """Keep the request and answer it."""
        self.requests.append(asked)
        question = str(asked.messages[-1]["content"])
        if APART in question:
            return "NONE"  # its own tests are what the real change has
        if '"likely_files"' in question:
            self.kinds["plan"] += 1
            return self._plan(asked.prompt)
        if "Write no\ncode" in question or "Do not write code" in question:
            self.kinds["word"] += 1
            return "unknown\nNothing tells why."
        self.kinds["answer"] += 1
        return self._code(asked.prompt)

    def _plan(self, shown: str) -> str:
        """Name what the listing or the question itself names, and what is new."""
        files = [p for p in self._new if p not in self._old or p in shown or _name(p) in shown]
        plan = {"likely_files": files, "steps": [], "acceptance": [], "complexity": "medium"}
        return json.dumps(plan)

    def _code(self, shown: str) -> str:
        self.unseen, self.blind = 0, set()
        if wanted := self._wanted(shown):
            self.kinds["answer"] -= 1
            self.kinds["look"] += 1
            return "\n".join(f"READ {each}" for each in wanted[:6])
        blocks = [self._file(path, shown) for path in sorted({*self._old, *self._new})]
        self._wrote()
        return "\n".join(block for block in blocks if block) or "I was not shown what to change."

    def _wanted(self, shown: str) -> list[str]:
        """What to read before answering: the places of edits that were not shown, once each.

        Only where the question says that this can be asked, and only files that it names.
        """
        if "\nREAD path" not in shown or "nothing more is shown" in shown:
            return []
        found = []
        for path, old in self._old.items():
            new = self._new.get(path)
            if new is None or not (path in shown or _name(path) in shown):
                continue
            for search, replace in edits_of(old, new):
                if search not in shown and replace not in shown:
                    line = old[: old.find(search)].count("\n") + 1
                    found.append(f"{path}:{max(1, line - 5)}-{line + 60}")
        return [each for each in dict.fromkeys(found) if f"READ {each}" not in shown]

    def _file(self, path: str, shown: str) -> str:
        old, new = self._old.get(path, ""), self._new.get(path)
        if new is None:
            return f"DELETE {path}\n"
        few = max(old.count("\n"), new.count("\n")) <= _WHOLE
        if not old or (few and old.strip() in shown and not self._slips):
            return _fenced(path, new if new.endswith("\n") else f"{new}\n")
        known = []
        for search, replace in self.edits(path):
            if search in shown:
                known.append(f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n")
            elif replace not in shown:
                self.unseen += 1
                self.blind.add(path)
        return _fenced(path, "".join(known)) if known else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _fenced(path: str, body: str) -> str:
    fence = "`" * (6 if "```" in body else 3)
    return f"{path}\n{fence}\n{body}{fence}\n"
