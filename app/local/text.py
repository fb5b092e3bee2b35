"""Every sentence about runs on a checkout and their proposals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.local.runs import PendingProposal
from app.terminal import one_line, printable
from runner.config.model import CONFIG_PATH
from runner.config.reading import ConfigError
from runner.files.decisions import KnownRun
from runner.git.own_settings import OwnSettings
from runner.loop.problems import StartCommands
from runner.people.recovery_sentences import approval_does, new_evidence
from runner.ports import Decision
from runner.state.proposal import Proposal, as_item
from runner.state.run_state import Attempt
from runner.state.status_words import DECISIONS, RUNS
from runner.text.sanitize import cut_middle

ON_A_CHECKOUT = StartCommands("cairn run", "cairn run --roadmap ", "cairn roadmap normalize ")
INTERRUPTED = (
    "Interrupted. Commits stay, and the current task is kept as far as it got. Type "
    "`cairn resume` to continue."
)
NOT_BEGUN = (
    "Interrupted before the run began, so there is nothing to resume. Type `cairn run` again."
)
NOT_CONTINUED = (
    "Interrupted before a run continued. Nothing has changed; type `cairn resume` again."
)
MODEL_TODO = "Start a model server there, or set OPENAI_BASE_URL to the address of one"
NOTHING_TO_RESUME = "There is no run to resume in this folder. Type `cairn run` to start one."
NO_PROPOSAL = (
    "No proposal is waiting for a decision here. `cairn status` shows the runs of this folder."
)
NO_RUN = "There is no run in this folder yet. `cairn run --dry-run` shows what one would do."
SAME_TASK = "The list has the same task again; describe it in other words."
NO_TASKS = "The list has no task, so nothing was decided."
_MOST_EVIDENCE = 12
_LONGEST = 4_000
_LINE = 300


def no_answer(text: str) -> str:
    """The model cannot be asked at all, so nothing was started."""
    begun = f"{text[:1].upper()}{text[1:]}"
    return f"{begun}. {MODEL_TODO}; `cairn doctor` checks it. Nothing was changed."


def nothing_changed(text: str) -> str:
    """A new run ended at its first question."""
    return f"{text.rstrip('.')}, then run again. Nothing was changed."


def tests_cannot_start(text: str) -> str:
    """Every task would cost money, and none could be verified."""
    return f"Nothing was changed, and nothing was spent. {text}"


def not_writable(folder: object) -> str:
    """Neither files nor commits can be made here."""
    return (
        f"You do not have permission to write to {folder}, so no task can be "
        "finished there. Change its owner or permissions, or work on a copy. Nothing was changed."
    )


def unfinished_notice(run: KnownRun) -> str:
    """Before a new run begins although an older one could continue."""
    stands = RUNS[run.state].sentence
    return f"Run {run.id} {stands}; `cairn resume {run.id}` continues it. This is a new run."


def proposal_lines(waiting: PendingProposal) -> Iterator[str]:
    """A proposal as a person judges it; safe to print."""
    proposal, task, state = waiting.proposal, waiting.state.task, waiting.state
    yield _kind(proposal)
    yield f"Task:  {one_line(task.name)} {one_line(task.title)} "
    yield f"       ({one_line(state.request.roadmap)}, line {task.place.line})"
    yield from _reasons(proposal, state.attempt)
    yield f"If you approve: {approval_does(proposal, merged=False)}"
    if waiting.so_far:
        yield waiting.so_far
    for path in sorted(proposal.changes.files) if proposal.kind == "changes" else ():
        yield f"       {one_line(path)}"
    for new in proposal.replacements:
        yield cut_middle(printable(as_item(new)), _LONGEST)


def former_proposal_lines(proposal: Proposal, attempt: Attempt) -> Iterator[str]:
    """A proposal of an attempt that nobody needs to decide on any more; safe to print."""
    yield _kind(proposal)
    yield from _reasons(proposal, attempt)
    yield "Nobody needs to decide on it any more: that was done, or a newer run took up the task."


def _kind(proposal: Proposal) -> str:
    what = "needs approval" if proposal.kind == "changes" else proposal.strategy.upper()
    return f"Proposal {proposal.id}: {what}"


def _reasons(proposal: Proposal, attempt: Attempt) -> Iterator[str]:
    name = "" if proposal.reason == "unknown" else f" ({proposal.reason})"
    yield f"Why:   {one_line(proposal.explanation)[:_LONGEST]}{name}"
    for line in new_evidence(proposal, attempt)[:_MOST_EVIDENCE]:
        yield f"       {one_line(line)[:_LINE]}"


def how_to_accept(names: Sequence[str], branch: str = "", verdict: str = "") -> str:
    """Which tasks are in review, and what to type; ``branch`` is theirs if it is not checked out.

    ``verdict`` is that of the only one.
    """
    shown = ", ".join(one_line(name)[:120] for name in names[:20])
    one = len(names) == 1
    which = f"Task {shown} is" if one else f"{len(names)} tasks are"
    listed = "" if one else f" ({shown}{', …' if len(names) > 20 else ''})"
    task, because = (shown, f" ({verdict})") if verdict else ("TASK", "")
    switch = f" Switch to branch {one_line(branch)}, then type" if branch else " Type"
    return (
        f"{which} in review{listed}: no test shows that {'it is' if one else 'they are'} "
        f"done{because}.{switch} `cairn show {task}` to see a change, `cairn accept {task}` to "
        f"tick its box, or `cairn undo {task}` to take it back."
    )


def how_to_answer(found: Sequence[PendingProposal]) -> Iterator[str]:
    """Which proposals wait, and what to type."""
    for each in found:
        proposal, task = each.proposal, each.state.task
        name = f"{one_line(task.name)} {one_line(task.title)}"[:120]
        what = "needs approval" if proposal.kind == "changes" else proposal.strategy.upper()
        if each.decision:
            answer = decided(each.decision)
            yield f"{proposal.id} {what}: {name}. {answer} `cairn resume` applies it."
            continue
        not_asked = "Nothing was applied (approval mode review_only). " if each.published else ""
        yield (
            f"{proposal.id} {what}: {name}. {not_asked}To see it: cairn show {proposal.id}. To"
            f" decide: cairn approve {proposal.id} (or reject, edit), then cairn resume"
        )


def decided(decision: Decision) -> str:
    """Who decided what."""
    why = f": {one_line(decision.why)}" if decision.why else ""
    return f"{DECISIONS[decision.verdict].capitalize()} by {one_line(decision.by)}{why}."


def stored(waiting: PendingProposal, verdict: str, *, goes_on: bool = False) -> str:
    """A decision was stored; it is applied at once if the run ``goes_on`` now."""
    begin = f"{waiting.proposal.id}: {verdict} is stored."
    if goes_on:
        return begin
    if waiting.run.state == "working":
        return f"{begin} The run applies it automatically."
    return f"{begin} Type `cairn resume {waiting.run.id}` to apply it."


def too_late(waiting: PendingProposal, first: Decision) -> str:
    """Another decision was first."""
    return (
        f"Proposal {waiting.proposal.id} is already decided, and the first decision counts. "
        + decided(first)
    )


def which(found: Sequence[PendingProposal]) -> str:
    """There are several."""
    return "Say which proposal you mean:\n" + "\n".join(how_to_answer(found))


def unknown(word: str, found: Sequence[PendingProposal]) -> str:
    """There is no proposal of that name."""
    text = f"There is no proposal {one_line(word)[:60]!r} in this folder."
    return f"{text} {which(found)}" if found else f"{text} {NO_PROPOSAL}"


def nothing_called(word: str, runs: Sequence[str]) -> str:
    """No run, task or proposal has this name."""
    shown = ", ".join(runs[:5])
    return (
        f"No run here is called {one_line(word)[:60]!r}, and none worked on such a task or made "
        f"such a proposal. The newest runs: {shown}. `cairn roadmap show` lists the tasks."
    )


def not_finished(
    word: str, names: Sequence[str], reviewing: Sequence[str], elsewhere: str, every: Sequence[str]
) -> str:
    """The roadmap has no finished task of this name, and none in review."""
    shown = ", ".join(one_line(name) for name in names[:20]) or "none"
    begin = f"The roadmap has no finished task called {one_line(word)[:60]!r}. Finished tasks: "
    more = _meant(word, elsewhere, every)
    return f"{begin}{shown}.{_in_review(reviewing)}{more} Nothing was changed."


def not_in_review(
    word: str, reviewing: Sequence[str], elsewhere: str, every: Sequence[str], *, ticked: bool
) -> str:
    """There is no task of this name that a person can accept.

    ``elsewhere`` is the branch where it is in review ('': none), ``every`` names all tasks.
    """
    name, others = one_line(word)[:60], _in_review(reviewing)
    if ticked:
        why = f"The box of task {name} is ticked already.{others}"
    else:
        why = f"No task {name} is in review.{others}" if others else _NO_REVIEW
    return f"{why}{_meant(word, elsewhere, every)} Nothing was changed."


def _meant(word: str, elsewhere: str, every: Sequence[str]) -> str:
    """Where the task of this name is in review, or which tasks have names that begin like it."""
    if elsewhere:
        branch = one_line(elsewhere)
        return f" Task {one_line(word)[:60]} is in review on branch {branch}; check that out first."
    alike = [] if word in every else [one_line(name) for name in every if name.startswith(word)]
    return (
        f" No task is called {one_line(word)[:60]!r}. Did you mean {_or(alike[:5])}?"
        if alike
        else ""
    )


def _or(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_NO_REVIEW = "No task is in review on the branch that is checked out."


def _in_review(names: Sequence[str]) -> str:
    return f" In review: {', '.join(map(one_line, names[:20]))}." if names else ""


def accepted(names: Sequence[str], commit: str) -> str:
    """What was ticked."""
    shown = ", ".join(map(one_line, names))
    what, boxes = ("task", "its box") if len(names) == 1 else ("tasks", "their boxes")
    return f"Accepted {what} {shown} (commit {commit[:12]}) and ticked {boxes}."


def not_ours(task: str) -> str:
    """No commit of Cairn's ticked the task."""
    return (
        f"Cairn made no commit that finished task {one_line(task)} on this branch, so there is "
        "nothing to take back. Nothing was changed."
    )


