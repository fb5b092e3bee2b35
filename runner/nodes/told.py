"""What a question tells of the project and of the plan: guides, tests, the specification.

All of it is the repository's own text, so it is shown as material, and bounded.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from runner.code.languages import is_among_tests, is_test_file
from runner.context.compose import QuotedFile
from runner.context.cut import hard_cut
from runner.context.facts import has, says_more
from runner.context.library import Library, readable
from runner.context.search import names_in
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.prompts.task_kinds import kind_of
from runner.recovery.facts import open_others
from runner.roadmap.plans import form_of
from runner.roadmap.plans.specification import SpecQuote
from runner.roadmap.task import Task
from runner.state.changes import Snapshot
from runner.state.options import ProjectOptions
from runner.state.run_state import RunState
from runner.text.encoding import text_of
from runner.verify import configuration, tools_of

_GUIDES = (
    "AGENTS.md",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
)
_MOST_GUIDES = 3
_OTHERWISE = re.compile(
    r"\b(?:no|without|not|never|nor|don'?t)\b(?:\W+\w+){0,4}?\W+tests?\b|\btests?\b[^.\n]{0,40}\b"
    r"(?:already|exist|not needed|separate|later)",
    re.IGNORECASE,
)


async def guides(deps: Deps, base: Snapshot, about: Collection[str]) -> Mapping[str, bytes]:
    """Return what the repository tells its contributors, the nearest to the files first."""
    # of all folders around these files, the innermost first
    above = [str(folder) for path in about for folder in PurePosixPath(path).parents]
    paths = [*(f"{folder}/AGENTS.md" for folder in above if folder != "."), *_GUIDES]
    there = [path for path in dict.fromkeys(paths) if readable(base.entries, path)]
    found = await contents(deps, base, there[:_MOST_GUIDES])
    return {path: found[path] for path in there if path in found and says_more(found[path])}


async def test_command(state: RunState, deps: Deps, base: Snapshot) -> str:
    """Say with what the tests are run; '' if nobody knows."""
    verify = state.request.options.verify
    if verify.verify_mode in ("syntax", "off"):
        return ""
    if verify.verify_commands:
        first = verify.verify_commands[:3]
        return "; ".join(c[2] if c[:2] == ("sh", "-c") else shlex.join(c) for c in first)[:300]
    old = await contents(deps, base, configuration(base.entries))
    return ", ".join(dict.fromkeys(tool.name for tool in tools_of(base.entries, old.get)))


def wants_tests(state: RunState, library: Library, base: Snapshot) -> str:
    """Ask for a test where the repository has some and neither task nor roadmap says otherwise.

    '' where a test speaks of what the task names already, or another task is to write one.
    """
    task = state.task
    tests = [path for path in sorted(base.entries) if is_test_file(path)]
    text = f"{task.text}\n{task.details}"
    if tests and state.request.options.scope.fix:
        return (
            f"The project has tests, like `{tests[0]}`. Add a regression test: it fails as long as "
            "the fault is there, and passes with your change."
        )
    if not tests or kind_of(task) != "code" or _OTHERWISE.search(text):
        return ""
    others = tuple(open_others(state))
    files = [path for each in (task, *others) for path in each.files]
    titles = "\n".join(other.title for other in others)
    if any(map(is_among_tests, files)) or re.search(r"\btests?\b", titles, re.IGNORECASE):
        return ""
    names = [name.lower() for name in names_in(text)]
    known = (library.facts[path].terms for path in tests if path in library.facts)
    if any(has(terms, name) for terms in known for name in names):
        return ""
    return f"The project has tests, like `{tests[0]}`. Add one for this task."


def in_project(project: ProjectOptions) -> str:
    """Say where a project's plan is about; '' for the whole repository's."""
    if not project.folder:
        return ""
    return (
        f"This plan is about the project in `{project.folder}/`. A path of the plan that is not "
        f"there from the top of the repository is meant from `{project.folder}/`; in your answer, "
        "write all paths from the top."
    )


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
    folder, paths = form.folder(path), form.beside(path, base.entries.keys(), task)
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


_MOST_CRITERIA, _LONGEST_CRITERION = 12, 300
_LONGEST_PART = 4_000
"""Characters of the task's details, and of what its section says, where a question is short."""


def about_task(task: Task) -> dict[str, Any]:
    """What a short question says of its task; it begins as the long one before it, if it can."""
    return {
        "task": task,
        "headings": [heading.text for heading in task.place.headings],
        "details": hard_cut(with_criteria(task), limit=_LONGEST_PART, count=len),
        "section": hard_cut(task.place.section, limit=_LONGEST_PART, count=len),
    }


def with_criteria(task: Task) -> str:
    """Return the details of a task, and what its section is to fulfil that they do not say."""
    shown = f"{task.details}\n{task.place.section}"
    new = [each for each in task.acceptance if each not in shown][:_MOST_CRITERIA]
    if not new:
        return task.details
    lines = "\n".join(f"- {each[:_LONGEST_CRITERION]}" for each in new)
    criteria = f"When all tasks of its section are done, this must be true:\n\n{lines}"
    return "\n\n".join(filter(None, [task.details, criteria]))
