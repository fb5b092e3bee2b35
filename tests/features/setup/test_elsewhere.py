"""``/execute setup`` in a workflow, and where people closed the dashboard."""

from __future__ import annotations

from tests.action.conftest import ci
from tests.action.job_kit import Workflows
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import CALC, note, on
from tests.scenarios.pushing import push
from tests.scenarios.test_dashboard import LINES, files, plans, shown

__all__ = ["ci", "files"]


@on(CALC | {"conftest.py": b"import a_library_nobody_has\n", "requirements.txt": b"pytest\n"})
async def test_a_workflow_offers_no_configuration(ci: Workflows) -> None:
    """Its comment shows the file that may help; ``/execute setup`` names ``cairn init``."""
    await ci.run("workflow_dispatch", ci.dispatch())
    assert "commit this as .github/cairn.yml" in ci.says(ci.plan)

    issue = ci.github.open_issue(REPOSITORY, "Please set it up", by="writer")
    report = await ci.run("issue_comment", await ci.comment(issue, "/execute setup"))

    assert report.exit_code == 0
    assert "Type `cairn init`" in ci.says(issue)
    assert ci.view.pulls == []
    assert ci.model.requests == []


async def test_a_closed_one_is_a_no_until_somebody_asks(bot: Bot) -> None:
    """Nothing is written to it and no other one is made; ``/execute setup`` opens it again."""
    await push(bot, LINES.replace("six", "ten"))
    (issue,) = plans(bot)
    await bot.github.close(REPOSITORY, issue.number)
    bot.model.says(note("one.md"))
    await bot.comment("/execute --task 1.1")
    bot.says()
    before = await shown(bot)
    assert "in review" not in before

    await bot.comment("/execute setup")
    bot.says()
    text = await shown(bot)

    assert plans(bot) == [issue]
    assert issue.state == "open"
    assert "1 in review" in text
