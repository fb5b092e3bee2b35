"""Every sentence about runs on a checkout and their proposals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.local.runs import PendingProposal
from app.terminal import one_line, printable
from runner.files.decisions import KnownRun
from runner.loop.problems import StartCommands
from runner.ports import Decision
from runner.state.proposal import Proposal, Strategy, as_item
from runner.state.status_words import RUNS
from runner.text.sanitize import cut_middle

ON_A_CHECKOUT = StartCommands("cairn run", "cairn run --roadmap ", "cairn roadmap normalize ")
INTERRUPTED = (
    "Interrupted. What was committed stays, and the task in hand is kept where it was. Type "
    "`cairn resume` to go on with it."
)
STOPPED = "it was interrupted (Ctrl-C)"
STOPPING = (
    "Stopping as soon as the step in hand is done, so that an answer that is paid for is kept. "
    "Ctrl-C again stops at once; `cairn resume` goes on either way."
)
MODEL_TODO = "Start a model server there, or set OPENAI_BASE_URL to where one is"
NOTHING_TO_RESUME = "No run of this folder waits to be taken up. Type `cairn run` to start one."
NO_PROPOSAL = "No proposal waits for a decision here. `cairn status` shows the runs of this folder."
NO_RUN = "No run was begun in this folder. `cairn run --dry-run` shows what one would do."
SAME_TASK = "The list has the same task again; say in other words what is to be done."
NO_TASKS = "No task is in the list, so nothing was decided."
_DOES: dict[Strategy, str] = {
    "rewrite": "replace the task in the roadmap by the one below, then work on it",
    "decompose": "replace the task in the roadmap by the ones below, then work on them in order",
    "defer": "try the task once more after the others",
    "skip": "leave the task out of this run",
    "escalate": "leave the task to you: it stays open and unticked",
}
_MOST_EVIDENCE = 12
_LONGEST = 4_000
_LINE = 300


def no_answer(said: str) -> str:
    """The model cannot be asked at all, and nothing was begun."""
    return f"{said}. {MODEL_TODO}; `cairn doctor` looks at it. Nothing was changed."


def nothing_changed(said: str) -> str:
    """A new run ended at its first question."""
    return f"{said.rstrip('.')}, then run again. Nothing was changed."


def tests_cannot_start(said: str) -> str:
    """Every task would be paid for, and none could be verified."""
    return f"Nothing was changed, and nothing was spent. {said}"


def not_writable(folder: object) -> str:
    """Neither files nor commits can be made here."""
    return (
        f"{folder} cannot be written by this user, so no task can be finished in it. Change its "
        "owner or permissions, or work on a copy. Nothing was changed."
    )


def unfinished_notice(run: KnownRun) -> str:
    """Before a new run begins although an older one could go on."""
    stands = RUNS[run.state].sentence
    return f"Run {run.id} {stands}; `cairn resume {run.id}` goes on with it. This one is new."


def proposal_lines(waiting: PendingProposal) -> Iterator[str]:
    """A proposal as a person judges it; safe to print."""
    proposal, task, state = waiting.proposal, waiting.state.task, waiting.state
    what = "needs approval" if proposal.kind == "changes" else proposal.strategy.upper()
    yield f"Proposal {proposal.id}: {what}"
    yield f"Task:  {one_line(task.name)} {one_line(task.title)} "
    yield f"       ({one_line(state.request.roadmap)}, line {task.line})"
    yield f"Why:   {one_line(proposal.explanation)[:_LONGEST]} ({proposal.reason})"
    for line in proposal.evidence[:_MOST_EVIDENCE]:
        yield f"       {one_line(line)[:_LINE]}"
    yield f"Yes would: {_does(proposal)}"
    for path in sorted(proposal.changes.files) if proposal.kind == "changes" else ():
        yield f"       {one_line(path)}"
    for new in proposal.replacements:
        yield cut_middle(printable(as_item(new)), _LONGEST)


def how_to_answer(found: Sequence[PendingProposal]) -> Iterator[str]:
    """What waits, and what to type; nothing when nothing does."""
    for each in found:
        proposal, task = each.proposal, each.state.task
        name = f"{one_line(task.name)} {one_line(task.title)}"[:120]
        what = "needs approval" if proposal.kind == "changes" else proposal.strategy.upper()
        if each.decision:
            said = decided(each.decision)
            yield f"{proposal.id} {what}: {name}. {said} `cairn resume` applies it."
            continue
        not_asked = "Nothing was applied (approval mode review_only). " if each.published else ""
        yield (
            f"{proposal.id} {what}: {name}. {not_asked}To decide: cairn approve {proposal.id} (or"
            " reject, edit), then cairn resume"
        )


def decided(decision: Decision) -> str:
    """Who decided what."""
    why = f": {one_line(decision.why)}" if decision.why else ""
    return f"Decided ({decision.verdict}) by {one_line(decision.by)}{why}."


def stored(waiting: PendingProposal, verdict: str, *, goes_on: bool = False) -> str:
    """A decision was stored; it is applied at once if the run ``goes_on`` now."""
    begin = f"{waiting.proposal.id}: {verdict} is stored."
    if goes_on:
        return begin
    if waiting.run.state == "working":
        return f"{begin} The run applies it by itself."
    return f"{begin} Type `cairn resume {waiting.run.id}` to apply it."


def too_late(waiting: PendingProposal, first: Decision) -> str:
    """Another decision was first."""
    return (
        f"Proposal {waiting.proposal.id} is decided already, and the first one counts. "
        + decided(first)
    )


def which(found: Sequence[PendingProposal]) -> str:
    """There are several."""
    return "Say which proposal you mean:\n" + "\n".join(how_to_answer(found))


def unknown(word: str, found: Sequence[PendingProposal]) -> str:
    """There is none of that name."""
    said = f"There is no proposal {one_line(word)[:60]!r} in this folder."
    return f"{said} {which(found)}" if found else f"{said} {NO_PROPOSAL}"


def stale(word: str, now: str) -> str:
    """It was replaced by a newer one, or its task went on."""
    begin = f"Proposal {word} does not hold any more: "
    if now:
        return f"{begin}the task changed, and proposal {now} is about it as it is now."
    return f"{begin}its task was decided about, or its run is over."


def _does(proposal: Proposal) -> str:
    if proposal.kind == "changes":
        return "write these files and run the tests"
    return _DOES[proposal.strategy]
