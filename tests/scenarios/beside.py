"""What conversations about several tasks at the same time share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from tests.model_server import Held
from tests.model_server.turns import Asked, Turn
from tests.scenarios.projects import note

WORDS = ("one", "two", "six", "ten")
LINES = "".join(f"- [ ] 1.{n} Write `{word}.md`\n" for n, word in enumerate(WORDS, 1))
TITLES = [f"1.{n} Write {word}.md" for n, word in enumerate(WORDS, 1)]


def config(limits: str, more: str = "") -> Mapping[str, bytes]:
    """The configuration of a repository with these limits."""
    return {".github/cairn.yml": f"limits: {{{limits}}}\n{more}".encode()}


class Writer:
    """Writes the note that it is asked for; keeps the answers in ``kept`` until they may go."""

    def __init__(self, *kept: str) -> None:
        self.kept = {word: Held(note(f"{word}.md")) for word in kept}
        self.calls: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> Turn:
        task = re.search(r"Write `(\w+)\.md`", asked.prompt)
        assert task is not None, asked.prompt[-500:]
        self.calls[task[1]] += 1
        return self.kept.get(task[1]) or note(f"{task[1]}.md")

    async def asked(self, *words: str) -> None:
        """Wait until it was asked for all of them."""
        for word in words:
            await self.kept[word].asked.wait()
