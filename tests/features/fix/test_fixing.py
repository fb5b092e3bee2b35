"""``/execute fix``: checks fail on anybody's pull request, and one attempt repairs that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from runner.state.status_words import CHECKS
from tests.fake_github.state import Issue
from tests.fake_github.world import PERMISSIONS
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.process import serving
from tests.scenarios.projects import ADD, ADD_MODULE, ADD_WRONG, CALC, NOTES, note, on

LOG = "FAILED tests/test_add.py::test_add - assert -1 == 5\nsk-test-canary\n"
BROKEN = {
    "calc/add.py": b"def add(a, b):\n    return a - b\n",
    "tests/test_add.py": b"from calc.add import add\n\n\n"
    b"def test_add():\n    assert add(2, 3) == 5\n",
}
RIGHT = b"def add(a, b):\n    return a + b\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """A small package with tests."""
    return CALC


async def theirs(bot: Bot, files: Mapping[str, bytes] = BROKEN, *, fork: bool = False) -> Issue:
    """A person's pull request."""
    await bot.github.push(REPOSITORY, files, branch="theirs")
    pull = await bot.github.open_pull(REPOSITORY, "Add numbers", head="theirs", fork=fork)
    await bot.idle()
    return pull


async def fails(bot: Bot, pull: Issue, conclusion: str | None = "failure", **said: object) -> None:
    """The repository's CI ends on it (None: it begins)."""
    said = said or {"log": LOG}
    await bot.github.check(REPOSITORY, pull.pull.sha, conclusion, **said)  # type: ignore[arg-type]
    await bot.idle()


def fix_of(bot: Bot, pull: Issue) -> Issue:
    """The one pull request that proposes a repair of another one."""
    (found,) = [each for each in bot.pulls if each.pull.head == f"cairn/fix/{pull.number}"]
    return found


def said_on(bot: Bot, pull: Issue) -> str:
    """The one comment on a pull request that was not read yet."""
    (said,) = bot.github.says(REPOSITORY, pull.number)
    return said


async def test_a_persons_pull_request_is_repaired(bot: Bot) -> None:
    """The repair is a pull request against its branch; the branch itself is not touched."""
    pull = await theirs(bot)
    await fails(bot, pull)
    head = pull.pull.sha
    bot.model.says(ADD_MODULE)

    await bot.reply(pull, "/execute fix")

    fix = fix_of(bot, pull)
    assert (fix.pull.base, pull.pull.sha) == ("theirs", head)
    assert bot.view.state.bare.text("rev-parse", f"{fix.pull.sha}^") == head
    assert bot.changed(fix) == {"calc/add.py": RIGHT}
    said = said_on(bot, pull)
    assert f"/pull/{fix.number} proposes a repair" in said
    assert "attempt 1 of 3" in said
    (prompt,) = bot.prompts
    assert "# Why checks fail" in prompt
    assert "> FAILED tests/test_add.py::test_add" in prompt
    assert "canary" not in prompt
    assert f"| tests | {CHECKS['passed']} |" in (fix.body or "")
    assert "- [ ] 1.1 Add" in bot.view.file("theirs", "ROADMAP.md").decode()


async def repaired(bot: Bot) -> tuple[Issue, Issue]:
    """A person's pull request, and the open repair of it, its comment read."""
    pull = await theirs(bot)
    await fails(bot, pull)
    bot.model.says(ADD_MODULE)
    await bot.reply(pull, "/execute fix")
    said_on(bot, pull)
    return pull, fix_of(bot, pull)


async def test_merged_without_its_repair(bot: Bot) -> None:
    """The repair says that it no longer reaches the default branch, and what to do."""
    pull, fix = await repaired(bot)

    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    said = said_on(bot, fix)
    assert f"#{pull.number} was merged without this repair. If you merge" in said
    assert "change the base of this pull request to `main`" in said


@MORE
async def test_merged_and_its_branch_deleted(bot: Bot) -> None:
    """GitHub gives the repair another base, where it can still be merged."""
    pull, fix = await repaired(bot)

    bot.view.state.delete_branch_on_merge = True
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    assert fix.pull.base == "main"
    assert "Merge the repair into `main` if it is still needed" in said_on(bot, fix)


@MORE
async def test_closed_without_its_repair(bot: Bot) -> None:
    """A repair of what nobody wants is not needed either."""
    pull, fix = await repaired(bot)

    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()

    assert f"#{pull.number} was closed without a merge. If you merge this" in said_on(bot, fix)


async def test_the_failing_tests_of_the_log_must_pass(bot: Bot) -> None:
    """They failed before the repair as well, but that excuses nothing: they are what it is for."""
    pull = await theirs(bot)
    await fails(bot, pull)
    bot.model.says(ADD_WRONG.replace("a - b", "a * b"), ADD_MODULE)

    await bot.reply(pull, "/execute fix")

    assert bot.changed(fix_of(bot, pull)) == {"calc/add.py": RIGHT}
    assert len(bot.prompts) == 2
    said_on(bot, pull)


