"""What a maintainer expects when the default branch changes what an open pull request changed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.conflicting import (
    LINES,
    NAMES,
    REPO,
    changed_by_a_person,
    check_left_to_people,
    check_resolved,
    first_line,
    made,
    mergeable,
    pages,
    parents,
    read,
    resolve_by_hand,
    rewrite_main,
    says,
    shown,
    text,
)
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import push, undelivered
from tests.scenarios.stacks import body, merge, ticks

pytestmark = OUTSIDE


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes, and a task for each."""
    return REPO


def heads(bot: Bot) -> list[str]:
    """The heads of all pull requests."""
    return [pull.pull.sha for pull in bot.pulls]


def asked(bot: Bot) -> int:
    """How many questions the model got."""
    return len(bot.model.requests)


# Where in the stack


async def test_in_the_middle_it_waits_for_its_turn(bot: Bot) -> None:
    """Nothing is asked, said or pushed before the one below is merged; then once."""
    one, two, three = await made(bot, 3)
    before = heads(bot)

    await changed_by_a_person(bot, "beta")

    assert (asked(bot), heads(bot), read(bot)) == (3, before, "")
    bot.model.says(says("of both", "beta"))
    await merge(bot, one, "squash")
    assert asked(bot) == 4
    check_resolved(bot, two, "of both", "beta")
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    assert three.pull.sha == before[2]
    read(bot)
    await merge(bot, two, "squash")
    check_resolved(bot, three, "of the bot", "gamma")
    assert shown(bot, three) == {"gamma.md", "ROADMAP.md"}
    read(bot)


@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_all_of_a_stack_one_after_another(bot: Bot, method: str) -> None:
    """One push is in conflict with three pull requests: one question for each, in order."""
    pulls = await made(bot, 3)
    bot.model.says(*(says("of both", name) for name in NAMES))

    await changed_by_a_person(bot, *NAMES)
    for number, (pull, name) in enumerate(zip(pulls, NAMES, strict=True), 4):
        assert asked(bot) == number
        check_resolved(bot, pull, "of both", name)
        await merge(bot, pull, method)

    assert [first_line(bot, "main", name) for name in NAMES] == ["of both"] * 3
    assert ticks(bot) == "xxx"
    read(bot)


SAME = "- [ ] 1.1 Change `alpha.md`\n- [ ] 1.2 Change `alpha.md` and `beta.md`\n"


@on(notes(SAME, **pages("first", *NAMES)))
async def test_the_one_above_changed_the_same_line(bot: Bot) -> None:
    """It is worked on when it comes next to the default branch, and keeps its other file."""
    bot.model.says(says("of the bot", "alpha"), says("more", "alpha", "beta"))
    await bot.comment("/execute")
    one, two = bot.pulls
    bot.model.says(says("of both", "alpha"))
    await changed_by_a_person(bot, "alpha")
    check_resolved(bot, one, "of both")

    bot.model.says(says("of both and more", "alpha"))
    await merge(bot, one, "squash")

    check_resolved(bot, two, "of both and more")
    assert first_line(bot, two.pull.sha, "beta") == "more"
    read(bot)


@on(notes(SAME, **pages("first", *NAMES)))
async def test_the_one_below_is_closed(bot: Bot) -> None:
    """What the closed one did is taken out; where both changed a line, the task is done anew."""
    bot.model.says(says("of the bot", "alpha"), says("more", "alpha", "beta"))
    await bot.comment("/execute")
    one, two = bot.pulls
    bot.model.says(says("only more", "alpha"))

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    check_resolved(bot, two, "only more")
    assert first_line(bot, two.pull.sha, "beta") == "more"
    assert parents(bot, two.pull.sha) == [bot.view.branches["main"]]
    read(bot)


