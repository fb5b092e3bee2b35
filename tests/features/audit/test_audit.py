"""Who started, decided, merged and configured what, and every write to GitHub."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.endings import ANSWER, ONE_NOTE
from tests.scenarios.process import environment
from tests.scenarios.pushing import write_requests

CONFIG = ".github/cairn.yml"


@ONE_NOTE
async def test_who_did_what(bot: Bot) -> None:
    """An admin reads it on GitHub, the operator all of it; each write to GitHub is there once."""
    bot.model.says(ANSWER)
    await bot.comment("/execute")
    (said,) = bot.says()
    run = run_of(said)
    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number)
    await bot.idle()  # a merge and a push are worked side by side
    await bot.github.push(REPOSITORY, {CONFIG: b"loop: fixed\n"})
    await bot.comment("/execute skip 1.1")
    await bot.comment("/execute audit")
    assert "needs the *admin* permission" in bot.says()[-1]
    await bot.comment("/execute audit", by="octo")

    (said,) = bot.says()
    rows = [line.split(" | ") for line in said.splitlines() if line.startswith("| 2")]
    assert [(who, what.split(" ")[0]) for _, who, what in rows] == [
        ("writer", "started"),
        ("writer", "merged"),
        ("writer", "configured"),
        ("writer", "asked"),
    ]
    assert f"run `{run}`" in rows[0][2]

    sent = [line for line in write_requests(bot) if "graphql" not in line]
    code, out, _ = await _audit(bot, "--json", "--repository", REPOSITORY)
    assert code == 0
    entries = [json.loads(line) for line in out.splitlines()]
    told = [each["what"].replace("/api/v3", "") for each in entries if each["action"] == "wrote"]
    wrote = [what.rpartition(" (")[0] for what in told]
    assert sorted(what for what in wrote if not what.startswith("GraphQL")) == sorted(sent)
    assert {each["repository"] for each in entries} == {REPOSITORY}


@ONE_NOTE
async def test_the_repository_by_name(bot: Bot) -> None:
    """GitHub ignores case; a name that is not there is no empty log, and an empty one says so."""
    empty = [(await _audit(bot, *options))[:2] for options in ((), ("--json",))]
    assert empty == [(0, "The audit log has no entry yet.\n"), (0, "")]
    await bot.comment("/execute skip 1.1")
    bot.says()

    code, out, _ = await _audit(bot, "--repository", REPOSITORY.upper())
    assert (code, out.count(f" {REPOSITORY} writer asked skip 1.1\n")) == (0, 1)
    for name in ("octo/none", "hello"):
        code, out, error = await _audit(bot, "--repository", name)
        assert (code, out) == (2, "")
        assert f"knows no repository {name}." in error


async def _audit(bot: Bot, *options: str) -> tuple[int | None, str, str]:
    """The exit code of ``cairn audit`` beside the running server, what it prints, its errors."""
    reading = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app", "audit", *options),
        env=environment(bot.settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await reading.communicate()
    return reading.returncode, out.decode(), error.decode()
