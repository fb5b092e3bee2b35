"""A repository of several projects on GitHub: each has a plan, settings and pull requests."""

from __future__ import annotations

import shutil

import pytest

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.monorepo import DOUBLE, FILES, FLOOR, TWICE
from tests.scenarios.projects import note, on
from tests.scenarios.pushing import plan, plan_comments, plans, push

CONFIG = b"""\
projects:
  - {name: api, path: services/api, model: gpt-6.2-sol}
  - {name: web, path: web, plan: docs/web.md}
"""
SHOP = {
    ".github/cairn.yml": CONFIG,
    "README.md": b"# A shop\n",
    "services/api/ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n",
    "docs/web.md": b"- [ ] 1.1 Write `web/one.md`\n- [ ] 1.2 Write `web/two.md`\n",
}


@on(SHOP)
async def test_a_command_names_a_project_and_a_task(bot: Bot) -> None:
    """Each has its own stack, model and ids; a name that is no project is a wrong word."""
    bot.model.says(note("services/api/one.md"), note("web/two.md"), note("web/one.md"))

    await bot.comment("/execute api --max-tasks 1")
    await bot.comment("/execute web#1.2")
    await bot.comment("/execute retry web#1.1")
    await bot.comment("/execute status")
    await bot.comment("/execute wep")
    await bot.comment("/execute")

    assert bot.checkpoints() == [
        "api#1.1 Write one.md",
        "web#1.2 Write web/two.md",
        "web#1.1 Write web/one.md",
    ]
    assert [each.pull and each.pull.base for each in bot.pulls][:2] == ["main", "main"]
    first, second, _ = bot.model.requests
    assert first.body["model"] == "gpt-6.2-sol" != second.body["model"]
    assert "Write `services/api/one.md`" in first.prompt
    first_said, *_, status, wrong, several = bot.says()
    assert "of project `api` is done" in first_said
    assert "` of `services/api/ROADMAP.md`: **ended**" in status
    assert "`wep` is neither a command nor" in wrong
    assert "There is no project of this name, either; the projects are `api`, `web`." in wrong
    assert "More than one project has open tasks:\n\n- `api`: `services/api/ROADMAP.md`" in several
    assert "Name it: `/execute api`." in several


@on({**SHOP, ".github/cairn.yml": b"triggers: {push: execute}\n" + CONFIG})
async def test_a_push_changes_two_plans(bot: Bot) -> None:
    """Each plan gets a run of its own for what is new in it; the dashboard has a section each."""
    bot.model.says(note("services/api/three.md"), note("web/three.md"), note("web/one.md"))
    old = {path: SHOP[path] for path in ("services/api/ROADMAP.md", "docs/web.md")}

    new = {path: text + b"- [ ] 1.3 Write `three.md`\n" for path, text in old.items()}

    await push(bot, None, path="README.md", files=new)

    assert sorted(bot.checkpoints()) == ["api#1.3 Write three.md", "web#1.3 Write three.md"]
    board = plan(bot)
    assert "### Project `api`: plan of `services/api/ROADMAP.md`" in board
    assert "### Project `web`: plan of `docs/web.md`" in board
    assert board.count("Start all open tasks") == 2

    line = next(line for line in board.split("\n") if "do:start:web%23" in line and "1.1" in line)
    ticked = board.replace(line, line.replace("- [ ]", "- [x]"))
    await bot.github.edit_issue(REPOSITORY, plans(bot)[0].number, ticked, by="writer")
    await bot.idle()

    assert bot.checkpoints()[-1] == "web#1.1 Write web/one.md"
    assert bot.model.requests[-1].body["model"] != "gpt-6.2-sol"
    plan_comments(bot)


NEEDS = {**SHOP, "docs/web.md": b"- [ ] 2.1 Write `web/cart.md` (depends on api#1.2)\n"}


@on(NEEDS)
async def test_a_task_waits_for_one_of_another_project(bot: Bot) -> None:
    """Until that is merged it is left alone, unless it is named; then its pull request says so."""
    bot.model.says(*map(note, ("services/api/one.md", "services/api/two.md", "web/cart.md")))

    await bot.comment("/execute web")
    await bot.comment("/execute api")
    await bot.comment("/execute web")
    before, _, between = (said.replace("\u200b", "") for said in bot.says())

    assert "or waits for one that is or belongs to another project" in before
    assert ": waits for `api#1.2`\n" in before
    assert "waits for `api#1.2`: merge #3 first" in between
    await bot.later(seconds=61)
    assert "waits for `api#1.2`: merge #3 first" in plan(bot).replace("\u200b", "")

    await bot.comment("/execute web#2.1")
    said = str(bot.pulls[-1].body).replace("\u200b", "")
    assert "**Merge #3 first: this task depends on `api#1.2`, which is not done.**" in said
    bot.says()


@pytest.mark.long("a checkout shows two of them: tests/app/cli/test_projects.py")
@pytest.mark.skipif(not all(map(shutil.which, ("node", "cargo"))), reason="no node or no cargo")
@on(FILES)
async def test_three_languages(bot: Bot) -> None:
    """Each change is shown by tests of its project, which ran in its folder alone."""
    bot.model.says(DOUBLE, FLOOR, TWICE)

    for command in ("/execute api", "/execute web#1.1", "/execute cli"):
        await bot.comment(command)

    assert all("is done" in said for said in bot.says())
    assert [title.replace("\u200b", "") for title in bot.checkpoints()] == [
        "api#1.1 Add shop/double.py with double(n), and its tests",
        "web#1.1 Let half in half.js round down (depends on api#1.1)",
        "cli#1.1 Add double(n) to src/lib.rs, with a test",
    ]
    api, web, cli = (str(pull.body) for pull in bot.pulls)
    assert "services/api/tests/test_double.py::test_double" in api
    assert "cd services/api && python -m pytest" in api
    assert "web/test/floor.test.js" in web
    assert "cd tools/cli && cargo test" in cli
    for body in (api, web, cli):
        assert "No test shows that the task is done" not in body
