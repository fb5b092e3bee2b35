"""The budget of one workflow run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.action import texts
from runner.errors import Outage
from runner.ports import Answer, Embedded, Endpoint, Question


class WithinBudget(Endpoint):
    """A model with a budget (``inner``) whose end is told in the words of a workflow."""

    def __init__(self, inner: Endpoint, limit: float) -> None:
        self._inner = inner
        self._limit = limit

    async def ask(self, question: Question) -> Answer:
        """Ask; raises ``Outage`` (kind ``budget``) when the budget does not cover the answer."""
        with self._told():
            return await self._inner.ask(question)

    async def embed(self, texts: Sequence[str], *, model: str) -> Embedded:
        """Embed; raises ``Outage`` (kind ``budget``) when the budget does not cover it."""
        with self._told():
            return await self._inner.embed(texts, model=model)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except Outage as outage:
            if outage.kind != "budget":
                raise
            raise Outage("budget", texts.SPENT.format(limit=self._limit)) from outage
