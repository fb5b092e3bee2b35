"""Conflicts with the default branch, as somebody who had not read the code expects to be told.

All of these failed when they were written.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.bare import Person, write_files
from tests.fake_github.state import Issue
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.conflicting import (
    LINES,
    NAMES,
    REPO,
    changed_by_a_person,
    check_resolved,
    made,
    mergeable,
    pages,
    read,
    resolve_by_hand,
    says,
    text,
    while_asked,
)
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import push
from tests.scenarios.stacks import body, place_check

pytestmark = OUTSIDE

BOTH = says("of both", "alpha")


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes, and a task for each."""
    return REPO


@pytest.fixture(autouse=True)
async def nothing_unread(bot: Bot):
    """What is said is not what these cases are about."""
    yield
    await bot.idle()
    read(bot)


def stack_check(bot: Bot, pull: Issue) -> str:
    """Title and summary of the check of the stack on the head."""
    shown = [
        c for c in bot.view.checks if (c["head_sha"], c["name"]) == (pull.pull.sha, "cairn/stack")
    ]
    return f"{shown[-1]['output']['title']}\n{shown[-1]['output']['summary']}"


async def test_the_check_says_how_the_attempt_ended(bot: Bot) -> None:
    """Nothing claims that Cairn is working when it is not."""
    (pull,) = await made(bot)
    bot.model.says(*["I cannot do that."] * 2)
    await changed_by_a_person(bot, "alpha")
    assert "is working" not in stack_check(bot, pull)


async def test_nobody_is_needed_while_cairn_works(bot: Bot) -> None:
    """The title of the check does not ask people for help then."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        assert "is working" in body(pull)
        assert "needs you" not in stack_check(bot, pull)


@pytest.mark.parametrize("gone", [{}, {"omega.md": text("of a person")}])
async def test_a_file_is_deleted_or_moved_and_changed(bot: Bot, gone: dict) -> None:
    """GitHub cannot merge it: an attempt, or at least a red check and the file's name."""
    (pull,) = await made(bot)
    bot.model.otherwise = lambda _: BOTH
    await push(bot, LINES, files={"alpha.md": None, **gone})
    assert mergeable(bot, pull) or (place_check(bot, pull), "`alpha.md`" in body(pull)) == (
        "failure",
        True,
    )


@on(notes("- [ ] 1.1 Delete `alpha.md`\n", **pages("first", "alpha")))
async def test_the_branch_deletes_what_people_change(bot: Bot) -> None:
    """The same the other way round."""
    bot.model.otherwise = lambda _: "DELETE alpha.md\n"
    await bot.comment("/execute")
    (pull,) = bot.pulls
    await push(bot, "- [ ] 1.1 Delete `alpha.md`\n", files=pages("of a person", "alpha"))
    assert mergeable(bot, pull) or (place_check(bot, pull), "`alpha.md`" in body(pull)) == (
        "failure",
        True,
    )


async def test_the_reason_is_told_when_it_is_turned_off(bot: Bot) -> None:
    """People learn why nothing happens."""
    (pull,) = await made(bot, revisions=0)
    await changed_by_a_person(bot, "alpha")
    assert "`pull_requests.revisions`" in body(pull)


async def test_the_reason_is_told_when_a_person_pushed(bot: Bot) -> None:
    """People learn why nothing happens."""
    (pull,) = await made(bot)
    await bot.github.push(REPOSITORY, {"theirs.md": "Mine.\n"}, branch=pull.pull.head)
    await bot.idle()
    await changed_by_a_person(bot, "alpha")
    assert "pushed" in body(pull).split("```")[0]


async def test_a_paused_run_is_resumed(bot: Bot) -> None:
    """The reason not to try is gone, so the conflict is tried."""
    fault = bot.holds("POST", "*/git/trees")
    fault.skip = 1
    bot.model.says(
        says("of the bot", "alpha"), says("of the bot", "beta"), says("of the bot", "gamma")
    )
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await fault.reached.wait()
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute pause", by="writer")
    fault.release()
    await bot.idle()
    await changed_by_a_person(bot, "alpha")
    bot.model.when(contains="What is in conflict").says(BOTH)
    await bot.comment("/execute resume")
    await bot.later(minutes=60)
    check_resolved(bot, bot.pulls[0], "of both")


