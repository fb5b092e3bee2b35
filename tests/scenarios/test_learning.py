"""What Cairn learns from what it recorded, and what people see of it on GitHub."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import aiohttp
import pytest

from app.local.analyze import command
from app.store.database import open_store
from app.store.history import StoredHistory
from runner.config.model import parse_config
from runner.files.history_file import NAME, FileHistory
from runner.history.records import Execution, ExecutionEnd, ExecutionKey
from runner.people.analysis_sentences import Topic
from tests.fake_github.state import Issue
from tests.model_server import Asked
from tests.runner.analysis.histories import flawed
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.endings import progress
from tests.scenarios.projects import note, notes, on
from tests.scenarios.proposing import STUCK, decomposed

FILE = ".github/cairn.yml"
CONFIG = "# Ours.\nmodel: oak-1  # cheap\nloop: hybrid\n"
TASKS = "".join(f"- [ ] 1.{number} Write `n{number}.md`\n" for number in range(1, 6))
CONFIGURED = notes(f"# Roadmap\n\n{TASKS}", **{FILE: CONFIG.encode()})


async def recorded(bot: Bot, executions: Sequence[Execution]) -> None:
    """Put attempts into the server's history."""
    store = await open_store(bot.settings.database_url.get_secret_value(), mask=str)
    try:
        for execution in executions:
            await StoredHistory(store).record(execution, details=False)
    finally:
        await store.close()


async def records(bot: Bot, run: str) -> Sequence[Execution]:
    """What the server's history has about a run."""
    store = await open_store(bot.settings.database_url.get_secret_value(), mask=str)
    try:
        return (await StoredHistory(store).of_run(run)).executions
    finally:
        await store.close()


def history(bot: Bot, number: int = 300) -> list[Execution]:
    """A history of this repository in which ``oak-1`` has a flaw."""
    now = bot.github.clock.now().timestamp()
    return flawed(now, repository_id=bot.view.state.id, repository=REPOSITORY, number=number)


def offers(bot: Bot) -> list[Issue]:
    """The pull requests that propose settings."""
    return [pull for pull in bot.pulls if pull.pull.head == "cairn/advice"]


async def works(bot: Bot, number: int) -> str:
    """Let a run do one task; what its comment says."""
    bot.model.says(note(f"n{number}.md"))
    await bot.comment(f"/execute --task 1.{number}")
    return progress(bot.says())


@on(CONFIGURED)
async def test_better_settings_are_proposed_and_used_after_the_merge(bot: Bot) -> None:
    """One pull request, with the numbers, that changes one word of the file."""
    await recorded(bot, history(bot))

    said = await works(bot, 1)

    (pull,) = offers(bot)
    assert f"/pull/{pull.number}" in said
    assert bot.changed(pull).keys() == {FILE}
    content = (bot.changed(pull)[FILE] or b"").decode()
    better = parse_config(content.encode()).model.name or ""
    assert better == "elm-2"
    assert content == CONFIG.replace("oak-1", better)
    body = pull.body or ""
    assert f"set `model.name: {better}`" in body
    assert " points (+" in body
    assert "oak-1" in body
    assert bot.model.requests[-1].model == "oak-1"

    await bot.comment("/execute analyze models", by="reader")
    (comment,) = bot.says()
    assert len(_digits(body)) == 2
    assert _digits(body) == _digits(comment)

    await works(bot, 2)
    assert offers(bot) == [pull]
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    await works(bot, 3)

    assert bot.model.requests[-1].model == better
    assert len(offers(bot)) == 1


TOKEN = "let-me-in-0123456789"
PAGE = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/html"}


async def page(bot: Bot, topic: str, accept: str = "text/html") -> str:
    """The text of a page about this repository."""
    front = bot.github.webhook_url.removesuffix("/webhook")
    url = f"{front}/repositories/{REPOSITORY}/{topic}"
    headers = PAGE | {"Accept": accept}
    async with aiohttp.ClientSession(headers=headers) as browser, browser.get(url) as answer:
        assert answer.status == 200
        return html.unescape(re.sub(r"<[^>]+>", " ", await answer.text()))


