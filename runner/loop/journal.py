"""The cursors of a run in its journal: one of the run itself, one of each task it touched.

A row says which node its cursor is at and holds that cursor's own record as JSON, with contents
held by reference. Recovery is a fold over the newest rows, so a new process continues from the last
saved node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from runner.graph import END, REST, RUN_NODES
from runner.ports import Journal, JournalRow
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task, TaskMarks, TaskPlace
from runner.state.changes import blob_sha
from runner.state.options import (
    ApprovalOptions,
    AttemptLimits,
    HistoryOptions,
    ModelOptions,
    Options,
    Request,
    SandboxOptions,
    Scope,
    VerifyOptions,
)
from runner.state.proposal import Proposal, ProposalPlace, ProposalPushes
from runner.state.run_state import (
    Agreed,
    Answered,
    Attempt,
    Checked,
    Planned,
    PublishedWork,
    ReplacedTasks,
    RunStack,
    RunState,
    RunTimes,
    Spent,
    Status,
    VerifiedWork,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_BLOB = "$blob"
_MARK = "$"
"""Keys of our own that begin with it get one more, so that no path can pass for a reference."""


def encode_attempt(attempt: Attempt) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return (JSON, contents by sha)."""
    contents: dict[str, bytes] = {}
    return _lift(attempt, contents), contents


def encode_run(state: RunState) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return the run's own record: no attempts, and of the roadmap only its path and bytes."""
    contents: dict[str, bytes] = {}
    data = _lift(replace(state, attempts={}, roadmap=None), contents)
    if roadmap := state.roadmap:
        source = {"path": roadmap.path, "content": roadmap.content}
        data["roadmap"] = _lift(source, contents)
    return data, contents


def decode_attempt(data: Mapping[str, object], content: Mapping[str, bytes]) -> Attempt:
    """Rebuild an attempt from a row; ``content`` holds what ``references`` names."""
    plain = _grouped(Attempt, _lower(dict(data), content.__getitem__))
    plain["proposal"] = _proposal(plain.get("proposal"))
    verdict = plain["tested"].get("verdict")
    if verdict and verdict.pop("verified", False):  # of a version that had only this word
        verdict["kind"] = "shown"
    attempt: Attempt = _adapter(Attempt).validate_python(plain)
    return attempt


def keeps_change(row: JournalRow) -> bool:
    """Say whether the attempt of a row has an answer that changes something."""
    data: Any = row.data  # those of older versions have all fields side by side
    return bool(data.get("answered", data)["changes"]["files"])


def decode_run(data: Mapping[str, object], content: Mapping[str, bytes]) -> RunState:
    """Rebuild the run's own record; the roadmap is parsed again from its bytes."""
    plain = _grouped(RunState, _lower(dict(data), content.__getitem__))
    roadmap = plain.pop("roadmap", None)
    plain["request"]["options"] = _grouped(Options, plain["request"].get("options", {}))
    replaced = plain["replaced"]
    replaced["tasks"] = [_grouped(Task, each) for each in replaced.get("tasks", ())]
    state: RunState = _adapter(RunState).validate_python(plain)
    if roadmap is None:
        return state
    return replace(state, roadmap=parse_roadmap(roadmap["path"], roadmap["content"]))


_GROUPS: Final[Mapping[type, Mapping[str, type]]] = {
    Attempt: {
        "planned": Planned,
        "answered": Answered,
        "checked": Checked,
        "tested": VerifiedWork,
        "agreed": Agreed,
        "published": PublishedWork,
        "spent": Spent,
    },
    RunState: {"stack": RunStack, "times": RunTimes, "replaced": ReplacedTasks},
    Options: {
        "scope": Scope,
        "limits": AttemptLimits,
        "models": ModelOptions,
        "verify": VerifyOptions,
        "sandbox": SandboxOptions,
        "approvals": ApprovalOptions,
        "remembers": HistoryOptions,
    },
    Proposal: {"place": ProposalPlace, "pushes": ProposalPushes},
    Task: {"place": TaskPlace, "marks": TaskMarks},
}
"""Rows of versions before this one have the fields of these groups side by side."""

_FORMER: Final = {
    "planned.human_commits": "handed",
    "answered.auto_repairs": "mended",
    "published.body": "told",
    "spent.total": "spent",
    "spent.models": "answered_by",
    "stack.branch": "tip_branch",
    "stack.open": "open_pulls",
    "stack.published": "counted_pulls",
    "stack.left": "left_pulls",
    "replaced.tasks": "replaced",
    "models.roles": "models",
}
"""What such rows call a field."""


