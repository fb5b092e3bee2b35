"""Ask the model: checked for stop requests before, counted after, a cut answer continued."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from math import ceil

from runner.answers.continued import joined
from runner.errors import PortError, TaskError
from runner.loop.deps import Deps
from runner.loop.strategy import model_for, writers
from runner.money import Usage, by_name
from runner.prompts.questions import Answer, Call, Message, Question
from runner.retries.policy import Tried
from runner.state.events import BudgetReserved, Exchange, ModelAnswered, ModelFailed
from runner.state.run_state import RunState
from runner.text.sanitize import sendable
from runner.windows import answer_tokens, context_tokens, is_small

MAX_CONTINUATIONS = 2
"""How often a truncated answer is continued (counted in tokens, not as calls)."""

_SHORTEST_ANSWER = 256
"""Tokens; where the limit of an attempt leaves fewer for an answer, it is not asked for."""
_CHARACTERS_PER_TOKEN = 3
"""Low on purpose: code has about 3.5, and what is reserved must not be less than what is used."""

_THOUGHTS = 4
"""How many times as long an answer may be if a model thinks first."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
"""Of an object in memory, as in ``<function add at 0x7fc2be003420>``."""

_PASSING = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|Chunk ID: \w+|[0-9]\.[0-9]+ ?(?:s|seconds)\b"
)
"""What is new each time: the names that an agent gives to its messages, and how long it took."""

_DELETES = re.compile(r"\b(?:delet|remov|drop|mov|renam|replac)", re.IGNORECASE)

