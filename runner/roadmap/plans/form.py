"""The port *plan form*: how a tool's list of tasks reads, and what "done" writes into it.

The forms here are Markdown. A form first shows every box of its tool as one that GitHub shows, line
for line, so that the roadmap's parser reads it; then it refines what that found. Edits change the
bytes between the brackets and nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.roadmap.dependencies import MOST_TARGETS, Stated
from runner.roadmap.order import without_cycles
from runner.roadmap.plans.specification import SpecQuote, in_order, is_text
from runner.roadmap.task import Kind, Roadmap, Task, Warning

_CLOSED = re.compile(r"(?:.*/)?(?:archive|archived|completed|drafts|templates)/.*")
"""Folders of plans that nobody works on any more, or not yet."""


def is_closed(path: str) -> bool:
    """Say whether a path is below an archive, drafts or templates."""
    return _CLOSED.fullmatch(path) is not None


@dataclass(frozen=True)
class PlanForm:
    """How the lists of one tool read; as it stands, a roadmap is read.

    ``paths`` is what the path of a list looks like, ``usual`` are the patterns of where its tool
    puts them at the top of a repository, and ``tick`` is the byte that the tool writes into a box.
    A form that shows the tool's boxes another way, or knows more of its tasks, says so in ``shown``
    and ``refined``. One that is no Markdown has ``read`` and ``edited``, which return its tasks and
    its bytes with some of them done or open. ``apart``: it is no file of the repository, so that
    nothing is written into it. ``covers`` says which checks are made where some
    commands passed; without it nothing but the tasks themselves is ticked. ``order`` are patterns
    of the specification's files, ``files`` returns one of those that may say something of a task,
    ``cited`` the parts that a task's words name (of files by their path in the folder), ``living``
    what the rest of the repository says of the same, and ``rules`` a pattern of what holds for
    every task of the repository.
    """

    name: str = "roadmap"
    paths: re.Pattern[str] | None = None
    usual: tuple[str, ...] = ()
    tick: bytes = b"x"
    shown: Callable[[str], str] = field(default=str)
    refined: Callable[[Roadmap, Sequence[str]], Roadmap] = field(default=lambda found, lines: found)
    read: Callable[[str, bytes], Roadmap] | None = None
    edited: Callable[[Roadmap, Mapping[str, bool]], bytes] | None = None
    apart: bool = False
    covers: Callable[[Task, Collection[str]], bool] | None = None
    order: tuple[str, ...] = ()
    files: Callable[[Task], str] = field(default=lambda task: ".*")
    cited: Callable[[str, Mapping[str, str]], Iterable[SpecQuote]] = field(
        default=lambda words, files: ()
    )
    living: Callable[[str, Sequence[str]], Iterable[str]] = field(default=lambda path, own: ())
    rules: str = ""

    def has(self, path: str) -> bool:
        """Say whether a path is that of a list of this form."""
        return bool(self.paths and self.paths.fullmatch(path)) and not is_closed(path)

    def folder(self, path: str) -> str:
        """Return the folder of a plan's specification with its slash; '' where it has none."""
        return f"{path.rpartition('/')[0]}/" if self.order else ""

    def beside(self, path: str, paths: Collection[str], task: Task) -> list[str]:
        """Return the files of a plan's specification for a task, those first that say most."""
        folder = self.folder(path)
        if not folder:
            return []
        its = re.compile(re.escape(folder) + f"(?:{self.files(task)})")
        own = in_order({each for each in paths if its.fullmatch(each)} - {path}, folder, self.order)
        return [*own, *(each for each in self.living(path, own) if each in paths)]

    def ruling(self, path: str, paths: Collection[str]) -> list[str]:
        """Return the files that hold for every task where this plan is."""
        if not self.rules or not self.paths or not (found := self.paths.fullmatch(path)):
            return []
        pattern = re.compile(re.escape(found["root"]) + self.rules)
        return sorted(each for each in paths if pattern.fullmatch(each))

    def is_of_plans(self, path: str, other: str) -> bool:
        """Say whether a file is of this plan or of one beside it, so that no search shows it."""
        around = self.folder(path)
        if around and "*" in self.usual[0]:
            around = around.removesuffix("/").rpartition("/")[0] + "/"
        return bool(around) and other.startswith(around) and is_text(other)

    def scope(self, path: str) -> str:
        """What the keys of a file's tasks are told apart by: ids begin anew in each plan."""
        return path if self.paths else ""

    def ticks(self, content: bytes) -> int:
        """Return the byte that ticks a box; a file that has only ``[x]`` keeps to that."""
        return ord("x" if b"[x]" in content and b"[X]" not in content else self.tick)

    def also_done(
        self, found: Roadmap, keys: Collection[str], passed: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return what is done with some tasks: what sums them up, and checks that were just made.

        A check is made where all the work before it is done, and commands ``passed`` that show it.
        """
        if self.covers is None:
            return ()
        done = {task.key for task in found.tasks if task.checked} | set(keys)
        new: list[str] = []
        for task in found.tasks if passed else ():
            if task.kind == "work" and _is_left(task) and task.key not in done:
                break
            if task.kind == "check" and task.key not in done and self.covers(task, passed):
                new.append(task.key)
        done.update(new)
        inside: defaultdict[str, list[Task]] = defaultdict(list)
        for task in found.tasks:
            inside[task.place.parent or ""].append(task)
        by_key = {task.key: task for task in found.tasks}
        todo = [by_key[key].place.parent for key in (*keys, *new) if key in by_key]
        while todo:
            parent = by_key.get(todo.pop() or "")
            if parent is None or parent.kind != "summary" or parent.key in done:
                continue
            if all(task.key in done or not _is_left(task) for task in inside[parent.key]):
                new.append(parent.key)
                done.add(parent.key)
                todo.append(parent.place.parent)
        return tuple(new)

    def left(self, found: Roadmap, done: Collection[str]) -> list[Task]:
        """Return the open checks that are a person's, once all the work is done."""
        rest = [task for task in found.tasks if not task.checked and task.key not in done]
        if self.covers is None or any(task.kind == "work" and _is_left(task) for task in rest):
            return []
        return [task for task in rest if task.kind == "check"]


ROADMAP = PlanForm()
_SPAN = re.compile(r"`([^`]{1,200})`")


def named_commands_passed(task: Task, passed: Collection[str]) -> bool:
    """Say whether each command that a check names in a code span was part of one that passed."""
    return all(
        any(f" {name} " in f" {command} " for command in passed)
        for name in _SPAN.findall(task.text)
    )


def read_again(
    found: Roadmap,
    tasks: Iterable[Task],
    *,
    waits: Mapping[str, tuple[str, ...]] | None = None,
    warnings: Iterable[Warning] = (),
) -> Roadmap:
    """Return a roadmap with the tasks as its form reads them, and what they wait for besides.

    Tasks that wait for each other do not wait.
    """
    waits = waits or {}
    made = [
        # what its own words say, then what its form says of all; shared lists stay shared
        replace(
            task,
            depends_on=tuple(dict.fromkeys((*task.depends_on, *waits[task.key][:MOST_TARGETS])))
            if task.depends_on
            else waits[task.key],
        )
        if waits.get(task.key)
        else task
        for task in tasks
    ]
    done, circles = without_cycles(made, defaultdict(Stated)) if waits else (tuple(made), [])
    asks = "" if any(task.kind == "work" for task in done) else found.asks
    every = (*found.warnings, *warnings, *circles)
    return replace(
        found,
        tasks=done,
        asks=asks if not any(task.marks.template for task in done) else found.asks,
        warnings=tuple(sorted(every, key=lambda warning: (warning.line, warning.column))),
    )


def with_parents(tasks: Sequence[Task], kinds: Callable[[Task], Kind]) -> list[Task]:
    """Return tasks with the parents that their numbers say (1.2 is in 1), and with their kinds.

    What has numbered tasks in it sums them up.
    """
    by_id = {task.id: task.key for task in reversed(tasks) if task.id}
    keys = {task.key: task for task in tasks}
    parents: dict[str, str | None] = {}
    for task in tasks:
        outer, parent = task.id or "", None
        while "." in outer and parent is None:
            outer = outer.rpartition(".")[0]
            parent = by_id.get(outer)
        parents[task.key] = parent if parent and parent != task.key else task.place.parent
    numbered = {task.key for task in tasks if task.id}
    outer_ones = {parents[key] for key in keys if key in numbered}
    return [
        replace(
            task,
            kind="summary" if task.key in outer_ones else kinds(task),
            place=replace(task.place, parent=parents[task.key]),
        )
        for task in tasks
    ]


def _is_left(task: Task) -> bool:
    """Whether a task keeps what is around it open: an optional one does not."""
    return not (task.marks.optional or task.marks.struck)
