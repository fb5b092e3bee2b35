"""Runs after runs: one stack, no task twice, nothing of others taken over."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, notes, on
from tests.scenarios.pushing import push

ONE = "/execute --max-tasks 1"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes to write."""
    return NOTES


async def first_checkpoint(bot: Bot) -> Issue:
    """The first task as a checkpoint, its comment read."""
    bot.model.says(note("one.md"))
    await bot.comment(ONE)
    bot.says()
    return bot.pulls[0]


async def test_a_second_run_builds_on_the_first(bot: Bot) -> None:
    """The next run starts at the tip of the open stack and repeats no task."""
    first = await first_checkpoint(bot)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    second = bot.pulls[1]
    assert second.pull.base == first.pull.head
    assert set(bot.changed(second)) == {"ROADMAP.md", "two.md"}
    assert "Write one.md | in review" in said


@pytest.mark.nightly("test_files_of_earlier_tasks_are_shown")
async def test_what_earlier_tasks_made_is_shown_to_the_model(bot: Bot) -> None:
    """The second run's question has the file that only the open stack holds."""
    await first_checkpoint(bot)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert "\none.md\n" in bot.prompts[1]


async def test_a_checkpoint_closed_unmerged_is_a_no(bot: Bot) -> None:
    """Its task is declined and not picked again; the next one builds on the default branch."""
    first = await first_checkpoint(bot)
    await bot.github.close(REPOSITORY, first.number)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "Write one.md | declined" in said
    assert bot.checkpoints()[1:] == ["1.2 Write two.md"]
    assert bot.pulls[1].pull.base == "main"


@MORE
async def test_asking_for_a_declined_task_is_answered(bot: Bot) -> None:
    """``--task`` with a declined task says that it was declined."""
    first = await first_checkpoint(bot)
    await bot.github.close(REPOSITORY, first.number)

    await bot.comment("/execute --task 1.1")

    (said,) = bot.says()
    assert "was declined" in said


@pytest.mark.nightly("test_a_merged_checkpoint_is_neither_open_nor_declined")
async def test_a_merged_task_is_not_repeated(bot: Bot) -> None:
    """After a merge the ticked roadmap of the default branch is the one that is read."""
    first = await first_checkpoint(bot)
    await bot.github.merge_pull(REPOSITORY, first.number)
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints()[1:] == ["1.2 Write two.md"]
    assert bot.pulls[1].pull.base == "main"


@MORE
async def test_a_squashed_task_is_not_repeated(bot: Bot) -> None:
    """Squashing makes no difference to what was done."""
    first = await first_checkpoint(bot)
    await bot.github.merge_pull(REPOSITORY, first.number, method="squash")
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints()[1:] == ["1.2 Write two.md"]


@pytest.mark.sample(0, "a run for each kind of merge")
@on(notes("- [ ] Write `one.md`\n- [ ] Write `two.md`\n- [ ] Write `three.md`\n"))
@pytest.mark.parametrize("delete", [True, False], ids=["deleting", "keeping"])
async def test_above_a_merged_member_the_stack_goes_on(bot: Bot, delete: bool) -> None:
    """When the lower of two is merged, the next run builds on the upper one."""
    bot.view.state.delete_branch_on_merge = delete
    bot.model.says(note("one.md"), note("two.md"), note("three.md"))
    await bot.comment("/execute --max-tasks 2")
    bot.says()
    first, second = bot.pulls
    await bot.github.merge_pull(REPOSITORY, first.number)

    await bot.comment("/execute")

    bot.says()
    assert bot.pulls[2].pull.base == second.pull.head
    assert set(bot.changed(bot.pulls[2])) == {"ROADMAP.md", "three.md"}


TWO = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n"
THREE = f"{TWO}- [ ] 1.3 Write `three.md`\n"