async def test_a_paused_attempt_is_resumed(bot: Bot) -> None:
    """The description says that it waits for somebody, and then that Cairn is at work."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await bot.github.comment(REPOSITORY, pull.number, "/execute pause", by="writer")
    assert "while the run is paused" in body(pull)
    fault = bot.holds("POST", "*/git/trees")

    await bot.github.comment(REPOSITORY, pull.number, "/execute resume", by="writer")
    await fault.reached.wait()

    assert "is working" in body(pull)
    fault.release()
    await bot.idle()
    check_resolved(bot, pull, "of both")


async def test_a_task_that_is_done_is_not_tried_again(bot: Bot) -> None:
    """Its first pull request is opened again after the second was merged: nobody is asked."""
    (first,) = await made(bot)
    await bot.github.close(REPOSITORY, first.number)
    bot.model.says(says("of the second", "alpha"))
    await bot.comment("/execute retry 1.1")
    await bot.github.merge_pull(REPOSITORY, bot.pulls[1].number)
    await bot.idle()
    asked = len(bot.model.requests)

    await bot.github.reopen(REPOSITORY, first.number)
    await bot.idle()

    assert f"is already done on `main`:** #{bot.pulls[1].number} was merged" in body(first)
    assert "because it is done" in body(first)
    assert len(bot.model.requests) == asked


async def test_a_box_that_a_person_ticked(bot: Bot) -> None:
    """The description says that the default branch has the tick already."""
    (pull,) = await made(bot)

    await push(bot, LINES.replace("[ ] 1.1", "[x] 1.1"))

    assert "is already ticked on `main`" in body(pull)


@pytest.mark.parametrize("conflict", [False, True])
async def test_the_whole_history_is_rewritten(bot: Bot, conflict: bool) -> None:
    """As git filter-repo does: no old commit is left, and the pull request is rebuilt."""
    (pull,) = await made(bot)
    bare = bot.view.state.bare
    old = bot.view.branches["main"]
    files = pages("of a person", "alpha") if conflict else {"other.md": "x\n"}
    bot.model.otherwise = lambda _: BOTH
    tree = write_files(bare, bare.resolve(old, "tree"), files)
    who = Person("writer", "writer@example.com", bot.github.clock.now())
    await bot.github.move_branch(REPOSITORY, "main", bare.commit(tree, [], "Begin", author=who))
    await bot.idle()
    assert mergeable(bot, pull) or place_check(bot, pull) == "failure"
    assert not bare.is_ancestor(old, pull.pull.sha)


async def test_reworded_in_the_same_push(bot: Bot) -> None:
    """No model was asked, so nothing says that Cairn worked on it; it says what is the matter."""
    (pull,) = await made(bot)
    bot.model.otherwise = lambda _: BOTH
    await push(bot, LINES.replace("Change", "Improve"), files=pages("of a person", "alpha"))
    said = read(bot)
    if len(bot.model.requests) == 1:
        assert "worked on the task again" not in body(pull)
        assert "on this branch no longer has the task" not in said
        assert "is working" not in stack_check(bot, pull)


async def test_closed_under_way(bot: Bot) -> None:
    """A closed pull request is not "still in conflict", and nobody works on it."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await bot.github.close(REPOSITORY, pull.number)
    assert "still in conflict" not in read(bot)
    assert "is working" not in body(pull)


async def test_resolved_by_a_person_under_way(bot: Bot) -> None:
    """It is no longer in conflict, and nothing says so."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await resolve_by_hand(bot, pull)
    assert mergeable(bot, pull)
    assert "still in conflict" not in read(bot)


async def test_cancelled_under_way(bot: Bot) -> None:
    """Cancelled is not failed."""
    (pull,) = await made(bot)
    async with while_asked(bot, BOTH):
        await bot.github.comment(REPOSITORY, pull.number, "/execute cancel", by="writer")
    assert "but failed" not in body(pull)
    assert "is working" not in stack_check(bot, pull)


async def test_status_knows_the_conflict(bot: Bot) -> None:
    """A pull request that cannot be merged is not to be merged "any time"."""
    await made(bot, revisions=0)
    await changed_by_a_person(bot, "alpha")
    read(bot)
    await bot.comment("/execute status")
    assert "any time" not in read(bot)


@pytest.mark.parametrize(
    "now", [("120000", b"beta.md"), b"\x89PNG\r\n\x1a\n\0\0\0\0"], ids=["link", "binary"]
)
async def test_no_text_any_more(bot: Bot, now: object) -> None:
    """No question is asked that has no answer."""
    (pull,) = await made(bot)
    bot.model.otherwise = lambda _: BOTH
    await push(bot, LINES, files={"alpha.md": now})
    assert len(bot.model.requests) == 1
    assert "`alpha.md`" in body(pull)


async def test_a_conflict_is_no_wish_of_a_reviewer(bot: Bot) -> None:
    """What later tasks are told about people is what people said."""
    await made(bot)
    bot.model.says(BOTH, says("of the bot", "beta"))
    await changed_by_a_person(bot, "alpha")
    await bot.comment("/execute --max-tasks 1")
    assert "a reviewer asked" not in bot.prompts[-1]


MANY = {f"f{n}.md": text("first") for n in range(35)}


@on(notes("- [ ] 1.1 Change the first line of all files\n", **MANY))
async def test_too_many_files(bot: Bot) -> None:
    """No run begins for nothing, and the sentences are true."""
    bot.model.says("".join(note(path, text("of the bot").rstrip()) for path in MANY))
    await bot.comment("/execute")
    (pull,) = bot.pulls
    read(bot)
    await push(
        bot,
        "- [ ] 1.1 Change the first line of all files\n",
        files={p: text("of a person") for p in MANY},
    )
    assert "no longer in conflict" not in read(bot)
    assert "worked on the task again" not in body(pull)
    assert "is working" not in stack_check(bot, pull)


async def test_the_same_line_changes_again(bot: Bot) -> None:
    """That is another conflict, which is worked on as well; nobody is told that it is gone."""
    (pull,) = await made(bot)
    bot.model.otherwise = lambda _: says("of all three", "alpha")
    async with while_asked(bot, BOTH):
        await bot.github.push(REPOSITORY, pages("of another person", "alpha"))
    check_resolved(bot, pull, "of all three")


async def test_the_other_tasks_of_a_single_pull_request(bot: Bot) -> None:
    """One attempt is about all of them, so none of them is pending."""
    (pull,) = await made(bot, 3, strategy="single")
    bot.model.says(says("of both", "beta"))

    await changed_by_a_person(bot, "beta")

    told = "\n".join(bot.github.says(REPOSITORY, pull.number))
    rows = [line for line in told.splitlines() if line.startswith("| ✅ | **1.")]
    assert [f"Change {name}.md" in row for name, row in zip(NAMES, rows, strict=True)] == [True] * 3
