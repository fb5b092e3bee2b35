"""Every way to merge, whatever else happens, with every strategy: nothing is lost or comes back.

A few cells are played each time, all of them with ``--long``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from itertools import product

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.pushing import push
from tests.scenarios.stacks import LINES, WORDS, changed_lines, one_commit, own_lines, ticks

METHODS = ("merge", "squash", "rebase")
STRATEGIES = ("stacked", "independent", "single")
GONE = {"gone.md": b"A key.\n"}
MINE = {"mine.md": b"Mine.\n"}

Event = Callable[[Bot, str], Awaitable[None]]


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write; the strategy is pushed later."""
    return notes(LINES)


async def merge(bot: Bot, pull: Issue, method: str) -> None:
    await bot.github.merge_pull(REPOSITORY, pull.number, method=method)
    await bot.idle()


async def bottom_merged(bot: Bot, method: str) -> None:
    await merge(bot, bot.pulls[0], method)


async def middle_merged(bot: Bot, method: str) -> None:
    await merge(bot, bot.pulls[1], method)


async def top_first(bot: Bot, method: str) -> None:
    await merge(bot, bot.pulls[2], method)
    await merge(bot, bot.pulls[1], method)


async def bottom_closed(bot: Bot, method: str) -> None:
    await bot.github.close(REPOSITORY, bot.pulls[0].number)
    await bot.idle()


async def branch_deleted(bot: Bot, method: str) -> None:
    """The bottom is merged, and its branch deleted through the API before Cairn can look."""
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number, method=method)
    await bot.github.delete_branch(REPOSITORY, bot.pulls[0].pull.head)
    bot.github.webhook_url = url
    for delivery in bot.github.deliveries[-4:]:
        await bot.github.redeliver(delivery)
        await bot.idle()


async def person_pushed(bot: Bot, method: str) -> None:
    await bot.github.push(REPOSITORY, MINE, branch=bot.pulls[-1].pull.head)
    await bot.idle()
    await bottom_merged(bot, method)


async def default_moved(bot: Bot, method: str) -> None:
    await bot.github.push(REPOSITORY, {"README.md": b"# More notes\n"})
    await bot.idle()
    await bottom_merged(bot, method)


async def default_forced(bot: Bot, method: str) -> None:
    """The commit that added a file is forced away."""
    tip = bot.view.branches["main"]
    await bot.github.move_branch(REPOSITORY, "main", bot.view.state.bare.resolve(f"{tip}^") or "")
    await bot.idle()
    await bottom_merged(bot, method)


async def tasks_added(bot: Bot, method: str) -> None:
    await push(bot, f"- [ ] 0.9 Write `nil.md`\n{LINES}- [ ] 1.4 Write `ten.md`\n")
    await bottom_merged(bot, method)


EVENTS: Mapping[str, Event] = {
    event.__name__: event
    for event in (
        bottom_merged,
        middle_merged,
        top_first,
        bottom_closed,
        branch_deleted,
        person_pushed,
        default_moved,
        default_forced,
        tasks_added,
    )
}
MEANINGLESS = {
    (strategy, event): why
    for strategy, event, why in (
        ("single", "middle_merged", "there is one pull request"),
        ("single", "top_first", "there is one pull request"),
        ("single", "branch_deleted", "nothing builds on it"),
        ("independent", "branch_deleted", "nothing builds on it"),
    )
}
CELLS = [
    cell for cell in product(STRATEGIES, METHODS, EVENTS) if (cell[0], cell[2]) not in MEANINGLESS
]


async def opened(bot: Bot, strategy: str) -> None:
    """All three notes are in review, on a default branch whose newest commit added a file."""
    config = f"pull_requests: {{strategy: {strategy}}}\n".encode()
    await bot.github.push(REPOSITORY, {".github/cairn.yml": config})
    await bot.github.push(REPOSITORY, GONE)
    await bot.idle()
    for word in WORDS:
        bot.model.when(contains=f"Write `{word}.md`").says(note(f"{word}.md"))
    await bot.comment("/execute")
    bot.says()
    assert len(bot.pulls) == (1 if strategy == "single" else 3)


