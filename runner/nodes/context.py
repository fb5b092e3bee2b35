"""Gather what the model has to see for one task, within a budget of tokens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from runner.context.choose import MAX_FILE, chosen, readable
from runner.context.compose import Material, compose
from runner.context.earlier import earlier_tasks, made
from runner.context.facts import Facts
from runner.context.index import Index
from runner.context.library import Library
from runner.context.named import existing, near_misses, not_shown
from runner.context.parts import Parts, within
from runner.context.rank import Ranking, ranked
from runner.context.terms import terms
from runner.context.tokens import counter
from runner.deps import Deps
from runner.nodes.nearness import near
from runner.prompts import render_text
from runner.reading import base_of, contents, quote
from runner.snapshot import Snapshot
from runner.state import RunState, Step
from runner.validators.validate import syntax_complaint

log = logging.getLogger(__name__)

_BATCH_FILES, _BATCH_BYTES = 300, 4_000_000
"""Contents held at once while the index learns."""

_FETCHED = 40
"""Files whose contents are looked at for one context."""

_LEARNING = 30.0
"""Seconds after which no further file is read for one context."""

_MADE_WORTH = 4.0
_DEFINING = 4
_MAX_WORDS = 20_000


async def build_context(state: RunState, deps: Deps) -> Step:
    """Render task, project and the files that matter; the attempt keeps it for every question."""
    state, text = await describe(state, deps)
    safe = await asyncio.to_thread(deps.mask, text)  # it is kept in the journal
    return Step(state.with_attempt(context=safe.encode()), "ok")


async def describe(state: RunState, deps: Deps) -> tuple[RunState, str]:
    """Return the context as text; before a plan is made half the budget is enough.

    The state counts what finding it took, and knows of which files only a part is shown.
    """
    base = await base_of(state, deps)
    text = _words(state)
    named = [p for p in existing(_named(state), base) if p != state.request.roadmap]
    library = await _library(deps, base, text, [*named, *made(state)], state.request.roadmap)
    state, by_meaning = await near(state, deps, base, library, text)
    ranking = await asyncio.to_thread(_ranked, state, library, text, named, by_meaning)
    about = _about(named, ranking)
    wanted = _worth_reading(about, ranking, base)
    found = await contents(deps, base, wanted)
    recalled = await deps.memory.recall(frozenset(terms(text)), frozenset(base.entries))
    material = Material(
        text=text,
        details=state.task.details,
        section=state.task.section,
        paths=base.entries.keys(),
        named=about,
        library=library,
        ranking=ranking,
        contents={path: found[path] for path in wanted if path in found},
        notes=(*near_misses(state.task.files, base), *not_shown(named, base)),
        earlier=earlier_tasks(state, deps.index),
        recalled=recalled,
    )
    parts, text = await asyncio.to_thread(_rendered, state, deps, material)
    asked = [path for path in _named(state) if path in base.entries]
    return state.with_attempt(partial=_partial(parts, asked)), text


def _partial(parts: Parts, asked: Sequence[str]) -> tuple[str, ...]:
    """Files of which a part is shown, or nothing though the task names them."""
    whole = {file.path for file in parts.files if not file.partial}
    shown = {file.path for file in parts.files if file.partial}
    return tuple(sorted(shown | set(asked) - whole))


def _rendered(state: RunState, deps: Deps, material: Material) -> tuple[Parts, str]:
    """Choose and render; takes processor time, so it has a thread of its own."""
    options = state.request.options
    planning = state.node == "plan_task"
    limit = options.context_tokens // 2 if planning else options.context_tokens
    count = counter(options.model or deps.model_name)
    render = partial(_render, state)
    left = limit - count(render(Parts()))
    parts = compose(material, limit=limit, left=left, count=count)
    broken = [n for file in parts.files for n in _broken_before(file.path, material.contents)]
    parts = replace(parts, notes=(*parts.notes, *broken))
    return within(parts, render, limit=limit, count=count)


def _render(state: RunState, parts: Parts) -> str:
    return render_text(
        "context",
        task=state.task,
        headings=[heading.text for heading in state.task.headings],
        plan=state.attempt.plan,
        parts=parts,
        files=[(f, quote(f.path, f.text.encode(), limit=MAX_FILE * 2)) for f in parts.files],
    )


async def _library(
    deps: Deps, base: Snapshot, text: str, first: Sequence[str], roadmap: str
) -> Library:
    """Know the files of the tree, reading what no run of this process has read before."""
    entries = {path: entry for path, entry in base.entries.items() if path != roadmap}
    paths = await asyncio.to_thread(chosen, entries, text=text, first=first)
    facts = await facts_of_tree(deps, base, paths)
    shas = {path: entries[path].sha for path in facts}
    return await asyncio.to_thread(deps.index.library, facts, shas)


async def facts_of_tree(deps: Deps, base: Snapshot, paths: Sequence[str]) -> dict[str, Facts]:
    """Return what is known of these files; those nobody has read yet are read, for some time."""
    entries = base.entries
    facts = {p: known for p in paths if (known := deps.index.known(p, entries[p].sha))}
    until = deps.clock.monotonic() + _LEARNING
    for batch in _batches([path for path in paths if path not in facts], base):
        if deps.clock.monotonic() > until:
            log.warning("Of %d files %d were read", len(paths), len(facts))
            break
        found = await contents(deps, base, batch)
        facts |= await asyncio.to_thread(_learn, deps.index, base, found)
    return facts


def _learn(index: Index, base: Snapshot, found: Mapping[str, bytes]) -> dict[str, Facts]:
    return {
        path: index.learn(path, base.entries[path].sha, content) for path, content in found.items()
    }


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


def _ranked(
    state: RunState, library: Library, text: str, named: Sequence[str], by_meaning: Sequence[str]
) -> Ranking:
    """Rank; what earlier tasks of the run wrote counts more, the newest most."""
    ranking = ranked(library, text, named=named, near=by_meaning)
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


def _named(state: RunState) -> list[str]:
    plan = state.attempt.plan
    return [*state.task.files, *(plan.likely_files if plan else ())]


def _words(state: RunState) -> str:
    """The words the search looks for; the task's own sentence counts double."""
    task, plan = state.task, state.attempt.plan
    steps = "\n".join(plan.steps) if plan else ""
    return f"{task.text}\n{task.title}\n{task.details}\n{steps}"[:_MAX_WORDS]


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
