"""Gather what the model has to see for one task, within a budget of tokens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.checks.validate import syntax_complaint
from runner.code.symbols import symbols_of
from runner.context.compose import (
    ContextParts,
    Listed,
    Material,
    QuotedFile,
    compose,
    signatures,
    within,
)
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
from runner.nodes.people import ask_people_first
from runner.nodes.revise import change_so_far
from runner.nodes.told import (
    guides,
    in_project,
    specification,
    test_command,
    wants_tests,
    with_criteria,
)
from runner.prompts import render_text
from runner.roadmap.plans import form_of
from runner.state.changes import Snapshot, blob_sha
from runner.state.revising import Point
from runner.state.run_state import Attempt, RunState, Step

_FILES, _STEPS = 6, 3


def earlier_tasks(state: RunState, index: Index) -> list[Listed]:
    """Return one entry a finished task, the newest first."""
    titles = {task.key: f"{task.name} {task.title}" for task in state.tasks}
    entries: list[Listed] = []
    for attempt in reversed(_before(state)):
        lines: list[str] = []
        for path, write in list(attempt.answered.changes.files.items())[:_FILES]:
            if write is None:
                lines.append(f"deleted {path}")
                continue
            sha = blob_sha(write.content)
            facts = index.known(path, sha) or index.learn(path, sha, write.content)
            defined = "; ".join(map(str.strip, signatures(facts.symbols.definitions)))
            lines.append(f"wrote {path}: {defined}" if defined else f"wrote {path}")
        steps = attempt.planned.plan.steps[:_STEPS] if attempt.planned.plan else ()
        lines += [f"decided: {' '.join(step.split())[:160]}" for step in steps]
        if lines:
            entries.append(Listed(titles.get(attempt.task, attempt.task)[:120], tuple(lines)))
    return entries


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
    base, task, roadmap = await seen_of(state, deps), state.task, state.request.roadmap
    plan = state.attempt.planned.plan
    asked = "\n".join(point.text for point in _points(state))
    steps = "\n".join(plan.steps) if plan else ""
    # what the search looks for; the task's own sentence counts double
    text = f"{asked}\n{task.text}\n{task.title}\n{task.details}\n{steps}"[:_MAX_WORDS]
    # files that are to be shown whole: those of the task, and those that a review is about
    paths = list(dict.fromkeys((*task.files, *(plan.likely_files if plan else ()))))
    reviewed = [point.path for point in _points(state) if point.path]
    written = [p for p, write in state.attempt.answered.changes.files.items() if write]
    wanted_whole = list(dict.fromkeys((*reviewed, *written, *paths)))
    named = [path for path in existing(wanted_whole, base) if path != roadmap]
    library = await library_of(deps, base, text, [*named, *made(state)], roadmap)
    ranking = await asyncio.to_thread(_ranked, state, library, text, named)
    # what the task changes: files it names, and those that define what it names
    defining = list(dict.fromkeys(target.path for target in ranking.targets))
    about = list(dict.fromkeys([*named, *defining[:_DEFINING]]))
    wanted = _worth_reading(about, ranking, base)
    found = await contents(deps, base, wanted)
    ranking = saying(ranking, found, texts_in(text))
    scores = ranking.scores
    in_order = sorted(
        found,
        key=lambda path: (
            about.index(path) if path in about else len(about),
            -scores.get(path, 0.0),
            wanted.index(path),
        ),
    )
    most, recalled = state.request.options.memory_notes, tuple[str, ...]()
    if most:  # what earlier runs learned about such a task
        known = await deps.earlier.memory.recall(frozenset(terms(text)), frozenset(base.entries))
        recalled = known[:most]
    spec = await specification(state, deps, base)
    material = Material(
        text=text,
        details=with_criteria(task),
        section=task.place.section,
        paths=base.entries.keys(),
        named=about,
        library=library,
        ranking=ranking,
        contents={path: found[path] for path in in_order},
        notes=(
            *near_misses(paths, base),
            *not_shown(named, base, found),
            *filter(None, [wants_tests(state, library, base)]),
            *(f"The task names {each}, which is not there." for each in spec.missing),
            *filter(None, [in_project(state.request.options.projects)]),
        ),
        rules=spec.rules,
        cited=spec.cited,
        beside=spec.beside,
        guides=await guides(deps, base, about),
        tested=await test_command(state, deps, base),
        earlier=earlier_tasks(state, deps.search.index),
        recalled=recalled,
    )
    limit = await context_limit(state, deps)
    parts, text = await asyncio.to_thread(_rendered, state, deps, material, limit)
    whole = [file for file in parts.files if not file.partial]
    partly = {file.path for file in parts.files if file.partial}
    unseen = {path for path in wanted_whole if path in base.entries} - {f.path for f in whole}
    planned = replace(
        state.attempt.planned,
        partial=tuple(sorted(partly | unseen)),
        # too long to be repeated for a change
        long=tuple(file.path for file in whole if file.text.count("\n") >= LONG_FILE),
        more=bool(parts.outlines or partly),
        shown=tuple(file.path for file in parts.files),
        specification=tuple(file.path for file in (*parts.specification, *parts.rules)),
        absent=tuple(spec.missing),
    )
    return state.updated(planned), text


def _rendered(
    state: RunState, deps: Deps, material: Material, limit: int
) -> tuple[ContextParts, str]:
    """Choose and render; runs in its own thread, because it takes processor time."""
    revision = state.attempt.planned.revision
    whole, limit = limit, limit // 2 if state.node == "plan_task" else limit
    count = counter(state.request.options.models.model or deps.search.model)
    limit += sum(count(point.shown) for point in _points(state))

    before = state.attempt.planned.shown

    def in_order(files: Sequence[QuotedFile]) -> list[QuotedFile]:
        """What the question for the plan showed comes first, as it came there."""
        return sorted(
            files, key=lambda f: before.index(f.path) if f.path in before else len(before)
        )

    def render(parts: ContextParts) -> str:
        return render_text(
            "context",
            task=state.task,
            headings=[heading.text for heading in state.task.place.headings],
            plan=state.attempt.planned.plan,
            parts=parts,
            files=[(f, quote(f.path, f.text, limit=MAX_FILE * 2)) for f in in_order(parts.files)],
            guides=[quote(f.path, f.text, limit=MAX_FILE) for f in parts.guides],
            rules=[quote(f.path, f.text, limit=MAX_FILE) for f in parts.rules],
            specification=[quote(f.path, f.text, limit=MAX_FILE) for f in parts.specification],
            points=_points(state),
            # the points are what failing checks printed, or what the pull request had changed
            # where its base changed as well
            repairing=revision is not None and revision.repairs,
            redoing=revision is not None and revision.conflict is not None,
        )

    left = limit - count(render(ContextParts()))
    parts = compose(material, limit=limit, whole=whole, left=left, count=count)
    broken: list[str] = []
    for file in parts.files:
        if found := syntax_complaint(file.path, material.contents[file.path]):
            at = f" on line {found.line}" if found.line else ""
            broken.append(
                f"`{file.path}` has a syntax error{at} that was there before ({found.message}). "
                "Repair it if this task needs the file."
            )
    parts = replace(parts, notes=(*parts.notes, *broken))
    return within(parts, render, limit=limit, count=count)


def _points(state: RunState) -> tuple[Point, ...]:
    """What reviewers ask for."""
    revision = state.attempt.planned.revision
    return revision.points if revision else ()


async def library_of(
    deps: Deps, base: Snapshot, text: str, first: Sequence[str], roadmap: str
) -> Library:
    """Know the files of the tree, reading what no run of this process has read before."""
    form = form_of(roadmap)
    entries = {
        path: entry
        for path, entry in base.entries.items()
        if path != roadmap and not form.is_of_plans(roadmap, path)
    }
    paths = await asyncio.to_thread(chosen, entries, text=text, first=first)
    facts = await facts_of_tree(deps, base, paths)
    shas = {path: entries[path].sha for path in facts}
    return await asyncio.to_thread(deps.search.index.library, facts, shas)


async def facts_of_tree(deps: Deps, base: Snapshot, paths: Sequence[str]) -> dict[str, FileFacts]:
    """Return what is known of these files; those nobody has read yet are read, for some time."""
    index, entries = deps.search.index, base.entries
    facts = await asyncio.to_thread(
        lambda: {p: known for p in paths if (known := index.known(p, entries[p].sha))}
    )

    def learn(found: Mapping[str, bytes]) -> float:
        """Learn, and return the processor time that it took."""
        began = time.thread_time()
        facts.update({p: index.learn(p, entries[p].sha, text) for p, text in found.items()})
        return time.thread_time() - began

    left, at, new = _LEARNING, 0, [path for path in paths if path not in facts]
    while at < len(new):
        if left <= 0:
            log.warning("Of %d files %d were read", len(paths), len(facts))
            break
        begun, size = at, 0
        while at < min(len(new), begun + _BATCH_FILES) and size < _BATCH_BYTES:
            size += entries[new[at]].size
            at += 1
        left -= await asyncio.to_thread(learn, await contents(deps, base, new[begun:at]))
    await asyncio.to_thread(index.keep)
    return facts


def _ranked(state: RunState, library: Library, text: str, named: Sequence[str]) -> Ranking:
    """Rank; what earlier tasks of the run wrote counts more, the newest most."""
    ranking = ranked(library, text, named=named)
    scores = dict(ranking.scores)
    for at, path in enumerate(path for path in made(state) if path in library.facts):
        scores[path] = scores.get(path, 0.0) + _MADE_WORTH / (1 + at / 5)
    return replace(ranking, scores=scores)


def _worth_reading(about: Sequence[str], ranking: Ranking, base: Snapshot) -> list[str]:
    scores = ranking.scores
    best = sorted(scores, key=lambda path: (-scores[path], path))
    paths = dict.fromkeys([*about, *best[: _FETCHED // 2], *ranking.users, *best[:_FETCHED]])
    return [path for path in paths if readable(base.entries, path)][:_FETCHED]
