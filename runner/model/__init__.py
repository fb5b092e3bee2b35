"""Any OpenAI-compatible endpoint, and the budget of a run.

A question goes from its node to the port ``Model.ask`` through three functions, a repair's through
one more: ``execute_task`` (or ``repair_code`` and ``_repaired``) in ``runner/nodes/generate.py``,
then ``ask`` and ``_paid_once`` in ``runner/loop/asking.py``.

Behind the port: ``OpenAIModel.ask`` (tries again), ``_try`` (one answer), ``_spoken`` (the
parameters this model takes), ``OpenAIEndpoint.complete`` (one request). ``BudgetModel.ask`` comes
first where a run has a budget, ``Forms.complete`` between where a form is wished for.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from runner.ports import Serve, Spoken


def chat_server(model: str, ask: Spoken) -> AbstractAsyncContextManager[Serve]:
    """The ``ChatServer`` port; its library is imported when an agent begins to work."""
    from runner.model.chat_api import serving

    return serving(model, ask)
