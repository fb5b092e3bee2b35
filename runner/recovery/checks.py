"""Whether proposed tasks may replace a task: they must keep everything it asks for. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from runner.checks.paths import check_shape, protect_file, protection
from runner.loop.applied import divides, edited
from runner.recovery.facts import unnumbered
from runner.roadmap.edit import EditRefused, find
from runner.roadmap.lint import lint_text
from runner.roadmap.lint.reading import OPEN_END, SCOPE, SWEEP, WHOLE_THING
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import NewTask, Task, files
from runner.state.proposal import REPLACED_BY, Strategy
from runner.state.run_state import RunState
from runner.text.counting import counted

MOST_LISTED = 5
"""Losses that one complaint lists."""
_LONGEST = 200

_HIDDEN = re.compile(r"^[ \t]*<!--.*$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"`[^`\n]*`|[^\s`]+")
_EDGES = ".,;:!?()\"'*_"
_DENIES = frozenset({"not", "no", "never", "without", "except", "unless", "neither", "cannot"})


def is_clear(task: Task) -> bool:
    """Whether the task names its files, and what to write there or when it is done.

    Such a task is not too vague, whatever became of the answers to it.
    """
    return bool(_files(task)) and bool(_names(task) or task.acceptance)


def lost(task: Task, replacements: Sequence[NewTask], *, stays: str = "") -> list[str]:
    """Return what the task names and its replacements, taken together, do not.

    These are its file paths, what is in backticks, and its acceptance criteria, which may be
    reworded only by adding words. ``stays`` is text of the task that is kept beside them.
    """
    lines = [line for new in replacements for line in (new.text, *new.details, *new.acceptance)]
    lines += _visible(stays).split("\n")
    whole = "\n".join(lines)
    gone = [f"`{name}`" for name in (*_files(task), *_names(task)) if not _stands(name, whole)]
    kept = [_demand_words(line) for line in lines]
    for criterion in task.acceptance:
        if not any(_adds_only(_demand_words(criterion), words) for words in kept):
            gone.append(f'the criterion "{" ".join(criterion.split())[:_LONGEST]}"')
    return list(dict.fromkeys(gone))


def first_few(gone: Sequence[str]) -> str:
    """A few of the losses in one line."""
    more = f" and {len(gone) - MOST_LISTED} more" if len(gone) > MOST_LISTED else ""
    return ", ".join(gone[:MOST_LISTED]) + more


def _files(task: Task) -> tuple[str, ...]:
    return files(_text(task))


def _names(task: Task) -> tuple[str, ...]:
    """What is in backticks and is not a path."""
    paths = {*_files(task)}
    found = (" ".join(span.split()) for span in _SPAN.findall(_text(task)))
    return tuple(dict.fromkeys(name for name in found if name and name not in paths))


def _text(task: Task) -> str:
    return f"{unnumbered(task)}\n{_visible(task.details)}"


def _visible(text: str) -> str:
    """The text without the trail of earlier recoveries."""
    return _HIDDEN.sub("", text) if "<!--" in text else text


def _stands(name: str, text: str) -> bool:
    """Whether a text has the complete name, not only as part of a longer one."""
    before = r"(?<![\w/])" if re.match(r"\w", name) else ""
    after = r"(?![\w/])" if re.search(r"\w$", name) else ""
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def _demand_words(text: str) -> list[str]:
    """The words of a line without marks at their edges; code in backticks is one word."""
    words = _WORD.findall(text)
    plain = (w if w.startswith("`") else w.strip(_EDGES).casefold() for w in words)
    return [word for word in plain if word]


def _adds_only(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the new words are the old ones in their order, and added ones that deny nothing."""
    left = iter(new)
    added: set[str] = set()
    for word in old:
        for other in left:
            if other == word:
                break
            added.add(other)
        else:
            return False
    return not _DENIES & {*added, *left}


LONGEST_TEXT = 500
LONGEST_LINE = 300
MOST_LINES = 12
_SHORTEST = 12

_WIDENS = (WHOLE_THING, SWEEP, SCOPE, OPEN_END)
_ALSO = re.compile(
    r"\b(?:(?:all|any) others?|everything else|whatever else|entire (?:codebase|project|app\w*))\b",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"\W*(?:I|I'[a-z]+|we|you|sorry|sure|certainly|here|unfortunately|as an)\b", re.IGNORECASE
)
_CONCRETE = re.compile(r"`[^`\n]+`|\w\(|\b[\w-]+/[\w./-]+|\b\w+\.[a-z]{1,5}\b")
_USUAL = frozenset({"src", "lib", "tests", "test", "docs"})
"""Folders a part may begin although nobody has spoken of them."""
_PLAIN = re.compile(r"\W+")


@dataclass(frozen=True)
class Ground:
    """Where the tasks would go: the newest roadmap's bytes, and the files of its tree."""

    roadmap: bytes
    paths: frozenset[str] = frozenset()


def fault(state: RunState, ground: Ground) -> str:
    """Say what is wrong first with the tasks proposed for the current task, or ''."""
    proposal, task = state.attempt.proposal, state.task
    assert proposal is not None  # noqa: S101 - it is what is looked at
    tasks = proposal.replacements
    found = chain(
        [_number(proposal.strategy, tasks)],
        (_size(n, each) for n, each in enumerate(tasks, 1)),
        [_same(task, tasks)],
        (_scope(n, task, each) for n, each in enumerate(tasks, 1)),
        (_unclear(n, proposal.strategy, each) for n, each in enumerate(tasks, 1)),
        (_paths(n, state, ground, each) for n, each in enumerate(tasks, 1)),
    )
    first = next((problem for problem in found if problem), "")
    return first or _losing(state, ground, tasks) or _refused(state, ground)


