"""What Prometheus reads: counters of what runs did since the start, and how much there is now.

The format: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format. It is
written here, because a library for it would bring its own threads and globals for twenty lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.store.counts import StoreCounts
from runner.ports import Clock
from runner.state.events import Event, ModelAnswered, NodeFinished, RunChanged, Verified

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_MOST = 200
"""Different labels of one metric; more are counted together as ``other``."""

_HELP: Mapping[str, tuple[str, str]] = {
    "cairn_info": ("gauge", "The version of this server."),
    "cairn_runs": ("gauge", "Runs by status."),
    "cairn_wakeups": ("gauge", "Wakeups of runs by status; waiting is the length of the queue."),
    "cairn_queue_oldest_seconds": ("gauge", "How long the oldest waiting wakeup has waited."),
    "cairn_deliveries": (
        "gauge",
        "Webhook deliveries by status; those stored are not handled yet.",
    ),
    "cairn_proposals_open": ("gauge", "Proposals that wait for a decision."),
    "cairn_events": (
        "gauge",
        "Events for your webhook, and notices, by status; those waiting are not taken yet.",
    ),
    "cairn_run_changes_total": ("counter", "Runs that started, paused, rested or ended."),
    "cairn_node_finished_total": ("counter", "Nodes that finished, by outcome."),
    "cairn_node_seconds_total": ("counter", "Wall time of nodes."),
    "cairn_model_calls_total": ("counter", "Answers of models."),
    "cairn_model_seconds_total": ("counter", "Wall time of answers."),
    "cairn_model_tokens_total": ("counter", "Tokens of prompts and of answers."),
    "cairn_model_cached_tokens_total": (
        "counter",
        "Tokens of prompts that came from the endpoint's cache.",
    ),
    "cairn_model_dollars_total": ("counter", "What answers with a known price cost, in USD."),
    "cairn_model_unpriced_total": ("counter", "Answers without a known price."),
    "cairn_verifications_total": ("counter", "Verifications of changes, by result."),
}

Labels = tuple[tuple[str, str], ...]


@dataclass
class RunMetrics:
    """Counts what runs report (``Events``). Labels have names of nodes and models, nothing else."""

    counters: dict[str, dict[Labels, float]] = field(default_factory=dict)

    async def emit(self, event: Event) -> None:
        """Count an event."""
        match event:
            case RunChanged(status=status):
                self._add("cairn_run_changes_total", 1, status=status)
            case NodeFinished(node=node, outcome=outcome, usage=used):
                self._add("cairn_node_finished_total", 1, node=node, outcome=outcome)
                self._add("cairn_node_seconds_total", used.seconds, node=node)
            case Verified(verification=found, tested="change"):
                result = "passed" if found.passed else "failed"
                self._add("cairn_verifications_total", 1, result=result)
            case ModelAnswered():
                self._answered(event)

    def _answered(self, event: ModelAnswered) -> None:
        exchange, model = event.exchange, event.exchange.model
        self._add("cairn_model_calls_total", 1, model=model, node=event.node)
        self._add("cairn_model_seconds_total", exchange.seconds, model=model)
        self._add("cairn_model_tokens_total", exchange.prompt_tokens, model=model, kind="prompt")
        self._add(
            "cairn_model_tokens_total", exchange.completion_tokens, model=model, kind="answer"
        )
        if exchange.cached:  # a part of the prompt's
            self._add("cairn_model_cached_tokens_total", exchange.cached, model=model)
        if exchange.cost is None:
            self._add("cairn_model_unpriced_total", 1, model=model)
        else:
            self._add("cairn_model_dollars_total", exchange.cost, model=model)

    def _add(self, name: str, amount: float, **labels: str) -> None:
        values = self.counters.setdefault(name, {})
        key: Labels = tuple(labels.items())
        if key not in values and len(values) >= _MOST:
            key = tuple((label, "other") for label in labels)
        values[key] = values.get(key, 0.0) + amount


def exposition(metrics: RunMetrics, counts: StoreCounts, clock: Clock, version: str) -> str:
    """Return everything in Prometheus' text format."""
    waited = (clock.now() - counts.waits_since).total_seconds() if counts.waits_since else 0.0
    values: dict[str, Mapping[Labels, float]] = {
        "cairn_info": {(("version", version),): 1},
        "cairn_runs": _by_status(counts.runs),
        "cairn_wakeups": {(("status", "waiting"),): 0, **_by_status(counts.wakeups)},
        "cairn_queue_oldest_seconds": {(): max(0.0, waited)},
        "cairn_deliveries": {(("status", "stored"),): 0, **_by_status(counts.deliveries)},
        "cairn_events": _by_status(counts.events),
        "cairn_proposals_open": {(): counts.open_proposals},
        **metrics.counters,
    }
    return "".join(line for name in _HELP for line in _written(name, values.get(name, {})))


def _by_status(rows: Mapping[str, int]) -> dict[Labels, float]:
    return {(("status", status),): number for status, number in sorted(rows.items())}


def _written(name: str, values: Mapping[Labels, float]) -> Iterator[str]:
    kind, text = _HELP[name]
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in values.items():
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
        number = f"{value:.6f}".rstrip("0").rstrip(".")
        yield f"{name}{{{inside}}} {number}\n" if inside else f"{name} {number}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
