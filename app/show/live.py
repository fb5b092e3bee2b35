"""Show a run at work at the bottom of a terminal: a headline, its phases, and its current tasks."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TextIO

from rich.console import Console, Group, OverflowMethod, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.show import words
from app.terminal import one_line
from app.texts import show_texts as texts
from runner.graph import RUN_NODES
from runner.loop.schedule import upcoming
from runner.money import Usage, total
from runner.people.run_view import DONE, usage_by_node
from runner.people.statistics import as_written
from runner.roadmap.headings import phase_heading
from runner.roadmap.source import without_marks
from runner.roadmap.task import Task
from runner.state.events import Advanced, Busy, Event, NodeStarted, RunChanged
from runner.state.run_state import RunState, Status


@dataclass(frozen=True, slots=True)
class TaskAtWork:
    """A task at work: its node, and when (monotonic seconds) it was first seen there."""

    node: str
    since: float


@dataclass(frozen=True, slots=True)
class View:
    """A run as it was last heard of.

    ``node`` is that of the run's own cursor, ``at_work`` the tasks at work by key, ``took`` the
    seconds of each task that was finished while somebody watched, ``began`` the monotonic time
    of the start. ``busy`` is what takes long besides (set-up, the tests before a change), and
    ``busy_since`` when it began.
    """

    run: str = ""
    status: str = ""
    began: float = 0.0
    node: str = ""
    state: RunState | None = None
    at_work: Mapping[str, TaskAtWork] = field(default_factory=dict)
    took: tuple[float, ...] = ()
    busy: str = ""
    busy_since: float = 0.0


def advanced(view: View, event: Event, *, at: float) -> View:
    """Return the view after an event that happened ``at`` this monotonic time."""
    match event:
        case RunChanged(status="started"):
            return View(event.run, event.status, began=at, took=view.took)
        case RunChanged():
            return replace(view, status=event.status, at_work={})
        case NodeStarted(node=node) if node in RUN_NODES:
            return replace(view, node=node)
        case NodeStarted(task=task, node=node):
            since = view.at_work[task].since if task in view.at_work else at
            return replace(view, at_work={**view.at_work, task: TaskAtWork(node, since)})
        case Busy(what=what):
            return replace(view, busy=what, busy_since=at)
        case Advanced():
            return _taken_in(view, event, at)
    return view


def _taken_in(view: View, event: Advanced, at: float) -> View:
    state, task = event.state, event.task
    view = replace(view, state=state)
    attempt = state.attempts.get(task)
    if task not in view.at_work or (attempt and attempt.status is Status.IN_PROGRESS):
        return view
    at_work = {key: each for key, each in view.at_work.items() if key != task}
    done = attempt is not None and attempt.status in DONE
    took = (*view.took, at - view.at_work[task].since) if done else view.took
    return replace(view, at_work=at_work, took=took)


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of the roadmap ('' for tasks in none); ``active`` while a task of it is worked on."""

    name: str
    done: int
    total: int
    active: bool = False


@dataclass(frozen=True, slots=True)
class RunProgress:
    """``coming`` counts the tasks the run has still to take up."""

    phases: tuple[Phase, ...]
    coming: int

    @property
    def done(self) -> int:
        """Tasks that are done."""
        return sum(phase.done for phase in self.phases)

    @property
    def total(self) -> int:
        """All of them."""
        return sum(phase.total for phase in self.phases)


def standing(state: RunState, at_work: frozenset[str] = frozenset()) -> RunProgress:
    """Count the work as people wrote it, phase by phase in the order of the file."""
    phases: dict[str, Phase] = {}
    working = {state.written(key) for key in at_work}
    for task, status in as_written(state):
        if status is Status.REPLACED:
            continue
        name = _heading(task)
        known = phases.get(name, Phase(name, 0, 0))
        done = known.done + (status in DONE)
        active = known.active or task.key in working
        phases[name] = Phase(name, done, known.total + 1, active)
    most = max(0, state.request.options.scope.max_tasks - state.picked)
    return RunProgress(tuple(phases.values()), min(most, len(upcoming(state))))


def _heading(task: Task) -> str:
    """The heading of its phase, else the highest one below the title; '' for none."""
    below = (heading for heading in task.place.headings if heading.level > 1)
    heading = phase_heading(task.place.headings) or next(below, None)
    return without_marks(heading.text) if heading else ""