_GO_ON = "Your answer was cut off. Go on exactly where it stopped; repeat nothing."


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The whole answer; ``truncated`` when it was still cut off after the last continuation."""

    text: str
    truncated: bool
    refused: bool


async def ask(
    state: RunState,
    deps: Deps,
    messages: tuple[Message, ...],
    *,
    temperature: float,
    max_tokens: int | None = None,
    call: Call | None = None,
) -> tuple[RunState, ModelReply]:
    """Ask, and continue a cut answer. Raises ``Outage``, ``TaskError`` or ``Stopped``.

    What question and answer can use is reserved from the attempt's tokens: the answer gets what is
    left, and ``TaskError`` (kind ``budget``) says that it is too little.
    ``max_tokens`` limits one answer below the run's limit. With a ``call`` it is an agent's request
    (``Question.call``).
    """
    if again := state.request.options.scope.again:
        raise TaskError("budget", f"only the change of run {again} is verified: no model is asked")
    most, longest = await _answer_limits(state, deps, max_tokens)
    most = longest if call else most
    text = ""
    for _ in range(1 + MAX_CONTINUATIONS):
        asked = messages
        if text:
            asked = (*messages, Message("assistant", text), Message("user", _GO_ON))
        # what the answer may have before the attempt exceeds its limit
        limit, used = state.request.options.limits.max_tokens, state.attempt.spent.total
        characters = sum(len(message.content) for message in asked)
        room = limit - used.tokens - ceil(characters / _CHARACTERS_PER_TOKEN)
        if room < _SHORTEST_ANSWER and text:
            break
        if room < _SHORTEST_ANSWER:
            raise TaskError(
                "budget",
                f"the attempt has used {used.tokens:,} of its {limit:,} tokens, "
                "which leaves too little for the next question and its answer",
            )
        question = _question(state, asked, min(most, room), temperature=temperature)
        question = replace(question, call=call)
        await deps.control.check(state.request.id)
        attempt = state.attempt  # the place in it and all that is asked name the question
        name = f"{attempt.task}/{attempt.number}/{used.calls}/{_digest(question)}"
        asked_now = replace(question, spent=used.cost or 0.0)
        answer = await _paid_once(state, deps, asked_now, name)
        tokens = answer.prompt_tokens + answer.completion_tokens
        paid = Usage.of_call(answer.seconds, tokens, answer.cost, answer.cached)
        spent, by = state.attempt.spent, answer.model
        spent = replace(
            spent,
            total=spent.total + paid,
            by_model=by_name((spent.by_model, {by: paid})),
            models={**spent.models, state.node: by},
            retries=spent.retries + answer.retries,
        )
        state = state.updated(spent)
        sent = sendable(answer.text)
        complete = answer.finish_reason != "length"
        text = joined(text, sent, complete=complete) if text else sent
        if answer.finish_reason == "length" and not text and most < longest:
            most = min(2 * most, longest)  # it thought all the time: let it think longer
        elif answer.finish_reason != "length" or not answer.text:
            break
    if answer.finish_reason == "length" and not text and not max_tokens:
        raise TaskError(
            "model",
            f"{answer.model} thought until the limit of its answer, {question.max_tokens:,} "
            "tokens, and wrote nothing. Raise limits.answer_tokens, or let it think less "
            "(model.effort)",
        )
    # a continuation without a word leaves the answer as it was cut
    cut = answer.finish_reason == "length" or bool(text and not answer.text)
    return state, ModelReply(text, truncated=cut, refused=answer.finish_reason == "content_filter")


async def _answer_limits(state: RunState, deps: Deps, max_tokens: int | None) -> tuple[int, int]:
    """How many tokens an answer gets at first, and at most once it was nothing but thoughts.

    As the run says, else as the model can. ``max_tokens`` is for an answer without thoughts.
    """
    thinks = state.request.options.models.thinks
    longest = most = state.request.options.limits.max_answer_tokens
    if not most:
        window = await window_of(state, deps)
        most = answer_tokens(window)
        longest = min(_THOUGHTS * most, window // 2) if window else 2 * most
        most = min(2 * most, longest) if thinks else most
    if max_tokens:
        most = min(most, max_tokens * (_THOUGHTS if thinks else 1))
    return most, max(most, longest)


async def window_of(state: RunState, deps: Deps) -> int | None:
    """How many tokens the model that is asked now reads and writes at once; None if unknown."""
    models = state.request.options.models
    if models.window or deps.search.windows is None:
        return models.window or None
    return await deps.search.windows.window(model_for(state))


async def answer_form(state: RunState, deps: Deps) -> dict[str, bool]:
    """How the form of an answer is told to the model that is asked now, a small one or not."""
    name = model_for(state) or deps.search.model
    return {
        "small": is_small(name, await window_of(state, deps)),
        "deletes": _DELETES.search(f"{state.task.text} {state.task.details}") is not None,
    }


async def context_limit(state: RunState, deps: Deps) -> int:
    """How many tokens of the repository a question may show: as the run says, else by the model."""
    options = state.request.options
    if options.limits.context_tokens:
        return options.limits.context_tokens
    if options.models.window or deps.search.windows is None:
        return context_tokens(options.models.window or None)
    asked = dict.fromkeys((model_for(state), *writers(state)))  # one context serves them all
    known = [await deps.search.windows.window(name) for name in asked]
    return context_tokens(min(filter(None, known), default=None))


def _question(
    state: RunState,
    messages: tuple[Message, ...],
    max_tokens: int,
    *,
    temperature: float = 0.0,
    model: str | None = None,
) -> Question:
    models = state.request.options.models
    return Question(
        messages,
        temperature,
        max_tokens,
        model_for(state) if model is None else model,
        models.seed,
        models.api,
        models.effort,
        models.more,
        timeout=models.timeout,
        retry=state.request.options.retry.of_model,
    )


async def ask_aside(
    state: RunState,
    deps: Deps,
    messages: tuple[Message, ...],
    *,
    max_tokens: int,
) -> Answer:
    """Ask once about what belongs to no task. Raises ``Outage`` or ``TaskError``."""
    model = state.request.options.models.model
    question = _question(state, messages, max_tokens, model=model)
    return await _paid_once(state, deps, question, f"aside/{_digest(question)}")


async def _paid_once(state: RunState, deps: Deps, question: Question, name: str) -> Answer:
    """Ask, unless a process that died before it could save the node was answered already."""
    run = state.request.id
    known = await deps.answers.recall(run, name)
    if known is not None:
        return known

    async def on_reserved(tokens: int, cost: float | None) -> None:
        await deps.events.emit(BudgetReserved(run, state.current, state.node, tokens, cost))

    tried: list[Tried] = []
    prompt = question.text
    try:
        answer = await deps.model.ask(
            replace(question, on_reserved=on_reserved, on_retry=tried.append)
        )
    except PortError as error:
        asked = (question.model, prompt, error.message, tuple(tried))
        await deps.events.emit(ModelFailed(run, state.current, state.node, *asked))
        raise
    exchange = Exchange(
        model=answer.model,
        prompt=prompt,
        reply=answer.text,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        finish_reason=answer.finish_reason,
        seconds=answer.seconds,
        retries=answer.retries,
        cost=answer.cost,
        tried=tuple(tried),
        cached=answer.cached,
    )
    await deps.events.emit(ModelAnswered(run, state.current, state.node, exchange, question.model))
    await deps.answers.keep(run, name, answer)
    return answer


def _digest(question: Question) -> str:
    """Name what is asked; a test that fails in the same way names other addresses each time.

    What agents say about a command differs more.
    """
    asked = _ADDRESS.sub("0x", repr(question))
    if question.call:
        asked = _PASSING.sub("", asked)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]