async def test_independent_ones_at_the_same_time(bot: Bot) -> None:
    """One push, three pull requests on the default branch: one question for each."""
    await bot.github.push(
        REPOSITORY, {".github/cairn.yml": "pull_requests:\n  strategy: independent\n"}
    )
    for name in NAMES:
        bot.model.when(contains=f"Point 1: {name}.md").says(says("of both", name))
        bot.model.when(contains=f"Change `{name}.md`").says(says("of the bot", name))
    await bot.comment("/execute")

    await changed_by_a_person(bot, *NAMES)

    for pull, name in zip(bot.pulls, NAMES, strict=True):
        check_resolved(bot, pull, "of both", name)
    assert asked(bot) == 6
    read(bot)


async def test_one_of_a_single_pull_request(bot: Bot) -> None:
    """The other tasks' files stay as they are, and their boxes ticked."""
    (pull,) = await made(bot, 3, strategy="single")
    bot.model.says(says("of both", "beta"))

    await changed_by_a_person(bot, "beta")

    check_resolved(bot, pull, "of both", "beta")
    others = [first_line(bot, pull.pull.sha, name) for name in ("alpha", "gamma")]
    assert others == ["of the bot"] * 2
    assert ticks(bot, pull.pull.head) == "xxx"
    read(bot)


@on(
    {
        **notes("- [ ] 1.1 Change `alpha.md`\n", **pages("first", *NAMES)),
        "docs/ROADMAP.md": b"- [ ] 1.1 Change `beta.md`\n",
    }
)
async def test_two_roadmaps(bot: Bot) -> None:
    """Each pull request has its own attempt, and ticks only its own roadmap."""
    bot.model.says(says("of the bot", "alpha"), says("of the bot", "beta"))
    await bot.comment("/execute")
    await bot.comment("/execute docs/ROADMAP.md")
    for name in ("alpha", "beta"):
        bot.model.when(contains=f"Point 1: {name}.md").says(says("of both", name))

    await changed_by_a_person(bot, "alpha", "beta")

    for pull, name in zip(bot.pulls, ("alpha", "beta"), strict=True):
        check_resolved(bot, pull, "of both", name)
        assert shown(bot, pull) == {
            f"{name}.md",
            "docs/ROADMAP.md" if name == "beta" else "ROADMAP.md",
        }
    read(bot)


# How the default branch changes


async def test_a_person_merges_a_pull_request(bot: Bot) -> None:
    """The change arrives by a squash merge instead of a push."""
    (pull,) = await made(bot)
    await bot.github.push(REPOSITORY, pages("of a person", "alpha"), branch="feature")
    other = await bot.github.open_pull(REPOSITORY, "A feature", head="feature")
    bot.model.says(says("of both", "alpha"))

    await merge(bot, other, "squash")

    check_resolved(bot, pull, "of both")
    assert parents(bot, pull.pull.sha)[1:] == [bot.view.branches["main"]]
    read(bot)


async def test_its_history_is_rewritten(bot: Bot) -> None:
    """The branch is one commit then, and brings nothing back that was removed."""
    root = bot.view.branches["main"]
    await bot.github.push(REPOSITORY, {"secret.md": "secret\n"})
    one, two = await made(bot, 2)
    bot.model.says(says("of both", "alpha"))

    await rewrite_main(bot, root, {**pages("of a person", "alpha"), "secret.md": None})

    check_resolved(bot, one, "of both")
    for pull in (one, two):
        assert "secret.md" not in bot.view.files(pull.pull.sha)
    assert "secret" not in bot.view.state.bare.text("log", "--name-only", two.pull.sha)
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    read(bot)


async def test_a_workflow_file_comes_with_it(bot: Bot) -> None:
    """The App may not push workflow files: the branch becomes one commit on the new base."""
    one, two = await made(bot, 2)
    bot.model.says(says("of both", "alpha"))
    workflow = {".github/workflows/x.yml": "on: push\njobs: {}\n"}

    await push(bot, LINES, files={**pages("of a person", "alpha"), **workflow})

    check_resolved(bot, one, "of both")
    assert parents(bot, one.pull.sha) == [bot.view.branches["main"]]
    assert parents(bot, two.pull.sha) == [one.pull.sha]
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    read(bot)


