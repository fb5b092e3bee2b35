"""How people read the status of tasks, runs, checks and proposals: one set of words.

Every place that shows a status takes its word, its sign and its colour from here. Programs get the
status itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from runner.state.run_state import Status, TaskElsewhere

Tone = Literal["done", "failed", "now", "waiting", "other"]
"""What colour a status has, wherever colours can be shown."""


@dataclass(frozen=True, slots=True)
class TaskWord:
    """A task's status: its ``text``, a ``sign`` for tables, its ``tone``.

    ``refusal`` says why a run that was asked for this task by name does not take it up.
    """

    text: str
    sign: str
    tone: Tone = "other"
    refusal: str = ""


TASKS: Mapping[Status, TaskWord] = {
    Status.PENDING: TaskWord("pending", "⬜"),
    Status.IN_PROGRESS: TaskWord("in progress", "⏳", "now"),
    Status.IN_REVIEW: TaskWord(
        "in review",
        "👀",
        refusal="is already in review: a person has to merge its pull request, or to accept or "
        "undo its commit",
    ),
    Status.COMPLETED: TaskWord(
        "completed", "✅", "done", "is already done: its checkbox is ticked"
    ),
    Status.FAILED: TaskWord("failed", "❌", "failed"),
    Status.DEFERRED: TaskWord("deferred", "⏭️"),
    Status.SKIPPED: TaskWord("skipped", "⏭️"),
    Status.BLOCKED: TaskWord("blocked", "⛔", "failed"),
    Status.DECLINED: TaskWord(
        "declined",
        "🚫",
        "failed",
        "was declined: its pull request was closed without a merge",
    ),
    Status.AWAITING_APPROVAL: TaskWord(
        "awaiting approval", "✋", "waiting", "is waiting for a decision on its proposal"
    ),
    Status.REPLACED: TaskWord("replaced", "🔁"),
}


@dataclass(frozen=True, slots=True)
class RunWord:
    """A run's status: its ``text``, its ``tone``, and what a person can do about it (``advice``).

    ``verb`` goes before the text in a sentence: "Run x is waiting", "Run x was cancelled".
    """

    text: str
    tone: Tone
    advice: str = ""
    verb: Literal["is", "was", "has"] = "is"

    @property
    def sentence(self) -> str:
        """What follows the run's name in a sentence."""
        return f"{self.verb} {self.text}"


RUNS: Mapping[str, RunWord] = {
    "queued": RunWord(
        "queued",
        "waiting",
        "It starts automatically. Comment `/execute cancel` on the run's issue to remove it from "
        "the queue.",
    ),
    "started": RunWord("running", "now"),
    "running": RunWord("running", "now"),
    "working": RunWord("running", "now"),
    "pausing": RunWord(
        "pausing",
        "waiting",
        "It pauses after the current step. Comment `/execute resume` on the run's issue to "
        "continue.",
    ),
    "paused": RunWord(
        "paused",
        "waiting",
        "Nothing is lost. Comment `/execute resume` on the run's issue to continue.",
    ),
    "interrupted": RunWord("interrupted", "waiting", verb="was"),
    "stopped": RunWord("stopped", "waiting", verb="was"),
    "waiting": RunWord(
        "waiting",
        "waiting",
        "It continues when somebody decides on a proposal, or merges or closes a pull request.",
    ),
    "cancelling": RunWord(
        "cancelling", "waiting", "It stops after the current step. What is published stays."
    ),
    "cancelled": RunWord(
        "cancelled",
        "failed",
        "What is published stays. Comment `/execute` on an issue to start a new run.",
        "was",
    ),
    "timed_out": RunWord(
        "timed out",
        "failed",
        "Its tasks are still open. Comment `/execute` on an issue to start a new run.",
        "has",
    ),
    "ended": RunWord("ended", "done", verb="has"),
    "refused": RunWord("not started", "failed", verb="was"),
}
"""By the names that runs are stored under, on a server and on a checkout, and of their events."""

CHECKS: Mapping[str, str] = {"passed": "✅ passed", "failed": "❌ failed", "skipped": "⏭️ skipped"}
"""The result of one level of verification."""

CHECK_TONES: Mapping[str, Tone] = {"passed": "done", "failed": "failed", "skipped": "other"}
"""The colour of the result of one level."""

OUTCOMES: Mapping[str, str] = {
    "applied": "applied",
    "waiting": "waiting for a decision",
    "closed": "not applied",
    "published": "proposed only, nothing was applied",
}
"""What became of a proposal, shown with its run."""

PROPOSALS: Mapping[str, str] = {
    "approved": "was approved",
    "rejected": "was rejected",
    "superseded": "was superseded",
    "closed": "is closed: its run ended or went on without a decision",
    "expired": "is closed: nobody answered it in time, so the task was deferred",
}
"""Why a decision about a proposal comes too late."""


DECISIONS: Mapping[str, str] = {
    "approve": "approved",
    "reject": "rejected",
    "skip": "skipped",
    "edit": "edited",
    "defer": "put off",
    "pushed": "pushed",
}
"""What somebody did with a proposal, by the verdict."""


STEPS: Mapping[str, str] = {
    "parse_roadmap": "reads the roadmap",
    "decide_next": "chooses the next task",
    "pick_task": "takes up the task",
    "retry_deferred": "takes up a deferred task",
    "plan_task": "asks the model for a plan",
    "build_context": "looks for the code the model needs to see",
    "execute_task": "asks the model for code",
    "validate_code": "checks the answer",
    "repair_code": "asks the model to repair its answer",
    "write_files": "writes the files",
    "verify_task": "runs the tests",
    "repair_test": "asks the model about failing tests",
    "checkpoint": "publishes the change",
    "classify_failure": "looks for the reason for the failure",
    "propose_recovery": "makes a proposal",
    "await_approval": "asks people for a decision",
    "apply_recovery": "does what was decided",
    "generate_report": "writes the report",
}
"""What Cairn does at each node of the loop."""


def task_word(status: Status | str, *, shown: bool = True) -> str:
    """A task's status in words; ``shown`` says whether tests show that a completed one is done."""
    text = TASKS[Status(status)].text
    return text if shown or status != Status.COMPLETED else f"{text} (not shown)"


def run_word(status: str) -> str:
    """A run's status in words."""
    return RUNS[status].text


def tone_of(status: str) -> Tone:
    """The colour of the status of a run or of a task."""
    known = RUNS.get(status) or TASKS.get(Status(status))
    return known.tone if known else "other"


def waits_elsewhere(needed: TaskElsewhere) -> str:
    """What a task of another project keeps waiting, and what to do."""
    first = f": merge #{needed.pull} first" if needed.pull else ""
    unknown = ", which that project's plan does not have" if not needed.known else ""
    return f"waits for `{needed.name}`{first or unknown}"
