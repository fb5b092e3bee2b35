"""From ``/execute`` to pull requests."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.projects import ADD, DOUBLE, NOTES, note, notes, on


async def test_each_task_becomes_a_pull_request_on_the_one_before(bot: Bot) -> None:
    """Two tasks end as two stacked pull requests whose commits tick the roadmap."""
    bot.model.says(ADD, DOUBLE)

    assert await bot.comment("/execute") == 202

    (said,) = bot.says()
    first, second = bot.pulls
    assert "is done" in said
    assert (first.pull.base, second.pull.base) == ("main", first.pull.head)


@pytest.mark.nightly("test_the_commit_is_the_change_and_one_byte")
async def test_a_commit_is_the_change_set_and_one_byte_of_the_roadmap(bot: Bot) -> None:
    """A checkpoint holds the validated files and the tick, nothing else."""
    bot.model.says(ADD)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (pull,) = bot.pulls
    old, changed = bot.view.file("main", "ROADMAP.md"), bot.changed(pull)
    assert set(changed) == {"ROADMAP.md", "calc/add.py", "tests/test_add.py"}
    assert old is not None
    assert changed["ROADMAP.md"] == old.replace(b"- [ ] 1.1", b"- [x] 1.1")


@on(NOTES)
async def test_eyes_say_that_the_command_was_seen(bot: Bot) -> None:
    """The comment with the command gets one 👀 of the bot, redelivered or not."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")
    await bot.github.redeliver(bot.github.deliveries[0])
    await bot.idle()

    bot.says()
    asked = bot.view.comments(bot.issue.number)[0]
    assert [(r.content, r.user.login) for r in asked.reactions] == [("eyes", "cairn[bot]")]


@on(NOTES)
async def test_progress_is_one_comment_that_is_edited(bot: Bot) -> None:
    """One comment shows the run from its start to its end and links every pull request."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute")

    (said,) = bot.says()
    written = bot.calls("POST", f"/issues/{bot.issue.number}/comments")
    assert len(written) == 1
    assert bot.calls("PATCH", "")
    for pull in bot.pulls:
        assert f"/{REPOSITORY}/pull/{pull.number}" in said


@on(NOTES)
async def test_a_commit_says_which_run_and_task_made_it(bot: Bot) -> None:
    """The message ends in the trailers that name run and task, and say whether it is verified."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    (pull,) = bot.pulls
    title, *_, trailers = bot.message(pull).strip().split("\n\n")
    said_there = dict(line.split(": ", 1) for line in trailers.split("\n"))
    task = said_there.pop("Cairn-Task")
    assert title == "1.1 Write one.md"
    assert said_there.pop("Cairn-Verified").startswith(
        "no (the project has no tests that Cairn can"
    )
    assert said_there == {
        "Cairn-Run": run_of(said),
        "Cairn-Attempt": "1",
        "Cairn-Model": "scripted",
        "Cairn-Cost": "unknown",
        "Cairn-Verdict": "untested",
        "Cairn-Trust": "untested; nobody verified `one.md`",
    }
    assert f"<!-- cairn:checkpoint:{task} -->" in (pull.body or "")


@MORE
@on(NOTES)
async def test_a_commit_is_signed_by_github(bot: Bot) -> None:
    """No author is given, so that GitHub signs the commit as the App."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (made,) = [r for r in bot.github.requests if r.path.endswith("/git/commits")]
    assert set(made.body) == {"message", "tree", "parents"}
    shown = bot.view.state.bare.text("cat-file", "commit", bot.pulls[0].pull.sha)
    assert "\ngpgsig " in shown


@MORE
@on(NOTES)
async def test_a_branch_is_named_after_run_and_task(bot: Bot) -> None:
    """The branch is ``cairn/<run>/<task>-<slug>``."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    assert bot.pulls[0].pull.head == f"cairn/{run_of(said)}/1-1-write-one-md"


@on(NOTES)
async def test_a_project_without_tests_is_called_not_verified(bot: Bot) -> None:
    """What no test has seen is not said to be verified."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    assert "**Untested:**" in (bot.pulls[0].body or "")


async def test_verified_work_shows_the_command_that_verified_it(bot: Bot) -> None:
    """The pull request of tested work shows the tests' result and how they were run."""
    bot.model.says(ADD)

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    body = bot.pulls[0].body or ""
    assert "| tests | ✅ passed |" in body
    assert "pytest -q" in body
    assert "Untested" not in body


