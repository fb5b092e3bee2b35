"""State to journal rows and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

from hypothesis import example, given
from hypothesis import strategies as st

from runner.loop.journal import (
    decode_attempt,
    decode_run,
    encode_attempt,
    encode_run,
    keeps_change,
    references,
)
from runner.money import Usage
from runner.ports import JournalRow
from runner.roadmap.task import NewTask
from runner.state.changes import ChangeSet, Write, blob_sha
from runner.state.findings import Complaint, Level, TestFailure, Verdict, Verification
from runner.state.proposal import Proposal, ProposalPlace, ProposalPushes, Reason, Strategy
from runner.state.run_state import (
    AcceptedChange,
    Agreed,
    Answered,
    Attempt,
    Checked,
    Decided,
    Failure,
    Plan,
    Planned,
    PublishedWork,
    RunState,
    RunTimes,
    Spent,
    Status,
    VerifiedWork,
)
from tests.runner.fields import changed
from tests.runner.roadmap.texts import files
from tests.runner.states import at, run_state
from tests.runner.trees import change_sets

# an answer can hold any character of JSON, a path any byte, as lone surrogates
texts = st.one_of(st.text(max_size=8), st.sampled_from(["\ud800", "a\udce9", "$blob", "$$blob"]))
words = st.lists(texts, max_size=3).map(tuple)
counts = st.integers(0, 1000)
seconds = st.floats(0, 1e6)
lines = st.one_of(st.none(), st.integers(1, 99))
usages = st.builds(Usage, seconds, counts, seconds, counts)
complaints = st.builds(Complaint, texts, texts, texts, lines, lines, texts)
failures = st.builds(TestFailure, texts, texts, texts, lines)
levels = st.builds(
    Level,
    st.sampled_from(["files", "syntax", "imports", "tests"]),
    st.sampled_from(["passed", "failed", "skipped"]),
    words,
    st.one_of(st.none(), st.integers(-9, 200)),
    texts,
    seconds,
    texts,
    st.lists(failures, max_size=2).map(tuple),
)
any_changes = st.one_of(
    change_sets,
    st.dictionaries(texts, st.one_of(st.none(), st.builds(Write, st.binary()))).map(ChangeSet),
)
reasons = st.sampled_from(get_args(Reason))
new_tasks = st.builds(NewTask, texts, texts, words, words)
proposals = st.builds(
    Proposal,
    task=texts,
    kind=st.sampled_from(["recovery", "changes"]),
    strategy=st.sampled_from(get_args(Strategy)),
    reason=reasons,
    explanation=texts,
    original=texts,
    evidence=words,
    replacements=st.lists(new_tasks, max_size=2).map(tuple),
    changes=any_changes,
    made_at=seconds,
    place=st.builds(ProposalPlace, st.one_of(st.none(), counts), texts),
)
attempts = st.builds(
    Attempt,
    task=texts,
    base=texts,
    below=texts,
    number=counts,
    status=st.sampled_from(Status),
    failure=st.one_of(
        st.none(), st.builds(Failure, texts, texts, texts, reasons, st.booleans(), words)
    ),
    proposal=st.one_of(st.none(), proposals),
    planned=st.builds(
        Planned,
        plan=st.one_of(st.none(), st.builds(Plan, words, words, words, texts)),
        context=st.binary(max_size=20),
    ),
    answered=st.builds(Answered, answers=counts, changes=any_changes),
    checked=st.builds(
        Checked, complaints=st.lists(complaints, max_size=2).map(tuple), warnings=words
    ),
    tested=st.builds(
        VerifiedWork,
        verification=st.one_of(
            st.none(), st.builds(Verification, texts, st.lists(levels, max_size=2).map(tuple))
        ),
    ),
    agreed=st.builds(
        Agreed,
        decision=st.one_of(st.none(), st.builds(Decided, texts, texts, texts, texts, texts)),
        rewritten=st.binary(max_size=20),
    ),
    published=st.builds(PublishedWork, body=st.binary(max_size=20)),
    spent=st.builds(
        Spent,
        steps=counts,
        total=usages,
        path=words,
        usage=st.dictionaries(texts, usages, max_size=2),
    ),
)


def stored(data: dict[str, object]) -> dict[str, object]:
    """A row as it comes back from a journal."""
    back = json.loads(json.dumps(data))
    assert isinstance(back, dict)
    return back


@given(attempts)
def test_an_attempt_comes_back(attempt: Attempt) -> None:
    """What is decoded equals what was encoded, through JSON."""
    data, contents = encode_attempt(attempt)

    assert decode_attempt(stored(data), contents) == attempt


@given(
    files,
    st.dictionaries(texts, st.sampled_from(Status)),
    st.dictionaries(texts, usages),
    st.booleans(),
)
def test_a_run_comes_back(
    content: bytes,
    statuses: dict[str, Status],
    usage: dict[str, Usage],
    stopping: bool,
) -> None:
    """The run's own record comes back, its roadmap byte for byte."""
    state = run_state()
    roadmap = replace(run_state("").roadmap, content=content)  # type: ignore[type-var]
    state = replace(state, roadmap=roadmap, statuses=statuses, usage=usage, stopping=stopping)
    data, contents = encode_run(state)
    back = decode_run(stored(data), contents)

    assert replace(back, roadmap=None) == replace(state, roadmap=None)
    assert back.roadmap
    assert back.roadmap.content == content