@on(notes("- [ ] 1.1 Write `new.md`\n"))
@pytest.mark.parametrize(("theirs", "questions"), [("By the bot.", 1), ("By a person.", 2)])
async def test_both_added_a_file(bot: Bot, theirs: str, questions: int) -> None:
    """The same content is no conflict, another one is."""
    bot.model.says(note("new.md", "By the bot."), *[note("new.md", "By both.")] * (questions - 1))
    await bot.comment("/execute")

    await push(bot, "- [ ] 1.1 Write `new.md`\n", files={"new.md": f"{theirs}\n"})

    assert asked(bot) == questions
    assert mergeable(bot, bot.pulls[0])
    read(bot)


async def test_a_file_is_renamed(bot: Bot) -> None:
    """Git follows the rename: nothing is asked, and the merge changes the renamed file."""
    (pull,) = await made(bot)

    await push(bot, LINES, files={"alpha.md": None, "omega.md": text("first")})

    assert (asked(bot), mergeable(bot, pull)) == (1, True)
    await merge(bot, pull, "squash")
    assert first_line(bot, "main", "omega") == "of the bot"
    assert "alpha.md" not in bot.view.files("main")


async def test_only_the_mode_changes(bot: Bot) -> None:
    """No line is in conflict, and the merge keeps both."""
    (pull,) = await made(bot)

    await push(bot, LINES, files={"alpha.md": ("100755", text("first").encode())})

    assert (asked(bot), mergeable(bot, pull)) == (1, True)
    await merge(bot, pull)
    assert bot.view.files("main")["alpha.md"][0] == "100755"
    assert first_line(bot, "main") == "of the bot"


async def test_line_ends_change(bot: Bot) -> None:
    """The new file has the line ends that people chose."""
    (pull,) = await made(bot)
    bot.model.says(says("of both", "alpha"))
    windows = text("of a person").replace("\n", "\r\n")

    await push(bot, LINES, files={"alpha.md": windows})

    check_resolved(bot, pull, "of both")
    assert bot.view.file(pull.pull.sha, "alpha.md") == windows.replace("a person", "both").encode()
    read(bot)


# How often


async def test_one_after_another_up_to_the_limit(bot: Bot) -> None:
    """Three conflicts cost three questions; the fourth is left to people, with the reason."""
    (pull,) = await made(bot)
    for number in range(3):
        bot.model.says(says(f"of both {number}", "alpha"))
        await changed_by_a_person(bot, "alpha", first=f"of a person {number}")
        check_resolved(bot, pull, f"of both {number}")
    before = pull.pull.sha

    await changed_by_a_person(bot, "alpha", first="of another person")

    assert (asked(bot), pull.pull.sha) == (4, before)
    check_left_to_people(bot, pull, "alpha")
    assert "as often as `pull_requests.revisions` allows" in body(pull)
    read(bot)


async def test_turned_off(bot: Bot) -> None:
    """Nothing is asked; the text goes when the conflict goes, by a revert."""
    one, _ = await made(bot, 2, revisions=0)

    await changed_by_a_person(bot, "alpha")

    assert asked(bot) == 2
    check_left_to_people(bot, one, "alpha")
    await changed_by_a_person(bot, "alpha", first="first")
    check_resolved(bot, one, "of the bot")


async def test_reverted_before_anybody_saw_it(bot: Bot) -> None:
    """Two pushes that cancel each other out cost nothing."""
    (pull,) = await made(bot)
    before = pull.pull.sha
    async with undelivered(bot):
        await bot.github.push(REPOSITORY, pages("of a person", "alpha"))

    await changed_by_a_person(bot, "alpha", first="first")

    assert (asked(bot), pull.pull.sha, read(bot)) == (1, before, "")
    check_resolved(bot, pull, "of the bot")


