"""Gather what the model has to see for one task, within a budget of tokens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from runner.checks.validate import syntax_complaint
from runner.code.symbols import symbols_of
from runner.context.compose import ContextParts, Listed, Material, compose, signatures, within
from runner.context.facts import FileFacts
from runner.context.library import (
    MAX_FILE,
    Index,
    Library,
    chosen,
    existing,
    near_misses,
    not_shown,
    readable,
)
from runner.context.rank import Ranking, ranked, saying
from runner.context.search import terms, texts_in
from runner.context.tokens import counter
from runner.loop.asking import context_limit
from runner.loop.deps import Deps, TaskWork
from runner.loop.reading import contents, quote, seen_of
from runner.loop.schedule import Bases, independent
from runner.nodes.project_facts import guides, test_command, wants_tests
from runner.nodes.revise import change_so_far
from runner.nodes.unclear import ask_people_first
from runner.prompts import render_text
from runner.roadmap.task import Task
from runner.state.changes import Snapshot, Write, blob_sha
from runner.state.revising import Point
from runner.state.run_state import Attempt, RunState, Step

_FILES, _STEPS = 6, 3


def earlier_tasks(state: RunState, index: Index) -> list[Listed]:
    """Return one entry a finished task, the newest first."""
    titles = {task.key: f"{task.name} {task.title}" for task in state.tasks}
    done = _before(state)
    entries = [
        Listed(titles.get(attempt.task, attempt.task)[:120], tuple(_lines(attempt, index)))
        for attempt in reversed(done)
    ]
    return [entry for entry in entries if entry.lines]


def made(state: RunState) -> list[str]:
    """Return the files earlier tasks of the run wrote, the newest first."""
    files: dict[str, None] = {}
    for attempt in reversed(_before(state)):
        files |= dict.fromkeys(p for p, write in attempt.answered.changes.files.items() if write)
    return list(files)


async def added_names(state: RunState, deps: Deps) -> frozenset[str]:
    """Return the names that earlier tasks of the run gave to files that did not define them."""
    found: set[str] = set()
    for attempt in _before(state):
        files = attempt.answered.changes.files
        old = await contents(deps, await deps.repository.snapshot(attempt.base), files)
        for path, write in files.items():
            now = symbols_of(path, write.content if write else b"").definitions
            was = symbols_of(path, old.get(path, b"")).definitions
            found |= {each.name for each in now} - {each.name for each in was}
    return frozenset(found)


def _before(state: RunState) -> list[Attempt]:
    """The finished tasks that the current one builds on: with separate branches, not all."""
    done = [a for a in state.attempts.values() if a.published.commit and a.task != state.current]
    if not independent(state):
        return done
    under = {*Bases(state).below(state.attempt.below)}
    return [a for a in done if a.published.branch in under or a.task not in state.stack.members]


def _lines(attempt: Attempt, index: Index) -> Iterator[str]:
    for path, write in list(attempt.answered.changes.files.items())[:_FILES]:
        yield f"wrote {path}{_defined(path, write, index)}" if write else f"deleted {path}"
    if attempt.planned.plan:
        for step in attempt.planned.plan.steps[:_STEPS]:
            yield f"decided: {' '.join(step.split())[:160]}"


def _defined(path: str, write: Write, index: Index) -> str:
    sha = blob_sha(write.content)
    facts = index.known(path, sha) or index.learn(path, sha, write.content)
    found = facts.symbols.definitions
    return f": {'; '.join(line.strip() for line in signatures(found))}" if found else ""


log = logging.getLogger(__name__)

_BATCH_FILES, _BATCH_BYTES = 300, 4_000_000
"""Contents held at once while the index learns."""

_FETCHED = 40
"""Files whose contents are looked at for one context."""

_LEARNING = 60.0
"""Seconds of processor time after which no further file is read for one context: the next goes on.