@MORE
async def test_ours_is_repaired_the_same_way(bot: Bot) -> None:
    """On a checkpoint of Cairn it is a pull request against that branch, too."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    output = {"title": "lint", "summary": "calc/add.py needs a docstring"}
    await bot.github.push(REPOSITORY, {".github/cairn.yml": b"pull_requests: {ci_repairs: 0}\n"})
    await fails(bot, pull, output=output)
    bot.model.says(ADD_MODULE.replace("    return", '    """Add."""\n    return'))

    await bot.reply(pull, "/execute fix")

    fix = fix_of(bot, pull)
    assert fix.pull.base == pull.pull.head
    assert bot.changed(fix).keys() == {"calc/add.py"}
    said_on(bot, pull)
    await bot.github.merge_pull(REPOSITORY, fix.number)
    await bot.idle()
    assert b"Add." in (bot.view.file(pull.pull.sha, "calc/add.py") or b"")


async def test_nothing_is_red(bot: Bot) -> None:
    """No check, one that runs, one that passed, one that fails below as well: each is said."""
    pull = await theirs(bot)
    await bot.reply(pull, "/execute fix")
    await fails(bot, pull, None)
    await bot.reply(pull, "/execute fix")
    await fails(bot, pull, "success")
    await bot.reply(pull, "/execute fix")
    await bot.github.check(REPOSITORY, bot.view.branches["main"], "failure")
    await fails(bot, pull)
    await bot.reply(pull, "/execute fix")
    await bot.comment("/execute fix")

    none, running, green, below = bot.github.says(REPOSITORY, pull.number)
    assert "No checks were reported" in none
    assert "still running (`ci`)" in running
    assert "No check of this pull request has failed" in green
    assert "(`ci`) also fail on the base branch" in below
    assert "This issue has nothing but a title" in bot.says()[0]
    assert bot.prompts == []


async def test_who_may_not_and_where_we_may_not(bot: Bot) -> None:
    """A reader is refused; on a fork's branch Cairn cannot propose anything, and says so."""
    pull = await theirs(bot, fork=True)
    await fails(bot, pull)

    await bot.reply(pull, "/execute fix", by="reader")
    await bot.reply(pull, "/execute fix")

    refused, fork = bot.github.says(REPOSITORY, pull.number)
    assert "needs the *write* permission" in refused
    assert "comes from a fork" in fork
    assert (bot.prompts, len(bot.pulls)) == ([], 1)


async def test_it_is_one_at_a_time_and_three_in_all(bot: Bot) -> None:
    """An open repair is named; one that was closed may be followed by another, up to the limit."""
    pull = await theirs(bot)
    await fails(bot, pull)
    for attempt in (1, 2, 3):
        bot.model.says(ADD_MODULE.replace("a + b", f"a + b + {attempt} - {attempt}"))
        await bot.reply(pull, "/execute fix")
        assert f"attempt {attempt} of 3" in said_on(bot, pull)
        await bot.reply(pull, "/execute fix")
        assert "already proposes a repair" in said_on(bot, pull)
        fixes = [p for p in bot.pulls if p.state == "open" and p.number != pull.number]
        assert len(fixes) == 1
        await bot.github.close(REPOSITORY, fixes[0].number)
        await bot.idle()

    await bot.reply(pull, "/execute fix")

    assert "Cairn has tried to repair this pull request 3 times" in said_on(bot, pull)
    assert len(bot.prompts) == 3


@pytest.mark.nightly("test_a_repair_that_fails_changes_nothing")
async def test_a_model_that_cannot(bot: Bot) -> None:
    """Nothing is proposed, and the comment says why."""
    pull = await theirs(bot)
    await fails(bot, pull)
    bot.model.says(
        *[answer.replace("a + b", f"a - {n}") for n, answer in enumerate([ADD_MODULE] * 4)]
    )

    await bot.reply(pull, "/execute fix")

    said = said_on(bot, pull)
    assert "**No repair was proposed:**" in said
    assert len(bot.pulls) == 1


@pytest.mark.nightly("test_without_the_permission_the_checks_own_words_are_enough")
async def test_logs_that_cannot_be_read(bot: Bot) -> None:
    """With no other word from the check no model is asked; with one the attempt is made."""
    held = {name: level for name, level in PERMISSIONS.items() if name != "actions"}
    bot.github.create_app(permissions=held)
    pull = await theirs(bot)
    await fails(bot, pull)

    await bot.reply(pull, "/execute fix")

    said = said_on(bot, pull)
    assert "Cairn cannot see why" in said
    assert "*Actions: read*" in said
    assert bot.prompts == []
    await fails(bot, pull, output={"title": "ci", "summary": "add(2, 3) should be 5"}, log=LOG)
    bot.model.says(ADD_MODULE)
    await bot.reply(pull, "/execute fix")
    said = said_on(bot, pull)
    assert "proposes a repair" in said
    assert "The log of `ci` could not be read" in said
    assert "attempt 1 of 3" in said