def _number(strategy: Strategy, tasks: Sequence[NewTask]) -> str:
    if not tasks:
        return "No task was found in the answer."
    fewest, most = REPLACED_BY[strategy]
    if fewest <= len(tasks) <= most:
        return ""
    if most == 1:
        return f"There are {len(tasks)} tasks; write exactly one."
    found = counted(len(tasks), "task was", "tasks were")
    return f"{found} found; write {fewest} to {most}."


def _size(number: int, task: NewTask) -> str:
    lines = (*task.details, *task.acceptance)
    if not _SHORTEST <= len(task.text) <= LONGEST_TEXT:
        return (
            f"Task {number} has {len(task.text)} characters; write {_SHORTEST} to {LONGEST_TEXT}."
        )
    if len(lines) > MOST_LINES:
        return f"Task {number} has {len(lines)} details and criteria; at most {MOST_LINES}."
    if any(len(line) > LONGEST_LINE for line in lines):
        return f"Task {number} has a line of more than {LONGEST_LINE} characters."
    return ""


def _same(task: Task, tasks: Sequence[NewTask]) -> str:
    before = {_words(task.text), _words(unnumbered(task)), _words(task.title)}
    seen: set[str] = set()
    for number, each in enumerate(tasks, 1):
        words = _words(each.text)
        if words in before:
            return f"Task {number} is the old task again; say it in another way."
        if words in seen:
            return f"Task {number} is the same as one before it."
        seen.add(words)
    return ""


def _scope(number: int, task: Task, new: NewTask) -> str:
    """What widens the task must have been in it before."""
    old = f"{unnumbered(task)}\n{task.details}\n{task.place.section}"
    for text in (new.text, *new.details, *new.acceptance):
        for pattern in (*_WIDENS, _ALSO):
            if (found := pattern.search(text)) and not pattern.search(old):
                return f'Task {number} asks for more than the old task: "{found[0].strip()[:60]}".'
    return ""


def _unclear(number: int, strategy: Strategy, new: NewTask) -> str:
    if _ANSWER.match(new.text):
        return f"Task {number} is a remark, not a task."
    if strategy == "rewrite" and not _CONCRETE.search("\n".join((new.text, *new.details))):
        return "The task names no file, function or value; name them in backticks."
    lines = [new.text, *(f"  - {line}" for line in new.details)]
    lines += ["  - Acceptance:", *(f"    - {line}" for line in new.acceptance)]
    text = "\n".join(lines if new.acceptance else lines[:-1])
    problem = next(iter(lint_text(f"- [ ] {text}")), "")
    return f"Task {number}: {problem}." if problem else ""


def _paths(number: int, state: RunState, ground: Ground, new: NewTask) -> str:
    """Files it names are in the tree, in one of its folders, or were named before."""
    task, plan = state.task, state.attempt.planned.plan
    known = {*task.files, *files(task.place.section), *(plan.likely_files if plan else ())}
    text = "\n".join((new.text, *new.details, *new.acceptance))
    guard = protection(
        (*state.request.options.approvals.protect, protect_file(state.request.roadmap))
    )
    for path in _named(text):
        if path in known:
            continue
        if check_shape(path.rstrip("/")) or path.startswith("."):
            return f"Task {number} names {path[:100]}, which is no path of the repository."
        if guard(path):
            return f"Task {number} names {path}, which is protected."
        if _outside(path, known, ground.paths):
            return f"Task {number} names {path}; the repository has no such folder."
    return ""


def _losing(state: RunState, ground: Ground, tasks: Sequence[NewTask]) -> str:
    """A task is not made easier by leaving out what it asks for."""
    task, roadmap = state.task, parse_roadmap(state.request.roadmap, ground.roadmap)
    goes = divides(state, roadmap, find(roadmap, state.current) or task)
    gone = lost(task, tasks, stays="" if goes else task.details)
    if not gone:
        return ""
    whole = "the task does" if len(tasks) == 1 else "the tasks together do"
    return f"The old task names {first_few(gone)}, and {whole} not; keep it word for word."


def _named(text: str) -> Iterator[str]:
    """What looks like a path, also one that leads out of the tree."""
    yield from files(text)
    yield from re.findall(
        r"(?<![\w./])(?:\.\.?/|/(?:etc|usr|home|root|var|tmp)/|~/)[\w./-]{0,100}", text
    )


def _outside(path: str, known: Collection[str], paths: Collection[str]) -> bool:
    """Whether a path starts in a folder that nobody has spoken of."""
    top, slash, _ = path.partition("/")
    if not slash or not paths or top in _USUAL:
        return False
    return not any(other.startswith(f"{top}/") for other in (*paths, *known))


def _refused(state: RunState, ground: Ground) -> str:
    """Try the edit itself; the new tasks must be in the file, runnable, and fully resolved."""
    path = state.request.roadmap
    try:
        after = parse_roadmap(path, edited(state, ground.roadmap))
    except EditRefused as refused:
        return f"The roadmap cannot take it: {refused}."
    before = parse_roadmap(path, ground.roadmap)
    old = find(before, state.current)
    keys = {task.key for task in before.tasks}
    new = [task for task in after.tasks if task.key not in keys]
    if old and old.runnable and not all(task.runnable for task in new):
        return "A task would be optional or a template; write plain work."
    lines = {line for task in new for line in range(task.place.line, task.place.end_line + 1)}
    for warning in after.warnings:
        broken = warning.code in ("unresolved-dependency", "dependency-cycle")
        if broken and warning.line in lines:
            return f"{warning.message}."
    return ""


def _words(text: str) -> str:
    return _PLAIN.sub(" ", text.casefold()).strip()
