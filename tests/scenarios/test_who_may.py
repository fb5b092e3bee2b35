"""Every entry, by everybody who may not: nothing is started, nothing is changed.

What people say to proposals is in ``tests/app/proposals/test_deciding.py``, likewise by everybody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.fake_github import payloads
from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import note
from tests.scenarios.pushing import CONFIG, plan, plans, push, triggered, undelivered

LINES = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n"
ROLES = {
    "outsider": None,
    "reader": "read",
    "triager": "triage",
    "robot[bot]": "admin",  # not on the list
    "helper[bot]": "read",  # on the list
    "writer": "write",
}
NINE = b"pull_requests: {revisions: 9}\n"
Entry = Callable[[Bot, Issue, str], Awaitable[object]]


def says(text: str, *, on_pull: bool = False) -> Entry:
    """A comment on the issue or on the checkpoint."""

    async def entry(bot: Bot, pull: Issue, by: str) -> None:
        where = pull.number if on_pull else bot.issue.number
        await bot.github.comment(REPOSITORY, where, text, by=by)

    return entry


def reviews(state: str, body: str, *, on_line: bool = False) -> Entry:
    """A review of the checkpoint, or a comment on one of its lines."""

    async def entry(bot: Bot, pull: Issue, by: str) -> None:
        lines = [("one.md", 1, 1, body)] if on_line else []
        text = "" if on_line else body
        await bot.github.review(REPOSITORY, pull.number, state, text, by=by, on=lines)

    return entry


def ticks(words: str) -> Entry:
    """A click on a box of the dashboard, by somebody whose permission was lost since."""

    async def entry(bot: Bot, _pull: Issue, by: str) -> None:
        (line,) = [each for each in plan(bot).split("\n") if words in each and "- [ ] <!--" in each]
        ticked = plan(bot).replace(line, line.replace("- [ ]", "- [x]"))
        async with undelivered(bot):
            bot.github.set_role(REPOSITORY, by, "write")
            await bot.github.edit_issue(REPOSITORY, plans(bot)[0].number, ticked, by=by)
            bot.github.set_role(REPOSITORY, by, ROLES[by])
        await bot.github.redeliver(bot.github.deliveries[-1])

    return entry


async def reruns(bot: Bot, _pull: Issue, by: str) -> None:
    """A click on *Re-run* of the checkpoint's check."""
    await bot.github.rerun(REPOSITORY, bot.view.checks[-1]["id"], by=by)


async def reruns_all(bot: Bot, _pull: Issue, by: str) -> None:
    """A click on *Re-run all checks*."""
    await bot.github.rerun_all(REPOSITORY, bot.view.checks[-1]["id"], by=by)


ENTRIES: dict[str, Entry] = {
    "a task's box": ticks("**1.2**"),
    "Start all": ticks("Start all open tasks"),
    "/execute": says("/execute"),
    "/execute retry": says("/execute retry 1.2"),
    "/execute setup": says("/execute setup"),
    "/execute revise": says("/execute revise shorter", on_pull=True),
    "changes requested": reviews("CHANGES_REQUESTED", "Shorter, please."),
    "a review that speaks to us": reviews("COMMENTED", "/execute revise shorter"),
    "a comment on a line": reviews("COMMENTED", "/execute revise shorter", on_line=True),
    "Re-run": reruns,
    "Re-run all": reruns_all,
}
"""Each starts a run for somebody with *write*."""


def runs(bot: Bot) -> int:
    """How many runs were ever started."""
    with sqlite3.connect(bot.settings.cairn_data_dir / "cairn.db") as database:
        return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])


def done(bot: Bot) -> list[object]:
    """What was started and changed."""
    ours = [pull for pull in bot.pulls if pull.user is bot.github.app.bot]
    heads = [(pull.number, pull.pull.sha, pull.state) for pull in ours]
    main = bot.view.branches["main"]
    return [runs(bot), len(bot.model.requests), heads, main, bot.view.files(main)]


