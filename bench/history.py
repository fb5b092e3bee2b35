"""How many good changes do the rules refuse? The commits of a real repository are the answers.

``make bench ARGS="history FOLDER [--last 300] [--until COMMIT] [--show]"`` takes the newest commits
of any git repository (bare ones too). Each message becomes a task, and the model answers
with exactly what the commit changed: whole files for new and short ones, search/replace blocks for
the others. The bench counts changes that are never accepted, accepted only when the same answer
comes again, and accepted without some of their files. It lists the refusals by rule.

Not every commit is a good change, and a message often says less than a task does: read the listed
commits (``--show``) before you blame a rule.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.finding import Finding, Line, Unmeasured
from bench.loop.hunks import as_edits
from runner.context.library import Index
from runner.git.command import hermetic
from runner.git.local_repository import LocalRepository
from runner.loop.deps import Deps, FileSearch, TaskWork
from runner.loop.reading import contents
from runner.nodes.context import build_context
from runner.nodes.generate import execute_task, repair_code
from runner.nodes.validate import validate_code
from runner.prompts.questions import Answer, Question
from runner.roadmap.parse import parse_roadmap
from runner.state.changes import EXECUTABLE, FILE, Snapshot
from runner.state.options import Request
from runner.state.run_state import Attempt, RunStack, RunState
from tests.runner.scripted import deps

_SOURCES = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".rb")
_MOST_FILES, _LARGEST, _SHORT = 12, 60_000, 100
_GOAL = 0.01


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with one parent: what it changed and what its message says."""

    sha: str
    parent: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many answers it took (0: never accepted), what was refused, which files were left out."""

    commit: Commit
    answers: int
    rules: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass
class Echo:
    """A model that gives one answer to every question."""

    text: str = ""
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> Answer:
        """Give the answer again."""
        self.asked.append(question)
        return Answer(self.text, "stop", 10, 10, "echo", cost=0.0)


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[Line | str]:
    """Replay the history of the repository that the arguments name."""
    options = _options(arguments)
    if options.repository is None:
        yield Unmeasured("history", "it needs a git repository: ARGS='history FOLDER'")
        return
    outcomes: list[Outcome] = []
    index = Index()
    async for commit in _commits(options.repository, options.until, options.last):
        outcome = await _replayed(options.repository, commit, index)
        if outcome is None:
            continue
        outcomes.append(outcome)
        if options.show and (outcome.rules or outcome.dropped):
            yield _shown(outcome)
    for line in _findings(outcomes):
        yield line


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench history")
    parser.add_argument("repository", nargs="?", type=Path)
    parser.add_argument("--last", type=int, default=300, help="how many commits")
    parser.add_argument("--until", default="HEAD", help="the newest commit")
    parser.add_argument("--show", action="store_true", help="list what was refused or left out")
    return parser.parse_args(list(arguments))


async def _commits(repository: Path, until: str, last: int) -> AsyncIterator[Commit]:
    git = hermetic("-C", str(repository))
    form = "--format=%H%x00%P%x00%B%x01"
    found = await git.output("log", "--no-merges", f"--max-count={last}", form, until)
    for entry in found.decode("utf-8", "replace").split("\x01"):
        sha, _, rest = entry.strip("\n").partition("\0")
        parent, _, message = rest.partition("\0")
        if parent and " " not in parent:
            yield Commit(sha, parent, message.strip())


async def _replayed(repository: Path, commit: Commit, index: Index) -> Outcome | None:
    """Answer with the commit's change until it is accepted; None where it is no fit example."""
    port = LocalRepository(repository)
    ports = replace(deps(), repository=port, model=Echo(), search=FileSearch(index))
    base, after = await port.snapshot(commit.parent), await port.snapshot(commit.sha)
    paths = _changed(base, after)
    if not _fit(paths, base, after):
        return None
    old, new = await contents(ports, base, paths), await contents(ports, after, paths)
    ports.model.text = _answer(paths, old, new)  # type: ignore[attr-defined]
    return await _accepted(_state(commit), ports, commit, set(paths))


def _changed(base: Snapshot, after: Snapshot) -> list[str]:
    every = base.entries.keys() | after.entries.keys()
    return sorted(path for path in every if base.entries.get(path) != after.entries.get(path))


