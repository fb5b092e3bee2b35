"""What the tests of the model adapter share: a question, a clock, and a sleep that only notes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from runner.model.chat import OpenAIModel
from runner.model.prices import Prices
from runner.ports import Clock
from runner.prompts.questions import Message, Question
from tests.model_server import ScriptedModel, serve

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
KEY = "sk-not-a-real-key-1234567890"


class FrozenClock(Clock):
    """A clock whose date stands still; every look at the stopwatch is one second later."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        self._seconds += 1.0
        return self._seconds


class Sleeps(list[float]):
    """Notes how long was slept, and sleeps not at all."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def question(text: str = "write add", *, model: str = "", temperature: float = 0.2) -> Question:
    """Ask something."""
    return Question((Message("user", text),), temperature, 500, model)


@asynccontextmanager
async def asking(
    script: ScriptedModel,
    *,
    sleep: Sleeps | None = None,
    prices: Prices | None = None,
    timeout: float = 30.0,
    key: str = KEY,
) -> AsyncIterator[OpenAIModel]:
    """Open the adapter on a scripted server; it is closed and the script verified at the end."""
    async with serve(script) as base_url:
        model = OpenAIModel(
            model="gpt-6.1-terra",
            api_key=key,
            base_url=base_url,
            prices=prices,
            timeout=timeout,
            clock=FrozenClock(),
            sleep=Sleeps() if sleep is None else sleep,
        )
        try:
            yield model
        finally:
            await model.close()
    script.verify()
