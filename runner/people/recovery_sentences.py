"""Every sentence about why a task failed, what Cairn proposes, and what became of the proposal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from runner.history.statistics import Statistics
from runner.people.history_sentences import strategy_here
from runner.people.sentences import effort, output_of, title_of
from runner.roadmap.task import NewTask
from runner.state.proposal import Proposal, Reason, Strategy
from runner.state.publishing import HumanCommits
from runner.state.recoveries import outcome_of
from runner.state.run_state import Attempt, Failure, RunState
from runner.state.status_words import OUTCOMES
from runner.text.sanitize import cut_middle, inert_line, quotation

_LONGEST_REASON = 240
_MOST_NAMED = 4

WHOSE = ("an existing test: ", "a new test: ")
"""How a line of evidence begins that says of a test whether it is older than the change."""

BECAUSE: dict[Reason, str] = {
    "task_too_vague": "The task does not say what to do",
    "task_too_complex": "The task is too large for one attempt",
    "missing_dependency": "The task needs something that does not exist yet",
    "environment_issue": "The tests need something that is missing from this environment",
    "already_done": "The task is already done",
}
_UNKNOWN = {
    "pattern": "Rewording or reordering the tasks would not help",
    "model": "The model found no cause that rewording or reordering the tasks would fix",
    "nobody": "Cairn found no reason to reword or reorder the tasks",
}
NOT_VAGUE = (
    "the model called the task too vague, but the task names its files and what to write in them, "
    "so Cairn did not rewrite it"
)
WHAT_FOLLOWS: dict[Strategy, str] = {
    "rewrite": "The new text says what to write and how to check that it is done",
    "decompose": "It becomes {parts} tasks, in this order, each of which can be tested on its own",
    "defer": "Cairn tries it once more after the other tasks, with fresh context",
    "skip": "Once the environment has what is missing, comment `/execute retry` to try it again",
    "escalate": "",
}


_DONE = (
    "If nothing is missing, tick the task; otherwise add what is missing to its text and comment "
    "`/execute retry`"
)


def there_already(names: Sequence[str], tests: Sequence[str]) -> str:
    """What shows that a task is done before anything was changed."""
    what = _some([f"`{name}`" for name in names])
    there = f"{what} {'exists' if len(names) == 1 else 'exist'} already, and " if names else ""
    return f"{there}{_some(tests)} {'passes' if len(tests) == 1 else 'pass'} without a change"


def _some(things: Sequence[str]) -> str:
    more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
    return ", ".join(things[:_MOST_NAMED]) + more


def tests_fail(answers: int, red: Sequence[str]) -> str:
    """What still fails, and how much was tried."""
    first = cut_middle(red[0], _LONGEST_REASON)
    more = f" (and {len(red) - 1} more)" if len(red) > 1 else ""
    return f"the tests still fail after {_answers(answers)}: {first}{more}"


def answers_refused(answers: int, reason: str) -> str:
    """Why no answer could be accepted, and how much was tried."""
    why = f": {cut_middle(reason, _LONGEST_REASON)}" if reason else ""
    if answers == 1:
        return f"the model's answer could not be accepted{why}"
    return f"none of the model's {answers} answers could be accepted{why}"


def model_asks(question: str) -> str:
    """What the model wants to know."""
    return f"the model asks: {question}"


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


NEEDS_AN_ANSWER = "only people can answer that; `retry` the task with your answer"


def defer_refused(why: Literal["once", "never"], name: str = "") -> str:
    """Why a task is not deferred."""
    if why == "once":
        return "it was already deferred once, and that did not help"
    return f"it waits for task {name}, which this run will not work on"


def rewrites_refused(why: Literal["deep", "many", "kind"], number: int) -> str:
    """Why no other tasks are proposed."""
    if why == "deep":
        return (
            f"it is already the result of {number} recoveries, so Cairn does not rewrite it again"
        )
    if why == "many":
        return f"recoveries have already added {number} tasks to this run, which is the limit"
    return "it is not an open task, so it cannot be replaced"


def explained(strategy: Strategy, failure: Failure, parts: int, instead: str) -> str:
    """Why, and what is proposed, for somebody with half a minute; the evidence is below."""
    seen = next(iter(failure.evidence), "") if failure.found_by != "nobody" else ""
    why = _because(failure)
    because = (
        f"{why}: {cut_middle(seen, _LONGEST_REASON)}" if seen not in ("", failure.message) else why
    )
    refused = f"Cairn cannot continue on its own: {instead}" if instead else ""
    done = strategy == "skip" and failure.reason == "already_done"
    does = _DONE if done else WHAT_FOLLOWS[strategy].format(parts=parts)
    return " ".join(_ended(part) for part in (because, refused, does) if part)


def _because(failure: Failure) -> str:
    if failure.type == "conflict":
        return "Another task changed the same files at the same time"
    if failure.reason != "unknown":
        return BECAUSE[failure.reason]
    return _UNKNOWN[failure.found_by]


def _ended(text: str) -> str:
    """A complete sentence, on one line."""
    line = " ".join(text.split()).rstrip()
    return line if line.endswith((".", "!", "?")) else f"{line}."


STAYS_OPEN = "The task stays open for you to do."
WHAT_APPROVAL_DOES: dict[Strategy, str] = {
    "rewrite": "Cairn replaces the task in the roadmap with the one below, then works on it.",
    "decompose": "Cairn replaces the task in the roadmap with the ones below, then works on them "
    "in order.",
    "defer": "Cairn tries the task once more after the others.",
    "skip": "Cairn leaves the task out of this run.",
    "escalate": f"{STAYS_OPEN[:-1]}, and this pull request is marked ready for "
    "review. Finish the task on its branch and merge it; or push what you have and comment "
    "`/execute retry`, and Cairn continues from there.",
}
WHY: dict[Reason, str] = {
    "task_too_vague": "the task does not say what to do",
    "task_too_complex": "the task is too large for one attempt",
    "missing_dependency": "the task needs something that does not exist yet",
    "environment_issue": "the environment lacks something the task needs",
    "already_done": "the task is already done",
}
_LONGEST = 4_000
"""Characters of a task that are shown as it was."""

_MOST = 5
CANCELLED = "its run was cancelled; the pull requests of finished tasks stay open"
DONE_BY_PEOPLE = "its task is already done in the roadmap"
WRITTEN = "it was approved, and its change is now part of {url}"
PUSHED_SINCE = "somebody pushed to the branch in the meantime, so the approval does not count"
OTHER_FILES = "it changes files other than {path}"
BOTH_CHANGED = "{paths} changed both there and in what the task builds on"
NO_FILES = "{paths} is a link or a submodule, which Cairn does not write"
NO_PUSH = "it changes nothing"
MERGED_OTHERWISE = (
    "its pull request was merged, but the branch that the run builds on does not contain the "
    "proposed change; comment `/execute retry` to work on the task as it is now"
)
OTHERWISE = "Cairn would write these tasks differently"
_STALE = (
    "The task has changed since the last proposal, so approving that one no longer counts. "
    "This proposal is about the task as it is now."
)
_PUSHED = (
    "Somebody pushed to this branch, so the pushed commit (`{head}`) is now the proposal. Earlier "
    "approvals and rejections no longer count."
)
_HELD = (
    "**You cannot approve this now:** somebody pushed `{head}` to this branch, and {why}. "
    "{advice}, or undo the push. To accept the branch as it is, merge it yourself; to refuse it, "
    "reply `/reject {id} why`."
)
_ADVICE_ON_TASKS = "Make the branch change only the lines of this task in the roadmap"
_ADVICE_ON_CHANGES = "Push a commit that corrects this"
_AS_PROPOSED = (
    "The branch shows Cairn's own proposal again. Earlier approvals and rejections no longer count."
)
_HOW = """\
| to approve | to reject |
| --- | --- |
| 👍 or 🚀 on this comment | 👎 on this comment |
| reply `/approve {id}` | reply `/reject {id} why` |
| approve in a review, or merge | request changes in a review, or close |

