"""One task of a run in full: its text, the change, what tests said, and what is proposed.

It is what a person needs to judge a task or a proposal, whatever shows it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from runner.people.run_view import TaskView, view_of
from runner.people.trust import trust_json
from runner.state.changes import EXECUTABLE, ChangeSet, Snapshot, Write
from runner.state.events import Exchange, TestedTree
from runner.state.findings import Verification
from runner.state.proposal import Proposal, as_item, original_of
from runner.state.recoveries import outcome_of
from runner.state.run_state import Attempt, RunState
from runner.text.compared import comparable
from runner.text.counting import counted
from runner.text.sanitize import cut_middle

MOST_LINES = 2_000
"""Lines of a diff that are shown."""

MOST_BYTES = 1_000_000
"""Size of a file that is compared."""

_NONE = "/dev/null"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptExchange:
    """A question to the model at a node, and its reply; ``file`` has both."""

    file: str
    node: str
    exchange: Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVerification:
    """One time that tests ran for a task: for which answer, and on what (see ``Verified``).

    The files of older versions say only what was found.
    """

    file: str
    attempt: int = 0
    answer: int = 1
    tested: TestedTree = "change"
    found: Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDetail:
    """A task, the newest attempt at it, and the text of the roadmap it was read from.

    ``diff`` is what the newest answer changes, as a unified diff of what the attempt built on;
    of code that waits for approval, it is exactly what would be written. It is None where what the
    attempt built on is gone. ``exchanges`` and ``verifications`` are those of all attempts. Texts
    and diff are foreign.
    """

    run: str
    view: TaskView
    text: str
    attempt: Attempt
    diff: str | None
    exchanges: tuple[KeptExchange, ...] = ()
    verifications: tuple[KeptVerification, ...] = ()


def changes_of(attempt: Attempt) -> ChangeSet:
    """The change a person judges: what waits for approval, else the newest answer."""
    proposal = attempt.proposal
    waits = proposal is not None and proposal.kind == "changes"
    return proposal.changes if proposal and waits else attempt.answered.changes


def detail_of(
    state: RunState,
    key: str,
    before: Mapping[str, bytes] | None,
    exchanges: tuple[KeptExchange, ...] = (),
    verifications: tuple[KeptVerification, ...] = (),
) -> TaskDetail:
    """Return a task that the run took up.

    ``before`` has the contents of its files in the base, None where that is gone.
    """
    attempt, task = state.attempts[key], state.task_of(key)
    (view,) = (each for each in view_of(state).tasks if each.key == key)
    proposal = attempt.proposal
    own = original_of(state.roadmap, task) if state.roadmap and task in state.tasks else task.text
    return TaskDetail(
        run=state.request.id,
        view=view,
        text=proposal.original if proposal else own,
        attempt=attempt,
        diff=None if before is None else unified(before, changes_of(attempt)),
        exchanges=exchanges,
        verifications=verifications,
    )


def known(base: Snapshot, changes: ChangeSet) -> dict[str, str]:
    """The blobs of a base that a change touches: path → sha."""
    return {path: base.entries[path].sha for path in changes.files if path in base.entries}


def unified(before: Mapping[str, bytes], changes: ChangeSet) -> str:
    """Return a unified diff as git prints it, at most ``MOST_LINES`` of it, and ``MOST_BYTES``.

    '' for no change.
    """
    texts = (
        text for path, write in sorted(changes.files.items()) for text in _file(path, before, write)
    )
    lines = [line for text in texts for line in text.split("\n")]
    if left := lines[MOST_LINES:]:
        lines[MOST_LINES:] = [f"… {counted(len(left), 'more line')}"]
    return cut_middle("\n".join(lines), MOST_BYTES)


def _file(path: str, before: Mapping[str, bytes], write: Write | None) -> Iterator[str]:
    old, new = before.get(path), write.content if write else None
    runs = write is not None and write.mode == EXECUTABLE
    if old == new and not runs:
        return
    yield f"diff --git a/{path} b/{path}"
    if old is None or new is None:
        yield "new file" if old is None else "deleted file"
    if runs:
        yield f"mode {EXECUTABLE}"
    heads = (f"a/{path}" if old is not None else _NONE, f"b/{path}" if new is not None else _NONE)
    lines = _lines(old), _lines(new)
    if b"\0" in (old or b"") + (new or b""):
        yield f"Binary files {heads[0]} and {heads[1]} differ"
    elif max(len(old or b""), len(new or b"")) > MOST_BYTES or not comparable(*lines):
        yield "The file is too large to be compared here."
    else:
        yield from difflib.unified_diff(*lines, *heads, lineterm="")


def _lines(content: bytes | None) -> list[str]:
    """The lines as git counts them; a last one without a line end says so, and so is another.

    A carriage return within one is shown as such: what follows it would seem to be another line.
    """
    text = (content or b"").decode("utf-8", "backslashreplace")
    lines = re.sub(r"\r(?!\n)", r"\\r", text).split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


DiffKind = Literal["file", "place", "added", "removed", ""]


def diff_lines(diff: str) -> Iterator[tuple[DiffKind, str]]:
    """Return the lines of a diff of ``unified``, each with what it is ('': unchanged)."""
    kinds: Mapping[str, DiffKind] = {"+": "added", "-": "removed", "@": "place"}
    inside = False  # only below a place are + and - added and removed lines
    for line in diff.split("\n") if diff else ():
        inside = line.startswith("@@ ") or (inside and not line.startswith("diff --git "))
        yield kinds.get(line[:1], "") if inside else "file", line


def detail_json(detail: TaskDetail) -> dict[str, object]:
    """Return the object that programs read."""
    attempt, view = detail.attempt, detail.view
    verification = attempt.tested.verification
    return {
        "run": detail.run,
        "task": view.key,
        "id": view.id,
        "title": view.title,
        "text": detail.text,
        "status": str(view.status),
        "why": view.why,
        "attempt": attempt.number,
        "plan": asdict(attempt.planned.plan) if attempt.planned.plan else None,
        "specification": list(attempt.planned.specification),
        "absent": list(attempt.planned.absent),
        "path": list(attempt.spent.path),
        "answers": view.effort.answers,
        "tokens": view.effort.used.tokens,
        "cost": view.effort.used.known_cost,
        "diff": detail.diff,
        "left_out": dict(attempt.answered.left_out),
        "warnings": list(view.checks.warnings),
        "levels": [asdict(level) for level in verification.levels] if verification else [],
        "evidence": list(attempt.failure.evidence) if attempt.failure else [],
        "trust": trust_json(view.checks.trust) if view.checks.trust else None,
        "commit": view.place.commit,
        "url": view.place.url,
        "proposal": _proposal(attempt, attempt.proposal) if attempt.proposal else None,
        "exchanges": [_exchange(detail, each) for each in detail.exchanges],
        "verifications": [_verification(each) for each in detail.verifications],
    }


def _exchange(detail: TaskDetail, each: KeptExchange) -> dict[str, object]:
    head = {"file": each.file, "run": detail.run, "task": detail.view.key, "node": each.node}
    return head | asdict(each.exchange)


def _verification(each: KeptVerification) -> dict[str, object]:
    return {
        "file": each.file,
        "attempt": each.attempt,
        "answer": each.answer,
        "tested": each.tested,
        "passed": each.found.passed,
        "levels": [asdict(level) for level in each.found.levels],
    }


def by_answer(verifications: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Group verifications, as ``detail_json`` has them, by the answer that each is about.

    A level that an earlier run of the same answer has already is left out of the later ones.
    """
    groups: dict[tuple[int, int], dict[str, Any]] = {}
    for each in verifications:
        key = each["attempt"], each["answer"]
        group = groups.setdefault(key, {"attempt": key[0], "answer": key[1], "runs": []})
        known = [level for run in group["runs"] for level in run["levels"]]
        new = [level for level in each["levels"] if level not in known]
        group["runs"].append({**each, "levels": new})
    return list(groups.values())


def _proposal(attempt: Attempt, proposal: Proposal) -> dict[str, object]:
    return {
        "id": proposal.id,
        "fingerprint": proposal.fingerprint,
        "outcome": outcome_of(attempt, proposal),
        "kind": proposal.kind,
        "strategy": proposal.strategy,
        "reason": proposal.reason,
        "explanation": proposal.explanation,
        "evidence": list(proposal.evidence),
        "original": proposal.original,
        "replacements": [as_item(each) for each in proposal.replacements],
        "url": proposal.place.url,
    }