def _fit(paths: Sequence[str], base: Snapshot, after: Snapshot) -> bool:
    entries = [s.entries[p] for s in (base, after) for p in paths if p in s.entries]
    return (
        0 < len(paths) <= _MOST_FILES
        and any(path.endswith(_SOURCES) for path in paths)
        and not any(path.startswith(".") for path in paths)
        and all(e.mode in (FILE, EXECUTABLE) and (e.size or 0) <= _LARGEST for e in entries)
        and all(
            p not in base.entries
            or p not in after.entries
            or base.entries[p].mode == after.entries[p].mode
            for p in paths
        )
    )


def _answer(paths: Sequence[str], old: dict[str, bytes], new: dict[str, bytes]) -> str:
    return "\n".join(_block(path, old.get(path), new.get(path)) for path in paths)


def _block(path: str, old: bytes | None, new: bytes | None) -> str:
    if new is None:
        return f"DELETE {path}\n"
    text = new.decode("utf-8", "replace").replace("\r\n", "\n")
    before = (old or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    if before.count("\n") > _SHORT:
        return as_edits(path, before, text)
    fence = "`" * 3 if "```" not in text else "`" * 6
    return f"{path}\n{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"


def _state(commit: Commit) -> RunState:
    """The commit's message as the one task of a roadmap."""
    title, _, body = commit.message.partition("\n")
    details = "".join(
        f"  {line}\n" if line.strip() else "\n" for line in body.strip("\n").split("\n")
    )
    roadmap = parse_roadmap("ROADMAP.md", f"- [ ] {title}\n\n{details}".encode())
    state = RunState(
        Request("r1"), roadmap=roadmap, stack=RunStack(tip=commit.parent), node="build_context"
    )
    key = state.tasks[0].key
    state = replace(state, current=key)
    return state.put(Attempt(task=key, base=commit.parent, below="main"))


async def _accepted(state: RunState, ports: Deps, commit: Commit, paths: set[str]) -> Outcome:
    state = (await build_context(state, ports, TaskWork())).state
    rules: list[str] = []
    problems: list[str] = []
    for number, ask in enumerate((execute_task, repair_code, repair_code), 1):
        state = replace(state, node=ask.__name__)
        state = (await ask(state, ports, TaskWork())).state
        step = await validate_code(replace(state, node="validate_code"), ports, TaskWork())
        state = step.state
        if step.outcome in ("ok", "approve"):
            left = paths - set(state.attempt.answered.changes.files)
            notes = tuple(note for note in state.attempt.answered.auto_repairs if left)
            return Outcome(commit, number, tuple(rules), tuple(sorted(left)), (*problems, *notes))
        rules += [c.error for c in state.attempt.checked.complaints]
        problems += [f"{c.path}: {c.error}: {c.message}" for c in state.attempt.checked.complaints]
    return Outcome(commit, 0, tuple(rules), (), tuple(problems))


def _shown(outcome: Outcome) -> str:
    title = outcome.commit.message.partition("\n")[0]
    how = f"accepted with answer {outcome.answers}" if outcome.answers else "never accepted"
    lines = [f"-- {outcome.commit.sha[:10]} {title[:80]}: {how}"]
    lines += [f"     {line[:300]}" for line in dict.fromkeys(outcome.problems)]
    lines += [f"     left out: {path}" for path in outcome.dropped]
    return "\n".join(lines)


def _findings(outcomes: Sequence[Outcome]) -> Iterator[Line | str]:
    if not outcomes:
        yield Unmeasured("history", "no commit fits (one parent, source files, at most 12 files)")
        return
    total = len(outcomes)
    never = sum(not o.answers for o in outcomes)
    asked = sum(o.answers > 1 for o in outcomes)
    cut = sum(bool(o.dropped) for o in outcomes)
    yield f"{total} commits"
    for what, count, goal in (
        ("never accepted", never, _GOAL),
        ("accepted when asked again", asked, 0.05),
        ("accepted without some of their files", cut, 0.05),
    ):
        share = count / total
        yield Finding(
            what=what, value=100 * share, unit="%", goal=f"<= {goal:.0%}", ok=share <= goal
        )
    by_rule = Counter(rule for o in outcomes for rule in set(o.rules) if not o.answers)
    for rule, count in by_rule.most_common():
        yield f"   never accepted because of {rule}: {count} ({100 * count / total:.1f} %)"
