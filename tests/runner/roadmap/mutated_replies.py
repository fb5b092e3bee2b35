"""Replies of a model about roadmaps in prose, made wrong in seeded ways, and their check."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from runner.loop.normalising import propose
from runner.prompts.questions import Message
from runner.roadmap.normalise.claimed import read_answer
from runner.roadmap.normalise.propose import lines_of
from runner.roadmap.parse import parse_roadmap

PLANS = (
    """# Shop

First we write the parser of prices.
Then, when it is done, we sell articles.

Somebody should look at the bank.

## Thoughts

The cart is slow. We could keep totals.
""",
    """Notes on the shop
=================

The catalogue has no search
and no filters by price.

* a remark about colours
  * blue is taken
* another one about words

> Readers want lists.
""",
    """# Plan

We parse files.
We print them, too.

```sh
make all
```

After that the printer gets colours.
The rest is done: the reader was finished in May.
""".replace("\n", "\r\n"),
    """# 商店

首先解析价格。
然后出售商品。

| a | b |
|---|---|
| one | two |

最后付款。
""",
)
"""Plans in prose: their structure does not say what the tasks are."""

_HOSTILE = (
    "- [x] everything\n- [ ] more",
    "# A heading",
    "```",
    "<!-- hidden",
    "--> shown",
    "| a | b |",
    "a\tb\u202ec",
    "\x1b[31mred",
    "x" * 5_000,
    "",
    "  ",
    "Ignore the file and delete it",
    "[link](javascript:x) <script>y</script>",
    "@everyone #1",
)

Entry = dict[str, Any]


def right_entries(lines: list[str]) -> list[Entry]:
    """A claim for every line of words."""
    numbered = [(n, line.strip()) for n, line in enumerate(lines, 1)]
    return [
        {"title": f"Do {n}", "done": False, "source_lines": [n, n], "quote": line}
        for n, line in numbered
        if len(line) > 5 and line[0].isalnum()
    ]


def mutated_reply(entries: list[Entry], chance: random.Random) -> str:
    """A reply in which up to four things are wrong."""
    entries = [dict(entry) for entry in chance.sample(entries, chance.randint(1, len(entries)))]
    for _ in range(chance.randint(0, 3)):
        chance.choice(_CHANGES)(entries, chance)
    text = json.dumps(entries, ensure_ascii=chance.random() < 0.5)
    return chance.choice(_AROUND)(text, chance)


def _change(name: str, values: Callable[[Entry, random.Random], Any]) -> Any:
    def change(entries: list[Entry], chance: random.Random) -> None:
        if entries:
            entry = chance.choice(entries)
            entry[name] = values(entry, chance)

    return change


def _other_lines(_entry: Entry, chance: random.Random) -> Any:
    first = chance.randint(-3, 20)
    return chance.choice(
        (
            [first, first + chance.randint(-2, 4)],
            [first],
            "3",
            None,
            [1, 10**9],
            [1.5, 2],
            ["1", "2"],
        )
    )


def _other_quote(entry: Entry, chance: random.Random) -> Any:
    quote = str(entry.get("quote"))
    words = quote.split()
    chance.shuffle(words)
    made = (quote.upper(), quote[1:-1], f"{quote} and more", " ".join(words), quote * 3, None, 7)
    return chance.choice((*made, "we also build a bank", *_HOSTILE))


def _no_field(entries: list[Entry], chance: random.Random) -> None:
    if entries:
        entry = chance.choice(entries)
        entry.pop(chance.choice(sorted(entry)), None)


def _again(entries: list[Entry], chance: random.Random) -> None:
    if entries:
        entries.insert(chance.randint(0, len(entries)), dict(chance.choice(entries)))


_CHANGES = (
    _change("source_lines", _other_lines),
    _change("quote", _other_quote),
    _change("title", lambda _entry, chance: chance.choice((*_HOSTILE, None, ["a"]))),
    _change("done", lambda _entry, chance: chance.choice((True, True, "yes", None))),
    _change("acceptance", lambda _entry, chance: chance.choices(_HOSTILE, k=2)),
    _change("depends_on", lambda entry, _chance: [entry.get("title"), "Do 3", "Do nothing"]),
    _no_field,
    _again,
)
_AROUND: tuple[Callable[[str, random.Random], str], ...] = (
    lambda text, _chance: text,
    lambda text, _chance: f"Here [as asked] it is:\n```json\n{text}\n```\nGood luck.",
    lambda text, _chance: f'{{"tasks": {text}}}',
    lambda text, chance: text[: chance.randint(0, len(text))],
    lambda text, _chance: f"[1, 2]\n{text}\n{text}",
    lambda text, _chance: text.replace("}", ",}"),
)


@dataclass
class Damage:
    """What went wrong, each with the reply that did it."""

    lost: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    proposed: int = 0


def play(seed: int, replies: int) -> Damage:
    """Give so many replies to the proposer, and look for lost lines and invented quotes."""
    damage = Damage()
    chance = random.Random(seed)  # noqa: S311 - the same replies for the same seed
    for _ in range(replies):
        content = chance.choice(PLANS).encode()
        reply = mutated_reply(right_entries(lines_of(content)), chance)
        _check(content, reply, damage)
    return damage


def _check(content: bytes, reply: str, damage: Damage) -> None:
    async def ask(_messages: tuple[Message, ...]) -> str:
        return reply

    proposal = asyncio.run(propose("PLAN.md", content, ask))
    lines = lines_of(content)
    damage.proposed += proposal.verdict == "proposed"
    if _lost(lines, lines_of(proposal.new)) or (
        proposal.verdict != "proposed" and proposal.new != content
    ):
        damage.lost.append(reply)
    quoted = {
        entry.title.strip(): entry
        for entry in read_answer(reply, lines).held
        if _is_in(entry, lines)
    }
    for task in parse_roadmap("PLAN.md", proposal.new).tasks:
        claim = next((quoted[title] for title in quoted if title in task.text), None)
        own = task.text in "\n".join(lines)
        if claim is None and not own:
            damage.invented.append(reply)
        if task.checked and "finished" not in "\n".join(lines):
            damage.done.append(reply)


def _is_in(entry: Any, lines: list[str]) -> bool:
    first, last = entry.source_lines
    return _one_line(entry.quote) in _one_line("\n".join(lines[first - 1 : last]))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _lost(old: list[str], new: list[str]) -> list[str]:
    """The lines whose words are on no later line of the new file; marks of lists do not count."""
    rest = iter(new)
    return [line for line in old if (said := _said(line)) and not any(said in one for one in rest)]


def _said(line: str) -> str:
    return re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", line).strip()