@given(attempts)
def test_a_kept_change_comes_back(attempt: Attempt) -> None:
    """A change that waits for its repair is there after a restart, with its contents."""
    held = AcceptedChange(attempt.answered, attempt.checked, attempt.tested)
    data, contents = encode_attempt(replace(attempt, accepted=held))

    assert decode_attempt(stored(data), contents).accepted == held


def test_a_run_without_a_roadmap() -> None:
    """A run that has read nothing yet comes back, too."""
    state = RunState(run_state().request, times=RunTimes(5.0))
    data, contents = encode_run(state)

    assert decode_run(stored(data), contents) == state


def test_tasks_come_back_with_the_roadmap() -> None:
    """Only the bytes of the roadmap are kept; its tasks are read from them again."""
    data, contents = encode_run(run_state())

    assert decode_run(stored(data), contents).tasks == run_state().tasks


def test_a_run_row_holds_no_attempt() -> None:
    """Attempts have rows of their own."""
    data, _ = encode_run(at("plan_task"))

    assert data["attempts"] == {}


@given(attempts)
@example(changed(Attempt("t", "c", "main"), context=b"a", rewritten=b"b", body=b"c"))
def test_contents_are_held_by_reference(attempt: Attempt) -> None:
    """Every content is named in the row and handed over beside it, and nothing else is."""
    data, contents = encode_attempt(attempt)
    sets = [attempt.answered.changes, *([attempt.proposal.changes] if attempt.proposal else [])]
    written = (w.content for changes in sets for w in changes.files.values() if w)
    held = [attempt.planned.context, attempt.agreed.rewritten, attempt.published.body, *written]

    assert references(stored(data)) == set(contents) == {blob_sha(content) for content in held}


def test_a_file_named_like_a_reference() -> None:
    """A change set whose only path is the word for references comes back as it was."""
    attempt = changed(
        Attempt("t", "c", "main"), changes=ChangeSet({"$blob": None, "$$blob": Write(b"x")})
    )
    data, contents = encode_attempt(attempt)

    assert decode_attempt(stored(data), contents) == attempt


SHOWN, CODE = b"shown", b"A = 1\n"
OLD_ATTEMPT = {
    "task": "t1",
    "base": "c0",
    "below": "main",
    "number": 2,
    "status": "in_progress",
    "steps": 4,
    "answers": 3,
    "spent": {"seconds": 1.5, "tokens": 20, "cost": 0.25, "calls": 3, "unpriced": 0},
    "plan": {"likely_files": [], "steps": ["write"], "acceptance": [], "complexity": "low"},
    "context": {"$blob": blob_sha(SHOWN)},
    "changes": {"files": {"a.py": {"content": {"$blob": blob_sha(CODE)}, "mode": None}}},
    "left_out": {"b.py": "not asked"},
    "verification": None,
    "decision": {"verdict": "approve", "by": "ann", "channel": "", "at": "", "why": ""},
    "commit": "c1",
    "url": "https://forge.test/pull/1",
    "path": ["build_context"],
}
OLD_OPTIONS = {
    "max_tasks": 3,
    "task": "1.1",
    "model": "writer",
    "models": {"planning": "planner"},
    "max_tokens": 9,
    "protect": ["docs/**"],
    "setup": [["sh", "-c", "make"]],
    "verify_mode": "tests",
    "grouping": 2,
}
OLD_TASK = {
    "key": "97fd1c4447",
    "id": "1.1",
    "title": "Add a.py (optional) [P] (priority: high)",
    "text": "**1.1** Add `a.py` (optional) [P] (priority: high)",
    "line": 7,
    "text_end_line": 7,
    "end_line": 10,
    "checked": False,
    "depth": 0,
    "kind": "work",
    "headings": [
        {"level": 1, "line": 1, "text": "Plan"},
        {"level": 2, "line": 3, "text": "Phase 1: Start"},
    ],
    "details": "  - Depends on: 1.2, nothing known\n  - Acceptance:\n    - it works",
    "section": "Before the list.",
    "label": "",
    "phase": "1",
    "acceptance": ["it works"],
    "files": ["a.py"],
    "depends_on": ["ee6cdacf20"],
    "depends_text": ["nothing known"],
    "parent": None,
    "optional": True,
    "priority": "high",
    "effort": None,
    "parallel": False,
    "struck": False,
    "template": False,
}
OLD_PROPOSAL = {
    "task": "t1",
    "kind": "changes",
    "strategy": "escalate",
    "reason": "unknown",
    "explanation": "because",
    "original": "- [ ] 1.1 Add",
    "evidence": ["line"],
    "replacements": [{"text": "Do it", "id": "1.1.1", "details": ["x"], "acceptance": ["y"]}],
    "changes": {"files": {"a.py": None}},
    "made_at": 5.0,
    "attempt": 2,
    "fingerprint": "41253300",
    "branch": "cairn/r1/recovery",
    "url": "https://x/7",
    "number": 7,
    "comment_id": 8,
    "comment_node_id": "IC_8",
    "head": "c9",
    "held": "no",
    "revision": 1,
    "onto": "c8",
    "ours": None,
}
OLD_RUN = {
    "tip": "c1",
    "tip_branch": "b1",
    "current": "",
    "replaced": [OLD_TASK],
    "origins": {"new": "97fd1c4447"},
    "members": {
        "m": {
            "tasks": ["m", "n"],
            "commit": "c1",
            "branch": "b1",
            "below": "main",
            "url": "https://x/1",
            "rewrites": True,
            "fork": "c0",
        }
    },
    "taken": ["m"],
    "blocked_by": {"a": "b"},
    "base": "c0",
}


