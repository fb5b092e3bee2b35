"""Structured output: which way of it a model does well with, asked once and remembered.

Servers differ: some enforce a schema, some ignore it, some answer 400 or 500 to it. So a small
question is asked first, and only a model that answers it in form is asked that way again. A refusal
that names it later ends that for good; every answer is read as if the form had been ignored.
https://platform.openai.com/docs/guides/structured-outputs
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from runner.adapters.model_habits import Habits
from runner.adapters.openai_errors import Refused
from runner.adapters.openai_replies import Reply
from runner.ports import Form, Message, Question

WAYS = ("json_schema", "json_object")
"""From the strictest to the loosest; ``plain`` is without."""
PLAIN = "plain"

_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["red", "green"]}},
    "required": ["word"],
    "additionalProperties": False,
}
_WORDS = f"Answer with one JSON object and nothing else, which fits this JSON Schema: {_SCHEMA}"
_FORM = Form("word", json.dumps(_SCHEMA), _WORDS.replace("'", '"').replace("False", "false"))
_PROBE = Question((Message("user", "Which colour has grass, red or green?"),), 0.0, 1_000)
_NAMES = re.compile(r"response_format|json_schema|json_object|json mode|structured", re.I)

Ask = Callable[[Question, str], Awaitable[Reply]]
"""Asks a question in a way; raises ``Refused`` or ``Transient``."""


class Forms:
    """The ways of one endpoint's models; each is found out once, however many ask at a time."""

    def __init__(self, endpoint: str, habits: Habits) -> None:
        self._endpoint = endpoint
        self._habits = habits
        self._one_at_a_time = asyncio.Lock()

    async def complete(self, question: Question, model: str, ask: Ask) -> Reply:
        """Ask in the way that is known; what finding it out took is counted to this answer."""
        found: list[Reply] = []
        way = await self._way(model, ask, found)
        try:
            reply = await ask(question, way)
        except Refused as error:
            if way == PLAIN or not names_form(error):
                raise
            self._habits.remember(self._endpoint, model, PLAIN)
            reply = await ask(question, PLAIN)
        return _with_cost_of(reply, found)

    async def _way(self, model: str, ask: Ask, found: list[Reply]) -> str:
        async with self._one_at_a_time:
            known = self._habits.of(self._endpoint, model)
            return known if known is not None else await self._probed(model, ask, found)

    async def _probed(self, model: str, ask: Ask, found: list[Reply]) -> str:
        sure = True
        for way in WAYS:
            try:
                found.append(await ask(replace(_PROBE, form=_FORM), way))
            except Refused as error:
                if error.status < 500 and not error.parameter_at_fault:
                    raise
                sure = sure and (names_form(error) or error.status < 500)
            else:
                if _in_form(found[-1].text):
                    self._habits.remember(self._endpoint, model, way)
                    return way
        # an overload answers 500 as well: that says nothing about the next process
        self._habits.remember(self._endpoint, model, PLAIN, keep=sure)
        return PLAIN


def asked_for(form: Form, way: str) -> dict[str, object]:
    """Return the parameter that asks for a form in a way."""
    if way == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": form.name, "schema": json.loads(form.schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def in_words(messages: tuple[Message, ...], form: Form) -> tuple[Message, ...]:
    """Say the form in the last message too: JSON mode knows no schema, and some servers neither."""
    *before, last = messages
    return (*before, replace(last, content=f"{last.content}\n\n{form.words}"))


def names_form(refused: Refused) -> bool:
    """Whether a refusal is about the form."""
    return _NAMES.search(f"{refused.param} {refused.message}") is not None


def _in_form(text: str) -> bool:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, Mapping) and said.get("word") == "green"


def _with_cost_of(reply: Reply, probes: list[Reply]) -> Reply:
    prompt = sum(probe.prompt_tokens or 0 for probe in probes)
    completion = sum(probe.completion_tokens or 0 for probe in probes)
    if reply.prompt_tokens is None or reply.completion_tokens is None or not probes:
        return reply
    return replace(
        reply,
        prompt_tokens=reply.prompt_tokens + prompt,
        completion_tokens=reply.completion_tokens + completion,
    )
