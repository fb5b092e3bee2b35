"""Buttons and limits in odd moments: pressed twice, too late, or by two people at once."""

from __future__ import annotations

import asyncio

from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, NOTES, note, notes, on
from tests.scenarios.proposing import STUCK, TITLES, decomposed, script_new_tasks
from tests.scenarios.stacks import (
    LINES,
    check_own,
    merge,
    stacked,
    ticks,
    unread_comments,
)

pytestmark = OUTSIDE

MANY = "from calc.add import add\n\n\n" + "\n\n".join(
    f"def test_{n}():\n    assert add({n}, 1) == {n + 1}\n" for n in range(60)
)


def button_check(bot: Bot) -> int:
    """The newest check with buttons."""
    return [int(str(c["id"])) for c in bot.view.checks if c["actions"]][-1]


async def click(bot: Bot, button: str, *, by: str = "writer", check: int = 0) -> None:
    """Press a button of a proposal, and wait."""
    await bot.github.click(REPOSITORY, check or button_check(bot), button, by=by)
    await bot.idle()


@on(STUCK)
async def test_a_button_pressed_twice(bot: Bot) -> None:
    """Impatient fingers: the proposal is applied once, and each new task is done once."""
    await decomposed(bot)
    script_new_tasks(bot)
    check = button_check(bot)

    await asyncio.gather(
        *(bot.github.click(REPOSITORY, check, "approve", by="writer") for _ in range(3))
    )
    await bot.idle()

    bot.says()
    bot.proposes()
    assert [t for t in bot.checkpoints() if t in TITLES] == TITLES


@on(STUCK)
async def test_a_button_pressed_by_a_reader(bot: Bot) -> None:
    """They are told, once; the proposal stays open for those who may decide."""
    pull = await decomposed(bot)

    await click(bot, "approve", by="reader")
    await click(bot, "reject", by="reader")

    (said,) = bot.proposes()
    assert "reader" in said
    assert pull.state == "open"
    assert not [t for t in bot.checkpoints() if t in TITLES]
    await click(bot, "reject")
    assert bot.says()
    bot.proposes()


@on(STUCK)
async def test_a_button_of_a_proposal_that_was_edited(bot: Bot) -> None:
    """A push made another proposal of it: the old button approves nothing."""
    pull = await decomposed(bot)
    old = button_check(bot)
    text = (bot.view.file(pull.pull.sha, "ROADMAP.md") or b"").decode()
    edited = text.replace("Write `two.md` with a note", "Write `two.md` with a long note")
    assert edited != text
    await bot.github.push(REPOSITORY, {"ROADMAP.md": edited.encode()}, branch=pull.pull.head)
    await bot.idle()
    bot.proposes()

    await click(bot, "approve", check=old)

    (said,) = bot.proposes()
    assert "was superseded by a newer one because its task changed" in said
    assert pull.state == "open"
    assert not [t for t in bot.checkpoints() if t in TITLES]
    bot.says()


@on(STUCK)
async def test_a_button_after_the_end(bot: Bot) -> None:
    """The run was cancelled: the buttons are gone, so nobody presses them for nothing."""
    pull = await decomposed(bot)
    assert button_check(bot)

    await bot.comment("/execute cancel")

    bot.says()
    bot.proposes()
    assert pull.state == "closed"
    assert not [check for check in bot.view.checks if check["actions"]]


@on(STUCK)
async def test_two_maintainers_agree_at_once(bot: Bot) -> None:
    """A reply and a button at the same moment: it is applied once."""
    bot.github.set_role(REPOSITORY, "keeper", "maintain")
    pull = await decomposed(bot)
    script_new_tasks(bot)

    await asyncio.gather(
        bot.github.comment(REPOSITORY, pull.number, "/approve", by="keeper"),
        bot.github.click(REPOSITORY, button_check(bot), "approve", by="writer"),
        bot.github.review(REPOSITORY, pull.number, "APPROVED", by="keeper"),
    )
    await bot.idle()

    bot.says()
    bot.proposes()
    assert [t for t in bot.checkpoints() if t in TITLES] == TITLES


@on(CALC)
async def test_more_annotations_than_one_request_takes(bot: Bot) -> None:
    """Sixty tests fail after a push: each of them is marked, as far as GitHub shows marks."""
    bot.model.says(ADD.split("tests/test_add.py")[0] + f"tests/test_add.py\n```python\n{MANY}```\n")
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls

    broken = {"calc/add.py": b"def add(a, b):\n    return a - b\n"}
    await bot.github.push(REPOSITORY, broken, branch=pull.pull.head)
    await bot.idle()

    check = [
        c for c in bot.view.checks if (c["head_sha"], c["name"]) == (pull.pull.sha, "cairn/trust")
    ][-1]
    assert check["conclusion"] == "failure"
    assert len(check["annotations"]) == 60  # type: ignore[arg-type]
    sent = [r.body for r in bot.github.requests if "/check-runs" in r.path and r.body]
    assert max(len(b.get("output", {}).get("annotations", [])) for b in sent) <= 50


LIMIT = {".github/cairn.yml": b"limits: {open_pull_requests: 1}\n"}


