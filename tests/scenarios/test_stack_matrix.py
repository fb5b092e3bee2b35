"""Every way to merge, whatever else happens, with every strategy: nothing is lost or comes back.

A few cells are played each time. With ``--long`` it is one for each event, by ``--seed``; with
``--matrix`` it is every cell. In some of them, by the seed as well, the server is killed in the
middle and started again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Mapping,
)
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.process import serving
from tests.scenarios.projects import note, notes
from tests.scenarios.pushing import push
from tests.scenarios.stacks import LINES, WORDS, changed_lines, one_commit, own_lines, ticks

METHODS = ("merge", "squash", "rebase")
STRATEGIES = ("stacked", "independent", "single")
GONE = {"gone.md": b"A key.\n"}
IN_CONFLICT = "What is in conflict"
MINE = {"mine.md": b"Mine.\n"}

Event = Callable[[Bot, str], AsyncIterator[None]]
"""It yields before its last step, when the server has done all about the others."""


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write; the strategy is pushed later."""
    return notes(LINES)


async def merge(bot: Bot, pull: Issue, method: str) -> None:
    await bot.github.merge_pull(REPOSITORY, pull.number, method=method)
    await bot.idle()


async def bottom_merged(bot: Bot, method: str) -> AsyncIterator[None]:
    yield
    await merge(bot, bot.pulls[0], method)


async def middle_merged(bot: Bot, method: str) -> AsyncIterator[None]:
    yield
    await merge(bot, bot.pulls[1], method)


async def top_first(bot: Bot, method: str) -> AsyncIterator[None]:
    await merge(bot, bot.pulls[2], method)
    yield
    await merge(bot, bot.pulls[1], method)


async def bottom_closed(bot: Bot, method: str) -> AsyncIterator[None]:
    yield
    await bot.github.close(REPOSITORY, bot.pulls[0].number)
    await bot.idle()


async def branch_deleted(bot: Bot, method: str) -> AsyncIterator[None]:
    """The bottom is merged, and its branch deleted through the API before Cairn can look."""
    yield
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number, method=method)
    await bot.github.delete_branch(REPOSITORY, bot.pulls[0].pull.head)
    bot.github.webhook_url = url
    for delivery in bot.github.deliveries[-4:]:
        await bot.github.redeliver(delivery)
        await bot.idle()


async def person_pushed(bot: Bot, method: str) -> AsyncIterator[None]:
    await bot.github.push(REPOSITORY, MINE, branch=bot.pulls[-1].pull.head)
    yield
    await merge(bot, bot.pulls[0], method)


async def default_moved(bot: Bot, method: str) -> AsyncIterator[None]:
    await bot.github.push(REPOSITORY, {"README.md": b"# More notes\n"})
    yield
    await merge(bot, bot.pulls[0], method)


async def default_forced(bot: Bot, method: str) -> AsyncIterator[None]:
    """The commit that added a file is forced away."""
    tip = bot.view.branches["main"]
    await bot.github.move_branch(REPOSITORY, "main", bot.view.state.bare.resolve(f"{tip}^") or "")
    yield
    await merge(bot, bot.pulls[0], method)


async def tasks_added(bot: Bot, method: str) -> AsyncIterator[None]:
    await push(bot, f"- [ ] 0.9 Write `nil.md`\n{LINES}- [ ] 1.4 Write `ten.md`\n")
    yield
    await merge(bot, bot.pulls[0], method)


async def task_rewritten(bot: Bot, method: str) -> AsyncIterator[None]:
    """The third task asks for something else now: its change ticks nothing."""
    await push(bot, LINES.replace("1.3 Write `six.md`", "1.3 Write `six.md` and `ten.md`"))
    yield
    await merge(bot, bot.pulls[0], method)


async def neighbours(bot: Bot, method: str) -> AsyncIterator[None]:
    """The one in the middle is merged before both whose boxes are next to its own."""
    await merge(bot, bot.pulls[1], method)
    yield
    await merge(bot, bot.pulls[0], method)


