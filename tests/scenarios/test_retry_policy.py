"""The repository's retry policy: how often model, GitHub and sandbox are tried, and who is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.ports import SandboxSession, SandboxSpec
from runner.sandbox.process import ProcessSandbox
from tests.model_server import Fault
from tests.plain_python import plain_path
from tests.scenarios.bot import Bot, conversation, run_of
from tests.scenarios.endings import ANSWER, NOTE, check_finished, check_paused
from tests.scenarios.learning import records
from tests.scenarios.projects import on

SLOW = "{attempts: 2, first: 20, longest: 20, jitter: 0}"


def policy(text: str) -> dict[str, object]:
    """A repository of one small note with this policy."""
    return {**NOTE, ".github/cairn.yml": f"retry: {text}\n"}


def exchanges(bot: Bot) -> list[list[dict[str, object]]]:
    """The tries that failed before each answer, or before the last try."""
    return [json.loads(file.read_text())["tried"] for file in bot.files("agent-*.json")]


@on(policy(f"{{model: {SLOW}}}"))
async def test_a_retry_is_kept_with_its_cause_and_its_wait(bot: Bot) -> None:
    """With the exchange and, as a number, in the history."""
    before = bot.github.clock.now()
    bot.model.says(Fault.http_503(), ANSWER)
    await bot.comment("/execute")

    run = run_of(check_finished(bot))
    ((tried,),) = exchanges(bot)
    assert (tried["type"], tried["wait"]) == ("model", 20)
    assert tried["cause"]
    assert [each.calls.retries for each in await records(bot, run)] == [1]
    assert (bot.github.clock.now() - before).total_seconds() >= 20


@on(policy(f"{{model: {SLOW}}}"))
async def test_when_it_is_tried_again_is_said(bot: Bot) -> None:
    """After the last try the run pauses, and comment and status say until when."""
    bot.model.says(Fault.http_503(), Fault.http_503(), ANSWER)
    await bot.comment("/execute")
    said = check_paused(bot, "failed 2 times")
    again = said.partition("It continues automatically at ")[2][:9]
    assert again.endswith(" UTC")
    ((tried,),) = exchanges(bot)
    assert tried["wait"] == 20

    await bot.comment("/execute status")
    (status,) = bot.says()
    assert f"; again at {again}" in status
    await bot.later(minutes=6)
    check_finished(bot)


@pytest.mark.parametrize(
    ("text", "settings", "fault", "cut"),
    [
        ("{never: [rate_limit]}", {}, Fault.http_429(), ""),
        ("{model: {attempts: 9}}", {"CAIRN_MAX_TRIES": "1"}, Fault.http_503(), "attempts: 1"),
    ],
)
async def test_what_is_not_tried_again_pauses_the_run_at_once(
    tmp_path: Path, text: str, settings: dict[str, str], fault: Fault, cut: str
) -> None:
    """By the types of errors in the file, or because of the operator's ceiling, which is said."""
    async with conversation(tmp_path, policy(text), **settings) as bot, bot.started():
        bot.model.says(fault, ANSWER)
        await bot.comment("/execute")
        check_paused(bot, "")
        assert (len(bot.model.requests), exchanges(bot)) == (1, [[]])
        await bot.later(minutes=6)
        assert (cut or "is done") in check_finished(bot)
        bot.check()


@on(policy("{github: {attempts: 1}}"))
async def test_github_is_tried_as_often_as_the_file_says(bot: Bot) -> None:
    """Once here: what is usually not even noticed pauses the run."""
    bot.model.says(ANSWER)
    bot.github.fail("POST", "*/git/trees", times=1)
    await bot.comment("/execute")
    check_paused(bot, "GitHub does not answer as it should")
    await bot.later(minutes=6)
    check_finished(bot)


@pytest.mark.parametrize(("most", "works"), [("1", False), ("2", True)])
async def test_outside_of_runs_the_operators_ceiling_holds(
    tmp_path: Path, most: str, works: bool
) -> None:
    """A command is answered at once, or only when the whole comment is worked on again."""
    async with conversation(tmp_path, policy("{}"), CAIRN_MAX_TRIES=most) as bot, bot.started():
        bot.github.fail("GET", "*/collaborators/writer/permission", times=1)
        before = bot.github.clock.now()
        await bot.comment("/execute status")

        waited = (bot.github.clock.now() - before).total_seconds()
        assert (waited < 10) is works
        assert len(bot.says()) == 1


class Away(ProcessSandbox):
    """Its engine is away for some ``times``."""

    times = 1

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Open a session once the engine is back."""
        if self.times:
            self.times -= 1
            raise Outage("sandbox", "The engine is away.")
        return await super().open(spec)


@pytest.mark.parametrize(("text", "noticed"), [("{}", False), ("{sandbox: {attempts: 1}}", True)])
async def test_an_engine_that_is_away_for_a_moment_is_tried_again(
    tmp_path: Path, text: str, noticed: bool
) -> None:
    """Nobody notices it, unless the file says that it is tried only once."""
    async with conversation(tmp_path, policy(text)) as bot:
        bot.sandbox = away = Away(owner="test", parent=tmp_path, path=plain_path())
        async with bot.started():
            bot.model.says(ANSWER)
            await bot.comment("/execute")
            if noticed:
                check_paused(bot, "The engine is away.")
                await bot.comment("/execute resume")
            assert away.times == 0
            check_finished(bot)
            bot.check()