def in_the_way(paths: Sequence[str]) -> str:
    """Uncommitted changes would be overwritten."""
    shown = ", ".join(map(one_line, paths))
    return f"There are uncommitted changes in {shown}. Commit or stash them first."


ACCEPT_CUT = "Interrupted. If the box in the roadmap is ticked now, the task is accepted."
MOVED_MEANWHILE = "The branch or the roadmap has just changed. Nothing was accepted; try again."
NOT_SHOWN = "Interrupted before there was a question to show. Nothing was asked."
ONLY_SHOWN = "the question is only shown"
NO_QUESTION = (
    "A run would ask nothing: there is no task to work on. `cairn run --dry-run` says more."
)
TESTING = "Running the tests without the task …"
UNDO_INTERRUPTED = "Interrupted. Nothing was undone."
UNDO_CUT = (
    "Interrupted while the task was taken back. If its checkbox in the roadmap is open now, that "
    "is done; otherwise type `cairn undo` again."
)
CHANGED_MEANWHILE = (
    "The branch, or a file of the task, changed while the tests ran. Nothing was undone; commit or "
    "stash what is not committed, and type `cairn undo` again."
)
ALL_WELL = "The tests pass without it."


def not_tested(why: str) -> str:
    """No test says whether the project works without the task."""
    return f"The tests were not run: {one_line(why).rstrip('.')}."


def taken_back(name: str, commit: str, paths: Sequence[str], tests: str) -> str:
    """What was undone, and what the tests say about that."""
    shown = ", ".join(map(one_line, paths))
    return (
        f"Took back task {one_line(name)} (commit {commit[:12]}): {shown}. The task is open again. "
        f"{tests}"
    )


def stale(word: str, now: str) -> str:
    """It was replaced by a newer one, or its task continued."""
    begin = f"Proposal {word} is no longer open: "
    if now:
        return f"{begin}the task changed, and proposal {now} has taken its place."
    return f"{begin}its task was decided, or its run is over."


def programs_not_run(found: OwnSettings) -> str:
    """Say which hooks and programs of the repository never run; '' where it has none."""
    hooks = f"this repository's git hooks ({', '.join(found.hooks)})" if found.hooks else ""
    names = ", ".join(found.unused)
    programs = f"the programs that its git configuration names ({names})" if names else ""
    what = " and ".join(filter(None, (hooks, programs)))
    return f"Cairn commits without {what}." if what else ""


def config_faults(error: ConfigError) -> str:
    """What is wrong with the committed configuration, and where."""
    return f"{CONFIG_PATH} in the commit you are on has errors:\n{error}"