async def workflow_pushed(bot: Bot, method: str) -> AsyncIterator[None]:
    """The App may not write workflow files, and a merge of the default branch would."""
    await bot.github.push(REPOSITORY, {".github/workflows/ci.yml": b"on: push\n"})
    yield
    await merge(bot, bot.pulls[0], method)


async def renamed(bot: Bot, method: str) -> AsyncIterator[None]:
    """The bottom is merged while the repository has another name."""
    number, other = bot.pulls[0].number, "octo/hallo"
    await bot.github.rename(REPOSITORY, other)
    await bot.idle()
    await bot.github.merge_pull(other, number, method=method)
    await bot.idle()
    yield
    await bot.github.rename(other, REPOSITORY)
    await bot.github.push(REPOSITORY, {"README.md": b"# More notes\n"})
    await bot.idle()


async def file_written(bot: Bot, method: str) -> AsyncIterator[None]:
    """A person writes the file of a task: the only event for which a model is asked again."""
    bot.model.when(contains=IN_CONFLICT).says(note("two.md", "Mine.\nA note."))
    await bot.github.push(REPOSITORY, {"two.md": MINE["mine.md"]})
    await bot.idle()
    yield
    if len(bot.pulls) > 1:
        await merge(bot, bot.pulls[0], method)


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
        workflow_pushed,
        neighbours,
        tasks_added,
        task_rewritten,
        renamed,
        file_written,
    )
}
MEANINGLESS = {
    (strategy, event): why
    for strategy, event, why in (
        ("single", "middle_merged", "there is one pull request"),
        ("single", "top_first", "there is one pull request"),
        ("single", "neighbours", "there is one pull request"),
        ("stacked", "neighbours", "the middle one is not merged into the default branch"),
        ("single", "branch_deleted", "nothing builds on it"),
        ("independent", "branch_deleted", "nothing builds on it"),
    )
}
CELLS = [
    cell for cell in product(STRATEGIES, METHODS, EVENTS) if (cell[0], cell[2]) not in MEANINGLESS
]
Cell = tuple[str, str, str]


@cache
def played(seed: str) -> frozenset[Cell]:
    """The cells of CI: one for each event."""
    drawn = random.Random(seed).sample(CELLS, len(CELLS))  # noqa: S311 - to be repeated
    return frozenset({event: cell for cell in drawn for event in cell[2:]}.values())


def moment_of(cell: Cell, seed: str) -> int:
    """After how many requests the server is killed in a cell (0: never)."""
    chance = random.Random(f"{seed} {cell}")  # noqa: S311 - a choice that can be repeated
    return chance.randint(*MOMENTS) if chance.random() < KILLED else 0


KILLED = 0.15
MOMENTS = (2, 9)
"""Requests that the server may make before its end; each event makes more."""


@pytest.fixture
async def talk(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, files) as bot:
        yield bot
        bot.check()


async def opened(bot: Bot, strategy: str) -> None:
    """All three notes are in review, on a default branch whose newest commit added a file."""
    config = f"pull_requests: {{strategy: {strategy}}}\n".encode()
    await bot.github.push(REPOSITORY, {".github/cairn.yml": config})
    await bot.github.push(REPOSITORY, GONE)
    await bot.idle()
    for word in WORDS:
        bot.model.when(contains=f"Write `{word}.md`", without=(IN_CONFLICT,)).says(
            note(f"{word}.md")
        )
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


def check_open(bot: Bot, people: Mapping[int, str], *, rewritten: bool) -> None:
    """The diff of each open one is exactly its own change; what people pushed is still there."""
    bare = bot.view.state.bare
    for pull in (each for each in bot.pulls if each.state == "open"):
        here = numbers(bot, pull)
        theirs = ["+Mine."] if pull.number in people else []
        # the tick of a task that people rewrote is left out as soon as it cannot be made
        without = [["+A note."] if n == 3 else own_lines(n) for n in here]
        wanted = [[own_lines(n) for n in here], *([without] if rewritten else [])]
        allowed = [sorted([*(line for own in each for line in own), *theirs]) for each in wanted]
        assert sorted(changed_lines(bot, pull)) in allowed, pull.title
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