@on(NOTES | {".github/cairn.yml": b"pull_requests: {revisions: 0}\n"})
async def test_a_repository_can_turn_it_off(bot: Bot) -> None:
    """With no revisions there are no repairs on request either."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    await fails(bot, pull)

    await bot.reply(pull, "/execute fix")

    assert "does not let Cairn do this" in said_on(bot, pull)


async def test_a_repair_of_what_does_not_even_parse(bot: Bot) -> None:
    """Tests that cannot start are no reason to refuse: that is what is to be repaired."""
    pull = await theirs(bot, BROKEN | {"calc/__init__.py": b"def oops(:\n"})
    await fails(bot, pull, output={"title": "ci", "summary": "SyntaxError in calc/__init__.py"})
    bot.model.says("calc/__init__.py\n```python\nNAME = 1\n```\n" + ADD_MODULE)

    await bot.reply(pull, "/execute fix")

    assert bot.changed(fix_of(bot, pull)).keys() == {"calc/__init__.py", "calc/add.py"}
    said_on(bot, pull)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, NOTES) as bot:
        yield bot
        bot.check()


@pytest.mark.long("starts a server as a process of its own, and kills it")
@pytest.mark.parametrize("moment", ["answered", "published"])
async def test_killed_in_the_middle(talk: Bot, moment: str) -> None:
    """The answer is paid once, and there is one pull request and one comment."""
    async with talk.started():
        pull = await theirs(talk, {"one.md": b"Bad.\n"})
        await fails(talk, pull)
    talk.model.says(note("one.md", "Good."))
    call = ("POST", "*/git/commits") if moment == "answered" else ("POST", "*/pulls")
    async with serving(talk) as server:
        fault = talk.holds(*call)
        await talk.github.comment(REPOSITORY, pull.number, "/execute fix")
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    assert talk.changed(fix_of(talk, pull)) == {"one.md": b"Good.\n"}
    assert "proposes a repair" in said_on(talk, pull)
    assert len(talk.model.requests) == 1


async def test_a_check_that_is_red_below_is_named(bot: Bot) -> None:
    """The repair is about the others, and says so."""
    pull = await theirs(bot)
    await bot.github.check(REPOSITORY, bot.view.branches["main"], "failure", name="old")
    await bot.github.check(REPOSITORY, pull.pull.sha, "failure", name="old")
    await fails(bot, pull)
    bot.model.says(ADD_MODULE)

    await bot.reply(pull, "/execute fix")

    said = "Left alone, because it also fails on the base branch: `old`."
    assert said in said_on(bot, pull)
    assert said in (fix_of(bot, pull).body or "")


async def test_only_our_own_check_is_red(bot: Bot) -> None:
    """A person broke our change: the check is named, and the command that helps."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.push(REPOSITORY, {"calc/add.py": BROKEN["calc/add.py"]}, branch=pull.pull.head)
    await bot.idle()
    bot.github.says(REPOSITORY, pull.number)

    await bot.reply(pull, "/execute fix")

    said = said_on(bot, pull)
    assert "Only Cairn's own check fails here (`cairn/trust`)" in said
    assert "`/execute revise`" in said


async def test_a_repair_that_does_not_repair_it(bot: Bot) -> None:
    """On the repair itself each question is answered with what leads to a new one."""
    pull = await theirs(bot)
    await fails(bot, pull)
    bot.model.says(ADD_MODULE)
    await bot.reply(pull, "/execute fix")
    fix = fix_of(bot, pull)
    said_on(bot, pull)

    await bot.github.review(REPOSITORY, fix.number, "CHANGES_REQUESTED", "Shorter.")
    await bot.idle()
    said = said_on(bot, fix)
    assert "this one proposes a repair of another pull request" in said
    assert "Push your changes to its branch" in said
    await bot.reply(fix, "/execute revise Shorter.")
    assert "comment `/execute fix` on that pull request" in said_on(bot, fix)
    await bot.reply(fix, "/execute status")
    assert "proposes a repair of another pull request. No run works on it" in said_on(bot, fix)

    await fails(bot, fix)
    await bot.reply(fix, "/execute fix")
    said = said_on(bot, fix)
    assert f"This repair of #{pull.number} does not make `ci` pass." in said
    assert len(bot.prompts) == 1

    await bot.github.close(REPOSITORY, fix.number)
    await bot.github.delete_branch(REPOSITORY, fix.pull.head)
    bot.model.says(ADD_MODULE)
    await bot.reply(pull, "/execute fix")
    assert "proposes a repair" in said_on(bot, pull)
    assert len(bot.prompts) == 2