async def test_told_again(bot: Bot) -> None:
    """Webhooks that come twice, and later pushes to other files, cost nothing more."""
    (pull,) = await made(bot)
    bot.model.says(*["I cannot do that."] * 2)
    await changed_by_a_person(bot, "alpha")
    read(bot)

    for delivery in [each for each in bot.github.deliveries if each.event == "push"]:
        await bot.github.redeliver(delivery)
    await push(bot, LINES, files={"other.md": "Something else.\n"})

    assert (asked(bot), read(bot)) == (3, "")
    check_left_to_people(bot, pull, "alpha")


# What people do


@pytest.mark.parametrize("draft", [True, False])
async def test_as_a_draft_and_locked(bot: Bot, draft: bool) -> None:
    """Both are worked on as well; what cannot be said while it is locked is said later."""
    (pull,) = await made(bot)
    if draft:
        await bot.github.ready(REPOSITORY, pull.number, draft=True)
    else:
        await bot.github.lock(REPOSITORY, pull.number)
    bot.model.says(says("of both", "alpha"))

    await changed_by_a_person(bot, "alpha")

    check_resolved(bot, pull, "of both")
    if not draft:
        assert read(bot) == ""
        await bot.github.lock(REPOSITORY, pull.number, locked=False)
        await bot.later(minutes=60)
    assert "worked on the task again" in read(bot)


async def test_they_pushed_to_the_branch(bot: Bot) -> None:
    """Nothing is asked or forced; typing what the description says ends it."""
    one, two = await made(bot, 2)
    await bot.github.push(REPOSITORY, {"theirs.md": "Mine.\n"}, branch=one.pull.head)
    await bot.idle()
    before = one.pull.sha

    await changed_by_a_person(bot, "alpha")

    assert (asked(bot), one.pull.sha) == (2, before)
    check_left_to_people(bot, one, "alpha")
    await resolve_by_hand(bot, one)
    await bot.idle()
    check_resolved(bot, one, "by hand")
    await merge(bot, one, "squash")
    check_resolved(bot, two, "of the bot", "beta")
    assert shown(bot, two) == {"beta.md", "ROADMAP.md"}
    read(bot)


async def test_they_close_it_and_retry_as_told(bot: Bot) -> None:
    """The last line of the description works: another pull request, on the new base."""
    (pull,) = await made(bot, revisions=0)
    await changed_by_a_person(bot, "alpha")
    told = next(line for line in body(pull).split("\n") if "`/execute retry " in line)
    command = told.partition("`")[2].partition("`")[0]
    await bot.github.close(REPOSITORY, pull.number)
    bot.model.says(says("of both", "alpha"))

    await bot.reply(pull, command)

    check_resolved(bot, bot.pulls[1], "of both")
    read(bot)


async def test_they_cancelled_the_run(bot: Bot) -> None:
    """Whoever said stop is not surprised by an attempt."""
    bot.model.says(says("of the bot", "alpha"))
    fault = bot.holds("POST", "*/git/trees")
    fault.skip = 1
    bot.model.says(says("of the bot", "beta"))
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await fault.reached.wait()
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute cancel", by="writer")
    fault.release()
    await bot.idle()
    pull, before = bot.pulls[0], asked(bot)
    read(bot)

    await changed_by_a_person(bot, "alpha")

    assert asked(bot) == before
    check_left_to_people(bot, pull, "alpha")


async def test_the_run_waits_for_them(bot: Bot) -> None:
    """A proposal about another task does not hold the attempt up, and stays open."""
    bot.model.says(says("of the bot", "alpha"))
    bot.model.otherwise = lambda _: "I cannot do that."
    await bot.comment("/execute --max-tasks 2")
    (proposal,) = bot.proposals
    bot.model.otherwise = None
    bot.model.says(says("of both", "alpha"))

    await changed_by_a_person(bot, "alpha")

    check_resolved(bot, bot.pulls[0], "of both")
    assert proposal.state == "open"
    read(bot)