To use other tasks instead, reply `/edit {id}` with a list of them."""

_REPORTED = (
    "**Nothing is applied:** this run only reports (`approval_mode: review_only`), so reactions "
    "and replies here change nothing. {take_up}Comment `/execute retry {task}` to try the task "
    "again."
)
_SEE = (
    "The diff shows what happens if you approve. The first comment explains the proposal and how "
    "to decide on it."
)
_SEE_REPORT = (
    "The first comment explains what Cairn proposes. Its run only reports, so nothing is applied."
)
_TAKE_UP = "Merge this pull request to put the proposed tasks into the roadmap. "


def proposal_title(state: RunState) -> str:
    """The title of the pull request that puts a proposal before people."""
    proposal = _of(state)
    what = "needs approval" if proposal.kind == "changes" else proposal.strategy
    return f"{what}: {title_of(state.task)}"


def proposal_body(state: RunState) -> str:
    """What the pull request is for; the proposal itself is its first comment."""
    return (
        f"Task of `{state.request.roadmap}`, line {state.task.place.line}:\n\n"
        f"{quotation(state.task.text)}\n\n"
        f"Cairn could not finish it: {_reason(state)}. {_SEE_REPORT if _reports(state) else _SEE}"
    )


def proposal_comment(
    state: RunState, *, stale: bool = False, past: Statistics | None = None
) -> str:
    """The proposal as a person judges it in half a minute.

    ``past`` says how its strategy did in the repository so far.
    """
    proposal, attempt = _of(state), state.attempt
    parts = [
        _STALE if stale else _after_push(proposal),
        f"### Proposal {proposal.id}: {proposal.strategy.upper()}",
        f"**Why:** {_reason(state)}{_name_of(proposal)}.",
        inert_line(proposal.explanation),
        "" if _reports(state) else f"**If you approve:** {approval_does(proposal, merged=True)}",
        strategy_here(past, proposal.strategy) if past else "",
        before_and_after(proposal),
        _evidence(state, proposal),
        "**How far it got:**\n\n" + effort(attempt),
        output_of(attempt.tested.verification),
        _how_to_decide(state, proposal),
        f"<sub>fingerprint `{proposal.fingerprint}`</sub>",
    ]
    return "\n\n".join(part for part in parts if part)


def recovery_title(state: RunState) -> str:
    """The title of an applied recovery's commit and pull request."""
    return f"{_of(state).strategy}: {title_of(state.task)}"


