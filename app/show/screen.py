"""Draw a run at work: a headline, its phases, and the tasks in hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from app.show import words
from app.show.standing import Phase, Standing, seconds_left, used
from app.show.view import InHand, View
from app.terminal import one_line
from runner.state import Usage

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


def screen(view: View, stands: Standing, look: Look, *, now: float) -> RenderableType:
    """Return what the bottom of the terminal shows now, at most ``height - 1`` lines."""
    if view.state is None:
        return _line(f"{_spin(now, look)} {view.node}", look)
    room = max(1, look.height - 2)
    tasks = list(view.in_hand.items())[: max(1, room // 2)]
    room -= len(tasks) + (len(tasks) < len(view.in_hand))
    phases = _window(stands.phases, min(_MOST_PHASES, room))
    parts: list[RenderableType] = [_headline(view, stands, look, now)]
    if phases and (len(stands.phases) > 1 or stands.phases[0].name):
        parts.append(_phases(phases, stands.phases, look))
    if tasks:
        parts.append(_in_hand(tasks, view, look, now))
    elif view.status == "started":
        parts.append(_line(f"{_spin(now, look)} {view.node}", look))
    return Group(*parts)


def shown(text: str, look: Look, most: int = _LONGEST) -> str:
    """Text of others on one line, with nothing in it that acts on a terminal."""
    line = look.safe(one_line(text))[:most]
    return line.encode("ascii", "backslashreplace").decode() if look.plain else line


def _headline(view: View, stands: Standing, look: Look, now: float) -> Text:
    state = view.state
    assert state is not None  # noqa: S101 - drawn only with one
    whole = used(state)
    parts = [
        f"Cairn {view.run}",
        words.of_tasks(stands.done, stands.total),
        words.clock(now - view.began),
        words.left(seconds_left(view, stands.coming, now=now)),
        words.tokens(whole.tokens),
        words.money(whole),
    ]
    between = " - " if look.plain else " · "
    return _line(between.join(part for part in parts if part), look, style="bold")


def _phases(shown_: Sequence[Phase], every: Sequence[Phase], look: Look) -> Table:
    table = _table(look)
    table.add_column(ratio=1, no_wrap=True, overflow=_overflow(look))
    table.add_column(no_wrap=True, width=min(_BAR, max(4, look.width // 5)))
    table.add_column(no_wrap=True, justify="right")
    width = min(_BAR, max(4, look.width // 5))
    for phase in shown_:
        style = "bold" if phase.active else "dim" if phase.done == phase.total else ""
        name = Text(f"  {shown(phase.name, look) or '-'}", style=style)
        table.add_row(name, _bar(phase, width, look), f"{phase.done}/{phase.total}")
    if left_out := len(every) - len(shown_):
        table.add_row(Text(f"  {words.more(left_out, 'phase')}", style="dim"))
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


def _in_hand(tasks: Sequence[tuple[str, InHand]], view: View, look: Look, now: float) -> Table:
    table = _table(look)
    table.add_column(ratio=1, no_wrap=True, overflow=_overflow(look))
    for _ in range(4 if look.width >= _WIDE else 2):
        table.add_column(no_wrap=True, justify="right", overflow=_overflow(look))
    for key, each in tasks:
        table.add_row(*_row(key, each, view, look, now))
    if left_out := len(view.in_hand) - len(tasks):
        table.add_row(Text(f"  {words.more(left_out, 'task')}", style="dim"))
    return table


def _row(key: str, each: InHand, view: View, look: Look, now: float) -> Iterator[Text]:
    state = view.state
    assert state is not None  # noqa: S101 - drawn only with one
    attempt = state.attempts.get(key)
    task = next((t for t in (*state.tasks, *state.replaced) if t.key == key), None)
    title = f"{task.name} {task.title}" if task else key
    yield Text(f"{_spin(now, look)} {shown(title, look)}")
    yield Text(each.node, style="cyan")
    if look.width >= _WIDE:
        yield Text(words.repairs(attempt.code_repairs, attempt.test_repairs) if attempt else "")
        yield Text(words.tokens((attempt.spent if attempt else Usage()).tokens))
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
    # what rich ends a cut line with is no ASCII character
    return "crop" if look.plain else "ellipsis"


def _table(look: Look) -> Table:
    return Table.grid(expand=True, padding=(0, 1))
