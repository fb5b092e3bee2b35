"""How to ask a model: its parameters, and which form of structured output works; learned once.

Servers differ: some enforce a JSON schema, some ignore it, some answer 400 or 500. So a small
question is asked first, and only a model that answers it in form is asked that way again; every
answer is still read as if the form had been ignored
(https://platform.openai.com/docs/guides/structured-outputs). Newer models refuse ``max_tokens`` and
``temperature``, and some older servers ignore the new name, so the older form is tried first and a
400 that names the parameter changes it
(https://platform.openai.com/docs/api-reference/chat/create).
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import Outage
from runner.files.durable import write_file
from runner.model.errors import ErrorStatus
from runner.model.replies import ChatReply
from runner.prompts.questions import AnswerFormat, Message, Question

_OLD, _NEW = "max_tokens", "max_completion_tokens"
_STREAM = re.compile(r"\bstream(ing|ed)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """``limit`` is the name of the bound on the answer; the others say what may be given.

    A streamed answer shows that the model is at work, so that a slow one is not given up.
    """

    limit: str = _OLD
    temperature: bool = True
    seed: bool = True
    effort: bool = True
    stream: bool = True
    stream_usage: bool = True

    def parameters(
        self, *, temperature: float, max_tokens: int, seed: int | None = None, effort: str = ""
    ) -> dict[str, object]:
        """Return the parameters of a question in this dialect."""
        given: dict[str, object] = {"temperature": temperature} if self.temperature else {}
        if self.seed and seed is not None:
            given["seed"] = seed
        if self.effort and effort:
            given["reasoning_effort"] = effort
        if self.stream:
            given["stream"] = True
        if self.stream and self.stream_usage:
            given["stream_options"] = {"include_usage": True}
        return {self.limit: max_tokens, **given}

    def after(self, refused: ErrorStatus) -> Dialect | None:
        """Return the dialect to try next, None when the refusal names none of our parameters."""
        if not refused.parameter_at_fault:
            return None
        if self.temperature and _names(refused, "temperature"):
            return replace(self, temperature=False)
        if self.seed and _names(refused, "seed"):
            return replace(self, seed=False)
        if self.effort and _names(refused, "effort"):  # reasoning_effort, or another API's word
            return replace(self, effort=False)
        if self.stream and self.stream_usage and _names(refused, "stream_options"):
            return replace(self, stream_usage=False)
        if self.stream and _STREAM.search(f"{refused.param} {refused.message}"):
            return replace(self, stream=False)
        # only from the old name to the new one, so that no two dialects can alternate for ever
        if self.limit == _OLD and _names(refused, _OLD):
            return replace(self, limit=_NEW)
        return None


def _names(refused: ErrorStatus, parameter: str) -> bool:
    return refused.param == parameter or parameter in refused.message


log = logging.getLogger(__name__)


class Habits:
    """Words by endpoint and model. A file that cannot be read or written is as none."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known = _read(file) if file else {}

    def of(self, endpoint: str, model: str) -> str | None:
        """Return what is known, None when nothing is."""
        return self._known.get(f"{endpoint} {model}")

    def remember(self, endpoint: str, model: str, word: str, *, keep: bool = True) -> None:
        """Take down what was found out; without ``keep`` only for this process."""
        self._known[f"{endpoint} {model}"] = word
        if self._file is None or not keep:
            return
        known = {**_read(self._file), f"{endpoint} {model}": word}  # others may write it, too
        try:
            write_file(self._file, (json.dumps(known, indent=1, sort_keys=True) + "\n").encode())
        except Outage as outage:
            log.warning("What was learnt of %s is not kept: %s", model, outage.message)


def _read(file: Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in known.items()} if isinstance(known, dict) else {}


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
_FORM = AnswerFormat(
    "word", json.dumps(_SCHEMA), _WORDS.replace("'", '"').replace("False", "false")
)
_PROBE = Question((Message("user", "Which colour has grass, red or green?"),), 0.0, 1_000)
_NAMES = re.compile(r"response_format|json_schema|json_object|json mode|structured", re.I)

Ask = Callable[[Question, str], Awaitable[ChatReply]]
"""Asks a question in a way; raises ``ErrorStatus`` or ``Transient``."""


class Forms:
    """The ways of one endpoint's models; each is found out once, however many ask at a time."""

    def __init__(self, endpoint: str, habits: Habits) -> None:
        self._endpoint = endpoint
        self._habits = habits
        self._one_at_a_time = asyncio.Lock()

    async def complete(self, question: Question, model: str, ask: Ask) -> ChatReply:
        """Ask in the way that is known; what finding it out took is counted to this answer."""
        found: list[ChatReply] = []
        async with self._one_at_a_time:
            known = self._habits.of(self._endpoint, model)
            way = known if known is not None else await self._probed(model, ask, found)
        try:
            reply = await ask(question, way)
        except ErrorStatus as error:
            if way == PLAIN or not names_form(error):
                raise
            self._habits.remember(self._endpoint, model, PLAIN)
            reply = await ask(question, PLAIN)
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return reply
        return replace(
            reply,
            prompt_tokens=reply.prompt_tokens + sum(each.prompt_tokens or 0 for each in found),
            completion_tokens=reply.completion_tokens
            + sum(each.completion_tokens or 0 for each in found),
        )

    async def _probed(self, model: str, ask: Ask, found: list[ChatReply]) -> str:
        sure = True
        for way in WAYS:
            try:
                found.append(await ask(replace(_PROBE, form=_FORM), way))
            except ErrorStatus as error:
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


def asked_for(form: AnswerFormat, way: str) -> dict[str, object]:
    """Return the parameter that asks for a form in a way."""
    if way == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": form.name, "schema": json.loads(form.schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def in_words(messages: tuple[Message, ...], form: AnswerFormat) -> tuple[Message, ...]:
    """Say the form in the last message too: JSON mode knows no schema, and some servers neither."""
    *before, last = messages
    return (*before, replace(last, content=f"{last.content}\n\n{form.words}"))


def names_form(refused: ErrorStatus) -> bool:
    """Whether a refusal is about the form."""
    return _NAMES.search(f"{refused.param} {refused.message}") is not None


def _in_form(text: str) -> bool:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, Mapping) and data.get("word") == "green"
