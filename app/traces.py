"""Traces for OpenTelemetry: a span for each run, task, node and answer of a model.

They are made of the events that runs report, so that no code of the loop knows of them. Configured
by the standard's own variables (OTEL_…); where these are not set, nothing of it is imported. What a
model was asked and said is in no span. Names are those of the conventions for generative AI:
https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from app.settings import RunSettings
from app.version import version_of_cairn
from runner.loop.recorder import Isolated
from runner.ports import Events
from runner.state.events import (
    Advanced,
    Event,
    ModelAnswered,
    ModelFailed,
    NodeFinished,
    NodeStarted,
    RunChanged,
    RunRecalled,
    TaskChanged,
)
from runner.state.run_state import RunState, Status

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def wanted(environ: Mapping[str, str]) -> str:
    """Whether traces are exported: ``otlp`` or '', or the word for why what is asked for cannot."""
    exporter = environ.get("OTEL_TRACES_EXPORTER", "")
    asked = exporter or ("otlp" if any(map(environ.get, _ENDPOINTS)) else "none")
    protocols = {environ.get(f"OTEL_EXPORTER_OTLP_{each}PROTOCOL") for each in ("TRACES_", "")}
    if asked == "none" or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    if asked != "otlp" or protocols - {None, "", "http/protobuf"}:
        return "unknown"
    return "otlp" if find_spec("opentelemetry") else "missing"


@asynccontextmanager
async def traced(
    settings: RunSettings, mask: Callable[[str], str]
) -> AsyncIterator[tuple[Events, ...]]:
    """Listeners that export traces, none unless that is asked for; leaving sends what is left."""
    if wanted(os.environ) != "otlp":
        yield ()
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    logging.getLogger("opentelemetry").setLevel(logging.ERROR)  # each try is no news
    spans = Spans(BatchSpanProcessor(OTLPSpanExporter()), settings, mask)
    try:
        yield (Isolated(spans),)
    finally:
        await asyncio.to_thread(spans.close)


class _Ids:
    """The ids of traces, each made of the run's own, and random ones of spans."""

    run = ""

    def generate_trace_id(self) -> int:
        """Return the id of the trace of ``run``."""
        return int(hashlib.sha256(self.run.encode()).hexdigest()[:32], 16)

    def generate_span_id(self) -> int:
        """Return one that no other span has."""
        return secrets.randbits(64) or 1

    def is_trace_id_random(self) -> bool:
        """Who samples must not rely on it."""
        return False


class Spans:
    """Makes spans of events and gives them to a ``processor`` of the SDK.

    A run that continues in another process has a span of each, in one trace. The calls of a model
    lie where its answers were reported: their time with all retries is not known.
    """

    def __init__(self, processor: Any, settings: RunSettings, mask: Callable[[str], str]) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        resource = Resource.create()
        if str(resource.attributes["service.name"]).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": "cairn"}))
        self._api, self._ids, self._mask = trace, _Ids(), mask
        self._provider = TracerProvider(
            resource=resource, id_generator=self._ids, shutdown_on_exit=False
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("cairn", version_of_cairn())
        server = urlsplit(settings.openai_base_url)
        self._model = settings.cairn_model
        self._call: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",  # whose API it is; the address says who serves it
            "server.address": server.hostname or "",
            "server.port": server.port or (443 if server.scheme == "https" else 80),
        }
        self._states: dict[str, RunState] = {}
        self._open: dict[tuple[str, ...], Any] = {}

    async def emit(self, event: Event) -> None:
        """Begin and end spans."""
        run, task = event.run, event.task
        of_task = (run, task) if task else (run,)
        match event:
            case RunRecalled(state=state) | Advanced(state=state):
                self._states[run] = state
            case NodeStarted(node=node):
                about = {"cairn.run": run}
                self._begin((run,), "run", about)
                if task:
                    about["cairn.task"] = self._mask(self._states[run].task_of(task).name)
                    self._begin(of_task, "task", about)
                self._begin((*of_task, node), node, about)
            case NodeFinished(node=node, outcome=outcome):
                self._end((*of_task, node), outcome)
            case TaskChanged(status=status) if status != Status.IN_PROGRESS:
                self._end(of_task, status)
            case RunChanged(status=status) if (run,) in self._open and status != "started":
                self._end_all(run, status)
                del self._states[run]
            case ModelAnswered(node=node, asked=asked, exchange=made):
                found = {
                    "gen_ai.response.model": made.model,
                    "gen_ai.response.finish_reasons": (made.finish_reason,),
                    "gen_ai.usage.input_tokens": made.prompt_tokens,
                    "gen_ai.usage.output_tokens": made.completion_tokens,
                    "cairn.retries": made.retries,
                    **(
                        {"gen_ai.usage.cache_read.input_tokens": made.cached} if made.cached else {}
                    ),
                    **({} if made.cost is None else {"cairn.cost_usd": made.cost}),
                }
                self._called((*of_task, node), asked, found, made.seconds)
            case ModelFailed(node=node, model=asked):
                self._called((*of_task, node), asked, {"error.type": "_OTHER"}, 0.0)

    def close(self) -> None:
        """Send what is left, within the exporter's own time limit."""
        for run in self._states:
            self._end_all(run, "interrupted")
        self._provider.shutdown()

    def _begin(self, key: tuple[str, ...], name: str, about: Mapping[str, object]) -> None:
        if key not in self._open:
            self._ids.run = key[0]
            within, said = self._within(key[:-1]), dict(about)
            self._open[key] = self._tracer.start_span(name, context=within, attributes=said)

    def _within(self, key: tuple[str, ...]) -> Any:
        """The context of what begins below a span; a new trace where there is none."""
        parent = self._open.get(key, self._api.INVALID_SPAN)
        return self._api.set_span_in_context(parent)

    def _end(self, key: tuple[str, ...], outcome: str) -> None:
        if span := self._open.pop(key, None):
            span.set_attribute("cairn.outcome", outcome)
            span.end()

    def _end_all(self, run: str, outcome: str) -> None:
        for key in [each for each in reversed(self._open) if each[0] == run]:
            self._end(key, outcome)

    def _called(
        self, key: tuple[str, ...], asked: str, found: Mapping[str, object], seconds: float
    ) -> None:
        model = asked or self._model
        span = self._tracer.start_span(
            f"chat {model}",
            context=self._within(key),
            kind=self._api.SpanKind.CLIENT,
            attributes={**self._call, "gen_ai.request.model": model, **found},
            start_time=time.time_ns() - int(seconds * 1e9),
        )
        if "error.type" in found:
            span.set_status(self._api.StatusCode.ERROR)
        span.end()