def recovery_message(state: RunState) -> str:
    """The commit message of an applied recovery, without its trailers."""
    proposal = _of(state)
    return f"{recovery_title(state)}\n\n{inert_line(proposal.explanation)}".strip()


def recovery_body(state: RunState) -> str:
    """The description of an applied recovery's pull request."""
    proposal = _of(state)
    decision = state.attempt.agreed.decision
    by = (
        f"Approved by {inert_line(decision.by)}."
        if decision
        else "Applied without asking, because the approval mode allows it."
    )
    parts = [
        f"**{proposal.strategy.upper()}** of a task in `{state.request.roadmap}`.",
        f"**Why:** {_reason(state)}{_name_of(proposal)}. {inert_line(proposal.explanation)}",
        before_and_after(proposal),
        _evidence(state, proposal),
        by,
    ]
    return "\n\n".join(part for part in parts if part)


def recoveries_text(state: RunState) -> str:
    """Every recovery that replaces a task, with both texts and what became of it; '' for none."""
    parts = []
    for attempt in state.attempts.values():
        proposal = attempt.proposal
        if proposal and proposal.replaces and proposal.replacements:
            name = inert_line(state.task_of(attempt.task).name)
            how = OUTCOMES[outcome_of(attempt, proposal)]
            head = (
                f"**Task {name}: {proposal.strategy}, {how}.** {inert_line(proposal.explanation)}"
            )
            parts.append(f"{head}\n\n{before_and_after(proposal)}")
    return "\n\n".join(parts)


def before_and_after(proposal: Proposal) -> str:
    """The task as people wrote it and what replaces it, safe to publish; '' for nothing."""
    if not proposal.replacements:
        return ""
    kept = " (everything below the task stays)" if proposal.strategy == "rewrite" else ""
    return (
        f"**The task as it was:**\n\n{quotation(cut_middle(proposal.original, _LONGEST))}\n\n"
        f"**What replaces it{kept}:**\n\n{replacement_list(proposal.replacements)}"
    )


def replacement_list(tasks: tuple[NewTask, ...]) -> str:
    """Replacement tasks as a list, safe to publish."""
    lines: list[str] = []
    for task in tasks:
        name = f"**{inert_line(task.id)}** " if task.id else ""
        lines.append(f"- {name}{inert_line(task.text)}")
        lines += [f"  - {inert_line(each)}" for each in (*task.details, *task.acceptance)]
    return "\n".join(lines)


def builds_on(commits: HumanCommits) -> str:
    """What a checkpoint's pull request says about people's work in it."""
    return (
        f"### Made with people\n\nThis continues from what {people_of(commits)} pushed to "
        f"`{inert_line(commits.branch)}` ({commits.url}). Changes to the roadmap there were left "
        "out."
    )


def went_on_from(commits: HumanCommits) -> str:
    """Why an attempt began without a question."""
    return f"continued from what {people_of(commits)} pushed to {commits.branch}"


def left_alone(commits: HumanCommits) -> str:
    """Why people's work is not in the answer."""
    return (
        f"what {people_of(commits)} pushed to {commits.branch} was not used: Cairn could not "
        "repair it"
    )


def conflicting(commits: HumanCommits, paths: Sequence[str]) -> str:
    """Why people's work cannot be used, and what makes it possible."""
    return (
        f"{named_paths(paths)} changed both on {commits.branch} and on the branch that the task "
        f"builds on. Merge that branch into {commits.branch}, resolve the conflict, then comment "
        "`/execute retry` again"
    )


