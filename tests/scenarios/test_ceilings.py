"""What the operator allows at most, whatever a repository's file or a command asks for."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from app.store.database import open_current
from app.store.spending import Spender, StoredSpending
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, conversation
from tests.scenarios.projects import NOTES, note

GREEDY = b"limits: {tokens_per_task: 5000000}\nsandbox: {memory: 16g, network: setup}\n"


async def test_what_a_repository_asks_for_is_cut_and_that_is_said(tmp_path: Path) -> None:
    """The run keeps to the operator's ceilings."""
    settings = {
        "CAIRN_MAX_TOKENS_PER_TASK": 9_000,
        "CAIRN_MAX_MEMORY": "512m",
        "CAIRN_MAX_PIDS": 300,  # more than was asked for
        "CAIRN_ALLOW_SETUP_NETWORK": "0",
        "CAIRN_PUSH": "approved",
    }
    files = {**NOTES, ".github/cairn.yml": GREEDY}
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        bot.model.says(note("one.md"))
        await bot.comment("/execute --max-tasks 1")

        (said,) = bot.says()
        assert "server limits this run to `limits.tokens_per_task: 9000`, " in said
        assert "`sandbox.memory: 512m`, `sandbox.network: none`, `pull_requests.push: ap" in said
        assert bot.sent() == []
        bot.proposes()
        assert len(bot.pulls) == 1
        bot.github.verify()


async def test_a_model_that_the_operator_does_not_allow_is_not_asked(tmp_path: Path) -> None:
    """Neither by the command nor for a role in the file; what is allowed works."""
    files = {**NOTES, ".github/cairn.yml": b"model: {repairing: grand-1}\n"}
    settings = {"CAIRN_ALLOWED_MODELS": "gpt-6*,small"}
    async with conversation(tmp_path, files, **settings) as bot, bot.started():
        await bot.comment("/execute --model huge-2")

        (said,) = bot.says()
        assert "The operator of this server does not allow `huge-2`, `grand-1`." in said
        assert "Allowed: `scripted`, `gpt-6*`, `small`. Nothing was started." in said
        assert bot.prompts == []
        bot.github.verify()


async def test_a_day_without_money_ends_at_midnight(tmp_path: Path) -> None:
    """A run rests before the call that could cost too much, and continues the next day."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"scripted": {"input": 100.0, "output": 2.0}}')
    settings = {"CAIRN_PRICES": prices, "CAIRN_MAX_COST_PER_ACCOUNT": 0.19}
    async with conversation(tmp_path, NOTES, **settings) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute")

        (said,) = bot.says()
        assert "of the $0.1900 that the operator of this server allows for all" in said
        assert "It continues automatically at 00:00 UTC" in said
        before = len(bot.prompts)
        await bot.later(days=1)
        await bot.idle()

        assert len(bot.prompts) > before
        bot.says()
        bot.github.verify()


async def test_money_that_another_call_may_give_back_is_waited_for(tmp_path: Path) -> None:
    """What a call under way may cost at most is in the way for minutes, not until midnight."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"scripted": {"input": 100.0, "output": 2.0}}')
    settings = {"CAIRN_PRICES": prices, "CAIRN_MAX_COST_PER_DAY": 1.0}
    async with conversation(tmp_path, NOTES, **settings) as bot, bot.started():
        store = await open_current(bot.settings.database_url.get_secret_value())
        spending = StoredSpending(store)
        another = Spender(f"{bot.github.clock.now():%Y-%m-%d}", 1, 999)
        await spending.reserve(another, 0.99, together=None, own=None)
        await bot.comment("/execute --max-tasks 1")
        (said,) = bot.says()
        soon = bot.github.clock.now() + timedelta(minutes=5)
        assert f"It continues automatically at {soon:%H:%M} UTC" in said
        assert bot.prompts == []

        await spending.settle(another, 0.99, 0.01)
        await store.close()
        bot.model.says(note("one.md"))
        await bot.later(minutes=5)

        assert "is done" in bot.says()[-1]
        assert len(bot.pulls) == 1
        bot.github.verify()


@MORE
async def test_a_limit_that_no_day_has_room_for(tmp_path: Path) -> None:
    """Nothing goes on by itself the next day: the limit is to be raised."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"scripted": {"input": 100.0, "output": 2.0}}')
    files = {**NOTES, ".github/cairn.yml": b"limits: {cost_per_day: 0.001}\n"}
    async with conversation(tmp_path, files, CAIRN_PRICES=prices) as bot, bot.started():
        await bot.comment("/execute")

        (said,) = bot.says()
        assert "so no day has room for it; raise the limit, then continue with" in said
        assert "automatically" not in said
        bot.github.verify()


async def test_without_a_price_no_money_is_spent(tmp_path: Path) -> None:
    """A limit that cannot be kept stops the run before its first question."""
    async with conversation(tmp_path, NOTES, CAIRN_MAX_COST_PER_DAY=5) as bot, bot.started():
        await bot.comment("/execute")

        (said,) = bot.says()
        assert "the price of `scripted` is not known" in said
        assert bot.prompts == []
        bot.github.verify()


async def test_the_repository_limits_what_its_runs_cost(tmp_path: Path) -> None:
    """Two runs share its day; what a run may cost is said with the key to raise."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"scripted": {"input": 100.0, "output": 2.0}}')
    files = {**NOTES, ".github/cairn.yml": b"limits: {cost_per_day: 0.19, cost_per_run: 50}\n"}
    async with conversation(tmp_path, files, CAIRN_PRICES=prices) as bot, bot.started():
        bot.model.says(note("one.md"), note("two.md"))
        await bot.comment("/execute --max-tasks 1")
        await bot.comment("/execute --max-tasks 1")

        *_, said = bot.says()
        assert (
            "of the $0.1900 that `limits.cost_per_day` in `.github/cairn.yml` allows for a day"
            in said
        )
        assert "It continues automatically at 00:00 UTC" in said
        asked = len(bot.prompts)
        limits = b"limits: {tokens_per_run: 2000}\n"
        await bot.github.push(REPOSITORY, {".github/cairn.yml": limits})
        await bot.later(days=1)
        (said,) = bot.says()
        assert "raise limits.tokens_per_run in .github/cairn.yml, for example to" in said
        assert len(bot.prompts) == asked
        bot.github.verify()


async def test_a_limit_of_the_repository_without_a_price(tmp_path: Path) -> None:
    """A limit that cannot be kept stops the run before its first question."""
    files = {**NOTES, ".github/cairn.yml": b"limits: {cost_per_task: 1}\n"}
    async with conversation(tmp_path, files) as bot, bot.started():
        await bot.comment("/execute")

        (said,) = bot.says()
        assert "The price of model scripted is unknown" in said
        assert "cannot keep to limits.cost_per_task" in said
        assert bot.prompts == []
        bot.github.verify()
