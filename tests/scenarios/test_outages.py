"""An outage is no outcome: the run pauses, says why, and goes on from where it stood."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.sandbox.process import ProcessSandbox
from tests.model_server import Fault, ScriptedModel, serve
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, ONE_NOTE, check_finished, check_paused
from tests.scenarios.sandboxes import DEAD, Switch, SwitchedSandbox

BY_ITSELF = "It continues automatically"


@ONE_NOTE
async def test_a_model_that_fails_pauses_the_run(bot: Bot) -> None:
    """After the model's last try the run says that it is paused; nothing is published."""
    bot.model.says(*[Fault.http_500()] * 4)

    await bot.comment("/execute")

    assert BY_ITSELF in check_paused(bot, "the model endpoint")
    assert bot.pulls == []


@ONE_NOTE
async def test_a_paused_run_goes_on_by_itself(bot: Bot) -> None:
    """A run whose outage heals by time goes on when that time has come, and not before."""
    bot.model.says(*[Fault.http_500()] * 4, ANSWER)
    await bot.comment("/execute")

    await bot.later(minutes=4)
    assert bot.pulls == []
    await bot.later(minutes=2)

    check_finished(bot)


@ONE_NOTE
async def test_a_paused_run_goes_on_when_asked(bot: Bot) -> None:
    """``/execute resume`` does not wait for the time."""
    bot.model.says(*[Fault.http_500()] * 4, ANSWER)
    await bot.comment("/execute")

    await bot.comment("/execute resume")

    assert "continues from where it stopped" in check_finished(bot)


@ONE_NOTE
async def test_a_long_rate_limit_is_waited_out(bot: Bot) -> None:
    """A rate limit far away pauses the run until then, and nothing is asked before."""
    bot.model.says(Fault.http_429(retry_after=7200), ANSWER)
    await bot.comment("/execute")

    assert BY_ITSELF in check_paused(bot, "Rate limit reached")
    await bot.later(minutes=119)
    assert len(bot.model.requests) == 1
    await bot.later(minutes=2)
    check_finished(bot)


@ONE_NOTE
async def test_a_refused_key_waits_for_people(bot: Bot) -> None:
    """No time heals a wrong key: the comment names the variable, and not the key."""
    bot.model.says(Fault.http_status(401, "Incorrect API key provided: sk-test-canary"))
    await bot.comment("/execute")

    said = check_paused(bot, "OPENAI_API_KEY")
    assert BY_ITSELF not in said
    assert "sk-test" not in said
    await bot.later(hours=2)
    assert len(bot.model.requests) == 1


@ONE_NOTE
async def test_a_mended_key_goes_on_when_asked(bot: Bot) -> None:
    """``/execute resume`` goes on after people mended what only they can mend."""
    bot.model.says(Fault.http_status(401, "Incorrect API key provided"), ANSWER)
    await bot.comment("/execute")

    await bot.comment("/execute resume")

    check_finished(bot)


async def test_a_model_that_is_not_there_pauses_the_run(tmp_path: Path) -> None:
    """A refused connection is an outage too."""
    async with serve(ScriptedModel()) as nowhere:
        pass
    async with conversation(tmp_path, NOTE, OPENAI_BASE_URL=nowhere) as bot, bot.started():
        await bot.comment("/execute")

        check_paused(bot, "no connection")
        assert bot.pulls == []
        bot.github.verify()


@pytest.fixture
def sandbox() -> SwitchedSandbox:
    """A sandbox that can be switched off; in the end every box of it must be closed."""
    return SwitchedSandbox(ProcessSandbox(owner=str(uuid.uuid4())), Switch())


@pytest.fixture
async def switched(tmp_path: Path, sandbox: SwitchedSandbox) -> AsyncIterator[Bot]:
    """A bot that works in that sandbox."""
    async with conversation(tmp_path, NOTE) as bot:
        bot.sandbox = sandbox
        async with bot.started():
            yield bot
            bot.github.verify()
            bot.model.verify()
    assert sandbox.switch.opened == sandbox.switch.closed


async def test_a_dead_engine_pauses_the_run(switched: Bot, sandbox: SwitchedSandbox) -> None:
    """No code is to blame for a dead engine: no repair, no escalation, the answer is kept."""
    sandbox.switch.error = DEAD
    switched.model.says(ANSWER)

    await switched.comment("/execute")

    check_paused(switched, "No engine answers")
    sandbox.switch.error = None
    await switched.comment("/execute resume")
    check_finished(switched)


async def test_an_engine_that_dies_at_work_pauses_the_run(
    switched: Bot, sandbox: SwitchedSandbox
) -> None:
    """An engine that dies under a command pauses the run, which still tells people."""
    sandbox.dies_in_box = True
    switched.model.says(ANSWER)

    await switched.comment("/execute")

    check_paused(switched, "No engine answers")
    sandbox.switch.error = None
    await switched.comment("/execute resume")
    check_finished(switched)


async def test_a_bug_is_not_tried_again_by_itself(switched: Bot, sandbox: SwitchedSandbox) -> None:
    """A run that a bug outside every task stopped waits for a person, however much time passes."""
    sandbox.bug = KeyError("a bug")
    switched.model.says(ANSWER)
    await switched.comment("/execute")

    await switched.later(days=1)

    assert [repr(bug) for bug in switched.bugs] == ["KeyError('a bug')"]
    check_paused(switched, "internal error")


async def test_a_run_goes_on_after_a_bug_when_asked(
    switched: Bot, sandbox: SwitchedSandbox
) -> None:
    """What was saved before a bug is still there: no answer is asked for again."""
    sandbox.bug = KeyError("a bug")
    switched.model.says(ANSWER)
    await switched.comment("/execute")

    sandbox.bug = None
    await switched.comment("/execute resume")

    check_finished(switched)