def _grouped(kind: type, row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is written now."""
    groups = _GROUPS[kind]
    if groups.keys() <= row.keys():
        return row
    found = dict(row)
    for name, group in groups.items():
        former = {f.name: _FORMER.get(f"{name}.{f.name}", f.name) for f in fields(group)}
        found[name] = {field: row[key] for field, key in former.items() if key in row}
    return found


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    """What checks a stored value: made when the first one is read, as a new run reads none."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _proposal(row: dict[str, Any] | None) -> dict[str, Any] | None:
    if row is None:
        return None
    row = _grouped(Proposal, row)
    row["pushes"]["ours"] = _proposal(row["pushes"].get("ours"))
    return row


def references(data: object) -> set[str]:
    """Name the contents a row refers to."""
    if isinstance(data, dict):
        if set(data) == {_BLOB}:
            return {str(data[_BLOB])}
        return references(list(data.values()))
    return set().union(*map(references, data)) if isinstance(data, list) else set()


def _lift(value: Any, contents: dict[str, bytes]) -> Any:
    if isinstance(value, bytes):
        sha = blob_sha(value)
        contents[sha] = value
        return {_BLOB: sha}
    if isinstance(value, Mapping):
        return {_escaped(str(key)): _lift(inner, contents) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lift(inner, contents) for inner in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _lift(getattr(value, f.name), contents) for f in fields(value)}
    return value


def _lower(value: Any, content: Callable[[str], bytes]) -> Any:
    if isinstance(value, dict):
        if set(value) == {_BLOB}:
            return content(value[_BLOB])
        return {k.removeprefix(_MARK): _lower(inner, content) for k, inner in value.items()}
    if isinstance(value, list):
        return [_lower(inner, content) for inner in value]
    return value


def _escaped(key: str) -> str:
    return _MARK + key if key.startswith(_MARK) else key


BORDER = "decide_next"
"""Where a task's cursor ends and the run's continues."""


class Cursors:
    """Saves and recalls the rows of one run; knows the sequence number of each cursor.

    ``at_work`` are the tasks that were begun and not settled when it was recalled, each with the
    node it is at; several where tasks go side by side. ``newest`` is the run with the last step of
    all of them.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seq: dict[str, int] = {}
        self.at_work: dict[str, str] = {}
        self.newest: RunState | None = None

    async def recall(self, request: Request, *, now: float) -> RunState:
        """Fold the newest row of every cursor into the state; an unknown run starts at ``now``."""
        rows = {row.task: row for row in await self._journal.recall(request.id)}
        self._seq = {task: row.seq for task, row in rows.items()}
        own = rows.pop("", None)
        if own is None:
            self._seq = {}
            self.newest = RunState(request, times=RunTimes(now))
            return self.newest
        state = await self._run_of(own)
        for row in rows.values():
            state = state.put(decode_attempt(row.data, await self._contents(row)))
        nodes = {row.task: row.node for row in rows.values()}
        self.at_work = {
            task: nodes[task]
            for task, attempt in state.attempts.items()
            if attempt.status is Status.IN_PROGRESS
        }
        self.newest = _with_work(state, self.at_work)
        return self.newest

    async def save(self, state: RunState, *, node: str, task: str) -> RunState:
        """Save what ``node`` left; where the cursor crosses a border the task's row comes first.

        So a crash between the two rows repeats the run's step, which is a pure function. Returns
        the state that is stored: the first writer of a row wins.
        """
        if node not in RUN_NODES:
            return await self._save_task(state, task, state.node)
        if task and state.current != task:
            state = replace(await self._save_task(state, task, BORDER), node=state.node)
        if state.current and state.node not in RUN_NODES | {END, REST}:
            state = await self._save_task(state, state.current, state.node)
        return await self._save_run(state)

    async def _save_run(self, state: RunState) -> RunState:
        data, contents = encode_run(state)
        row = JournalRow(state.request.id, "", self._next(""), state.node, data)
        stored = await self._write(row, contents)
        if stored == row:
            return state
        return replace(await self._run_of(stored), attempts=state.attempts)

    async def _save_task(self, state: RunState, task: str, node: str) -> RunState:
        data, contents = encode_attempt(state.attempts[task])
        row = JournalRow(state.request.id, task, self._next(task), node, data)
        stored = await self._write(row, contents)
        if stored == row:
            return state
        attempt = decode_attempt(stored.data, await self._contents(stored))
        return replace(state.put(attempt), node=stored.node)

    async def _run_of(self, row: JournalRow) -> RunState:
        return replace(decode_run(row.data, await self._contents(row)), node=row.node)

    def _next(self, task: str) -> int:
        return self._seq.get(task, 0) + 1

    async def _write(self, row: JournalRow, contents: dict[str, bytes]) -> JournalRow:
        stored = await self._journal.save(row, contents)
        self._seq[row.task] = row.seq
        return stored

    async def _contents(self, row: JournalRow) -> dict[str, bytes]:
        return {sha: await self._journal.content(sha) for sha in references(row.data)}


def _with_work(state: RunState, at_work: Mapping[str, str]) -> RunState:
    """Make a task that is at work the current one, the one of the run's own row first."""
    if not at_work:
        return replace(state, node=BORDER) if state.current else state
    task = state.current if state.current in at_work else next(iter(at_work))
    return replace(state, current=task, node=at_work[task])
