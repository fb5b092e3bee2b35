"""Tasks side by side in a workflow, also one whose job is ended in the middle."""

from __future__ import annotations

import asyncio

import pytest

from tests.action.job_kit import Workflows
from tests.scenarios.beside import LINES, TITLES, Writer, config
from tests.scenarios.projects import notes, on

TWO = notes(LINES, **config("parallel: 2", "pull_requests: {native_stack: auto}"))


def check(ci: Workflows) -> None:
    """One pull request a task, in order, each on the one before; and GitHub has them in a stack."""
    pulls = ci.view.pulls
    assert [pull.title for pull in pulls] == TITLES
    assert [pull.pull.base for pull in pulls] == ["main", *(p.pull.head for p in pulls[:-1])]
    (stack,) = (ci.view.state.stacks or {}).values()
    assert stack.pulls == pulls


@on(TWO)
async def test_side_by_side_in_a_workflow(ci: Workflows) -> None:
    """Both are asked for at once, and published in order."""
    ci.model.otherwise = writer = Writer("one", "two")
    job = asyncio.ensure_future(ci.run("workflow_dispatch", ci.dispatch()))
    await writer.asked("one", "two")
    for word in ("two", "one"):
        writer.kept[word].go.set()

    await job

    check(ci)
    assert set(writer.calls.values()) == {1}


@on(TWO)
@pytest.mark.parametrize(
    ("method", "path", "skip"), [("POST", "*/pulls", 1), ("POST", "*/stacks", 0)]
)
async def test_a_job_that_is_ended_in_the_middle(
    ci: Workflows, method: str, path: str, skip: int
) -> None:
    """The next one, on another machine, goes on from the branch: nothing is made twice."""
    ci.model.otherwise = Writer()
    fault = ci.github.fail(method, path, skip=skip, hold=asyncio.Event())
    job = asyncio.ensure_future(ci.run("workflow_dispatch", ci.dispatch()))
    await fault.reached.wait()
    job.cancel()
    await asyncio.gather(job, return_exceptions=True)
    fault.release()

    await ci.run("schedule", {})

    check(ci)
