"""The model port over any OpenAI-compatible endpoint (chat completions)."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING

from runner import ports
from runner.errors import Outage
from runner.model.dialect import Dialect
from runner.model.errors import ErrorStatus, Transient, meaning
from runner.model.lazily import without_types
from runner.model.passed import request_of
from runner.model.prices import Prices, is_public
from runner.model.replies import LONGEST, ListedModel, offer_text
from runner.model.shutdowns import shutdown_by_name
from runner.ports import Clock, SystemClock
from runner.prompts.questions import Answer, Question
from runner.retrying import retrying
from runner.windows import seller_of

if TYPE_CHECKING:
    from runner.model.endpoint import OpenAIEndpoint
    from runner.model.replies import ChatReply


DEFAULT_BASE_URL = "https://api.openai.com/v1"
RETRY_AFTER_CAP = 60.0
"""Most seconds that a try waits if asked to; a longer wait is an outage with its time."""
_LIST_SECONDS, _HINT_SECONDS = 15.0, 5.0
"""How long the list of models may take: where it is asked for, and where it only helps."""

_CHARACTERS_PER_TOKEN = 3
"""Low on purpose: code has about 3.5, and an estimate must not understate what was used."""

_CHARACTERS_AT_MOST = 4
"""Of a token. An answer beyond that is none of so many tokens: the endpoint did not stop it."""

_log = logging.getLogger(__name__)


class OpenAIModel(ports.Endpoint):
    """Asks a chat-completions endpoint, with bounded retries, tokens and cost.

    ``timeout`` is in seconds without a word, where a question brings none of its own.
    ``model`` is asked when a question names none. ``habits`` keeps which models answer in a form.
    ``mask`` hides secrets in what is sent.
    Raises ``Outage`` for a key no header can carry.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: str,
        base_url: str = DEFAULT_BASE_URL,
        prices: Prices | None = None,
        timeout: float = 300.0,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        mask: Callable[[str], str] = str,
    ) -> None:
        if not (api_key.isascii() and api_key.isprintable() and api_key == api_key.strip()):
            raise Outage(
                "credential", "OPENAI_API_KEY has spaces around it or characters that no key has"
            )
        self._model = model
        self._base_url = base_url
        self._prices = prices or Prices()
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._dialects: dict[str, Dialect] = {}
        self._api_key = api_key
        self._mask = mask
        self._timeout = timeout
        self._endpoint: OpenAIEndpoint | None = None
        self._listed: Mapping[str, ListedModel] | None = None

    async def ask(self, question: Question) -> Answer:
        """Ask, as often as its policy says. Raises ``Outage`` or ``TaskError``."""
        retries = 0
        tries = retrying("model", question.retry, sleep=self._sleep, heard=question.on_retry)
        try:
            async for attempt in tries:
                with attempt:
                    retries = attempt.retry_state.attempt_number - 1
                    return await self._try(question, retries)
        except Transient as error:
            raise error.final(
                endpoint=self._base_url, tries=retries + 1, now=self._clock.now()
            ) from error
        raise AssertionError("tenacity returns or raises")

    async def offered(self) -> tuple[str, ...] | None:
        """Return the names of all models; None if the endpoint does not list them.

        Raises ``Outage`` when nothing answers there or the key is wrong; any other refusal only
        means that there is no list.
        """
        try:
            return await self._names(_LIST_SECONDS)
        except Transient as error:
            raise error.final(endpoint=self._base_url, tries=1, now=self._clock.now()) from error
        except ErrorStatus as error:
            if error.bad_key:
                raise self._translated(error, self._model) from error
            return None

    async def unlisted(self, model: str) -> str:
        """Say what there is instead of a model that the endpoint does not list; '' if it may exist.

        Raises ``Outage`` as ``offered`` does.
        """
        offered = await self.offered()
        if offered is None or model in offered:
            return ""
        return f"The endpoint {self._base_url} lists no model {model}. {offer_text(offered, model)}"

    async def window(self, model: str) -> int | None:
        """Return how many tokens a question and its answer may have together, if that is known.

        What the endpoint's list says of it wins over what is known of the name.
        """
        name = model or self._model
        listed = (await self._hints()).get(name)
        if listed and listed.window:
            return listed.window
        if not (seller_of(name) or is_public(self._base_url)):
            return None  # then what companies sell need not be read
        catalogue = await asyncio.to_thread(import_module, "runner.model.catalogue")
        known: int | None = catalogue.window(self._base_url, name)
        return known

    async def shutdown(self, model: str) -> date | None:
        """Return the day from which a model no longer answers; None if none is known.

        What the endpoint's list says of it wins over what is known of the name.
        """
        name = model or self._model
        listed = (await self._hints()).get(name)
        return listed.shutdown if listed and listed.dated else shutdown_by_name(name)

    async def _hints(self) -> Mapping[str, ListedModel]:
        """The models the endpoint lists; empty if it does not. It is asked once."""
        if self._listed is None:
            try:
                await self._names(_HINT_SECONDS)
            except (Transient, ErrorStatus) as error:
                _log.debug("No list of models: %s", error)
                self._listed = {}
        return self._listed or {}

    async def _names(self, seconds: float) -> tuple[str, ...] | None:
        """Ask for the list and keep it. Raises ``Transient`` or ``ErrorStatus``."""
        found = await (await self._opened()).listed(seconds)
        self._listed = {each.name: each for each in found or ()}
        return None if found is None else tuple(each.name for each in found)

    async def close(self) -> None:
        """Close the connections; doing it twice is harmless."""
        if self._endpoint is not None:
            await self._endpoint.close()

    async def _opened(self) -> OpenAIEndpoint:
        """Return the endpoint, created at its first use.

        Its library takes long to import: callers that ask nothing do not wait for it,
        and a server continues to serve.
        """
        if self._endpoint is None:
            without_types()
            await asyncio.to_thread(import_module, "runner.model.endpoint")
            from runner.model.endpoint import OpenAIEndpoint

            self._endpoint = self._endpoint or OpenAIEndpoint(
                base_url=self._base_url,
                api_key=self._api_key,
                timeout=self._timeout,
                clock=self._clock,
                mask=self._mask,
            )
        return self._endpoint

    async def _try(self, question: Question, retries: int) -> Answer:
        model = question.model or self._model
        await self._opened()  # what that takes is not the answer's time
        started = self._clock.monotonic()
        try:
            reply = await self._spoken(model, question)
        except ErrorStatus as error:
            offer = ""
            if error.unknown_model:  # say which models exist, if the endpoint lists them
                with suppress(Outage):
                    offer = offer_text(await self.offered(), model)
                if question.call:
                    offer += f" Or it has no /{question.call.path}, which this agent asks."
            raise self._translated(error, model, offer) from error
        seconds = self._clock.monotonic() - started
        asked = sum(len(message.content) for message in question.messages)
        prompt = _counted(reply.prompt_tokens, asked)
        completion = _counted(reply.completion_tokens, len(reply.text))
        # the answer may have another name than was asked for (an alias, a file of weights)
        names = dict.fromkeys((reply.model, model))
        tokens = {"cached": reply.cached, "written": reply.written}
        costs = (self._prices.cost(name, prompt, completion, **tokens) for name in names)
        return Answer(
            text=reply.text,
            finish_reason=reply.finish_reason,
            prompt_tokens=prompt,
            completion_tokens=completion,
            model=reply.model or model,
            cost=next((cost for cost in costs if cost is not None), None),
            seconds=seconds,
            retries=retries,
            cached=min(reply.cached, prompt),
        )

    async def _spoken(self, model: str, question: Question) -> ChatReply:
        """Ask in the dialect this model is known to take; learn a better one from a refusal."""
        endpoint = await self._opened()
        dialect: Dialect | None = self._dialects.get(model, Dialect())
        while dialect is not None:
            parameters = dialect.parameters(
                temperature=question.temperature,
                max_tokens=question.max_tokens,
                seed=question.seed,
                effort=question.effort,
            )
            try:
                if question.call:
                    body = request_of(question.call.path, question, model, parameters)
                    reply = await endpoint.passed(question.call, body, timeout=question.timeout)
                else:
                    reply = await endpoint.complete(
                        model=model,
                        messages=question.messages,
                        parameters={**question.more, **parameters},
                        longest=min(_CHARACTERS_AT_MOST * question.max_tokens, LONGEST),
                        timeout=question.timeout,
                        responses=question.api == "responses",
                    )
            except ErrorStatus as error:
                refusal, dialect = error, dialect.after(error)
            else:
                self._dialects[model] = dialect  # remembered only when it worked
                return reply
        raise refusal

    def _translated(self, refused: ErrorStatus, model: str, offer: str = "") -> Exception:
        error = meaning(refused, model=model, endpoint=self._base_url, offer=offer)
        if isinstance(error, Transient) and (error.retry_after or 0) > RETRY_AFTER_CAP:
            return error.final(endpoint=self._base_url, tries=1, now=self._clock.now())
        return error


def _counted(reported: int | None, characters: int) -> int:
    return math.ceil(characters / _CHARACTERS_PER_TOKEN) if reported is None else reported