def not_a_file(commits: HumanCommits, paths: Sequence[str]) -> str:
    """Why we cannot use people's work at all."""
    return (
        f"{named_paths(paths)} on {commits.branch} is a link or a submodule, which Cairn does "
        "not write. Merge the branch yourself, or remove it from the branch"
    )


def named_paths(paths: Sequence[str]) -> str:
    """The first few of them."""
    return ", ".join(paths[:_MOST])


def people_of(commits: HumanCommits) -> str:
    """Who pushed it, by name."""
    names = [inert_line(person.partition(" <")[0]) for person in commits.people]
    return ", ".join(names[:_MOST]) or "people"


def _after_push(proposal: Proposal) -> str:
    """What a push to the branch means for the proposal, '' where there was none."""
    head = proposal.pushes.head[:10]
    if proposal.pushes.held:
        advice = _ADVICE_ON_TASKS if proposal.replaces else _ADVICE_ON_CHANGES
        return _HELD.format(
            head=head, why=inert_line(proposal.pushes.held), advice=advice, id=proposal.id
        )
    if head:
        return _PUSHED.format(head=head)
    return _AS_PROPOSED if proposal.pushes.revision else ""


def _how_to_decide(state: RunState, proposal: Proposal) -> str:
    if proposal.pushes.held:
        return ""
    if _reports(state):
        take_up = _TAKE_UP if proposal.replaces else ""
        return _REPORTED.format(take_up=take_up, task=inert_line(state.task.name))
    return _HOW.format(id=proposal.id)


OLD_FAILURE = (
    "an old failure stands in the way: tests that use what changed fail as they did before, "
    "and nothing shows that the change does its task"
)


def _reports(state: RunState) -> bool:
    """Say whether the run only reports what it would do: nobody can decide about that."""
    mode = state.request.options.approvals.approval_mode
    return _of(state).kind == "recovery" and mode == "review_only"


def approval_does(proposal: Proposal, *, merged: bool) -> str:
    """What Cairn does with a proposal that is approved; ``merged`` says that people merge it."""
    if proposal.kind != "changes":
        alone = proposal.strategy == "escalate" and not merged
        return STAYS_OPEN if alone else WHAT_APPROVAL_DOES[proposal.strategy]
    old = proposal.explanation.startswith(OLD_FAILURE)
    excused = " These old failures stop nothing in the rest of the run." if old else ""
    if merged:
        return (
            "Cairn writes the change that the diff shows, runs the tests, and continues. The pull "
            "request then ticks the task's box, and merging it says that the task is done."
            + excused
        )
    return (
        "Cairn writes these files, runs the tests and, if nothing new fails, ticks the task's box, "
        "because your approval says that the task is done. Where no test shows that, the task is "
        "called completed (not shown)." + excused
    )


def _reason(state: RunState) -> str:
    attempt: Attempt = state.attempt
    message = inert_line(attempt.failure.message) if attempt.failure else ""
    proposal = _of(state)
    known = "a person must approve the change" if proposal.kind == "changes" else ""
    why = known or WHY.get(proposal.reason, "")
    said = ": ".join(filter(None, [why, message])) or "the reason is unknown"
    return said.rstrip(".")


def _name_of(proposal: Proposal) -> str:
    """The name of the reason, as programs and documents have it; "unknown" would say nothing."""
    return "" if proposal.reason == "unknown" else f" (`{proposal.reason}`)"


def _evidence(state: RunState, proposal: Proposal) -> str:
    why = state.attempt.failure.message if state.attempt.failure else ""
    new = new_evidence(proposal, state.attempt, why)
    lines = [f"- {inert_line(cut_middle(line, 600))}" for line in new[:10]]
    return "**Evidence:**\n\n" + "\n".join(lines) if lines else ""


def new_evidence(proposal: Proposal, attempt: Attempt, why: str = "") -> list[str]:
    """What was seen, as far as it tells people more than the explanation and ``why`` beside it.

    Left out are also the beginnings of longer lines, and how Cairn chose its next question.
    """
    seen = [line for line in proposal.evidence if line not in attempt.spent.reasons]
    told = f"{_on_one_line(why)}\n{_on_one_line(proposal.explanation)}"
    return [
        line
        for line in seen
        if not _is_told(line, told)
        and not any(line != each and each.startswith(line) for each in seen)
    ]


def _is_told(line: str, told: str) -> bool:
    """Whether a text has the line, be it cut in the middle, or without whose test it is."""
    bare = next((line.removeprefix(each) for each in WHOSE if line.startswith(each)), line)
    return any(_on_one_line(each) in told for each in (bare, cut_middle(line, _LONGEST_REASON)))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _of(state: RunState) -> Proposal:
    proposal = state.attempt.proposal
    assert proposal is not None  # noqa: S101 - told only where there is one
    return proposal
