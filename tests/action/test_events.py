"""What each event makes a workflow run do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.action.report import summary
from app.texts import action_texts as texts
from tests.action.job_kit import REPOSITORY, Workflows
from tests.marks import MORE
from tests.scenarios.monorepo import DOUBLE, FILES
from tests.scenarios.projects import note, notes, on
from tests.scenarios.pushing import NEW, OLD, triggered


async def test_a_run_by_hand_works_on_the_roadmap(ci: Workflows) -> None:
    """It opens a stacked pull request a task and tells it on the plan's issue."""
    ci.model.says(note("one.md"), note("two.md"))

    report = await ci.run("workflow_dispatch", ci.dispatch())

    assert report.exit_code == 0
    titles = [pull.title for pull in ci.view.pulls]
    assert titles == ["1.1 Write one.md", "1.2 Write two.md"]
    assert "is done" in ci.says(ci.plan)
    outputs = report.outputs()
    assert (outputs["completed"], outputs["failed"]) == ("2", "0")
    assert len(outputs["pull-requests"].split()) == 2
    assert "cairn/state" in ci.view.branches
    told = summary(report).split("### How far this is verified\n\n")[1]
    assert told.startswith("- **1.1** Write one.md: untested; nobody verified `one.md`")


async def test_a_schedule_works_on_the_roadmap_as_far_as_the_input_says(ci: Workflows) -> None:
    """GitHub's payload of a schedule names nobody; ``max-tasks`` ends the run."""
    ci.model.says(note("one.md"))

    report = await ci.run("schedule", {"schedule": "0 4 * * *"}, WITH_MAX_TASKS="1")

    assert report.exit_code == 0
    assert [pull.title for pull in ci.view.pulls] == ["1.1 Write one.md"]


@MORE
@on(notes(OLD, **{".github/cairn.yml": b"github_mode: disabled\n"}))
async def test_a_schedule_that_writes_nothing(ci: Workflows) -> None:
    """The run is told in the job's summary alone; the state is kept on its branch as ever."""
    ci.model.says(note("one.md"))

    report = await ci.run("schedule", {"schedule": "0 4 * * *"})

    assert report.outputs()["completed"] == "1"
    assert (list(ci.view.issues), ci.view.pulls) == ([], [])
    assert "cairn/state" in ci.view.branches


@MORE
async def test_the_next_night_does_only_what_is_new(ci: Workflows) -> None:
    """What has an open pull request is in progress: nothing is said and no model asked."""
    ci.model.says(note("one.md"), note("two.md"))
    await ci.run("schedule", {"schedule": "0 4 * * *"})
    ci.read_all()

    report = await ci.run("schedule", {"schedule": "0 4 * * *"})

    assert report.done.texts == (texts.nothing(),)
    assert len(ci.view.pulls) == 2
    assert ci.says(ci.plan) == ""


@on(notes(OLD))
async def test_a_push_runs_the_tasks_it_brings(ci: Workflows) -> None:
    """In a workflow a push executes unless the configuration says otherwise."""
    await ci.github.push(REPOSITORY, {"ROADMAP.md": NEW.encode()})
    ci.model.says(note("two.md"), note("three.md"))

    report = await ci.run("push", ci.payload())

    assert report.outputs()["completed"] == "2"
    assert [pull.title for pull in ci.view.pulls] == ["1.2 Write two.md", "1.3 Write three.md"]


@on(triggered("plan"))
async def test_a_push_does_what_the_configuration_says(ci: Workflows) -> None:
    """``triggers.push: plan`` holds in a workflow too."""
    await ci.github.push(REPOSITORY, {"ROADMAP.md": NEW.encode()})

    report = await ci.run("push", ci.payload())

    assert report.runs == ()
    assert "Write three.md" in (ci.plan.body or "")
    assert ci.view.pulls == []


@MORE
@on(notes(OLD))
async def test_a_job_that_is_run_again_starts_nothing_twice(ci: Workflows) -> None:
    """The same push names the same run."""
    await ci.github.push(REPOSITORY, {"ROADMAP.md": NEW.encode()})
    pushed = ci.payload()
    ci.model.says(note("two.md"), note("three.md"))
    await ci.run("push", pushed)
    ci.read_all()

    report = await ci.run("push", pushed)

    assert report.runs == ()
    assert len(ci.view.pulls) == 2


@on(notes(OLD))
async def test_another_branch_starts_nothing(ci: Workflows) -> None:
    """A push to a branch that is not the default one is looked at and dropped."""
    await ci.github.push(REPOSITORY, {"ROADMAP.md": NEW.encode()}, branch="side")

    report = await ci.run("push", ci.payload())

    assert (report.runs, report.exit_code) == ((), 0)


