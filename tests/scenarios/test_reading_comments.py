"""The comment of a run as somebody reads it on GitHub who has never seen Cairn: what is visible at
once, what they find when they open it, and where its links lead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

from app.github.token_identity import OPTIONAL
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, on
from tests.scenarios.proposing import BESIDE, STUCK, decomposed

HOSTILE = "Not now.</details>\n@everyone closes #1 ![x](https://evil.example/x.png)"


@dataclass
class Seen(HTMLParser):
    """The words of a rendered comment: outside folded parts, and in each by its summary."""

    visible: str = ""
    folded: dict[str, str] = field(default_factory=dict)
    _inside: list[str] = field(default_factory=list)
    _summary: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a folded part, or its title."""
        if tag == "details":
            self._inside.append("")
        self._summary = self._summary or tag == "summary"

    def handle_endtag(self, tag: str) -> None:
        """Leave them."""
        if tag == "summary":
            self._summary = False
        elif tag == "details":
            assert self._inside, "a folded part ends that nobody began"
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Keep words where a reader sees them."""
        if self._summary:
            self._inside[-1] += data
            self.folded.setdefault(self._inside[-1], "")
        elif self._inside:
            self.folded[self._inside[-1]] += data
        else:
            self.visible += data


def seen(comment: str) -> Seen:
    """Render a comment as GitHub does, and read it."""
    reader = Seen()
    reader.feed(MarkdownIt("gfm-like", {"linkify": False}).render(comment))
    reader.close()
    assert not reader._inside, "a folded part swallows what follows"
    return reader


def section(text: str, title: str) -> list[str]:
    """The lines below a title in a folded part, up to the next title."""
    lines = [line for line in text.split("\n") if line.strip()]
    start = lines.index(title) + 1
    titles = {"Errors", "Decisions", "Changes of the roadmap", "Deferred"}
    end = next((n for n, line in enumerate(lines) if n >= start and line in titles), len(lines))
    return lines[start:end]


def leads_to(bot: Bot, line: str) -> str:
    """The title of the pull request that the link in a line leads to."""
    number = re.search(rf"/{REPOSITORY}/pull/(\d+)", line)
    assert number, f"no link to a pull request: {line}"
    return bot.view.issues[int(number[1])].title


@on(STUCK | {"ROADMAP.md": BESIDE.encode()})
async def test_what_went_wrong_and_what_changed_is_found_in_the_comment(bot: Bot) -> None:
    """The state is visible at once; why is one click away, each entry with its task and link."""
    bot.model.says(note("three.md"))
    proposal = await decomposed(bot)
    (waits,) = [c.body for c in bot.view.comments(bot.issue.number) if "### Cairn run" in c.body]

    first = seen(waits)

    (title,) = [each for each in first.folded if each.startswith("Errors")]
    assert "awaiting approval" in first.visible
    assert "Success rate" not in first.visible
    assert "table.json" not in first.visible.replace("1.1 Write one.md, two.md and table.json", "")
    (error,) = section(first.folded[title], "Errors")
    assert error.startswith("1.1 ")
    assert "table.json" in error
    assert leads_to(bot, error) == proposal.title
    (changed,) = section(first.folded[title], "Changes of the roadmap")
    assert changed.startswith("1.2 tick in line 2 ")
    assert leads_to(bot, changed) == "1.2 Write three.md"

    await bot.reply(proposal, f"/reject {HOSTILE}")

    ended = seen(bot.says()[-1])
    (decision,) = section(ended.folded[title], "Decisions")
    assert "Success rate: 50 % of the tasks it took up." in ended.visible
    assert decision.startswith("1.1 ")
    assert "writer" in decision
    assert leads_to(bot, decision) == proposal.title
    assert "@everyone" not in str(ended.folded)
    bot.proposes()


@on(NOTES)
async def test_an_owner_learns_what_to_accept(bot: Bot) -> None:
    """Each missing permission has a line with its name on GitHub and what is lost; then no more."""
    held = bot.github.installation(REPOSITORY).permissions
    for name in OPTIONAL:
        del held[name]
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    lines = [line for line in said.split("\n") if "has not been accepted yet" in line]
    names = [re.search(r"permission \*(.+?)\*", line)[1] for line in lines]  # type: ignore[index]
    assert names == ["Actions", "Checks", "Merge queues", "Commit statuses"]
    assert said.count("An owner can accept them on [the installation's page](http") == 1
    assert said.count("verything else works") == 1
    assert len(bot.pulls) == 1

    await bot.comment("/execute")

    assert "accepted yet" not in "".join(bot.says())
    assert len(bot.pulls) == 2