@pytest.mark.sample(0, "a run for each case")
@pytest.mark.parametrize("command", ["/execute", "/execute --task 1.3"])
async def test_a_task_added_beside_open_pull_requests_is_seen(bot: Bot, command: str) -> None:
    """The roadmap is the newest one; what is in review is that, and the new task is worked on."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    bot.says()
    await push(bot, THREE)
    bot.model.says(note("three.md"))

    await bot.comment(command)

    (said,) = bot.says()
    assert "Write one.md | in review" in said
    assert "Write two.md | in review" in said
    first, second, third = bot.pulls
    assert third.title == "1.3 Write three.md"
    assert third.pull.base == second.pull.head
    assert bot.changed(third).keys() == {"ROADMAP.md", "three.md"}
    assert bot.view.file(third.pull.sha, "ROADMAP.md") == THREE.replace("[ ]", "[x]").encode()
    for pull in (first, second, third):
        await bot.github.merge_pull(REPOSITORY, pull.number)
        await bot.idle()
    assert bot.view.file("main", "ROADMAP.md") == THREE.replace("[ ]", "[x]").encode()


async def test_a_task_added_beside_an_open_pull_request_can_be_retried(bot: Bot) -> None:
    """Every command that names a task finds it, not only the one that starts a run."""
    await first_checkpoint(bot)
    await push(bot, THREE)
    bot.model.says(note("three.md"))

    await bot.comment("/execute retry 1.3")

    bot.says()
    assert bot.checkpoints()[1:] == ["1.3 Write three.md"]


@MORE
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_what_was_added_to_a_roadmap_merges_in_any_order(bot: Bot, method: str) -> None:
    """Tasks come to the default branch while others wait for review: no tick is a conflict."""
    await first_checkpoint(bot)
    bot.model.says(note("two.md"), note("three.md"))
    await bot.comment("/execute")
    bot.says()
    await push(bot, f"# Plan\n\n{THREE}")
    await bot.comment("/execute")
    bot.says()

    for number in range(3):
        pull = bot.pulls[number]
        assert pull.pull.base == "main"
        assert bot.github.pull_body(REPOSITORY, pull.number)["mergeable"]
        await bot.github.merge_pull(REPOSITORY, pull.number, method=method)
        await bot.idle()
        for other in bot.pulls:
            bot.github.says(REPOSITORY, other.number)

    merged = f"# Plan\n\n{THREE}".replace("[ ]", "[x]")
    assert (bot.view.file("main", "ROADMAP.md") or b"").decode() == merged


@pytest.mark.sample(0, "a run for each case")
@pytest.mark.parametrize("line", ["- [ ] 1.3 Write `three.md` in other words\n", ""])
async def test_what_people_changed_in_the_roadmap_does_not_come_back(bot: Bot, line: str) -> None:
    """A branch brought a new task along; people reword or delete it before the merge."""
    await first_checkpoint(bot)
    await push(bot, f"# Plan\n\n{THREE}")
    bot.model.says(note("two.md"), note("three.md"))
    await bot.comment("/execute")
    bot.says()
    newest = "".join(row for row in THREE.splitlines(keepends=True) if "1.3" not in row) + line
    await push(bot, f"# Plan\n\n{newest}")

    for pull in bot.pulls:
        assert bot.github.pull_body(REPOSITORY, pull.number)["mergeable"]
        await bot.github.merge_pull(REPOSITORY, pull.number, method="squash")
        await bot.idle()
        for other in bot.pulls:
            bot.github.says(REPOSITORY, other.number)

    found = (bot.view.file("main", "ROADMAP.md") or b"").decode()
    assert found.replace("[x]", "[ ]") == f"# Plan\n\n{newest}"


@MORE
async def test_when_all_is_in_review_nothing_starts(bot: Bot) -> None:
    """A run that finds every task on the open stack asks no model and says so."""
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute")
    bot.says()

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "no open task" in said
    assert len(bot.pulls) == 2


@MORE
async def test_a_persons_branch_is_not_taken_over(bot: Bot) -> None:
    """A branch of our prefix that we did not make is no member of the stack and stays."""
    await bot.github.push(REPOSITORY, {"x.md": b"x\n"}, branch="cairn/aaaaaaaaaa/1-1-write-one-md")
    theirs = bot.view.branches["cairn/aaaaaaaaaa/1-1-write-one-md"]
    bot.model.says(note("one.md"))

    await bot.comment(ONE)

    bot.says()
    assert bot.pulls[0].pull.base == "main"
    assert "x.md" not in bot.view.files(bot.pulls[0].pull.head)
    assert bot.view.branches["cairn/aaaaaaaaaa/1-1-write-one-md"] == theirs


async def test_a_persons_pull_request_with_our_marker_is_theirs(bot: Bot) -> None:
    """Our marks count only on what our App wrote: the task is done all the same, elsewhere."""
    ours = await first_checkpoint(bot)
    await bot.github.close(REPOSITORY, ours.number)
    task = bot.message(ours).strip().split("Cairn-Task: ")[1].split()[0]
    branch = "cairn/bbbbbbbbbb/1-2"
    await bot.github.push(REPOSITORY, {"x.md": b"x\n"}, branch=branch)
    theirs = await bot.github.open_pull(REPOSITORY, "Mine", head=branch)
    theirs.body = f"<!-- cairn:checkpoint:{task} -->\n<!-- cairn:roadmap:ROADMAP.md -->"
    bot.model.says(note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "Write one.md | declined" in said
    assert bot.pulls[-1].pull.base == "main"
    assert theirs.state == "open"


PLANS = {"docs/PLAN.md": b"- [ ] Write `plan.md`\n"}


@MORE
@on(notes("- [ ] 1.1 Write `one.md`\n", **PLANS))
async def test_two_roadmaps_are_two_stacks(bot: Bot) -> None:
    """A checkpoint of one roadmap is nothing another roadmap builds on."""
    await first_checkpoint(bot)
    bot.model.says(note("plan.md"))

    await bot.comment("/execute docs/PLAN.md")

    bot.says()
    assert [pull.pull.base for pull in bot.pulls] == ["main", "main"]


@MORE
async def test_members_on_another_base_are_another_stack(bot: Bot) -> None:
    """A checkpoint that a person retargeted is no ground for the next run."""
    first = await first_checkpoint(bot)
    await bot.github.push(REPOSITORY, {"v1.md": b"1\n"}, branch="release")
    first.pull.base = "release"
    bot.model.says(note("one.md", "Again."))

    await bot.comment(ONE)

    bot.says()
    assert bot.pulls[1].pull.base == "main"
    assert bot.pulls[1].title == first.title
