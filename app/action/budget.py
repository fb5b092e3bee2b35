"""The budget of one workflow run."""

from __future__ import annotations

from app.action import texts
from runner.errors import Outage
from runner.ports import Answer, Model, Question


class WithinBudget(Model):
    """A model with a budget (``inner``) whose end is told in the words of a workflow."""

    def __init__(self, inner: Model, limit: float) -> None:
        self._inner = inner
        self._limit = limit

    async def ask(self, question: Question) -> Answer:
        """Ask; raises ``Outage`` (kind ``budget``) when the budget does not cover the answer."""
        try:
            return await self._inner.ask(question)
        except Outage as outage:
            if outage.kind != "budget":
                raise
            raise Outage("budget", texts.SPENT.format(limit=self._limit)) from outage