def numbers(bot: Bot, pull: Issue) -> list[int]:
    """The tasks of a pull request, and those that were merged into its branch."""
    if pull.title.startswith("Tasks of"):
        return [1, 2, 3]
    number = int(pull.title.split()[0].partition(".")[2])
    inside = [p for p in bot.pulls if p.pull.merged and p.pull.base == pull.pull.head]
    return [number, *(each for p in inside for each in numbers(bot, p))]


def check_open(bot: Bot, people: Mapping[int, str]) -> None:
    """The diff of each open one is exactly its own change; what people pushed is still there."""
    bare = bot.view.state.bare
    for pull in (each for each in bot.pulls if each.state == "open"):
        own = sorted(line for number in numbers(bot, pull) for line in own_lines(number))
        theirs = ["+Mine."] if pull.number in people else []
        assert sorted(changed_lines(bot, pull)) == sorted([*own, *theirs]), pull.title
        if pull.number in people:
            assert bare.is_ancestor(people[pull.number], pull.pull.sha)


def check_gone(bot: Bot) -> None:
    """A file that was forced away is in no open branch, and in no commit of one."""
    for pull in (each for each in bot.pulls if each.state == "open"):
        log = bot.view.state.bare.text("log", "--format=%H", pull.pull.sha, "--", *GONE)
        assert log == "", pull.title


async def merge_rest(bot: Bot, method: str, people: Collection[int]) -> None:
    """Merge what is open, from the bottom up.

    GitHub does not rebase what Cairn may not rewrite: a person makes one commit of it, as Cairn's
    comment says.
    """
    while ready := [p for p in bot.pulls if p.state == "open" and p.pull.base == "main"]:
        assert bot.github.pull_body(REPOSITORY, ready[0].number)["mergeable"]
        if method == "rebase" and ready[0].number in people:
            await one_commit(bot, ready[0])
        await merge(bot, ready[0], method)
    assert [each.title for each in bot.pulls if each.state == "open"] == []


@pytest.mark.sample(4, "every cell of the matrix")
@pytest.mark.parametrize(("strategy", "method", "event"), CELLS)
async def test_whatever_happens(bot: Bot, strategy: str, method: str, event: str) -> None:
    """Own diffs, no person's commit forced away, no task twice or unsaid, and no model call."""
    if method == "rebase":
        bot.view.state.merge_methods = frozenset({"rebase"})
    await opened(bot, strategy)
    asked = len(bot.prompts)

    await EVENTS[event](bot, method)

    people = {p.number: p.pull.sha for p in bot.pulls[-1:] if event == "person_pushed"}
    people = {
        number: bot.view.state.bare.text("log", "-1", "--format=%H", sha, "--", *MINE)
        for number, sha in people.items()
    }
    check_open(bot, people)
    if event == "default_forced":
        check_gone(bot)
    declined = [1] if event == "bottom_closed" and strategy != "single" else []
    await merge_rest(bot, method, people)
    if not (event == "bottom_closed" and strategy == "single"):
        done = {number for number in (1, 2, 3) if number not in declined}
        boxes = ticks(bot).strip() if event == "tasks_added" else ticks(bot)
        assert boxes == "".join("x" if n in done else " " for n in (1, 2, 3))
        assert {WORDS[n - 1] + ".md" for n in done} <= bot.view.files("main").keys()
        assert not {WORDS[n - 1] + ".md" for n in declined} & bot.view.files("main").keys()
    if event == "default_forced":
        assert "gone.md" not in bot.view.files("main")
    if people:
        assert bot.view.file("main", "mine.md") == MINE["mine.md"]
    assert len(bot.prompts) == asked
    for pull in bot.pulls:
        bot.github.says(REPOSITORY, pull.number)
    await bot.comment("/execute --dry-run")
    (said,) = bot.says()
    for number in (1, 2, 3):
        assert f"1.{number} " not in said or number in declined or strategy == "single"
