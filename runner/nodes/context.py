"""Gather what the model has to see for one task, within bounds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from runner.deps import Deps
from runner.prompts import render_text
from runner.reading import Quoted, base_of, contents, quote
from runner.snapshot import Snapshot
from runner.state import RunState, Step
from runner.validators.validate import syntax_complaint

MAX_CONTENT = 16_000
"""Characters of file contents in one context (about 5,000 tokens)."""

MAX_FILE = 8_000
MAX_TREE = 150
MAX_SIZE = 64_000

_WORD = re.compile(r"[A-Za-z_]{3,}")
_COMMON = frozenset({"the", "and", "for", "with", "that", "this", "from", "into", "add", "new"}) | {
    "test",
    "tests",
    "src",
    "lib",
    "file",
    "function",
    "should",
}


async def build_context(state: RunState, deps: Deps) -> Step:
    """Render task, tree and the files that matter; the attempt keeps it for every question."""
    text = await describe(state, deps)
    return Step(state.with_attempt(context=text.encode()), "ok")


async def describe(state: RunState, deps: Deps) -> str:
    """Return the context as text."""
    base = await base_of(state, deps)
    task, attempt = state.task, state.attempt
    files, broken = await _files(state, deps, base)
    return render_text(
        "context",
        task=task,
        headings=[heading.text for heading in task.headings],
        section=task.section[:4_000],
        plan=attempt.plan,
        tree="\n".join(_tree(base)),
        notes=[*near_misses(task.files, base), *broken],
        files=files,
    )


async def _files(state: RunState, deps: Deps, base: Snapshot) -> tuple[list[Quoted], list[str]]:
    """Files that matter most, until the budget is used up, and which of them are broken."""
    ranked = [p for p in rank(state, base) if base.entries[p].size <= MAX_SIZE]
    found = await contents(deps, base, ranked[:40])
    quoted: list[Quoted] = []
    broken: list[str] = []
    left = MAX_CONTENT
    for path in ranked:
        content = found.get(path)
        if not content or b"\0" in content or left <= 200:
            continue
        file = quote(path, content, limit=min(MAX_FILE, left))
        left -= len(file.text)
        quoted.append(file)
        broken += broken_before(path, content)
    return quoted, broken


def rank(state: RunState, base: Snapshot) -> list[str]:
    """Order paths: named by task or plan, made earlier in this run, sharing words with the task."""
    task, plan = state.task, state.attempt.plan
    named = [*task.files, *(plan.likely_files if plan else ())]
    made = [path for a in state.attempts.values() if a.commit for path in a.changes.files]
    words = _words(f"{task.text} {task.details}")
    scores = {path: len(words & _words(path)) for path in base.entries}
    akin = sorted((p for p in scores if scores[p]), key=lambda p: (-scores[p], p))
    ordered = dict.fromkeys([*_existing(named, base), *reversed(made), *akin])
    return [path for path in ordered if path in base.entries and path != state.request.roadmap]


def broken_before(path: str, content: bytes) -> list[str]:
    """Say that a file of the base does not parse: it was so before this task."""
    found = syntax_complaint(path, content)
    if found is None:
        return []
    at = f" on line {found.line}" if found.line else ""
    return [
        f"`{path}` has a syntax error{at} that was there before ({found.message}). Repair it "
        "if this task needs the file."
    ]


def near_misses(named: Iterable[str], base: Snapshot) -> list[str]:
    """Say which named path does not exist though a very similar one does."""
    notes = []
    for path in named:
        if path not in base.entries and (meant := _namesake(path, base)):
            notes.append(f"`{path}` does not exist, but `{meant}` does; it is probably meant.")
    return notes


def _namesake(path: str, base: Snapshot) -> str | None:
    """The file of the same name in a folder of nearly the same name, if there is one."""
    name = path.rpartition("/")[2]
    same = [other for other in base.entries if other.rpartition("/")[2] == name]
    close = difflib.get_close_matches(path, same, n=1, cutoff=0.85)
    return close[0] if name and close else None


def _existing(named: Iterable[str], base: Snapshot) -> list[str]:
    """Named files, and the files of named folders."""
    found: list[str] = []
    for name in named:
        if name in base.entries:
            found.append(name)
        elif name.endswith("/"):
            found += [path for path in base.entries if path.startswith(name)]
        elif meant := _namesake(name, base):
            found.append(meant)
    return found


def _tree(base: Snapshot) -> list[str]:
    paths = sorted(base.entries)
    if len(paths) <= MAX_TREE:
        return paths
    return [*paths[:MAX_TREE], f"... and {len(paths) - MAX_TREE} more files"]


def _words(text: str) -> set[str]:
    parts = (part.lower() for word in _WORD.findall(text) for part in word.split("_"))
    return {part for part in parts if len(part) > 2} - _COMMON
