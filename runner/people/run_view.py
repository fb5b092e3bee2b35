"""A run as people and programs are shown it: one value, whatever shows it.

The progress comment, the pages, the terminal, the step summary, the report and the JSON all read
this. It says what is so; how it looks, and how foreign text is made harmless there, is for each
of them to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from runner.money import NodeShare, Usage, by_name, percentages, total
from runner.people.sentences import blocked_reason, warnings_of
from runner.people.statistics import as_written, by_strategy, standing, work_of
from runner.people.texts import recovery_texts
from runner.people.trust import MADE, doubt_of, result_word, trust_of
from runner.roadmap.task import Task
from runner.state.run_state import Attempt, RunState, Status
from runner.state.status_words import TASKS, TaskWord, task_word
from runner.state.trust import Trust

DONE = frozenset({Status.COMPLETED, Status.IN_REVIEW})
"""What counts as done where people merge: work of this run or an earlier one, merged or not.

On a checkout what is in review is not done: nobody has said so.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEffort:
    """What the run spent on a task: answers of the model, repairs among them, what they used."""

    answers: int = 0
    repairs: int = 0
    used: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChecks:
    """What a reviewer should know of a task; ``doubt`` and ``warnings`` are safe to publish.

    ``trust`` is how far a completed one is verified, ``doubt`` says why it is not.
    """

    trust: Trust | None = None
    doubt: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlace:
    """Where the work on a task is; ``branch`` is its own, ``below`` the one it builds on."""

    url: str = ""
    commit: str = ""
    branch: str = ""
    below: str = ""


# of most tasks there is nothing to say, and a roadmap may have ten thousand
_NO_EFFORT, _NO_CHECKS, _NO_PLACE = TaskEffort(), TaskChecks(), WorkPlace()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """One task of a run.

    ``unshown`` says that it was done before this run and that no test shows it.
    ``turn`` counts when the run took it up, None for a task it did not touch. ``gone`` says that a
    recovery or a person took it out of the roadmap, ``why`` why one is not done; ``title`` and
    ``why`` are foreign text.
    """

    key: str
    id: str | None
    name: str
    title: str
    line: int
    status: Status
    current: bool = False
    gone: bool = False
    unshown: bool = False
    turn: int | None = None
    why: str = ""
    effort: TaskEffort = _NO_EFFORT
    checks: TaskChecks = _NO_CHECKS
    place: WorkPlace = _NO_PLACE

    @property
    def touched(self) -> bool:
        """Whether this run took it up."""
        return self.turn is not None

    @property
    def verified(self) -> bool | None:
        """Whether tests verify it; None unless it is completed."""
        trust = self.checks.trust
        return trust.result != "not_verified" if trust else None

    @property
    def result(self) -> str:
        """How far it is verified, in words; '' unless it is completed."""
        return result_word(self.checks.trust) if self.checks.trust else ""

    @property
    def word(self) -> TaskWord:
        """Its status in words."""
        return TASKS[self.status]

    @property
    def stands(self) -> str:
        """Its status in words, and whether no test shows that it is done."""
        return task_word(self.status, shown=not self.unshown and self.verified is not False)

    @property
    def made(self) -> str:
        """Where its work is: the pull request, else the commit; '' for nowhere."""
        return self.place.url or self.place.commit[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run: where it is, its tasks in the order of the file, and what it used.

    ``now`` is the current task as people know it (id and title), None between tasks. ``done`` of
    ``total`` tasks are done, each counted once as people wrote it. ``node_usage`` is what every
    node used, ``model_usage`` what every model did, ``asked`` all of them. ``recoveries`` are the
    numbers of each strategy, ``replaced`` says in Markdown what replaced what.
    """

    run: str
    roadmap: str
    node: str
    now: tuple[str, str] | None
    problem: str
    cancelled: bool
    seconds: float
    tasks: tuple[TaskView, ...]
    done: int
    total: int
    node_usage: Mapping[str, Usage]
    model_usage: Mapping[str, Usage]
    asked: Usage
    recoveries: Mapping[str, Mapping[str, int]]
    replaced: str

    @property
    def standing(self) -> tuple[TaskView, ...]:
        """The tasks that are in the roadmap now."""
        return tuple(task for task in self.tasks if not task.gone)

    @property
    def earlier(self) -> bool:
        """Whether some of it was done before this run."""
        return any(task.status in DONE and not task.touched for task in self.tasks)

    @property
    def used(self) -> Usage:
        """What the run used in all."""
        return total(self.node_usage.values())

    @property
    def nodes(self) -> tuple[NodeShare, ...]:
        """The nodes that are worth a line, with their shares."""
        return percentages(self.node_usage)


def view_of(state: RunState) -> RunView:
    """Build the view of a run; the only place that does."""
    turns = {key: turn for turn, key in enumerate(state.attempts)}
    statuses = [status for _, status in as_written(state)]
    finished = DONE if state.stack.base else {Status.COMPLETED}
    here = [_task(state, task, turns, gone=False) for task in work_of(state, state.tasks)]
    taken_out = [task for task in state.replaced.tasks if task.kind == "work"]
    gone = [_task(state, task, turns, gone=True) for task in taken_out]
    return RunView(
        run=state.request.id,
        roadmap=state.request.roadmap,
        node=state.node,
        now=(state.task.name, state.task.title) if state.current else None,
        problem=state.problem,
        cancelled=state.stopping,
        seconds=state.times.seconds,
        tasks=(*here, *gone),
        done=sum(status in finished for status in statuses),
        total=sum(status is not Status.REPLACED for status in statuses),
        node_usage=usage_by_node(state),
        model_usage=by_name(attempt.spent.by_model for attempt in state.attempts.values()),
        asked=total(attempt.spent.total for attempt in state.attempts.values()),
        recoveries=by_strategy(state),
        replaced=recovery_texts.all_of(state),
    )


def usage_by_node(state: RunState) -> dict[str, Usage]:
    """Sum what each node used, the run's own nodes too."""
    return by_name((state.usage, *(attempt.spent.usage for attempt in state.attempts.values())))


def _task(state: RunState, task: Task, turns: Mapping[str, int], *, gone: bool) -> TaskView:
    attempt, status = state.attempts.get(task.key), standing(state, task)
    common = TaskView(
        key=task.key,
        id=task.id,
        name=task.name,
        title=task.title,
        line=task.place.line,
        status=status,
        current=task.key == state.current,
        gone=gone,
        unshown=attempt is None and task.key in state.unshown,
        why=blocked_reason(state, task),
    )
    return _tried(common, attempt, turns[task.key]) if attempt else common


def _tried(task: TaskView, attempt: Attempt, turn: int) -> TaskView:
    """The view of a task that this run took up."""
    failure = attempt.failure.message if attempt.failure else ""
    made = attempt.status in MADE
    answered, published = attempt.answered, attempt.published
    return replace(
        task,
        turn=turn,
        why=task.why or failure,
        effort=TaskEffort(
            answers=answered.answers,
            repairs=answered.code_repairs + answered.test_repairs,
            used=attempt.spent.total,
        ),
        checks=TaskChecks(
            trust=trust_of(attempt) if made else None,
            doubt=doubt_of(attempt),
            warnings=tuple(warnings_of(attempt)),
        ),
        place=WorkPlace(
            url=published.url,
            commit=published.commit,
            branch=published.branch,
            below=attempt.below,
        ),
    )