@on(NOTES)
async def test_one_task_can_be_asked_for(bot: Bot) -> None:
    """``--task`` works on that task and no other."""
    bot.model.says(note("two.md"))

    await bot.comment("/execute --task 1.2")

    bot.says()
    assert bot.checkpoints() == ["1.2 Write two.md"]


@MORE
@on(NOTES)
async def test_a_run_stops_after_so_many_tasks(bot: Bot) -> None:
    """``--max-tasks`` bounds the tasks of a run."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md"]


@on(notes("- [ ] Not this\n", **{"docs/PLAN.md": b"- [ ] Write `plan.md`\n"}))
async def test_another_roadmap_can_be_named(bot: Bot) -> None:
    """A path after the command is the roadmap that is read and ticked."""
    bot.model.says(note("plan.md"))

    await bot.comment("/execute docs/PLAN.md")

    bot.says()
    assert bot.changed(bot.pulls[0]) == {
        "docs/PLAN.md": b"- [x] Write `plan.md`\n",
        "plan.md": b"A note.\n",
    }


@MORE
@on(NOTES)
async def test_another_model_can_be_named(bot: Bot) -> None:
    """``--model`` is the model that is asked."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1 --model bigger-one")

    bot.says()
    assert [asked.model for asked in bot.model.requests] == ["bigger-one"]


@on(NOTES)
async def test_a_dry_run_only_tells(bot: Bot) -> None:
    """``--dry-run`` lists the tasks in order, every line marked; no model, no branch, no file."""
    await bot.comment("/execute --dry-run")

    (said,) = bot.says()
    lines = [line for line in said.split("\n") if line.startswith("- ")]
    assert [line.startswith("- [DRY RUN]") for line in lines] == [True, True]
    assert "1.1" in lines[0]
    assert "1.2" in lines[1]
    assert bot.model.requests == []
    assert set(bot.view.branches) == {"main"}
    assert bot.sent() == []
    assert not (bot.settings.cairn_data_dir / "executor").exists()


@MORE
@on(NOTES)
async def test_a_run_works_after_a_dry_run(bot: Bot) -> None:
    """A dry run leaves nothing behind that a run would stumble over."""
    bot.model.says(note("one.md"), note("two.md"))

    await bot.comment("/execute --dry-run")
    await bot.comment("/execute")

    bot.says()
    assert bot.checkpoints() == ["1.1 Write one.md", "1.2 Write two.md"]


PUBLISHES = {"metadata", "contents", "issues", "pull_requests"}


@on(NOTES)
async def test_every_token_is_for_one_repository_and_few_permissions(bot: Bot) -> None:
    """No installation token may do more than its use needs, or elsewhere."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    asked = [r.body for r in bot.github.requests if r.path.endswith("/access_tokens")]
    assert asked
    for body in asked:
        assert body["repository_ids"] == [bot.view.id]
        wanted = set(body["permissions"])
        assert wanted <= PUBLISHES or wanted == {"metadata", "checks"}
    assert {"metadata": "read", "contents": "read"} in [body["permissions"] for body in asked]


@on(NOTES)
async def test_the_model_says_what_it_did(bot: Bot) -> None:
    """Its sentences before the file stand in the pull request and the commit, with no effect."""
    said = (
        "Wrote `one.md` as asked, thanks @octocat.\nThis fixes #1. <!-- cairn:checkpoint:x -->\n\n"
    )
    bot.model.says(f"{said}Here is the file:\n\n{note('one.md')}I hope that this helps you.\n")

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (pull,) = bot.pulls
    body = pull.body or ""
    shown = body.split("### What the model says it did\n\n> ")[1].split("\n")[0]
    assert shown.startswith("Wrote `one.md` as asked, thanks ")
    assert "Here is the file" not in body
    assert "I hope" not in body
    assert "@octocat" not in body
    assert "fixes #1" not in body
    assert body.count("<!-- cairn:checkpoint:") == 1
    assert "\n\nWhat the model says it did: Wrote " in bot.message(pull)
    assert "@octocat" not in bot.message(pull)


@on(NOTES)
async def test_a_model_that_explains_nothing(bot: Bot) -> None:
    """Nothing is made up: the section is left out, and the commands are folded away."""
    bot.model.says(note("one.md"))

    await bot.comment("/execute --max-tasks 1")

    bot.says()
    (pull,) = bot.pulls
    assert "model says" not in (pull.body or "") + bot.message(pull)
    assert "<details><summary>Commands</summary>" in (pull.body or "")
