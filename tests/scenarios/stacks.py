"""What the conversations about a stack share: three pull requests, and what people see of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.bare import Person, write_files
from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note

METHODS = pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
_PLACE = "cairn/stack"
WORDS = ("one", "two", "six")
LINES = "".join(f"- [ ] 1.{n} Write `{word}.md`\n" for n, word in enumerate(WORDS, 1))


async def stacked(bot: Bot) -> list[Issue]:
    """Three pull requests, each on the one before."""
    bot.model.says(*(note(f"{word}.md") for word in WORDS))
    await bot.comment("/execute")
    bot.says()
    assert [pull.pull.base for pull in bot.pulls] == ["main", *(p.pull.head for p in bot.pulls[:2])]
    return bot.pulls


async def merge(bot: Bot, pull: Issue, method: str = "merge") -> None:
    """Merge a pull request as a person does, and wait until the bot has done all it can."""
    await bot.github.merge_pull(REPOSITORY, pull.number, method=method)
    await bot.idle()


async def one_commit(bot: Bot, pull: Issue) -> None:
    """Do what the comment says: reset --soft to the default branch, commit, push by force."""
    bare, main = bot.view.state.bare, bot.view.branches["main"]
    who = Person("writer", "writer@example.com", bot.github.clock.now())
    tree = bare.resolve(pull.pull.sha, "tree") or ""
    made = bare.commit(tree, [main], "1.3 Write six.md", author=who)
    await bot.github.move_branch(REPOSITORY, pull.pull.head, made)
    await bot.idle()


def diff(bot: Bot, pull: Issue) -> str:
    """What GitHub shows as the change of a pull request: from the merge base with its base."""
    bare = bot.view.state.bare
    base = bare.resolve(f"refs/heads/{pull.pull.base}") or ""
    return bare.text("diff", "-U0", bare.merge_base(base, pull.pull.sha) or "", pull.pull.sha)


def changed_lines(bot: Bot, pull: Issue) -> list[str]:
    """The lines that a pull request takes away and adds."""
    lines = diff(bot, pull).split("\n")
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def own_lines(number: int) -> list[str]:
    """The lines that the pull request of one of the three tasks changes."""
    task = f"1.{number} Write `{WORDS[number - 1]}.md`"
    return sorted([f"-- [ ] {task}", f"+- [x] {task}", "+A note."])


def check_own(bot: Bot, pull: Issue, number: int) -> None:
    """It can be merged into the default branch, and its diff is its own change."""
    assert pull.pull.base == "main"
    assert bot.github.pull_body(REPOSITORY, pull.number)["mergeable"]
    assert sorted(changed_lines(bot, pull)) == own_lines(number)


def ticks(bot: Bot, branch: str = "main") -> str:
    """The boxes of a branch's roadmap, one after another."""
    text = (bot.view.file(branch, "ROADMAP.md") or b"").decode()
    return "".join(line[3] for line in text.split("\n") if line.startswith("- ["))


def unread_comments(bot: Bot, pull: Issue) -> str:
    """What the bot says on a pull request and was not read yet."""
    return "\n".join(bot.github.says(REPOSITORY, pull.number))


def body(pull: Issue) -> str:
    """The description of a pull request."""
    return pull.body or ""


async def merged_by_hand(bot: Bot, pull: Issue, files: Mapping[str, object]) -> None:
    """Do what the description says: git merge, these files in place of the conflicts, git push."""
    bare, main = bot.view.state.bare, bot.view.branches["main"]
    who = Person("writer", "writer@example.com", bot.github.clock.now())
    tree = write_files(bare, bare.resolve(main, "tree"), files)
    made = bare.commit(tree, [pull.pull.sha, main], "Merge main", author=who)
    await bot.github.move_branch(REPOSITORY, pull.pull.head, made)
    await bot.idle()


def place_check(bot: Bot, pull: Issue) -> str:
    """How the check of the stack ended on the head of a pull request."""
    shown = [c for c in bot.view.checks if (c["head_sha"], c["name"]) == (pull.pull.sha, _PLACE)]
    return str(shown[-1]["conclusion"])
