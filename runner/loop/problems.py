"""Why a run has nothing to work on, and what people can do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from runner.loop.schedule import open_tasks
from runner.roadmap.edit import find
from runner.roadmap.named_work import in_phase
from runner.roadmap.plans import form_of
from runner.roadmap.plans.choosing import USUAL, plans_in
from runner.roadmap.plans.form import is_closed
from runner.roadmap.task import Roadmap, Task
from runner.state.publishing import Member
from runner.state.run_state import RunState, Status
from runner.state.status_words import TASKS, task_word, waits_elsewhere
from runner.text.counting import counted
from runner.text.sanitize import sanitize

_MOST = 20
_MOST_MEANT = 3
_USUAL = frozenset(
    f"{stem}.{ending}"
    for stem in ("roadmap", "todo", "todos", "tasks", "plan", "backlog")
    for ending in ("md", "markdown")
)


@dataclass(frozen=True, slots=True)
class StartCommands:
    """What people type to start a run, where they type it; ``roadmap`` goes before its path.

    ``normalise`` goes before a path to get checkboxes ('': the run proposes them automatically),
    ``setup`` has a first roadmap proposed ('': nothing does).
    """

    word: str
    roadmap: str
    normalise: str = ""
    setup: str = ""


def missing_roadmap(
    path: str,
    start: StartCommands,
    paths: Iterable[str] = (),
    where: str = "on the branch this run builds on",
    projects: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """There is no such file; ``paths`` (what exists) may have the one that was meant.

    ``projects`` are the plans of the repository's projects, as configured, by name.
    """
    if form_of(path).apart:
        if start.word.startswith("/"):
            return f"Nobody asked for this issue yet: comment `/execute {path}` on {path} itself."
        return f"`{start.word}` reads no issues. On GitHub, comment `/execute {path}` on {path}."
    name, pattern, paths = f"`{_plain(path)}`", "*" in path, [*paths]
    if path in paths:
        return (
            f"{name} is not a file, or a link that leads to none in this repository. Put the "
            f"roadmap itself there, or name another path: `{start.roadmap}docs/PLAN.md`."
        )
    text = f"{'No file matches' if pattern else 'There is no file'} {name} {where}."
    if plans := plans_in(path, paths, projects.values()):
        first = f"{name} matches several plans." if pattern else text
        owners = {plan: own for own, each in projects.items() for plan in plans_in(each, paths)}
        if path == USUAL and {*plans} <= {*owners}:
            listed = "\n".join(f"- `{owners[each]}`: `{_plain(each)}`" for each in plans[:_MOST])
            return (
                f"{first} More than one project has open tasks:\n\n{listed}\n\n"
                f"A run works on one of them. Name it: `{start.word} {owners[plans[0]]}`."
            )
        listed = "\n".join(f"- `{_plain(each)}`" for each in plans[:_MOST])
        more = f"\n- {len(plans) - _MOST} more" * (len(plans) > _MOST)
        return (
            f"{first} More than one of these plans has open tasks:\n\n{listed}{more}\n\n"
            f"A run works on one of them. Name it, "
            f"`{start.roadmap}{_plain(plans[0])}`, or write it into `.github/cairn.yml`: "
            f"`roadmap: {{path: {_plain(plans[0])}}}`."
        )
    if meant := similar_roadmaps(path, paths):
        names = " or ".join(f"`{start.roadmap}{_plain(each)}`" for each in meant)
        return f"{text} Did you mean {names}?"
    propose = f" `{start.setup}` proposes one from labelled issues." * bool(start.setup)
    return (
        f"{text} Add one with a task list (`- [ ] what to do`) or name another path: "
        f"`{start.roadmap}docs/PLAN.md`.{propose}"
    )


def linked_roadmap(path: str, meant: str, start: StartCommands) -> str:
    """The roadmap that a command names is a link; the configured one is followed before."""
    return (
        f"`{_plain(path)}` is a link to `{_plain(meant)}`. Name the file itself: "
        f"`{start.roadmap}{_plain(meant)}`."
    )


def similar_roadmaps(path: str, paths: Iterable[str]) -> list[str]:
    """Files with the same name elsewhere or in other case, else a usual name of a roadmap."""
    name = path.rpartition("/")[2].lower()
    by_name = [
        (each.rpartition("/")[2].lower(), each)
        for each in paths
        if each != path and not is_closed(each)
    ]
    same = [each for found, each in by_name if found == name]
    usual = [each for found, each in by_name if found in _USUAL]
    return sorted(same or usual, key=lambda each: (each.count("/"), each))[:_MOST_MEANT]


def nothing_to_do(
    state: RunState, roadmap: Roadmap, start: StartCommands, members: Sequence[Member] = ()
) -> str:
    """Say why no task can be picked, or nothing; ``members`` are the open pull requests."""
    path, wanted = _plain(roadmap.path), state.request.options.scope.task
    if roadmap.asks and not (wanted and roadmap.tasks):
        return f"`{path}`: {roadmap.asks}"
    if not roadmap.content.strip():
        return f"`{path}` is empty. Add tasks to it, one per line: `- [ ] what to do`."
    if not roadmap.tasks:
        propose = f", or let `{start.normalise}{path}` propose checkboxes" * bool(start.normalise)
        return (
            f"`{path}` has no checkboxes, so it is not clear what the tasks are. Write each task "
            f"as `- [ ] what to do` and run `{start.word}` again{propose}."
        )
    phase = state.request.options.scope.phase
    if phase and not any(in_phase(task, phase) for task in roadmap.tasks):
        return _no_phase(roadmap, phase)
    if wanted:
        task = find(roadmap, wanted)
        if task and phase and not in_phase(task, phase):
            return f"Task `{task.name}` (line {task.place.line}) is not in phase `{_plain(phase)}`."
        return _unworkable(state, task, members) if task else _no_single(roadmap, wanted)
    if not open_tasks(state):
        if form_of(roadmap.path).apart:
            return _unworkable(state, roadmap.tasks[0], members)
        if state.request.options.scope.tasks:
            return _none_left(state, roadmap, start)
        work = [task for task in roadmap.tasks if task.kind == "work"]
        if state.elsewhere or any(state.status(task) is Status.PENDING for task in work):
            names = {task.key: f": waits for `{_plain(task.name)}`" for task in roadmap.tasks}
            for each in (need for needed in state.elsewhere.values() for need in needed):
                names[each.name] = f": {waits_elsewhere(each)}"
            others = " or belongs to another project" if state.elsewhere else ""
            left = [
                _by_name([task]) + names.get(state.blocked_by.get(task.key, ""), "")
                for task in work
                if state.status(task) in (Status.PENDING, Status.BLOCKED)
            ]
            return (
                f"Each open task in `{path}` is optional, crossed out or put off, or waits for "
                f"one that is{others}. Cairn works on it only if you name it (`--task`):\n\n"
                + "\n".join(left[:_MOST])
            )
        if checks := form_of(roadmap.path).left(roadmap, ()):
            return f"All work in `{path}` is done; these checks are yours:\n\n{_by_name(checks)}"
        return (
            f"`{path}` has no open task: each one is ticked, waiting for a decision, in review, "
            "declined (its pull request was closed without a merge), or depends on such a task. "
            "Add a task, and commit it, to continue."
        )
    return ""


def _none_left(state: RunState, roadmap: Roadmap, start: StartCommands) -> str:
    """Of the tasks the run is bound to none can be worked on: say why not."""
    keys = set(state.request.options.scope.tasks)
    there = [task for task in roadmap.tasks if task.key in keys]
    waiting = [task for task in there if state.status(task) is Status.BLOCKED]
    text = f"This run cannot work on any of its tasks in `{_plain(roadmap.path)}` now"
    if not waiting:
        lines = [f"{_by_name([each])}: {task_word(state.status(each))}" for each in there[:_MOST]]
        if gone := len(keys) - len(there):
            lines.append(f"- {counted(gone, 'task is', 'tasks are')} no longer in the roadmap")
        return f"{text}:\n\n{chr(10).join(lines)}"
    return (
        f"{text}. These wait for tasks that are not part of the run; `{start.word}` starts a run "
        f"for the whole roadmap:\n\n{_by_name(waiting)}"
    )


def _no_single(roadmap: Roadmap, wanted: str) -> str:
    """A name that no task has, or several."""
    path, name = _plain(roadmap.path), _plain(wanted)
    same = [task for task in roadmap.tasks if task.id == wanted]
    if same:
        return (
            f"`{path}` has several tasks called `{name}`. Name one by its key:\n\n"
            f"{_listed((task.key, task) for task in same)}"
        )
    tasks = [task for task in roadmap.tasks if task.kind == "work"]
    return f"`{path}` has no task called `{name}`. Its tasks:\n\n{_by_name(tasks)}"


def _no_phase(roadmap: Roadmap, wanted: str) -> str:
    """A phase that no task is of."""
    text = f"`{_plain(roadmap.path)}` has no tasks in a phase called `{_plain(wanted)}`."
    phases = [phase for phase in dict.fromkeys(task.place.phase for task in roadmap.tasks) if phase]
    above = [task.place.headings[-1].text for task in roadmap.tasks if task.place.headings]
    names = phases or list(dict.fromkeys(above))
    if not names:
        return f"{text} It has no headings above its tasks."
    what = "Its phases" if phases else "Its headings"
    return f"{text} {what}: {', '.join(f'`{_plain(name)}`' for name in names[:_MOST])}."


def _by_name(tasks: Sequence[Task]) -> str:
    return _listed((task.name, task) for task in tasks[:_MOST])


def _listed(tasks: Iterable[tuple[str, Task]]) -> str:
    """Tasks by the words that name them."""
    return "\n".join(
        f"- `{_plain(name)}` (line {task.place.line}) {sanitize(task.title, plain=True)}"
        for name, task in tasks
    )


def _unworkable(state: RunState, task: Task, members: Sequence[Member]) -> str:
    """Say why a task that was asked for cannot be worked on, or nothing."""
    name = f"Task `{task.name}` (line {task.place.line})"
    if form_of(state.request.roadmap).apart:
        name = f"Issue {task.id}"
    if task.kind == "summary":
        return f"{name} has subtasks; name one of them."
    if task.kind == "check":
        return f"{name} is a check of other work, not a task; name the task it belongs to."
    why = TASKS[state.status(task)].refusal
    if not why:
        return ""
    # on a checkout they have no address
    there = next((each.url for each in members if task.key in each.tasks and each.url), "")
    return f"{name} {why}. See {there}" if there else f"{name} {why}."


def _plain(text: str) -> str:
    """Text for a code span, where nothing is active."""
    return text.replace("`", "'")
