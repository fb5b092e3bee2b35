"""Spans of runs: what they say, how they lie within each other, and that they are really sent."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app.settings import RunSettings
from app.traces import Spans, wanted
from runner.money import Usage
from runner.roadmap.parse import parse_roadmap
from runner.state.events import (
    Advanced,
    Event,
    Exchange,
    ModelAnswered,
    ModelFailed,
    NodeFinished,
    NodeStarted,
    RunChanged,
    RunRecalled,
    TaskChanged,
)
from runner.state.options import Options, Request
from runner.state.run_state import RunState
from tests.app.checkout import Checkout
from tests.app.cli.test_resume import TWO

ANSWER = Exchange("gpt-x-1", "the question", "the answer", 120, 30, "stop", 2.5, 1, 0.01)
ROADMAP = parse_roadmap("ROADMAP.md", b"- [ ] 1.1 Use the s3cret\n")
STATE = RunState(Request("r1", "ROADMAP.md", Options()), roadmap=ROADMAP)
(TASK,) = (task.key for task in ROADMAP.tasks)
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


def finished(node: str, task: str, outcome: str = "ok") -> NodeFinished:
    return NodeFinished("r1", task, node, outcome, Usage())


def a_run() -> list[Event]:
    """What a run of one task tells: it reads the roadmap, asks twice, and is paused."""
    return [
        RunRecalled("r1", "", STATE),
        RunChanged("r1", "", "started"),
        NodeStarted("r1", "", "parse_roadmap"),
        finished("parse_roadmap", ""),
        NodeStarted("r1", TASK, "generate"),
        ModelFailed("r1", TASK, "generate", "", "the question", "the question is too long"),
        ModelAnswered("r1", TASK, "generate", ANSWER, "gpt-x"),
        finished("generate", TASK),
        Advanced("r1", TASK, STATE),
        TaskChanged("r1", TASK, 1, "in_progress", "", Usage()),
        TaskChanged("r1", TASK, 1, "completed", "", Usage()),
        NodeStarted("r1", "", "choose"),
        RunChanged("r1", "", "paused", "the model is away"),
    ]


@pytest.fixture
def sent() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(sent: InMemorySpanExporter) -> Spans:
    settings = RunSettings(OPENAI_BASE_URL="http://model.example:8000/v1", CAIRN_MODEL="usual")
    return Spans(SimpleSpanProcessor(sent), settings, lambda text: text.replace("s3cret", "***"))


def paths(sent: InMemorySpanExporter) -> dict[str, Any]:
    """The spans by their names, each below those that it lies within."""
    every = {span.context.span_id: span for span in sent.get_finished_spans()}

    def path(span: Any) -> str:
        return f"{path(every[span.parent.span_id])}/{span.name}" if span.parent else span.name

    return {path(span): span for span in every.values()}


async def test_a_run_is_a_tree_of_spans(spans: Spans, sent: InMemorySpanExporter) -> None:
    """Run, task, node, answer; with the names of the conventions, and nothing that was said."""
    for event in a_run():
        await spans.emit(event)
    found = paths(sent)

    assert {path: span.attributes.get("cairn.outcome") for path, span in found.items()} == {
        "run/parse_roadmap": "ok",
        "run/task/generate/chat usual": None,
        "run/task/generate/chat gpt-x": None,
        "run/task/generate": "ok",
        "run/task": "completed",
        "run/choose": "paused",
        "run": "paused",
    }
    asked = found["run/task/generate/chat gpt-x"]
    assert dict(asked.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "gpt-x-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
        "server.address": "model.example",
        "server.port": 8000,
        "cairn.retries": 1,
        "cairn.cost_usd": 0.01,
    }
    assert 2.4e9 < asked.end_time - asked.start_time < 3.5e9
    assert asked.kind.name == "CLIENT"
    failed = found["run/task/generate/chat usual"]
    assert (failed.status.status_code.name, failed.attributes["error.type"]) == ("ERROR", "_OTHER")
    assert found["run/task"].attributes["cairn.task"] == "1.1"
    assert found["run"].resource.attributes["service.name"] == "cairn"
    every = " ".join(span.to_json() for span in found.values())
    for secret in ("the question", "the answer", "s3cret"):
        assert secret not in every


async def test_a_run_that_goes_on_stays_in_its_trace(
    spans: Spans, sent: InMemorySpanExporter
) -> None:
    """In this process or another one; another run has a trace of its own."""
    for event in [*a_run(), *a_run()]:
        await spans.emit(event)
    await spans.emit(RunRecalled("r2", "", STATE))
    await spans.emit(NodeStarted("r2", "", "parse_roadmap"))
    spans.close()

    runs = [span for span in sent.get_finished_spans() if span.name == "run"]
    first, again, other = (span.context.trace_id for span in runs)
    assert first == again != other
    assert runs[-1].attributes["cairn.outcome"] == "interrupted"


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({}, ""),
        ({"OTEL_TRACES_EXPORTER": "none", ENDPOINT: "http://x"}, ""),
        ({"OTEL_SDK_DISABLED": "true", ENDPOINT: "http://x"}, ""),
        ({ENDPOINT: "http://x"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "unknown"),
        ({ENDPOINT: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "unknown"),
    ],
)
def test_the_variables_of_the_standard_decide(environ: dict[str, str], word: str) -> None:
    assert wanted(environ) == word


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, list[Any]]]:
    """A receiver of OTLP over HTTP: its address, and the spans that came."""
    spans: list[Any] = []

    async def take(request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        assert request.headers["x-key"] == "a-secret-key"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            spans.extend(span for scope in resource.scope_spans for span in scope.spans)
        return web.Response()

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    async with TestServer(app, host="127.0.0.1") as server:
        yield f"http://127.0.0.1:{server.port}", spans


async def test_a_run_on_a_checkout_is_traced(here: Checkout) -> None:
    """All of it has arrived when the command ends; the doctor says that it will."""
    async with collector() as (url, spans):
        here.environment |= {ENDPOINT: url, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a-secret-key"}
        here.model.says(TWO)
        said = await here.cairn("run", "--task", "1.2")
        told = await here.cairn("doctor")

    assert said.code == 0, said.err
    assert "Traces are exported by OTLP over HTTP." in told.out
    every = {span.span_id: span for span in spans}

    def path(span: Any) -> str:
        above = every.get(span.parent_span_id)
        return f"{path(above)}/{span.name}" if above else span.name

    within = {"execute_task/chat scripted", "execute_task", "verify_task", "checkpoint"}
    assert {"run", "run/task", *(f"run/task/{each}" for each in within)} <= set(map(path, spans))
    assert len({span.trace_id for span in spans}) == 1
    (asked,) = (span for span in spans if span.name.startswith("chat "))
    numbers = {each.key: each.value.int_value for each in asked.attributes}
    assert numbers["gen_ai.usage.input_tokens"] > 0
    assert "a-secret-key" not in said.err + told.out
