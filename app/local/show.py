"""``cairn show``: a run of this folder, or a task in full, so that nobody approves blind."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.local.compose import kept_in, repository_in
from app.local.options import FOLDER
from app.local.report import run_lines, run_object
from app.local.runs import LocalStore, PendingProposal, answerable, as_it_stands, states
from app.terminal import any_encoding, one_line, printable, say
from app.texts import checkout_texts as texts
from runner.errors import PortError
from runner.files.decisions import KnownRun
from runner.files.history_file import NAME, FileHistory
from runner.files.kept import KeptFiles
from runner.money import dollars
from runner.people.cost_sentences import run_commands, run_cost
from runner.people.history_sentences import as_lines
from runner.people.task_detail import (
    KeptExchange,
    TaskDetail,
    changes_of,
    detail_json,
    detail_of,
    known,
)
from runner.people.trust import trust_line, verdict_of
from runner.state.findings import outputs_of
from runner.state.run_state import RunState, Status
from runner.text.sanitize import cut_middle

_SHORTEST = 4
_LONGEST = 4_000
"""Characters of one failure's output, and of a prompt or a reply without ``--exchanges``."""

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What is to be shown: a run, a task or a proposal by its name; '' for the newest run."""

    words: tuple[str, ...] = ()
    exchanges: bool = False
    json: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """A run, and the key of the task that was named ('' for none)."""

    run: KnownRun
    state: RunState
    task: str = ""


class NotFound(Exception):
    """Nothing is called so; the message says what there is."""


def command(folder: Path, asked: ShowOptions) -> int:
    """Print it; 2 when there is no such thing, or what a run left cannot be read."""
    any_encoding()
    kept = kept_in(folder / FOLDER)
    try:
        found = asyncio.run(_find(asked.words, kept))
        if found is None:
            say(jsonlib.dumps({"runs": []}) if asked.json else texts.no_run())
            return 0
        say(asyncio.run(_text(found, asked, kept, folder)))
    except NotFound as problem:
        print(problem, file=sys.stderr)
        return 2
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    return 0


async def _text(found: _Found, asked: ShowOptions, kept: LocalStore, folder: Path) -> str:
    waits = [each for each in await answerable(kept) if each.run.id == found.run.id]
    repository = await repository_in(folder)
    state, elsewhere = await as_it_stands(repository, folder, found.run, found.state)
    newest = kept.runs.all()[0].id == found.run.id
    shown = state if newest else found.state  # what an older run did stays as it was
    found = replace(found, state=state)
    if not found.task:
        if asked.json:
            return jsonlib.dumps(run_object(found.run, shown, waits), ensure_ascii=False)
        lines = run_lines(found.run, shown, waits, elsewhere, now=state)
        return "\n".join([*lines, *_hints(found), *await _cost(found.run.id, folder)])
    detail = await _detail(found, folder)
    if asked.json:
        return jsonlib.dumps(detail_json(detail), ensure_ascii=False, default=str)
    waiting = [each for each in waits if each.proposal.task == found.task]
    return "\n".join(_lines(detail, waiting, elsewhere, full=asked.exchanges))


async def _find(words: Sequence[str], kept: LocalStore) -> _Found | None:
    """Return what is meant: a run, a task or a proposal, the newest first. Raises ``NotFound``."""
    runs = kept.runs.all()
    if not runs:
        return None
    named = [run for run in runs if words and _is_run(run, words[0])]
    rest = words[1:] if named else words
    for run in named or (runs if rest else runs[:1]):
        for known_run, state in await states([run], kept):
            if not rest:
                return _Found(known_run, state)
            if key := _task(state, rest[-1]):
                return _Found(known_run, state, key)
    raise NotFound(texts.nothing_called(rest[-1] if rest else words[0], [run.id for run in runs]))


def _is_run(run: KnownRun, word: str) -> bool:
    return run.id == word or (len(word) >= _SHORTEST and run.id.startswith(word))


def _task(state: RunState, word: str) -> str:
    """The key of the task that the run took up and a word names: id, key or proposal; else ''."""
    for key, attempt in state.attempts.items():
        task, proposal = state.task_of(key), attempt.proposal
        by_id = len(word) >= _SHORTEST and proposal is not None
        if word in (task.key, task.id) or (
            by_id and proposal and proposal.fingerprint.startswith(word.lower())
        ):
            return key
    return ""


async def _detail(found: _Found, folder: Path) -> TaskDetail:
    """The task with what its change was made from. Raises ``PortError`` where that is gone."""
    repository = await repository_in(folder)
    attempt = found.state.attempts[found.task]
    shas = known(await repository.snapshot(attempt.base), changes_of(attempt))
    contents = await repository.blobs(tuple(set(shas.values())))
    before = {path: contents[sha] for path, sha in shas.items()}
    kept, run = KeptFiles(folder / FOLDER), found.run.id
    exchanges = tuple(
        replace(each, file=f"{FOLDER}/runs/{run}/{each.file}")
        for each in kept.exchanges(run, found.task)
    )
    verifications = kept.verifications(run, found.task)
    return detail_of(found.state, found.task, before, exchanges, verifications)


async def _cost(run: str, folder: Path) -> list[str]:
    """What each task of the run cost and why, and its commands, as the history recorded it."""
    history = FileHistory(folder / FOLDER / NAME)
    try:
        found = (await history.of_run(run)).executions
    except PortError as error:  # what the run did is shown all the same
        return ["", printable(error.message)]
    finally:
        history.close()
    tables = [table for table in (run_cost(found), run_commands(found)) if table]
    return [line for table in tables for line in ("", *map(printable, as_lines(table)))]


def _hints(found: _Found) -> Iterator[str]:
    tasks = sorted(map(found.state.task_of, found.state.attempts), key=lambda t: t.place.line)
    names = ", ".join(one_line(task.name) for task in tasks)
    if names:
        yield f"  To see a task in full: cairn show {found.run.id} TASK ({names})"


def _lines(
    detail: TaskDetail,
    waiting: Sequence[PendingProposal],
    elsewhere: str,
    *,
    full: bool,
) -> Iterator[str]:
    view = detail.view
    yield f"Task {one_line(view.name)} {one_line(view.title)}"
    yield f"Run {detail.run}, attempt {detail.attempt.number}: {view.stands}"
    if view.status is Status.IN_REVIEW:
        verdict = verdict_of(detail.attempt)
        yield texts.how_to_accept([view.name], elsewhere, f"{verdict.kind}, {verdict.reason}")
    if view.why:
        yield f"Why: {cut_middle(one_line(view.why), _LONGEST)}"
    yield from _section("What the roadmap says", [printable(detail.text)])
    yield from _section("How it went", _way(detail))
    yield from _section("Questions to the model", _asked(detail.exchanges, full=full))
    yield from _section("What changes", [printable(detail.diff)] if detail.diff else [])
    yield from _section("Verification", _verified(detail))
    for each in waiting:
        yield from _section("Proposal", [texts.proposal(each), texts.how_to_answer(each)])
    if (former := detail.attempt.proposal) and not waiting:
        yield from _section("Proposal", [texts.former_proposal(former, detail.attempt)])


def _section(title: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """A heading with its lines; nothing where there are none."""
    found = list(lines)
    if found:
        yield ""
        yield title
        yield "-" * len(title)
        yield from found


def _way(detail: TaskDetail) -> Iterator[str]:
    spent, plan = detail.attempt.spent, detail.attempt.planned.plan
    if spent.path:
        yield " > ".join(spent.path)
    for reason in spent.reasons:
        yield f"- {one_line(reason)}"
    if plan:
        yield f"Plan: {one_line(', '.join(plan.likely_files))}"
    for step in plan.steps if plan else ():
        yield f"- {one_line(step)}"
    for path, why in detail.attempt.answered.left_out.items():
        yield f"Left out: {one_line(path)} ({one_line(why)})"
    for warning in detail.view.checks.warnings:
        yield f"Worth a look: {one_line(warning)}"


def _asked(exchanges: Sequence[KeptExchange], *, full: bool) -> Iterator[str]:
    for number, each in enumerate(exchanges, 1):
        exchange = each.exchange
        tokens = f"{exchange.prompt_tokens:,} + {exchange.completion_tokens:,} tokens"
        cost = f", {dollars(exchange.cost)}" if exchange.cost is not None else ""
        model = one_line(exchange.model)
        yield f"{number}. {one_line(each.node)}: {model}, {tokens}{cost}, {each.file}"
        if full:
            yield f"> {printable(exchange.prompt)}".replace("\n", "\n> ")
            yield printable(exchange.reply)
    if exchanges and not full:
        yield "With --exchanges, what was asked and answered is shown too."


def _verified(detail: TaskDetail) -> Iterator[str]:
    verification = detail.attempt.tested.verification
    for level in verification.levels if verification else ():
        text = f" ({one_line(level.reason)[:_SHOWN]})" if level.reason else ""
        yield f"{level.name:<9} {level.result}{text}"
    for output in outputs_of(verification, most=_LONGEST):
        yield printable(output)
    for failure in verification.failures if verification else ():
        yield f"{one_line(failure.test)}:"
        yield cut_middle(printable(failure.message), _LONGEST)
    if detail.view.checks.trust:
        yield f"In short: {printable(trust_line(detail.view.checks.trust))}"