A busy machine takes longer for it, and reads the same files.
"""

LONG_FILE = 150
"""Lines of a file from which on a first answer is asked for the lines that change alone."""

_MADE_WORTH = 4.0
_DEFINING = 4
_MAX_WORDS = 20_000


async def build_context(state: RunState, deps: Deps, work: TaskWork) -> Step:
    """Render task, project and the files that matter; the attempt keeps it for every question."""
    ask_people_first(state)
    state = state.with_changes(await change_so_far(state, deps))
    state, text = await describe(state, deps)
    safe = await asyncio.to_thread(deps.mask, text)  # it is kept in the journal
    return Step(
        state.updated(replace(state.attempt.planned, context=safe.encode())),
        "ok",
    )


async def describe(state: RunState, deps: Deps) -> tuple[RunState, str]:
    """Return the context as text; before a plan is made half the budget is enough.

    The state counts what finding it took, and knows of which files only a part is shown.
    """
    base = await seen_of(state, deps)
    text = _words(state)
    named = [p for p in existing(_named(state), base) if p != state.request.roadmap]
    library = await library_of(deps, base, text, [*named, *made(state)], state.request.roadmap)
    ranking = await asyncio.to_thread(_ranked, state, library, text, named)
    about = _about(named, ranking)
    wanted = _worth_reading(about, ranking, base)
    found = await contents(deps, base, wanted)
    ranking = saying(ranking, found, texts_in(text))
    wanted = sorted(wanted, key=lambda path: _place(path, about, ranking))
    recalled = await _recalled(state, deps, text, base)
    material = Material(
        text=text,
        details=_with_criteria(state.task),
        section=state.task.place.section,
        paths=base.entries.keys(),
        named=about,
        library=library,
        ranking=ranking,
        contents={path: found[path] for path in wanted if path in found},
        notes=(
            *near_misses(_paths(state), base),
            *not_shown(named, base, found),
            *filter(None, [wants_tests(state, library, base)]),
        ),
        guides=await guides(deps, base, about),
        tested=await test_command(state, deps, base),
        earlier=earlier_tasks(state, deps.search.index),
        recalled=recalled,
    )
    limit = await context_limit(state, deps)
    parts, text = await asyncio.to_thread(_rendered, state, deps, material, limit)
    asked = [path for path in _named(state) if path in base.entries]
    more = bool(parts.outlines) or any(file.partial for file in parts.files)
    state = state.updated(
        replace(state.attempt.planned, partial=_partial(parts, asked), long=_long(parts), more=more)
    )
    return state, text


async def _recalled(state: RunState, deps: Deps, text: str, base: Snapshot) -> tuple[str, ...]:
    """What earlier runs learned about such a task: no more notes than the repository allows."""
    most = state.request.options.memory_notes
    if not most:
        return ()
    found = await deps.earlier.memory.recall(frozenset(terms(text)), frozenset(base.entries))
    return found[:most]


def _partial(parts: ContextParts, asked: Sequence[str]) -> tuple[str, ...]:
    """Files of which a part is shown, or nothing though the task names them."""
    whole = {file.path for file in parts.files if not file.partial}
    shown = {file.path for file in parts.files if file.partial}
    return tuple(sorted(shown | set(asked) - whole))


def _long(parts: ContextParts) -> tuple[str, ...]:
    """Files that are shown whole and are too long to be repeated for a change."""
    whole = (file for file in parts.files if not file.partial)
    return tuple(file.path for file in whole if file.text.count("\n") >= LONG_FILE)


def _rendered(
    state: RunState, deps: Deps, material: Material, limit: int
) -> tuple[ContextParts, str]:
    """Choose and render; runs in its own thread, because it takes processor time."""
    options = state.request.options
    planning = state.node == "plan_task"
    limit = limit // 2 if planning else limit
    count = counter(options.models.model or deps.search.model)
    limit += sum(count(point.shown) for point in _points(state))
    render = partial(_render, state)
    left = limit - count(render(ContextParts()))
    parts = compose(material, limit=limit, left=left, count=count)
    broken = [n for file in parts.files for n in _broken_before(file.path, material.contents)]
    parts = replace(parts, notes=(*parts.notes, *broken))
    return within(parts, render, limit=limit, count=count)


def _render(state: RunState, parts: ContextParts) -> str:
    return render_text(
        "context",
        task=state.task,
        headings=[heading.text for heading in state.task.place.headings],
        plan=state.attempt.planned.plan,
        parts=parts,
        files=[(f, quote(f.path, f.text, limit=MAX_FILE * 2)) for f in parts.files],
        guides=[quote(f.path, f.text, limit=MAX_FILE) for f in parts.guides],
        points=_points(state),
        repairing=_repairs(state),
        redoing=_is_in_conflict(state),
    )


def _repairs(state: RunState) -> bool:
    """Whether the points are what failing checks printed."""
    revision = state.attempt.planned.revision
    return revision is not None and revision.repairs


def _is_in_conflict(state: RunState) -> bool:
    """Whether the points are what the pull request had changed where its base changed as well."""
    revision = state.attempt.planned.revision
    return revision is not None and revision.conflict is not None


def _points(state: RunState) -> tuple[Point, ...]:
    """What reviewers ask for."""
    revision = state.attempt.planned.revision
    return revision.points if revision else ()


async def library_of(
    deps: Deps, base: Snapshot, text: str, first: Sequence[str], roadmap: str
) -> Library:
    """Know the files of the tree, reading what no run of this process has read before."""
    entries = {path: entry for path, entry in base.entries.items() if path != roadmap}
    paths = await asyncio.to_thread(chosen, entries, text=text, first=first)
    facts = await facts_of_tree(deps, base, paths)
    shas = {path: entries[path].sha for path in facts}
    return await asyncio.to_thread(deps.search.index.library, facts, shas)


async def facts_of_tree(deps: Deps, base: Snapshot, paths: Sequence[str]) -> dict[str, FileFacts]:
    """Return what is known of these files; those nobody has read yet are read, for some time."""
    index = deps.search.index
    facts = await asyncio.to_thread(_known, index, base, paths)
    left = _LEARNING
    for batch in _batches([path for path in paths if path not in facts], base):
        if left <= 0:
            log.warning("Of %d files %d were read", len(paths), len(facts))
            break
        found = await contents(deps, base, batch)
        new, taken = await asyncio.to_thread(_learn, index, base, found)
        facts |= new
        left -= taken
    await asyncio.to_thread(index.keep)
    return facts


def _known(index: Index, base: Snapshot, paths: Sequence[str]) -> dict[str, FileFacts]:
    return {p: known for p in paths if (known := index.known(p, base.entries[p].sha))}


def _learn(
    index: Index, base: Snapshot, found: Mapping[str, bytes]
) -> tuple[dict[str, FileFacts], float]:
    """Return the facts of these files, and the processor time that they took."""
    began = time.thread_time()
    facts = {p: index.learn(p, base.entries[p].sha, content) for p, content in found.items()}
    return facts, time.thread_time() - began


def _batches(paths: Sequence[str], base: Snapshot) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in paths:
        batch.append(path)
        size += base.entries[path].size
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _ranked(state: RunState, library: Library, text: str, named: Sequence[str]) -> Ranking:
    """Rank; what earlier tasks of the run wrote counts more, the newest most."""
    ranking = ranked(library, text, named=named)
    scores = dict(ranking.scores)
    for at, path in enumerate(path for path in made(state) if path in library.facts):
        scores[path] = scores.get(path, 0.0) + _MADE_WORTH / (1 + at / 5)
    return replace(ranking, scores=scores)


def _about(named: Sequence[str], ranking: Ranking) -> list[str]:
    """What the task changes: files it names, and those that define what it names."""
    defining = dict.fromkeys(target.path for target in ranking.targets)
    return list(dict.fromkeys([*named, *list(defining)[:_DEFINING]]))


def _worth_reading(about: Sequence[str], ranking: Ranking, base: Snapshot) -> list[str]:
    scores = ranking.scores
    best = sorted(scores, key=lambda path: (-scores[path], path))
    paths = dict.fromkeys([*about, *best[: _FETCHED // 2], *ranking.users, *best[:_FETCHED]])
    return [path for path in paths if readable(base.entries, path)][:_FETCHED]


def _place(path: str, about: Sequence[str], ranking: Ranking) -> tuple[int, float]:
    """Where a file comes: what the task changes in its order, then the others by their scores."""
    named = about.index(path) if path in about else len(about)
    return named, -ranking.scores.get(path, 0.0)


def _named(state: RunState) -> list[str]:
    """Files that are to be shown whole: those of the task, and those that a review is about."""
    plan, answered = state.attempt.planned.plan, state.attempt.answered
    reviewed = [point.path for point in _points(state) if point.path]
    written = [path for path, write in answered.changes.files.items() if write]
    named = (*reviewed, *written, *state.task.files, *(plan.likely_files if plan else ()))
    return list(dict.fromkeys(named))


def _paths(state: RunState) -> list[str]:
    """The paths that the task or its plan names."""
    plan = state.attempt.planned.plan
    return list(dict.fromkeys((*state.task.files, *(plan.likely_files if plan else ()))))


_MOST_CRITERIA, _LONGEST_CRITERION = 12, 300


def _with_criteria(task: Task) -> str:
    """Return the details of a task, and what its section is to fulfil that they do not say."""
    shown = f"{task.details}\n{task.place.section}"
    new = [each for each in task.acceptance if each not in shown][:_MOST_CRITERIA]
    if not new:
        return task.details
    lines = "\n".join(f"- {each[:_LONGEST_CRITERION]}" for each in new)
    criteria = f"When all tasks of its section are done, this must be true:\n\n{lines}"
    return "\n\n".join(filter(None, [task.details, criteria]))


def _words(state: RunState) -> str:
    """The words the search looks for; the task's own sentence counts double."""
    task, plan = state.task, state.attempt.planned.plan
    steps = "\n".join(plan.steps) if plan else ""
    asked = "\n".join(point.text for point in _points(state))
    return f"{asked}\n{task.text}\n{task.title}\n{task.details}\n{steps}"[:_MAX_WORDS]


def _broken_before(path: str, contents: Mapping[str, bytes]) -> list[str]:
    """Say that a file of the base does not parse: it was so before this task."""
    found = syntax_complaint(path, contents[path])
    if found is None:
        return []
    at = f" on line {found.line}" if found.line else ""
    return [
        f"`{path}` has a syntax error{at} that was there before ({found.message}). Repair it "
        "if this task needs the file."
    ]