@on(notes(LINES, **LIMIT))
async def test_two_runs_wait_for_one_place(bot: Bot) -> None:
    """One merge makes room for one pull request, however many runs wait for it."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --task 1.1")
    other = bot.github.open_issue(REPOSITORY, "Another", by="writer")
    await bot.github.comment(REPOSITORY, other.number, "/execute --task 1.2")
    await bot.comment("/execute --task 1.3")
    bot.model.says(note("two.md"))
    bot.says()

    await merge(bot, bot.pulls[0])

    assert len([p for p in bot.pulls if p.state == "open"]) == 1
    bot.model.says(note("six.md"))
    await bot.github.close(REPOSITORY, bot.pulls[-1].number)
    await bot.idle()
    assert len([p for p in bot.pulls if p.state == "open"]) == 1
    bot.says()
    bot.github.says(REPOSITORY, other.number)


@on(notes(LINES, **{".github/cairn.yml": b"pull_requests: {strategy: independent}\n"}))
async def test_a_review_of_an_independent_one(bot: Bot) -> None:
    """It is revised alone: the others keep their commits, and all of them can be merged."""
    bot.model.says(note("one.md"), note("two.md"), note("six.md"))
    await bot.comment("/execute")
    bot.says()
    one, two, six = bot.pulls
    heads = one.pull.sha, six.pull.sha
    bot.model.says(note("two.md", "Two notes."))

    await bot.github.review(REPOSITORY, two.number, "CHANGES_REQUESTED", "Two notes, please.")
    await bot.idle()

    assert (one.pull.sha, six.pull.sha) == heads
    assert bot.view.file(two.pull.sha, "two.md") == b"Two notes.\n"
    for pull in (two, six, one):
        await merge(bot, pull, "squash")
    for pull in (one, two, six):
        bot.github.says(REPOSITORY, pull.number)
    assert ticks(bot) == "xxx"
    assert bot.view.file("main", "two.md") == b"Two notes.\n"


@on(NOTES)
async def test_a_review_in_a_locked_conversation(bot: Bot) -> None:
    """It is done all the same; what came of it is said when somebody unlocks the conversation."""
    bot.model.says(note("one.md"), note("one.md", "A better note."))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.lock(REPOSITORY, pull.number)

    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "Better.")
    await bot.idle()

    assert bot.view.file(pull.pull.sha, "one.md") == b"A better note.\n"
    assert bot.github.says(REPOSITORY, pull.number) == []
    await bot.github.lock(REPOSITORY, pull.number, locked=False)
    await bot.idle()
    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "is done" in said


DRAFT = {".github/cairn.yml": b"pull_requests: {draft: true}\n"}


@on(notes(LINES, **DRAFT))
async def test_drafts_made_ready_one_after_another(bot: Bot) -> None:
    """Making one ready, or a draft again, changes nothing; merged, the next moves to main."""
    one, two, six = await stacked(bot)
    heads = [p.pull.sha for p in bot.pulls]
    await bot.github.ready(REPOSITORY, one.number)
    await bot.github.ready(REPOSITORY, two.number)
    await bot.github.ready(REPOSITORY, two.number, draft=True)
    await bot.idle()
    assert [p.pull.sha for p in bot.pulls] == heads

    await merge(bot, one, "squash")

    bot.github.says(REPOSITORY, two.number)
    assert (two.pull.base, two.pull.draft, six.pull.draft) == ("main", True, True)


@on(notes(LINES))
async def test_a_stack_that_is_merged_on_a_checkout(bot: Bot) -> None:
    """``git merge`` of the second one and a push: GitHub closes the first alone.

    The other says that its task is done; closed, as it asks, it takes nothing back.
    """
    one, two, six = await stacked(bot)

    await bot.github.move_branch(REPOSITORY, "main", two.pull.sha)
    await bot.idle()

    assert one.pull.merged
    assert "is already ticked on `main`.** Close this pull request" in (two.body or "")
    assert "Merge this one first" not in (two.body or "")
    await bot.comment("/execute status")
    (said,) = bot.says()
    assert f"| #{two.number} | 1.2 Write two.md | not needed: see its description |" in said
    await bot.github.close(REPOSITORY, two.number)
    await bot.idle()
    check_own(bot, six, 3)
    await merge(bot, six)
    assert ticks(bot) == "xxx"
    assert bot.view.file("main", "two.md")
    for pull in (two, six):
        unread_comments(bot, pull)
    bot.says()


@on(notes(LINES, **LIMIT))
async def test_one_that_is_opened_again_counts(bot: Bot) -> None:
    """It took no place while it was closed; open again, it does, so the run still waits."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    one = bot.pulls[0]
    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()
    two = bot.pulls[1]
    await bot.github.reopen(REPOSITORY, one.number)
    await bot.idle()

    await merge(bot, two)

    assert [pull.state for pull in bot.pulls] == ["open", "closed"]
    assert "which is the limit" in bot.says()[-1]
    for pull in bot.pulls:
        unread_comments(bot, pull)


@on(STUCK)
async def test_rerun_of_the_check_with_the_buttons(bot: Bot) -> None:
    """There is nothing to verify: the buttons stay, and the proposal is open as before."""
    pull = await decomposed(bot)
    checks = len(bot.view.checks)

    await bot.github.rerun(REPOSITORY, button_check(bot), by="writer")
    await bot.idle()

    assert len(bot.view.checks) == checks
    assert pull.state == "open"
    await click(bot, "reject")
    assert bot.says()
    bot.proposes()