async def happens(bot: Bot, method: str, event: str, moment: int) -> None:
    """Let it happen; the server is killed after so many requests about the last step (0: not)."""
    steps = EVENTS[event](bot, method)
    async with bot.started():
        await anext(steps)
        await bot.idle()
    if moment:
        async with serving(bot) as process:
            fault = bot.github.fail("*", "*", skip=moment, hold=asyncio.Event())
            await anext(steps, None)
            await fault.reached.wait()
            await process.end()
            fault.release()
    async with bot.started():
        if not moment:
            await anext(steps, None)
        await bot.idle()


@pytest.mark.sample(2, "the cells of the matrix", whole=True)
@pytest.mark.parametrize(("strategy", "method", "event"), CELLS)
async def test_whatever_happens(
    talk: Bot, strategy: str, method: str, event: str, pytestconfig: pytest.Config
) -> None:
    """Own diffs, no person's commit forced away, no task twice, a model only for conflicts."""
    cell, seed = (strategy, method, event), pytestconfig.getoption("--seed")
    chosen = pytestconfig.getoption("--long") and not pytestconfig.getoption("--matrix")
    if chosen and cell not in played(seed):
        pytest.skip("matrix: the other cells (--matrix runs it)")
    moment = moment_of(cell, seed)
    bot = talk
    if method == "rebase":
        bot.view.state.merge_methods = frozenset({"rebase"})
    async with bot.started():
        await opened(bot, strategy)
    asked = len(bot.prompts)

    await happens(bot, method, event, moment)

    async with bot.started():
        await check_after(bot, strategy, method, event)
        assert len(bot.prompts) == asked + (event == "file_written")
        await check_no_task_is_done_again(bot, strategy, event)


async def check_after(bot: Bot, strategy: str, method: str, event: str) -> None:
    """What is open is as it should be, and merging it brings everything to the default branch."""
    pushed = bot.pulls[-1:] if event == "person_pushed" else []
    log = ("log", "-1", "--format=%H")
    people = {p.number: bot.view.state.bare.text(*log, p.pull.sha, "--", *MINE) for p in pushed}
    check_open(bot, people, rewritten=event == "task_rewritten")
    if event == "default_forced":
        check_gone(bot)
    await merge_rest(bot, method, people)
    if not (event == "bottom_closed" and strategy == "single"):
        declined = declined_by(strategy, event)
        done = {number for number in (1, 2, 3) if number not in declined}
        unticked = {3} if event == "task_rewritten" else set()
        boxes = ticks(bot).strip() if event == "tasks_added" else ticks(bot)
        assert boxes == "".join("x" if n in done - unticked else " " for n in (1, 2, 3))
        assert {WORDS[n - 1] + ".md" for n in done} <= bot.view.files("main").keys()
        assert not {WORDS[n - 1] + ".md" for n in declined} & bot.view.files("main").keys()
    if event == "default_forced":
        assert "gone.md" not in bot.view.files("main")
    if people:
        assert bot.view.file("main", "mine.md") == MINE["mine.md"]


def declined_by(strategy: str, event: str) -> list[int]:
    """The tasks that people closed without a merge."""
    return [1] if event == "bottom_closed" and strategy != "single" else []


async def check_no_task_is_done_again(bot: Bot, strategy: str, event: str) -> None:
    """A run would take only what nobody did, or what asks for something else now."""
    for pull in bot.pulls:
        bot.github.says(REPOSITORY, pull.number)
    await bot.comment("/execute --dry-run")
    (text,) = bot.says()
    open_again = {*declined_by(strategy, event), *({3} if event == "task_rewritten" else ())}
    for number in (1, 2, 3):
        assert f"1.{number} " not in text or number in open_again or strategy == "single"