def test_an_attempt_of_an_older_version() -> None:
    """A row whose fields all lie side by side is read, and so is the one that is written of it."""
    contents = {blob_sha(SHOWN): SHOWN, blob_sha(CODE): CODE}
    attempt = decode_attempt(OLD_ATTEMPT, contents)

    assert (attempt.number, attempt.answered.answers, attempt.spent.steps) == (2, 3, 4)
    assert attempt.spent.total == Usage(1.5, 20, 0.25, 3)
    assert attempt.planned.context == SHOWN
    assert attempt.answered.changes == ChangeSet({"a.py": Write(CODE)})
    assert attempt.agreed.decision == Decided("approve", "ann")
    assert attempt.published.url == "https://forge.test/pull/1"
    data, held = encode_attempt(attempt)
    assert decode_attempt(stored(data), held) == attempt


def test_a_verdict_of_an_older_version() -> None:
    """It said only whether the change was verified."""
    for verified, kind in ((True, "shown"), (False, "untested")):
        old = {"task": "t1", "base": "c0", "below": "main", "verdict": {"verified": verified}}
        assert decode_attempt(old, {}).tested.verdict == Verdict(kind)  # type: ignore[arg-type]


def test_a_proposal_of_an_older_version() -> None:
    """Its place and what was pushed to it lie side by side, also in what it was before a push."""
    row: dict[str, Any] = {"task": "t1", "base": "c0", "below": "main"}
    row["proposal"] = OLD_PROPOSAL | {"ours": OLD_PROPOSAL}
    attempt = decode_attempt(row, {})
    assert attempt.proposal
    ours = attempt.proposal.pushes.ours
    assert ours

    assert ours.place == ProposalPlace(7, "https://x/7", 8, "IC_8")
    assert ours.pushes == ProposalPushes("c9", "no", 1, "c8")
    assert attempt.proposal == replace(ours, pushes=replace(ours.pushes, ours=ours))
    data, held = encode_attempt(attempt)
    assert decode_attempt(stored(data), held) == attempt


def test_the_options_of_an_older_version() -> None:
    """A run's row keeps its options side by side, too."""
    request = {"id": "r1", "roadmap": "ROADMAP.md", "options": OLD_OPTIONS}
    state = decode_run({"request": request, "tip": "c0"}, {})
    options = state.request.options

    assert (options.scope.max_tasks, options.scope.task, options.grouping) == (3, "1.1", 2)
    assert (options.models.model, options.models.roles) == ("writer", {"planning": "planner"})
    assert options.limits.max_tokens == 9
    assert options.approvals.protect == ("docs/**",)
    assert options.sandbox.setup == (("sh", "-c", "make"),)
    assert options.verify.verify_mode == "tests"
    assert decode_run(stored(encode_run(state)[0]), {}) == state


def test_a_run_of_an_older_version() -> None:
    """What a run builds on, and what was replaced in it, lie side by side in its row."""
    state = decode_run({"request": {"id": "r1", "roadmap": "ROADMAP.md"}, **OLD_RUN}, {})
    [task] = state.replaced.tasks

    assert (state.stack.tip, state.stack.branch, state.stack.base) == ("c1", "b1", "c0")
    assert state.stack.members["m"].tasks == ("m", "n")
    assert (state.stack.taken, state.blocked_by) == (("m",), {"a": "b"})
    assert (task.name, state.replaced.origins) == ("1.1", {"new": task.key})
    assert (task.place.phase, task.place.end_line, task.marks.priority) == ("1", 10, "high")
    assert decode_run(stored(encode_run(state)[0]), {}) == state


def test_a_row_says_whether_it_keeps_a_change() -> None:
    """Also one of an older version, which has all fields side by side."""
    changed = {"changes": {"files": {"a.txt": None}}}
    for data in ({"answered": changed}, changed):
        assert keeps_change(JournalRow("r1", "t1", 1, "verify_task", {**data}))
    nothing = encode_attempt(Attempt("t1", "c1", "main"))[0]
    assert not keeps_change(JournalRow("r1", "t1", 1, "execute_task", nothing))