def flaw(asked: Asked) -> str:
    """``oak-1`` never writes the file that a task asks for; the other models do."""
    task = re.search(r"Write `(n\d\.md)`", asked.prompt)
    return note(task[1]) if task and asked.model != "oak-1" else "I would rather not."


async def test_a_flaw_is_seen_advised_and_gone_after_the_merge(tmp_path: Path) -> None:
    """300 attempts: page, comment and pull request agree; the next task is finished."""
    async with conversation(tmp_path, CONFIGURED, CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        executions = history(bot)
        await recorded(bot, executions)
        bot.model.otherwise = flaw

        await bot.comment("/execute --task 1.1")
        before = progress(bot.says())

        assert "completed" not in before
        assert len(offers(bot)) == 1  # the run waits for people, the advice does not wait for it
        (pull,) = offers(bot)
        await bot.comment("/execute analyze models", by="reader")
        (comment,) = bot.says()
        advice = next(iter(_digits(pull.body or "")))
        assert advice in comment
        assert advice in await page(bot, "learned")

        await bot.reply(bot.proposals[0], "/reject")
        bot.proposes()
        bot.says()
        own = [one for one in executions if one.models.writing == "oak-1"]
        done = sum(one.end.finished for one in own)
        seen = await page(bot, "history")
        assert f"oak-1: {done} of {len(own) + 1} " in seen

        await bot.github.merge_pull(REPOSITORY, pull.number)
        await bot.idle()
        await bot.comment("/execute --task 1.2")

        assert "completed" in progress(bot.says())
        assert bot.model.requests[-1].model == "elm-2"
        bot.check()


def _digits(text: str) -> set[str]:
    """The differences that a text names, each with its interval."""
    return set(re.findall(r"[+-]\d+ points \([+-]\d+ to [+-]\d+\)", text))


@on(CONFIGURED)
async def test_comment_and_command_line_agree_to_the_digit(
    bot: Bot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same records give the same numbers, whoever asks and wherever."""
    executions = history(bot)
    await recorded(bot, executions)
    kept = FileHistory(tmp_path / ".executor" / NAME)
    for execution in executions:
        await kept.record(replace(execution, place=replace(execution.place, repository_id=0)))
    kept.close()
    (tmp_path / ".github").mkdir()
    (tmp_path / FILE).write_text(CONFIG)

    for topic in get_args(Topic):
        await bot.comment(f"/execute analyze {topic}", by="reader")
        (comment,) = bot.says()
        code = await asyncio.to_thread(command, tmp_path, topic)

        assert code == 0
        assert _words(comment.partition("<!--")[0]) == _words(capsys.readouterr().out)


def _words(text: str) -> list[str]:
    """The words and numbers of a text, however it is laid out."""
    return [word for word in re.findall(r"[^\s|]+", text) if word not in ("---", "###")]


@on(CONFIGURED)
async def test_a_plan_says_what_it_will_probably_take(bot: Bot) -> None:
    """Tokens, money and finished tasks, each with its range, from what was recorded here."""
    await recorded(bot, history(bot))
    plan = '{"likely_files": [], "steps": ["Write it."], "acceptance": [], "complexity": "low"}'
    bot.model.when(contains="Plan the task").says(plan, repeat_last=True)

    await bot.comment("/execute --plan")

    said = " ".join(bot.says())
    number = r"[\d,.]+"
    ranges = rf"{number} tokens \({number} to {number}\), \${number} \(\${number} to \${number}\)"
    assert re.search(rf"Expected for 5 tasks, .*: {ranges}, {number} finished \(\d to 5\)", said)


@on(CONFIGURED)
async def test_what_was_learned_from_a_run_can_be_read_and_forgotten(bot: Bot) -> None:
    """Readers see the notes; only writers clear them."""
    await works(bot, 1)

    await bot.comment("/execute memory", by="reader")
    (notes_shown,) = bot.says()
    await bot.comment("/execute memory clear", by="writer")
    (cleared,) = bot.says()

    assert "- files: `n1.md`: written for: 1.1" in notes_shown
    assert "now empty" in cleared
    assert bot.files("memory.json") == []


@on(CONFIGURED)
async def test_what_a_reviewer_asked_for_is_told_to_the_next_task(bot: Bot) -> None:
    """A revision is a lesson: readers see it, and a similar task is told from the start."""
    await works(bot, 1)
    (pull,) = bot.pulls
    bot.model.says(note("n1.md", "Une note."))

    await bot.reply(pull, "/execute revise Write notes such as `n2.md` in French.")
    bot.github.says(REPOSITORY, pull.number)
    await bot.comment("/execute memory", by="reader")
    shown = bot.says()[-1]
    await works(bot, 2)

    assert "a reviewer asked: Write notes such as `n2.md` in French." in shown
    assert (
        "people want: a reviewer asked: Write notes such as `n2.md` in French." in bot.prompts[-1]
    )


@on(STUCK)
async def test_why_a_proposal_was_rejected_is_told_to_the_next_attempt(bot: Bot) -> None:
    """The reason that a person gives enters the memory, and the same task is asked with it."""
    pull = await decomposed(bot)
    await bot.reply(pull, "/reject keep `one.md` and `two.md` together")
    bot.proposes()
    await bot.comment("/execute memory", by="reader")
    shown = bot.says()[-1]
    asked = len(bot.prompts)

    await bot.comment("/execute retry 1.1")
    bot.says()
    bot.proposes()

    assert "people rejected to decompose it: keep `one.md` and `two.md` together" in shown
    assert "decompose it: keep `one.md` and `two.md` together" in bot.prompts[asked]


@on(CONFIGURED)
async def test_a_closed_proposal_is_a_no(bot: Bot) -> None:
    """The same change is not proposed again, and nothing is proposed without a clear difference."""
    await works(bot, 1)
    assert offers(bot) == []
    await recorded(bot, history(bot))
    await works(bot, 2)
    (pull,) = offers(bot)

    await bot.github.close(REPOSITORY, pull.number)
    await bot.idle()
    said = await works(bot, 3)

    assert offers(bot) == [pull]
    assert f"/pull/{pull.number}" not in said


@on(CONFIGURED | {FILE: b"model: oak-1\nadaptive: {auto_adjust: true, advise: false}\n"})
async def test_a_run_follows_what_was_learned_and_stops_when_it_disappoints(bot: Bot) -> None:
    """The loop that did better is used and named; after failures with it, it is not any more."""
    now = bot.github.clock.now().timestamp()
    await recorded(bot, _with_loop(bot, "fixed", now, better=True))

    said = await works(bot, 1)

    assert "`loop: fixed`" in said
    assert [one.route.loop for one in await records(bot, run_of(said))] == ["fixed"]
    await recorded(bot, _with_loop(bot, "fixed", now + 60, better=False))
    after = await works(bot, 2)
    assert "`loop: fixed`" not in after
    assert [one.route.loop for one in await records(bot, run_of(after))] == ["hybrid"]


def _with_loop(bot: Bot, loop: str, now: float, *, better: bool) -> list[Execution]:
    """Attempts with the configured loop and with another one; or only failures of the other."""
    base = history(bot)[0]

    def made(number: int, loop: str, status: str) -> Execution:
        return replace(
            base,
            key=ExecutionKey(f"{loop}{status}{now}", f"t{number}"),
            at=now - 1000 + number,
            route=replace(base.route, loop=loop),
            end=ExecutionEnd(status),
        )

    if not better:
        return [made(number, loop, "failed") for number in range(15)]
    usual = [made(n, "hybrid", "completed" if n % 3 == 0 else "failed") for n in range(60)]
    return [*usual, *(made(n, loop, "failed" if n % 9 == 0 else "completed") for n in range(60))]


@on(CONFIGURED | {FILE: b"model: oak-1\nadaptive: {advise: false}\n"})
async def test_nobody_wants_proposals(bot: Bot) -> None:
    """``adaptive.advise: false`` keeps Cairn from proposing settings."""
    await recorded(bot, history(bot))

    await works(bot, 1)

    assert offers(bot) == []