def used(state: RunState) -> Usage:
    """What the run used so far."""
    return total(usage_by_node(state).values())


def seconds_left(view: View, coming: int, *, now: float) -> float | None:
    """Estimate the time left from the mean of the finished tasks; None before there is one."""
    if view.state is None or not view.took or not (coming or view.at_work):
        return None
    mean = sum(view.took) / len(view.took)
    at_work = sum(max(0.0, mean - (now - each.since)) for each in view.at_work.values())
    return (mean * coming + at_work) / max(1, view.state.request.options.parallel)


_WIDE = 80
"""Columns from which there is room for what each task used."""
_BAR = 16
_MOST_PHASES = 8
_SPIN_EVERY = 0.25
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Look:
    """How much room there is, and of what the drawing may be made.

    ``plain`` keeps to ASCII; ``safe`` makes a text of others fit to be shown (masks secrets).
    """

    width: int
    height: int
    plain: bool = False
    safe: Callable[[str], str] = str


def screen(view: View, stands: RunProgress, look: Look, *, now: float) -> RenderableType:
    """Return what the bottom of the terminal shows now, at most ``height - 1`` lines."""
    if view.state is None:
        return (
            _busy(view, look, now) if view.busy else _line(f"{_spin(now, look)} {view.node}", look)
        )
    room = max(1, look.height - 2)
    tasks = list(view.at_work.items())[: max(1, room // 2)]
    room -= len(tasks) + (len(tasks) < len(view.at_work)) + bool(view.busy)
    phases = _window(stands.phases, min(_MOST_PHASES, room))
    parts: list[RenderableType] = [_headline(view, stands, look, now)]
    if phases and (len(stands.phases) > 1 or stands.phases[0].name):
        parts.append(_phases(phases, stands.phases, look))
    if tasks:
        parts.append(_at_work(tasks, view, look, now))
    elif view.status == "started" and not view.busy:
        parts.append(_line(f"{_spin(now, look)} {view.node}", look))
    if view.busy:
        parts.append(_busy(view, look, now))
    return Group(*parts)


def _busy(view: View, look: Look, now: float) -> Text:
    clock = words.clock(now - view.busy_since)
    return _line(f"{_spin(now, look)} {shown(view.busy, look, look.width - 12)} {clock}", look)


def shown(text: str, look: Look, most: int = _LONGEST) -> str:
    """Text of others on one line, with nothing in it that acts on a terminal."""
    line = look.safe(one_line(text))[:most]
    return line.encode("ascii", "backslashreplace").decode() if look.plain else line


def _headline(view: View, stands: RunProgress, look: Look, now: float) -> Text:
    state = view.state
    assert state is not None  # noqa: S101 - drawn only with one
    whole, left = used(state), seconds_left(view, stands.coming, now=now)
    parts = [
        f"Cairn {view.run}",
        texts.done(stands.done, stands.total),
        words.clock(now - view.began),
        texts.left(left) if left is not None else "",
        words.tokens(whole),
        words.money(whole),
    ]
    between = " - " if look.plain else " · "
    return _line(between.join(part for part in parts if part), look, style="bold")


def _phases(shown_: Sequence[Phase], every: Sequence[Phase], look: Look) -> Table:
    table = _table()
    table.add_column(ratio=1, no_wrap=True, overflow=_overflow(look))
    table.add_column(no_wrap=True, width=min(_BAR, max(4, look.width // 5)))
    table.add_column(no_wrap=True, justify="right")
    width = min(_BAR, max(4, look.width // 5))
    for phase in shown_:
        style = "bold" if phase.active else "dim" if phase.done == phase.total else ""
        name = Text(f"  {shown(phase.name, look) or '-'}", style=style)
        table.add_row(name, _bar(phase, width, look), f"{phase.done}/{phase.total}")
    if left_out := len(every) - len(shown_):
        table.add_row(Text(f"  {texts.more(left_out, 'phase')}", style="dim"))
    return table


def _window(phases: Sequence[Phase], most: int) -> Sequence[Phase]:
    """The phases around the first one that is at work, or that is not done.

    Where some are left out, that takes the last of at ``most`` so many lines.
    """
    if len(phases) > most:
        most = max(0, most - 1)
    at = next((n for n, phase in enumerate(phases) if phase.active), None)
    if at is None:
        open_ = (n for n, phase in enumerate(phases) if phase.done < phase.total)
        at = next(open_, max(0, len(phases) - 1))
    begin = max(0, min(at - 1, len(phases) - most))
    return phases[begin : begin + most]


def _at_work(tasks: Sequence[tuple[str, TaskAtWork]], view: View, look: Look, now: float) -> Table:
    table = _table()
    table.add_column(ratio=1, no_wrap=True, overflow=_overflow(look))
    for _ in range(4 if look.width >= _WIDE else 2):
        table.add_column(no_wrap=True, justify="right", overflow=_overflow(look))
    for key, each in tasks:
        table.add_row(*_row(key, each, view, look, now))
    if left_out := len(view.at_work) - len(tasks):
        table.add_row(Text(f"  {texts.more(left_out, 'task')}", style="dim"))
    return table


def _row(key: str, each: TaskAtWork, view: View, look: Look, now: float) -> Iterator[Text]:
    state = view.state
    assert state is not None  # noqa: S101 - drawn only with one
    attempt = state.attempts.get(key)
    task = next((t for t in (*state.tasks, *state.replaced.tasks) if t.key == key), None)
    title = f"{task.name} {task.title}" if task else key
    yield Text(f"{_spin(now, look)} {shown(title, look)}")
    yield Text(each.node, style="cyan")
    if look.width >= _WIDE:
        yield Text(
            texts.repairs(attempt.answered.code_repairs, attempt.answered.test_repairs)
            if attempt
            else ""
        )
        yield Text(words.tokens(attempt.spent.total if attempt else Usage()))
    yield Text(words.clock(now - each.since))


def _bar(phase: Phase, width: int, look: Look) -> Text:
    full = width * phase.done // phase.total
    mark, rest = ("#", ".") if look.plain else ("━", "─")
    return Text.assemble((mark * full, "green"), (rest * (width - full), "dim"))


def _spin(now: float, look: Look) -> str:
    frames = "|/-\\" if look.plain else "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
    return frames[int(now / _SPIN_EVERY) % len(frames)]


def _line(text: str, look: Look, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow=_overflow(look))


def _overflow(look: Look) -> OverflowMethod:
    # rich ends a cut line with a character that is not ASCII
    return "crop" if look.plain else "ellipsis"


def _table() -> Table:
    return Table.grid(expand=True, padding=(0, 1))


_A_SECOND = 4
"""How often it is drawn: events only change what is known, so that they cost nothing."""


class LiveRun:
    """The ``Events`` port for a terminal; draws while used with ``with``.

    Both of Ctrl-C and a question find the terminal as it was before.
    """

    def __init__(
        self,
        console: Console,
        *,
        plain: bool = False,
        safe: Callable[[str], str] = str,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._plain = plain
        self._safe = safe
        self._now = now
        self._view = View(began=now())
        self._counted: tuple[object, RunProgress] = ((), RunProgress((), 0))
        self._live = Live(
            console=console,
            get_renderable=self.picture,
            refresh_per_second=_A_SECOND,
            transient=True,
            redirect_stdout=False,
        )

    async def emit(self, event: Event) -> None:
        """Take an event in; the next drawing shows it."""
        self._view = advanced(self._view, event, at=self._now())

    def __enter__(self) -> LiveRun:
        self._live.start()
        _log_to(sys.stderr)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        _log_to(sys.stderr)

    def picture(self) -> RenderableType:
        """What is to be seen now."""
        view, size = self._view, self._console.size
        look = Look(size.width, size.height, self._plain, self._safe)
        stands = self._standing(view.state, view) if view.state else RunProgress((), 0)
        return screen(view, stands, look, now=self._now())

    def _standing(self, state: RunState, view: View) -> RunProgress:
        """Count again only if a task's status has changed."""
        statuses = tuple((key, attempt.status) for key, attempt in state.attempts.items())
        known = (state.roadmap and state.roadmap.content, state.statuses, statuses, *view.at_work)
        if known != self._counted[0]:
            self._counted = (known, standing(state, frozenset(view.at_work)))
        return self._counted[1]


def _log_to(stream: TextIO) -> None:
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(stream)
