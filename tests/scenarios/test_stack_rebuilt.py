"""What a branch must not keep is taken out: a closed change, a commit that was forced away."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import push, undelivered
from tests.scenarios.stacks import (
    LINES,
    body,
    changed_lines,
    check_own,
    merge,
    own_lines,
    stacked,
    ticks,
    unread_comments,
)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


def history(bot: Bot, pull: Issue) -> list[str]:
    """The first lines of the commits that a pull request adds, the oldest first."""
    span = f"{pull.pull.base}..{pull.pull.sha}"
    said = bot.view.state.bare.text("log", "--reverse", "--format=%s", span)
    return said.split("\n")


async def test_a_closed_change_is_taken_out_of_those_above(bot: Bot) -> None:
    """The next ones have only their own changes, and can be merged without the closed one."""
    one, two, six = await stacked(bot)

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    check_own(bot, two, 2)
    assert history(bot, two) == ["1.2 Write two.md"]
    assert six.pull.base == two.pull.head
    assert sorted(changed_lines(bot, six)) == own_lines(3)
    assert "one.md" not in bot.view.files(six.pull.sha)
    said = unread_comments(bot, two)
    assert f"#{one.number}, which this builds on, was closed without a merge" in said
    assert "Cairn runs the tests again" in said
    assert f"#{two.number}" in unread_comments(bot, six)
    assert "Merge this one first" in body(two)
    await merge(bot, two)
    check_own(bot, six, 3)
    await merge(bot, six)
    assert ticks(bot) == " xx"
    assert "one.md" not in bot.view.files("main")


@MORE
async def test_what_a_rebuilt_one_brings_is_said_once(bot: Bot) -> None:
    """Later events change nothing: no second comment, no other commit."""
    one, two, six = await stacked(bot)
    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()
    assert unread_comments(bot, two)
    assert unread_comments(bot, six)
    heads = two.pull.sha, six.pull.sha

    await push(bot, LINES, files={"README.md": b"# More\n"})

    assert (two.pull.sha, six.pull.sha) == heads
    assert unread_comments(bot, two) + unread_comments(bot, six) == ""


CALLS = [
    ("GET", f"/repos/{REPOSITORY}/compare/*"),
    ("PATCH", f"/repos/{REPOSITORY}/pulls/*"),
    ("POST", f"/repos/{REPOSITORY}/git/commits"),
    ("POST", "/api/graphql"),
    ("POST", f"/repos/{REPOSITORY}/issues/*/comments"),
]


@pytest.mark.sample(1, "a conversation for each call that may fail")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_an_outage_at_any_call_leaves_one_of_each(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """Each call fails once, before or after its effect: all are rebuilt once and told once."""
    one, two, six = await stacked(bot)
    bot.github.fail(method, path, status=502, after=after)

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()
    await bot.later(minutes=10)

    check_own(bot, two, 2)
    assert sorted(changed_lines(bot, six)) == own_lines(3)
    assert (history(bot, two), len(history(bot, six))) == (["1.2 Write two.md"], 1)
    for pull in (two, six):
        assert len(bot.github.says(REPOSITORY, pull.number)) == 1


@pytest.mark.nightly("test_another_runs_checkpoints_are_built_on")
async def test_new_work_builds_on_a_rebuilt_one(bot: Bot) -> None:
    """It is part of the stack again."""
    one, two, six = await stacked(bot)
    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()
    assert unread_comments(bot, two)
    assert unread_comments(bot, six)
    await push(bot, f"{LINES}- [ ] 1.4 Write `ten.md`\n")
    bot.model.says(note("ten.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "Write one.md | declined" in said
    assert "Write two.md | in review" in said
    assert bot.pulls[3].pull.base == six.pull.head


SECRET = {"secret.md": b"A key.\n"}


async def test_what_was_forced_off_the_default_branch_stays_off(bot: Bot) -> None:
    """Somebody removes a file from the history; no pull request brings it back."""
    before = bot.view.branches["main"]
    await bot.github.push(REPOSITORY, SECRET)
    await bot.idle()
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    one, two = bot.pulls
    await bot.github.move_branch(REPOSITORY, "main", before)
    await bot.idle()

    check_own(bot, one, 1)
    assert sorted(changed_lines(bot, two)) == own_lines(2)
    assert "The history of `main` was rewritten" in unread_comments(bot, one)
    assert f"The branch of #{one.number}, which this builds on, was rebuilt" in unread_comments(
        bot, two
    )
    for pull in (one, two):
        assert "secret.md" not in bot.view.files(pull.pull.sha)
        commits = bot.view.state.bare.text("log", "--format=%H", pull.pull.sha, "--", "secret.md")
        assert commits == ""


async def test_a_persons_commit_is_never_forced_away(bot: Bot) -> None:
    """Whoever pushed to the branch reads what to type; nothing is built on it."""
    one, two, six = await stacked(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=two.pull.head)
    await bot.idle()
    head = two.pull.sha

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    assert (two.pull.sha, two.pull.base) == (head, "main")
    said = unread_comments(bot, two)
    assert f"#{one.number}, which this builds on, was closed without a merge" in said
    assert "git rebase --onto origin/main" in said
    assert "/execute retry" in body(two)
    assert six.pull.base == two.pull.head


SHARED = "".join(f"Line {n}.\n" for n in range(1, 10))


@on(notes(LINES, **{"two.md": SHARED.encode()}))
async def test_changes_of_one_file_in_different_places_are_no_conflict(bot: Bot) -> None:
    """After a squash both sides changed the file, at its top and at its end: both stay."""
    bot.model.says(note("one.md"), note("two.md", SHARED.replace("Line 9.\n", "The end.\n")[:-1]))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    one, two = bot.pulls
    async with undelivered(bot):
        mine = SHARED.replace("Line 1.", "The top.").encode()
        await bot.github.push(REPOSITORY, {"two.md": mine})

    await merge(bot, one, "squash")

    assert two.pull.base == "main"
    assert bot.github.pull_body(REPOSITORY, two.number)["mergeable"]
    assert "-Line 9.\n+The end." in "\n".join(changed_lines(bot, two))
    assert (bot.view.file(two.pull.sha, "two.md") or b"").startswith(b"The top.\nLine 2.")
    assert "merged `main` into its branch" in unread_comments(bot, two)


@pytest.mark.nightly("test_whatever_happens")
async def test_a_repository_of_rebase_merges_gets_single_commits(bot: Bot) -> None:
    """GitHub could not rebase a merge commit, so the branch becomes one commit."""
    bot.view.state.merge_methods = frozenset({"rebase"})
    one, two, six = await stacked(bot)

    for number, pull in enumerate((one, two, six), 1):
        check_own(bot, pull, number)
        await merge(bot, pull, "rebase")
        for above in (one, two, six)[number:]:
            unread_comments(bot, above)

    assert ticks(bot) == "xxx"


@pytest.mark.sample(0, "a conversation for each case")
@pytest.mark.parametrize("method", ["merge", "squash"])
@pytest.mark.parametrize("line", ["- [ ] 1.2 Write `two.md` in verse\n", ""])
async def test_a_task_that_was_changed_in_review(bot: Bot, method: str, line: str) -> None:
    """The branch stays mergeable; what people wrote in the roadmap stays, and they are told."""
    one, two, _ = await stacked(bot)
    await push(bot, LINES.replace("- [ ] 1.2 Write `two.md`\n", line))
    assert unread_comments(bot, two) == ""

    await merge(bot, one, method)

    said = unread_comments(bot, two)
    assert "does not tick the task *1.2 Write two.md*" in said
    assert bot.github.pull_body(REPOSITORY, two.number)["mergeable"]
    assert sorted(changed_lines(bot, two)) == ["+A note."]
    await merge(bot, two, method)
    assert bot.view.file("main", "two.md") == b"A note.\n"
    assert (bot.view.file("main", "ROADMAP.md") or b"").decode() == LINES.replace(
        "- [ ] 1.1", "- [x] 1.1"
    ).replace("- [ ] 1.2 Write `two.md`\n", line)
    for pull in bot.pulls:
        unread_comments(bot, pull)
