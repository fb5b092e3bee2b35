"""What each check of an answer stops that no other stops, and what it refuses wrongly.

Replays the answers of ``answers`` (``tests/answers``) through the questions and the validation
alone: nothing is written and no test runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

from runner.context.library import Index
from runner.loop.deps import FileSearch, TaskWork
from runner.nodes.context import build_context
from runner.nodes.generate import execute_task
from runner.nodes.validate import validate_code
from runner.prompts.questions import Answer, Question
from runner.roadmap.parse import parse_roadmap
from runner.state.options import Request
from runner.state.run_state import Attempt, RunStack, RunState
from tests.answers.drawing import HARMS, RIGHT, TASKS, drawn, made
from tests.answers.projects import LANGUAGES, ROADMAP, Task
from tests.model_server import Reply
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.scripted import deps

_SHARE = 0.3

WHERE = {
    "kept_names": ("LostName", "ChangedSignature", "UnusedNameGone", "SignatureChanged"),
    "tests_kept": ("WeakenedTest",),
    "stubs": ("StubBody",),
    "touched (a node)": ("Untouched",),
    "defined_twice": ("DefinedTwice",),
    "undefined": ("UndefinedName",),
    "validate, paths": ("UnsafePath", "ProtectedPath", "NearMissPath", "PathConflict"),
    "validate, secrets": ("Secret", "HiddenValue"),
    "validate, syntax": ("SyntaxError", "IndentationError", "TabError", "ConflictMarks"),
    "validate_code (a node)": ("MissingFile", "EmptyAnswer"),
    "reach": ("(left out)",),
}
"""The module that says each word; what none of them says is said by the parser of answers."""


class _Says:
    """A model that gives its answers in turn, and the last one again and again."""

    def __init__(self, turns: Sequence[str | Reply]) -> None:
        self._turns = list(turns)

    async def ask(self, question: Question) -> Answer:
        """Give the next one."""
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        if isinstance(turn, str):
            turn = Reply(turn)
        return Answer(turn.text or "", turn.finish_reason, 10, 10, "scripted", cost=0.0)


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[str]:
    """Print the table; ``--all`` replays every answer, and not only some of them."""
    share = 1.0 if "--all" in arguments else _SHARE
    alone, refused = defaultdict[str, Counter[str]](Counter), Counter[str]()
    harms = rights = 0
    for task in (task for language in LANGUAGES for task in TASKS[language]):
        for harm in HARMS.values():
            harmful = made(harm, task, 0)
            if harmful is not None and drawn("checks", harm.id, task.name).random() < share:
                harms += 1
                said = await _said(task, harmful.answer)
                if len(said) == 1:
                    alone[said.pop()][harm.id] += 1
        for form in RIGHT.values():
            if form.fits(task) and drawn("checks", form.id, task.name).random() < share:
                rights += 1
                refused.update(await _said(task, form.turns(task)))
    yield f"{harms} harmful answers, {rights} right ones"
    yield "| module | only it stops | for example | refuses wrongly |"
    yield "| --- | --- | --- | --- |"
    for module, words in WHERE.items():
        stops = Counter[str]()
        for word in words:
            stops += alone[word]
        examples = ", ".join(each for each, _ in stops.most_common(3))
        wrong = sum(refused[word] for word in words)
        yield f"| {module} | {stops.total()} | {examples} | {wrong} |"


async def _said(task: Task, turns: Sequence[str | Reply]) -> set[str]:
    """The words of what an answer to a task is refused for, or loses files by."""
    base = task.base
    repository = MemoryRepository(base)
    ports = replace(deps(repository=repository), model=_Says(turns), search=FileSearch(Index()))
    roadmap = parse_roadmap(ROADMAP, base[ROADMAP].encode())
    stack = RunStack(tip=START, branch="main")
    state = RunState(Request("r1"), roadmap=roadmap, stack=stack, node="build_context")
    key = state.tasks[0].key
    state = replace(state, current=key).put(Attempt(task=key, base=START, below="main"))
    for node in (build_context, execute_task, validate_code):
        state = (await node(replace(state, node=node.__name__), ports, TaskWork())).state
    attempt = state.attempt
    words = {complaint.error for complaint in attempt.checked.complaints}
    return words | ({"(left out)"} if attempt.answered.left_out else set())