async def checkpoint(bot: Bot) -> Issue:
    """A repository in which somebody works with Cairn: a dashboard, and a checkpoint to review."""
    for login, role in ROLES.items():
        bot.github.add_user(login, type="Bot" if "[bot]" in login else "User")
        bot.github.set_role(REPOSITORY, login, role)
    bot.model.says(note("one.md"))
    await push(bot, LINES)
    await bot.comment("/execute --max-tasks 1")
    await bot.later(minutes=2)
    read(bot)
    return bot.pulls[0]


def read(bot: Bot) -> None:
    """Read all that the bot said."""
    for number in bot.view.issues:
        bot.github.says(REPOSITORY, number)


async def tried(bot: Bot, pull: Issue, by: str) -> dict[str, bool]:
    """Each entry, and whether it started or changed anything."""
    changed = {}
    for name, entry in ENTRIES.items():
        before = done(bot)
        await entry(bot, pull, by)
        await bot.idle()
        changed[name] = done(bot) != before
    read(bot)
    return changed


@pytest.fixture
async def bot(tmp_path: Path):
    """A bot that listens to one other bot."""
    files = triggered("plan", "")
    async with (
        conversation(tmp_path, files, CAIRN_ALLOWED_BOTS="helper[bot]") as bot,
        bot.started(),
    ):
        yield bot
        await bot.idle()
        bot.check()


@pytest.mark.sample(2, "a conversation for each person")
@pytest.mark.parametrize("by", [login for login in ROLES if login != "writer"])
async def test_who_may_not_starts_nothing_by_any_entry(bot: Bot, by: str) -> None:
    """Strangers, readers, triagers; a bot that nobody allowed, an allowed one without *write*."""
    pull = await checkpoint(bot)

    assert {name for name, changed in (await tried(bot, pull, by)).items() if changed} == set()


async def test_nobody_starts_anything_where_permissions_cannot_be_asked(bot: Bot) -> None:
    """A refusal of GitHub's counts as no permission."""
    pull = await checkpoint(bot)
    bot.github.fail("GET", "*/collaborators/*", status=403, times=100)

    changed = await tried(bot, pull, "writer")

    assert {name for name, each in changed.items() if each} == set()


@MORE
async def test_who_may_starts_something_by_each_entry(bot: Bot) -> None:
    """The same entries, so that what is refused above is refused for the person's sake.

    What is started has no tokens to ask a model.
    """
    pull = await checkpoint(bot)
    await push(bot, LINES, files={CONFIG: b"limits: {tokens_per_run: 1000}\n" + NINE})

    assert {name for name, each in (await tried(bot, pull, "writer")).items() if not each} == set()


async def test_labels_and_forks_start_nothing(bot: Bot) -> None:
    """A label by a triager, and a fork's pull request that looks like one of ours.

    Neither its branch's name, nor its text, code and configuration, nor its checks mean anything;
    it is not revised, and a writer's word on it starts no repair.
    """
    pull = await checkpoint(bot)
    head = "cairn/0123456789/1.2-write-two"
    files = {".github/cairn.yml": b"triggers: {push: execute}\n", "two.md": b"Theirs.\n"}
    await bot.github.move_branch(REPOSITORY, head, bot.view.branches["main"], by="admin")
    await bot.github.push(REPOSITORY, files, branch=head, by="admin")
    await bot.idle()
    before = done(bot)

    bot.issue.labels = [bot.github.world.label(bot.view.state, "roadmap")]
    triager = bot.github.world.user("triager")
    world, repo = bot.github.world, bot.view.state
    await bot.github.tell(payloads.issue(world, "labeled", repo, bot.issue, triager))
    theirs = await bot.github.open_pull(
        REPOSITORY, "1.2 Write two.md", head=head, by="outsider", fork=True
    )
    theirs.body = pull.body
    await bot.github.check(REPOSITORY, theirs.pull.sha, "failure")
    await bot.github.review(REPOSITORY, theirs.number, "CHANGES_REQUESTED", "No.", by="outsider")
    for text in ("/execute revise better", "/execute fix"):
        await bot.github.comment(REPOSITORY, theirs.number, text, by="writer")
    await bot.github.close(REPOSITORY, theirs.number, by="outsider")
    await bot.github.reopen(REPOSITORY, theirs.number, by="outsider")
    await bot.idle()
    read(bot)

    assert done(bot) == before
