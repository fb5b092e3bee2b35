"""What a plan's own files say about a task: the parts that it names, then the other files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from runner.context.compose import QuotedFile
from runner.context.library import readable
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.roadmap.plans import form_of
from runner.roadmap.plans.specification import SpecQuote
from runner.roadmap.task import Task
from runner.state.changes import Snapshot
from runner.state.run_state import RunState
from runner.text.encoding import text_of

_BOX = re.compile(r"^[ \t]*[-*][ \t]+\[.\]", re.MULTILINE)
_INCLUSION = re.compile(
    rb"\A---[ \t\r]*\n(?:(?!---).*\n)*?inclusion:[ \t]*[\"']?(?!always)\w", re.IGNORECASE
)
"""Front matter of a steering file that is not for every task."""
_MOST_RULES, _MOST_QUOTES = 8, 50


@dataclass(frozen=True, slots=True)
class Specification:
    """``cited`` are the parts that a task names, ``beside`` the other files, ``missing`` what is
    named and not there; ``rules`` hold for every task of the repository."""

    cited: Sequence[QuotedFile] = ()
    beside: Sequence[QuotedFile] = ()
    missing: Sequence[str] = ()
    rules: Mapping[str, bytes] = field(default_factory=dict)


async def specification(state: RunState, deps: Deps, base: Snapshot) -> Specification:
    """Read what the plan of a run says about its current task besides the task's own lines."""
    path, task = state.request.roadmap, state.task
    form = form_of(path)
    folder, paths = form.folder(path), form.beside(path, base.entries.keys())
    ruling = form.ruling(path, base.entries.keys())[:_MOST_RULES]
    wanted = [each for each in (*paths, *ruling) if readable(base.entries, each)]
    found = await contents(deps, base, wanted)
    texts = {each: text_of(each, found[each]) for each in paths if each in found}
    files = {each.removeprefix(folder): text for each, text in texts.items()}
    words = _words(task, state.tasks)
    every = ([*islice(form.cited(each, files), _MOST_QUOTES)] for each in words)
    quotes: list[SpecQuote] = await asyncio.to_thread(next, filter(None, every), [])
    whole = {folder + quote.path for quote in quotes if quote.text}
    return Specification(
        cited=[QuotedFile(f"{folder}{q.path} ({q.what})", q.text) for q in quotes if q.text],
        beside=[QuotedFile(each, text) for each, text in texts.items() if each not in whole],
        missing=[f"{q.what} of {q.path}" for q in quotes if not q.text],
        rules={p: found[p] for p in ruling if p in found and not _INCLUSION.match(found[p])},
    )


def _words(task: Task, tasks: Sequence[Task]) -> list[str]:
    """What may name parts of a specification: the task's words, else those of what it is in."""
    around = next((each for each in tasks if each.key == task.place.parent), None)
    own = f"{task.text}\n{task.details}"
    return [own, f"{around.text}\n{_BOX.split(around.details)[0]}"] if around else [own]