async def test_a_comment_is_a_command(ci: Workflows) -> None:
    """``/execute`` is answered with 👀 and the run's comment, without any server."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    ci.model.says(note("one.md"))
    told = await ci.comment(issue, "/execute --task 1.1")

    report = await ci.run("issue_comment", told)

    assert report.exit_code == 0
    assert [r.content for r in issue.comments[0].reactions] == ["eyes"]
    assert "is done" in ci.says(issue)
    assert [pull.title for pull in ci.view.pulls] == ["1.1 Write one.md"]


async def test_who_may_not_command_is_told(ci: Workflows) -> None:
    """The permission is asked for at that moment, as on the server."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="stranger")
    told = await ci.comment(issue, "/execute", by="stranger")

    report = await ci.run("issue_comment", told)

    assert report.runs == ()
    assert "needs the *write* permission" in ci.says(issue)


async def test_talk_starts_nothing(ci: Workflows) -> None:
    """A comment that is no command is read and left alone, and so is one of our own."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")

    report = await ci.run("issue_comment", await ci.comment(issue, "What does it do?"))
    own = await ci.run(
        "issue_comment", await ci.comment(issue, "/execute", by="github-actions[bot]")
    )

    assert (report.runs, own.runs) == ((), ())
    assert ci.view.pulls == []


@MORE
async def test_a_command_whose_workflow_run_was_cancelled_is_found(ci: Workflows) -> None:
    """A concurrency group keeps one waiting run and cancels the others; the next one catches up."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    ci.model.says(note("one.md"), note("two.md"))
    await ci.run("issue_comment", await ci.comment(issue, "Hello."))
    ci.github.clock.advance(timedelta(minutes=20).total_seconds())
    await ci.comment(issue, "/execute --task 1.1")
    last = await ci.comment(issue, "/execute --task 1.2")

    await ci.run("issue_comment", last)
    again = await ci.run("issue_comment", last)

    assert sorted(p.title for p in ci.view.pulls) == ["1.1 Write one.md", "1.2 Write two.md"]
    assert again.runs == ()


@MORE
async def test_an_issue_is_the_task(ci: Workflows) -> None:
    """As on the server; a command that was missed does not count for a text changed since."""
    issue = ci.github.open_issue(REPOSITORY, "Write `one.md`", "It says hello.", by="stranger")
    ci.model.says(note("one.md"))
    await ci.run("issue_comment", await ci.comment(issue, f"/execute #{issue.number}"))
    assert "is done" in ci.says(issue)
    (pull,) = ci.view.pulls
    assert f"Fixes #{issue.number}, as" in (pull.body or "")

    other = ci.github.open_issue(REPOSITORY, "Write `two.md`", "It says hello.", by="stranger")
    ci.github.clock.advance(60)
    await ci.comment(other, f"/execute #{other.number}")
    ci.github.clock.advance(60)
    await ci.github.edit_issue(REPOSITORY, other.number, "It says bye.", by="stranger")
    await ci.run("issue_comment", await ci.comment(issue, "Hm."))

    assert "comment it there" in ci.says(other)
    assert ci.view.pulls == [pull]


@MORE
async def test_an_edited_comment_that_was_missed_stays_talk(ci: Workflows) -> None:
    """Others may have edited it into a command."""
    issue = ci.github.open_issue(REPOSITORY, "Please go on", by="writer")
    await ci.run("issue_comment", await ci.comment(issue, "Hello."))
    await ci.comment(issue, "Looks good.")
    ci.github.clock.advance(60)
    await ci.github.edit_comment(issue.comments[-1], "/execute", by="keeper")

    report = await ci.run("issue_comment", await ci.comment(issue, "Hm."))

    assert report.runs == ()


async def test_a_dry_run_lists_and_writes_nothing(ci: Workflows) -> None:
    """No model call, no comment, no issue, no branch, whatever started the workflow."""
    report = await ci.run("workflow_dispatch", ci.dispatch(), WITH_DRY_RUN="true")

    assert report.done.texts[0] == "[DRY RUN] 1. 1.1: Write one.md (ROADMAP.md, line 1)"
    assert list(ci.view.branches) == ["main"]
    assert ci.view.issues == {}
    assert ci.model.requests == []


@pytest.mark.long("a checkout shows the same: tests/app/cli/test_projects.py")
@on(FILES)
async def test_a_run_by_hand_works_on_a_project(ci: Workflows) -> None:
    """The input may name one; its own commands verify the change in its folder."""
    ci.model.says(DOUBLE)

    report = await ci.run("workflow_dispatch", ci.dispatch(), WITH_ROADMAP="api")

    assert report.exit_code == 0
    (pull,) = ci.view.pulls
    assert pull.title == "api#1.1 Add shop/double.py with double(n), and its tests"
    assert "cd services/api && python -m pytest" in str(pull.body)
    assert "No test shows that the task is done" not in str(pull.body)
    ci.read_all()
